"""Sets of vectors of natural numbers."""
