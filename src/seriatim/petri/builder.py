"""Builds nets from names, for readers of nets; reports names that clash or are missing."""

from collections.abc import Iterable

from seriatim.petri.net import PetriNet, Transition
from seriatim.source import Diagnostic, InputError, Span

MAX_WEIGHT = 1_000
"""The largest weight of an arc; its tokens are written out one by one."""


class NetBuilder:
    """A net under construction; places and transitions are numbered as they come."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._tokens: list[int] = []
        self._transitions: dict[str, tuple[list[int], list[int]]] = {}
        self._meanings: dict[str, str] = {}

    def place(self, name: str, tokens: int = 0) -> int:
        """The number of a place, which is new if it was not there; tokens add up."""
        if name not in self._places:
            self._places[name] = len(self._places)
            self._tokens.append(0)
        self._tokens[self._places[name]] += tokens
        return self._places[name]

    def means(self, name: str, meaning: str | None) -> None:
        """Sets the meaning of a place or a transition, if it is more than its name."""
        if meaning and meaning != name:
            self._meanings[name] = meaning

    def has_place(self, name: str) -> bool:
        return name in self._places

    def has_transition(self, name: str) -> bool:
        return name in self._transitions

    def transition(self, name: str) -> None:
        self._transitions.setdefault(name, ([], []))

    def takes(self, transition: str, place: str, weight: int, span: Span) -> None:
        self._transitions[transition][0].extend(self._copies(place, weight, span))

    def gives(self, transition: str, place: str, weight: int, span: Span) -> None:
        self._transitions[transition][1].extend(self._copies(place, weight, span))

    def _copies(self, place: str, weight: int, span: Span) -> Iterable[int]:
        if weight > MAX_WEIGHT:
            message = f"an arc of weight {weight:,}; at most {MAX_WEIGHT:,} is allowed"
            raise InputError([Diagnostic("SER903", message, span)])
        return [self.place(place)] * weight

    def net(self) -> PetriNet:
        return PetriNet(
            tuple(self._places),
            tuple(
                Transition(name, tuple(sorted(pre)), tuple(sorted(post)))
                for name, (pre, post) in self._transitions.items()
            ),
            tuple(self._tokens),
            self._meanings,
        )
