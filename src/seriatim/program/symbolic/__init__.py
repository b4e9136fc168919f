"""Handlers as formulas: what one step, or a whole request that runs alone, does with any values at all."""
