"""Petri nets: places hold tokens, transitions take some and give some."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Transition:
    """What a transition takes and gives; a place that stands there twice means two tokens."""

    name: str
    pre: tuple[int, ...]
    post: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PetriNet:
    """Places are indices into the tuple of their names."""

    places: tuple[str, ...]
    transitions: tuple[Transition, ...]
    initial: tuple[int, ...]
    """How many tokens each place holds at the start."""
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False)
    """What places and transitions stand for, by their names, where that is known."""


Marking = tuple[int, ...]
"""How many tokens each place holds."""


def fire(marking: Marking, transition: Transition) -> Marking | None:
    """The marking after a firing; None if a token is missing."""
    tokens = list(marking)
    for place in transition.pre:
        tokens[place] -= 1
        if tokens[place] < 0:
            return None
    for place in transition.post:
        tokens[place] += 1
    return tuple(tokens)


def after_firings(net: PetriNet, firings: Iterable[int]) -> Marking | None:
    """The marking after these transitions have fired, one after the other; None if one of them cannot."""
    marking: Marking | None = net.initial
    for index in firings:
        if marking is None:
            return None
        marking = fire(marking, net.transitions[index])
    return marking
