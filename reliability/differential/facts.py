"""What is known about one subject, each thing found out when somebody asks, and once."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from signal import ITIMER_REAL, SIGALRM, setitimer, signal
from types import FrameType

from differential.subject import Subject
from seriatim.deciding.pipeline import Options, decide
from seriatim.memory import resident_bytes
from seriatim.method import Method, Optimizations
from seriatim.program.inputs import Input
from seriatim.program.semantics import Unbounded
from seriatim.program.syntax import Program
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Holds, Result, Violated
from seriatim.systems.limits import Limits
from testkit.oracles.brute_force import (
    Interpreted,
    Outcome,
    Rules,
    State,
    TooLarge,
    outcomes,
    reachable,
    rules_of_system,
    serial,
)


@dataclass(frozen=True, slots=True)
class Effort:
    """How hard to look at one subject."""

    limits: Limits
    seconds: float
    """For each engine."""
    states: int
    """For brute force."""
    forgeries: int
    """Of each kind."""


THOROUGH = Effort(Limits(max_states=20_000, max_value=30), seconds=1.0, states=4_000, forgeries=4)
BRIEF = Effort(Limits(max_states=500, max_value=10), seconds=0.5, states=400, forgeries=1)
"""For tests."""

ROOM = 1_000_000_000
"""How much memory an answer may take, beyond what the process has already."""


RING_AGAIN = 1.0
"""Seconds: where nobody hears it, such as in a destructor, an exception is lost."""


class TooLong(Exception):
    """Something is still under way when it should long be over."""


@contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """Raises `TooLong` in what is inside."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong(f"not over after {seconds:g} seconds")

    before = signal(SIGALRM, ring)
    watching = setitimer(ITIMER_REAL, seconds, RING_AGAIN)
    try:
        yield
    finally:
        setitimer(ITIMER_REAL, *watching)  # Whoever watches us goes on.
        signal(SIGALRM, before)


@dataclass(frozen=True, slots=True)
class Enumerated:
    """All that a few requests can do, by the rules alone."""

    requests: int
    states: frozenset[State]
    interleaved: frozenset[Outcome]
    serial: frozenset[Outcome]

    def fewest(self) -> int | None:
        """How many requests the smallest violation has; None if there is none with so few requests."""
        return min(map(len, self.interleaved - self.serial), default=None)


class Facts:
    def __init__(self, subject: Subject, effort: Effort) -> None:
        self.subject = subject
        self.effort = effort
        self.decisions: dict[tuple[Property, Method], Result] = {}
        """As far as somebody has asked."""
        self.defined: dict[Property, int] = {}
        """With how many requests questions were held against their definitions."""

    @property
    def content(self) -> Input:
        return self.subject.content

    @cached_property
    def interpreted(self) -> Interpreted | None:
        """A program under the reference interpreter."""
        return Interpreted(self.content) if isinstance(self.content, Program) else None

    @cached_property
    def enumerated(self) -> Enumerated | None:
        """With as many requests as there are few states for; None if there are too many for a single one."""
        for requests in (4, 3, 2, 1):
            try:
                return enumerated(self.rules(), requests, self.effort.states)
            except (TooLarge, Unbounded):
                continue
        return None

    def rules(self) -> Rules:
        if isinstance(self.content, Program):
            assert self.interpreted is not None
            return self.interpreted.rules
        return rules_of_system(self.content)

    def decision(self, method: Method, question: Property = SERIALIZABILITY) -> Result:
        key = question, method
        if key not in self.decisions:
            self.decisions[key] = decide(
                self.content, self.options(method, question), source=self.subject.source
            )
        return self.decisions[key]

    def options(self, method: Method, question: Property = SERIALIZABILITY) -> Options:
        """The optimizations that the paper's method goes without depend on the text, for variety."""
        without = "BRGS"[: len(self.subject.text) % 5]
        return Options(
            self.effort.limits,
            self.effort.seconds,
            method,
            (resident_bytes() or 0) + ROOM,
            Optimizations.without(without),
            question,
        )

    def says(self, method: Method, question: Property = SERIALIZABILITY) -> bool | None:
        """Whether a method says that it is so; None if it leaves that open."""
        match self.decision(method, question).answer:
            case Holds():
                return True
            case Violated():
                return False
            case _:
                return None


def enumerated(rules: Rules, requests: int, states: int) -> Enumerated:
    found = reachable(rules, requests, max_states=states)
    return Enumerated(requests, found, outcomes(found), serial(rules, requests))
