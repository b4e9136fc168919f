"""Systems for questions about outcomes: an input as it is, with an observer, or with time."""

from seriatim.systems.from_input import Origin
from seriatim.systems.intervals import IntervalSystem
from seriatim.systems.observation import ObservedSystem

Committing = Origin | ObservedSystem
"""A system for proofs by commit points."""

Derived = Committing | IntervalSystem
"""A system that knows the way back to the input."""
