"""Programs that stay undecided within few states, and quickly so."""

GROWING = "".join(f"request grow{number} {{ N := N + 1; yield; {number} }}\n" for number in range(41))
"""The counter has no bound, and there are too many requests for formulas about all integers."""
