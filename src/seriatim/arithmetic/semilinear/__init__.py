"""Semilinear sets of vectors."""
