"""How long the turns of searches are."""

SHORT_SEARCH = 300
FIRST_LOOK_AT_ONE = 1_000
MIDDLE_LOOK_AT_ONE = 7_000
MIDDLE_SEARCH = 10_000
LONG_SEARCH = 50_000
LONGEST_SEARCH = 200_000
"""States."""

EVERYTHING = 10**12
"""More work than any limit allows."""
