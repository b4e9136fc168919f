"""Search for a violation, with more and more requests."""
