"""Certificates: evidence for a verdict, in terms of the input alone, so that anyone can re-check it.

States are written as the input's reader knows them: a global state of a program is its variables with their
values, one of a network system is its name. Nothing refers to the numbers that an engine gave to anything.
"""

from dataclasses import dataclass
from typing import Literal

from seriatim.certificate.chains import ChainNode, ListedMove
from seriatim.folding import Folded
from seriatim.program.state import GlobalState
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY


@dataclass(frozen=True, slots=True)
class Turn:
    """One request runs from where it is to its next pause, or to its answer."""

    request: int
    """Which request of the run, counted from 1 in the order of their first turns."""
    handler: str
    after: GlobalState
    """The global state that it leaves."""
    response: str | None
    """Its answer, or None if it pauses."""


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """A violation: a run. That nothing allowed explains it, the checker finds out by itself."""

    turns: tuple[Turn, ...]
    barriers: tuple[int, ...] = ()
    """After how many turns each barrier stands: who was answered before it comes before who began after."""


@dataclass(frozen=True, slots=True)
class AtomicEvidence:
    """Serializable: no handler yields, so that every request is one step."""


@dataclass(frozen=True, slots=True, order=True)
class Invariant:
    """sign · (variable − its initial value) is the sum of a weight over all requests in flight."""

    variable: str
    sign: Literal[1, -1]


@dataclass(frozen=True, slots=True)
class CommittedState:
    """Requests that have taken effect and are not answered yet: those with this much left to do."""

    handler: str
    code: str
    """The remaining code, or the name of the network system's local state."""
    values: tuple[tuple[str, int], ...]
    """Values of local variables."""
    response: str
    """The answer to come."""


@dataclass(frozen=True, slots=True)
class CommitEvidence:
    """Serializable: each request takes effect in one step, and the order of these explains the answers."""

    level: Literal[1, 2]
    """How finely the checker has to look at what can be in flight together: single requests or pairs."""
    invariants: tuple[Invariant, ...]
    committed: tuple[CommittedState, ...]
    """Who is not described here takes effect when it is answered."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The requests in flight with this much left to do."""

    handler: str
    code: str
    """The remaining code, or the name of the network system's local state."""
    values: tuple[tuple[str, int], ...]
    """Values of local variables."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a request can pause."""

    code: str
    """The remaining code, or the name of the network system's local state."""
    values: tuple[tuple[str, int], ...]
    """Values of local variables."""


@dataclass(frozen=True, slots=True)
class AnyTurn:
    """Some request, any one that is there, runs to its next pause, or to its answer."""

    handler: str
    start: Stop | None
    """None if it has not begun."""
    after: GlobalState
    """The global state that it leaves."""
    end: Stop | str
    """Where it pauses, or its response."""


@dataclass(frozen=True, slots=True)
class FoldedRunEvidence:
    """A violation: a long run, in which the same happens again and again."""

    turns: tuple[Folded[AnyTurn], ...]


@dataclass(frozen=True, slots=True)
class ReductionEvidence:
    """Serializable: steps of different requests can be exchanged until each request runs alone."""

    invariants: tuple[Invariant, ...]
    late: tuple[Waiting, ...]
    """Who has taken effect and is not answered yet. Who is not described here takes effect later, at the
    latest when it is answered."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A global state, and how many requests wait in some ways."""

    state: GlobalState
    numbers: tuple[int | None, ...]
    """For each way of waiting, in the order of `Situations.waiting`; None says nothing."""


@dataclass(frozen=True, slots=True)
class Situations:
    """What can be the case in complete runs, seen from their beginnings or from their ends."""

    direction: Literal["forward", "backward"]
    waiting: tuple[Waiting, ...]
    cases: tuple[Situation, ...]


@dataclass(frozen=True, slots=True)
class CutPlaces:
    """A set Q of global states or situations and of requests in flight, and what to make of it.

    A siphon cut says: nothing is taken from Q, or something enters Q from outside. A trap cut says: Q is
    empty all the time, or not empty at the end, or something leaves it.
    """

    kind: Literal["siphon", "trap"]
    globals: tuple[GlobalState, ...]
    situations: tuple[int, ...]
    """By number, from 1 on."""
    waiting: tuple[Waiting, ...]


@dataclass(frozen=True, slots=True)
class SerialStep:
    """One request runs alone, from its start to its answer."""

    handler: str
    response: str
    after: GlobalState
    """The global state that it leaves."""


@dataclass(frozen=True, slots=True)
class SerialCycle:
    """Requests that run alone, one after the other, and lead back to where the first one began."""

    at: GlobalState
    steps: tuple[SerialStep, ...]


@dataclass(frozen=True, slots=True)
class SerialPath:
    """A serial run, and cycles that can be inserted into it any number of times."""

    steps: tuple[SerialStep, ...]
    cycles: tuple[SerialCycle, ...]


@dataclass(frozen=True, slots=True)
class CoverEvidence:
    """Serializable: the outcomes that counting steps allows, under these cuts, are all outcomes of these
    serial runs."""

    level: Literal[1, 2]
    """As in `CommitEvidence`."""
    invariants: tuple[Invariant, ...]
    situations: Situations | None
    """If given, steps in different situations are counted apart."""
    cuts: tuple[CutPlaces, ...]
    covers: tuple[SerialPath, ...]


Multiples = tuple[tuple[int, int], ...]
"""(number of a row, how often it is taken); rows are constraints on counts, numbered from 1 on."""


@dataclass(frozen=True, slots=True)
class ByCover:
    """The outcome is in a cover; or else one of the conditions for that fails, a case for each."""

    cover: int
    """By number, from 1 on."""


@dataclass(frozen=True, slots=True)
class ByCut:
    """A case for each of the possibilities that a cut leaves."""

    cut: int
    """By number, from 1 on."""


@dataclass(frozen=True, slots=True)
class Rounded:
    """A further row: a sum of rows, divided by a number and rounded to integers."""

    sum: Multiples
    divisor: int


@dataclass(frozen=True, slots=True)
class Absurd:
    """The case is impossible: a sum of rows says that something negative is not."""

    sum: Multiples


TreeNode = ByCover | ByCut | Rounded | Absurd


@dataclass(frozen=True, slots=True)
class TreeEvidence:
    """Serializable: as `CoverEvidence` says, and this is why nothing is outside of the covers."""

    claim: CoverEvidence
    globals: tuple[GlobalState, ...]
    waiting: tuple[Waiting, ...]
    """Whose balances are the first rows: situations, if there are any, then these global states, then these
    requests in flight."""
    completions: tuple[tuple[str, str], ...]
    """(handler, response), in the order in which outcomes list them; others come after these."""
    tree: tuple[TreeNode, ...]
    """Each node is followed by the trees of its cases, in their order."""


@dataclass(frozen=True, slots=True)
class ChainEvidence:
    """Serializable: however a complete run goes, its outcome is in a cover."""

    level: Literal[1, 2]
    """As in `CommitEvidence`."""
    invariants: tuple[Invariant, ...]
    globals: tuple[GlobalState, ...]
    """The first one is the initial one."""
    waiting: tuple[Waiting, ...]
    """The places. A request in flight is at the first one that describes it."""
    completions: tuple[tuple[str, str], ...]
    """(handler, response)."""
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialPath, ...]
    proof: ChainNode
    """About the structure of the moves, and the region of all outcomes."""


Access = Literal["read", "write"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two turns of different requests that access the same variable, at least one of them writing it."""

    first: int
    second: int
    """Turns by number, from 1 on; the first one comes before the second."""
    variable: str
    """A global of the program; of a network system, `state`."""
    accesses: tuple[Access, Access]
    """What each turn does with it."""


@dataclass(frozen=True, slots=True)
class CycleEvidence:
    """Not conflict-serializable: a run, complete or not, and a cycle of conflicts in it. The second turn of
    each conflict and the first one of the next are turns of the same request, and so on round to the
    first."""

    turns: tuple[Turn, ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class NoCycleEvidence:
    """Conflict-serializable: nobody can come to close a cycle of conflicts, as far as what can be in flight
    together tells."""

    level: Literal[1, 2]
    """As in `CommitEvidence`."""
    invariants: tuple[Invariant, ...]


@dataclass(frozen=True, slots=True)
class PointsEvidence:
    """Not static-linearizable with the points that the program marks: a run in which everybody who has taken
    effect has been answered, and in which the order of their points is not allowed."""

    turns: tuple[Turn, ...]
    points: tuple[int, ...]
    """The turns in which requests take effect, by number, from 1 on."""


Evidence = (
    RunEvidence
    | FoldedRunEvidence
    | AtomicEvidence
    | CommitEvidence
    | ReductionEvidence
    | CoverEvidence
    | TreeEvidence
    | ChainEvidence
    | CycleEvidence
    | NoCycleEvidence
    | PointsEvidence
)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a verdict rests on."""

    digest: str
    """SHA-256 of the input's canonical text, in hexadecimal."""
    verdict: str
    evidence: Evidence
    question: Property = SERIALIZABILITY
