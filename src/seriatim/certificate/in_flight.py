"""Requests in flight: what they have left to do, and which ones can be in flight together."""

from dataclasses import dataclass
from typing import Literal

from seriatim.codec import Values

Level = Literal[1, 2]
"""How finely the checker examines what can be in flight together: single requests or pairs."""

LEVELS: tuple[Level, ...] = (1, 2)


@dataclass(frozen=True, slots=True, order=True)
class Invariant:
    """sign · (variable − its initial value) is the sum of a weight over all requests in flight."""

    variable: str
    sign: Literal[1, -1]


@dataclass(frozen=True, slots=True)
class Waiting:
    """The requests in flight with this much left to do."""

    handler: str
    code: str
    """The remaining code, or the name of the network system's local state."""
    values: Values
    """Values of local variables."""
