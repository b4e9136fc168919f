"""Properties: the questions that can be asked about an input."""
