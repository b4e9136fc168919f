"""Smaller thread programs: which variables and which places can go."""
