"""Handlers as formulas: what one step, or a whole request that runs alone, does for all values."""
