"""How long the turns of searches are."""

SHORT_SEARCH = 300
MIDDLE_SEARCH = 10_000
LONG_SEARCH = 50_000
LONGEST_SEARCH = 200_000
"""States."""

EVERYTHING = 10**12
"""More work than any limit allows."""
