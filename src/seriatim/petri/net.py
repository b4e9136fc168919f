"""Petri nets: places hold tokens, transitions take some and give some."""

from dataclasses import dataclass


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
