"""Models for logs: the answers of a request in a state, and the states that follow.

A model may consist of independent parts, such as the keys of a map. Each request concerns one part, and has
no effect on others. Then a log has an order iff the entries of each part have one: real time is an interval
order, for which linearizability is local (Herlihy and Wing); and without times, the orders of the parts can
follow each other.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

State = Hashable
Request = Hashable
Part = Hashable
Outcome = tuple[str, State]
"""An answer, and the state afterwards."""


class Unfit(ValueError):
    """Raised for a request or an answer that a model does not have."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a request does to a register."""

    written: str | None
    """The value that it writes; None if it reads."""


class Model(Protocol):
    """A sequential object."""

    @property
    def name(self) -> str: ...

    @property
    def initial(self) -> State:
        """The initial state of each part."""

    def request(self, text: str) -> Request:
        """Reads a request of a log; raises `Unfit`."""

    def spell(self, request: Request) -> str:
        """A request as certificates spell it."""

    def answer(self, request: Request, text: str) -> str:
        """Reads an answer of a log; outcomes spell it this way. Raises `Unfit`."""

    def say(self, request: Request, answer: str) -> str:
        """The name of an answer for people."""

    def part(self, request: Request) -> Part:
        """The part that a request concerns."""

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        """All outcomes of a request in a state of its part; empty if it waits for ever."""

    def only_reads(self, request: Request, answer: str | None) -> bool:
        """Whether a request with this answer (None: with any answer) leaves every state unchanged; False if
        that is not known."""

    def as_register(self, request: Request) -> Access | None:
        """Returns what a request does if its part is a register; None if it does more, or if its part is
        none."""

    def only_grows(self, request: Request) -> bool:
        """Whether a request, in whatever state, leads to a state of which no less can be read: see
        `hopeless`. Reads do."""

    def hopeless(self, state: State, answer: str) -> bool:
        """Whether no read gets this answer after any number of requests that only grow; False if that is not
        known."""

    def all_requests(self) -> tuple[Request, ...] | None:
        """All requests; None if there are too many to list."""

    def show(self, part: Part, state: State) -> str:
        """A state in words."""
