"""Models for logs: what a request answers in a state, and which state follows.

A model may consist of independent parts, such as the keys of a map. Each request concerns one part, and has
an effect on no other. Then a log has an order iff the entries of each part have one: real time is an
interval order, for which linearizability is local (Herlihy and Wing); and without times orders of the parts
can follow each other.
"""

from collections.abc import Hashable
from typing import Protocol

State = Hashable
Request = Hashable
Part = Hashable
Outcome = tuple[str, State]
"""An answer, and the state afterwards."""


class Unfit(ValueError):
    """Raised for a request or an answer that a model does not have."""


class Model(Protocol):
    """A sequential object."""

    @property
    def name(self) -> str: ...

    @property
    def initial(self) -> State:
        """The initial state of each part."""

    def request(self, text: str) -> Request:
        """A request of a log; raises `Unfit`."""

    def spell(self, request: Request) -> str:
        """A request as certificates spell it."""

    def answer(self, request: Request, text: str) -> str:
        """An answer of a log as outcomes spell it."""

    def say(self, request: Request, answer: str) -> str:
        """An answer as its users know it."""

    def part(self, request: Request) -> Part:
        """The part that a request is about."""

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        """All outcomes of a request in a state of its part; empty if it waits for ever."""

    def only_looks(self, request: Request, answer: str | None) -> bool:
        """Whether a request with this answer, or with any, leaves every state as it is. It may say no where
        that is not known."""

    def all_requests(self) -> tuple[Request, ...] | None:
        """Every request that there is; None if there are too many to list."""

    def show(self, part: Part, state: State) -> str:
        """A state in words."""
