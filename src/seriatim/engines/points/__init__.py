"""The order in which requests pass marked points."""
