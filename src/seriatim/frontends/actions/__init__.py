"""The language of asynchronous programs."""
