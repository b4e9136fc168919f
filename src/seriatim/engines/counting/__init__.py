"""Counting steps: the state equation and its refinements."""
