"""The systems that outcomes are asked about: an input as it is, with an observer, or in time."""

from seriatim.systems.from_input import Origin
from seriatim.systems.intervals import IntervalSystem
from seriatim.systems.observation import ObservedSystem

Committing = Origin | ObservedSystem
"""A system of proofs by commit points."""

Derived = Committing | IntervalSystem
"""A system that knows the way back to the input."""
