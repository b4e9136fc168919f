"""Nets with a control: the net of a system whose requests share one global state."""

from dataclasses import dataclass

from seriatim.petri.net import PetriNet


@dataclass(frozen=True, slots=True)
class ControlledNet:
    """Of the first `control` places, one has a token, at the start the very first; every transition takes
    this token and gives it to one of them. A run is complete if it ends without tokens on other places, and
    with the control on one of `ends`."""

    net: PetriNet
    control: int
    ends: frozenset[int]
    answering: dict[int, tuple[int, ...]]
    """For each completion the transitions that answer with it."""
