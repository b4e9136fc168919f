"""Stages of the portfolio as values: what each needs, what it starts, and the turns that a schedule gives it.

An engine knows its problem, its budget and the facts found so far, and no other engine. It works in turns of
counted work, not of time, so that the same input gives the same answer everywhere. One unit of work takes
about as long as exploring one state in a search.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from seriatim.budget import Deadline, Pieces
from seriatim.method import Method, Minimality, Obstacle
from seriatim.systems.limits import Limits
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import FaultyRun, Run, StuckRun

if TYPE_CHECKING:  # Most stages do not need these.
    from seriatim.certificate.cycle import Conflict
    from seriatim.certificate.evidence import Evidence
    from seriatim.certificate.thread_run import ThreadRunEvidence
    from seriatim.reductions.prepass import ReducedSystem
    from seriatim.reductions.threads.reducing import ReducedThreads
    from seriatim.systems.slicing import CoveredSystem, MacroSystem


@dataclass(frozen=True, slots=True)
class Unexplained:
    """Why a run violates a property: nothing that is allowed has its outcome."""

    problem: OutcomeProblem
    """The problem, which says what is allowed."""
    outcome: Counter[int]
    """The outcome in the numbers of the derived system."""
    barriers: tuple[int, ...] = ()
    """The number of turns before each barrier."""


@dataclass(frozen=True, slots=True)
class ConflictCycle:
    """Why a run is not conflict-serializable: each request of the cycle would have to come before itself."""

    conflicts: "tuple[Conflict, ...]"


@dataclass(frozen=True, slots=True)
class Misordered:
    """Why a run is not static-linearizable with given points: their order is not allowed."""

    points: tuple[int, ...]
    """The turns in which requests take effect, by number, from 1 on."""


@dataclass(frozen=True, slots=True)
class Failing:
    """Why a run is not safe: a step fails."""

    found: FaultyRun


@dataclass(frozen=True, slots=True)
class Hanging:
    """Why a run is not free of deadlocks: requests in flight can never complete."""

    found: StuckRun


@dataclass(frozen=True, slots=True)
class Proof:
    """The property holds."""

    evidence: "Evidence"
    reason: str
    """Why it holds, in a sentence for people."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """A run violates the property."""

    evidence: "Evidence"
    run: Run
    """A run of the input."""
    minimality: Minimality
    in_flight: int
    """If the minimality is BOUNDED, no violation with at most this many requests in flight has fewer
    requests."""
    why: Unexplained | ConflictCycle | Misordered | Failing | Hanging


@dataclass(frozen=True, slots=True)
class FailingThreads:
    """A run of threads fails."""

    evidence: "ThreadRunEvidence"
    minimality: Minimality
    """PROVED means: no failing run has fewer threads at a time, and none with as many has fewer steps."""
    threads: int
    """The number of threads at a time, without main."""


Found = Proof | Refutation | FailingThreads


@dataclass(frozen=True, slots=True)
class GaveUp:
    """The engine found nothing: why it stopped, and what might help."""

    why: str
    hint: str | None = None
    obstacle: Obstacle | None = None
    missing: str = ""
    """A fact that a proof would need, if one was found."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a problem so far. Stages replace it; it is immutable."""

    system: "MacroSystem | None" = None
    """The moves of complete runs of the derived system."""
    committing: "MacroSystem | None" = None
    """The moves of the system in which requests commit; of all runs if all of them count."""
    reduced: "ReducedSystem | None" = None
    """A smaller system with the same outcomes."""
    single_steps: tuple[str, ...] = ()
    """The handlers that can be treated as a single step."""
    marks: "tuple[CoveredSystem, dict[int, int]] | None" = None
    """The moves of all runs, and the locals of requests that have passed a mark, with their completions."""
    threads: "ReducedThreads | None" = None
    """A smaller program with threads, which is safe only if the input is."""
    in_reserve: "tuple[Found, Method] | None" = None
    """An answer that is used only if no better one is found."""


Posed = TypeVar("Posed")


class Task(Generic[Posed]):
    """A problem under work, with what is known about it so far."""

    def __init__(
        self,
        problem: Posed,
        limits: Limits,
        deadline: Deadline,
        method: Method = Method.AUTO,
        hint: str | None = None,
    ) -> None:
        self.problem = problem
        self.limits = limits
        self.deadline = deadline
        self.method = method
        self.hint = hint
        """A hint for users if no stage has a better one."""
        self.facts = Facts()


Answer = Found | GaveUp | Facts | None
"""The result of a turn: a verdict, or the end of an engine with its reason or with new facts; None if the
engine wants another turn."""


class Engine(ABC):
    """Work under way."""

    @abstractmethod
    def advance(self, work: int) -> Answer:
        """Goes on for about this much work; returns an answer, or None to be continued. Raises
        `OutOfBudget`."""

    def clean_up_to(self) -> int:
        """There is no violation with at most this many requests."""
        return 0

    def count_explored(self) -> int:
        """How many states were met so far."""
        return 0


class Once(Engine):
    """Work that is done in one turn."""

    def __init__(self, work: Callable[[], Found | GaveUp | Facts]) -> None:
        self._work = work

    def advance(self, work: int) -> Answer:  # noqa: ARG002 - its own limits bound it
        return self._work()


class InPieces(Engine):
    """Work that can stop after each of its pieces, and go on in another turn."""

    def __init__(self, pieces: Pieces[Found | GaveUp | Facts]) -> None:
        self._pieces = pieces

    def advance(self, work: int) -> Answer:
        left = work
        while left > 0:
            try:
                left -= next(self._pieces)
            except StopIteration as end:
                answer: Answer = end.value
                return answer
        return None


@dataclass(frozen=True, slots=True)
class Stage(Generic[Posed]):
    """One way to work on a problem."""

    name: str
    """The name in `--stats` and in progress reports."""
    method: Method
    """The method that gets the credit."""
    start: Callable[[Task[Posed]], Engine]
    serves: frozenset[Method] = frozenset()
    """Other methods that rely on this stage."""
    needs: Callable[[Task[Posed]], bool] = lambda _: True

    def is_due(self, task: Task[Posed]) -> bool:
        is_wanted = task.method in (Method.AUTO, self.method) or task.method in self.serves
        return is_wanted and self.needs(task)


def once(
    name: str,
    method: Method,
    work: Callable[[Task[Posed]], Found | GaveUp | Facts],
    needs: Callable[[Task[Posed]], bool] = lambda _: True,
    serves: frozenset[Method] = frozenset(),
) -> Stage[Posed]:
    """A stage whose work is done in one turn."""
    return Stage(name, method, lambda task: Once(lambda: work(task)), serves, needs)


@dataclass(frozen=True, slots=True)
class Turn(Generic[Posed]):
    stage: Stage[Posed]
    work: int = 0


@dataclass(frozen=True, slots=True)
class Block(Generic[Posed]):
    """Turns that are taken if a condition holds before the first of them."""

    needs: Callable[[Task[Posed]], bool]
    turns: "Schedule[Posed]"


@dataclass(frozen=True, slots=True)
class Rounds(Generic[Posed]):
    """Turns of two stages, twice as long in each round, until the leading one has ended."""

    beside: Stage[Posed]
    leading: Stage[Posed]
    work: int
    """The work of the first turn."""
    lead: int = 1
    """How many times as much work the leading stage does in each round."""


@dataclass(frozen=True, slots=True)
class Later(Generic[Posed]):
    """Turns that are looked up only after all earlier ones found nothing, so that their engines load late."""

    turns: "Callable[[], Schedule[Posed]]"


@dataclass(frozen=True, slots=True)
class UseReserve:
    """Uses the answer in reserve, if there is one."""


Schedule = tuple[Turn[Posed] | Block[Posed] | Rounds[Posed] | Later[Posed] | UseReserve, ...]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work on a problem is."""

    stage: str
    states: int
    """States that searches have explored so far."""
    clean_up_to: int
    """There is no violation with at most this many requests."""
    questions: int = 0
    """Questions to solvers so far."""


# --- how long the turns of searches are ---

SHORT_SEARCH = 300
FIRST_LOOK_AT_ONE = 1_000
MIDDLE_LOOK_AT_ONE = 7_000
FIRST_ROUND = 1_000
MIDDLE_SEARCH = 10_000
LONG_SEARCH = 50_000
LONGEST_SEARCH = 200_000
"""The most states of a search."""

EVERYTHING = 10**12
"""More work than any limit allows."""
