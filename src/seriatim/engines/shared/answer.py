"""What an engine may answer. `Candidate` and `GaveUp` are not verdicts."""

from dataclasses import dataclass
from enum import StrEnum

from seriatim.certificate.chain_proofs import ChainNode
from seriatim.certificate.chains import ListedMove
from seriatim.certificate.tree import TreeNode
from seriatim.engines.shared.serial_walks import SerialCover
from seriatim.petri.cuts import CutKind
from seriatim.petri.situations import Direction, Numbers
from seriatim.systems.actions import Action
from seriatim.systems.closure import Coverage
from seriatim.systems.run import Run
from seriatim.systems.unfolding import ProgramUnfolding


class Minimality(StrEnum):
    """Whether a counterexample has as few requests as any."""

    PROVED = "proved"
    BOUNDED = "bounded"
    UNKNOWN = "no"


@dataclass(frozen=True, slots=True)
class Refuted:
    """A complete run whose outcome no serial run has."""

    run: Run
    minimality: Minimality
    in_flight: int
    """If the minimality is BOUNDED: no violation with at most so many requests in flight has fewer
    requests."""


@dataclass(frozen=True, slots=True)
class ProvedAtomic:
    """Serializable, because no handler yields."""


@dataclass(frozen=True, slots=True)
class ProvedByCommits:
    """Serializable, because each request takes effect in one step: `seriatim.engines.commits.engine`."""

    coverage: Coverage
    """What can be in flight."""
    committed: dict[int, int]
    """The locals of requests that have taken effect and are not answered yet, with their completions."""


@dataclass(frozen=True, slots=True)
class ProvedByReduction:
    """Serializable, because requests can be pulled together until each runs alone:
    `seriatim.engines.modular.engine`."""

    views: ProgramUnfolding
    """What the numbers refer to: the program as its handlers see it, one by one."""
    invariants: tuple[tuple[int, int], ...]
    """(variable, sign): `seriatim.systems.potential`."""
    late: frozenset[int]
    """The locals of requests that have taken effect and are not answered yet."""


@dataclass(frozen=True, slots=True)
class PlaceCut:
    """A cut (`seriatim.petri.cuts`) whose places are global states, or situations, and locals."""

    kind: CutKind
    control: frozenset[int]
    locals: frozenset[int]


@dataclass(frozen=True, slots=True)
class InSituations:
    """Moves were counted by situation (`seriatim.petri.situations`)."""

    direction: Direction
    locals: tuple[int, ...]
    """Whose numbers the situations know."""
    situations: tuple[tuple[int, Numbers], ...]
    """(global state, how many requests are at each of these locals)."""


@dataclass(frozen=True, slots=True)
class CaseTree:
    """A proof (`seriatim.engines.shared.case_tree`) whose first rows are the balances of these places, after
    those of situations, if there are any."""

    globals: tuple[int, ...]
    locals: tuple[int, ...]
    completions: tuple[int, ...]
    """In the order in which outcomes list them."""
    nodes: tuple[TreeNode, ...]


@dataclass(frozen=True, slots=True)
class ProvedByCover:
    """Serializable, because the outcomes that the state equation and these cuts allow are covered by linear
    sets of serial outcomes: `seriatim.engines.counting`."""

    coverage: Coverage
    """What can be in flight."""
    situations: InSituations | None
    cuts: tuple[PlaceCut, ...]
    covers: tuple[SerialCover, ...]
    tree: CaseTree | None
    """Why nothing is outside of the covers, if there is a proof that can do without a solver."""


@dataclass(frozen=True, slots=True)
class ProvedByChains:
    """Serializable, because however a complete run goes, its outcome is in a linear set of serial outcomes:
    `seriatim.engines.chains.engine`."""

    coverage: Coverage
    """What can be in flight."""
    globals: tuple[int, ...]
    locals: tuple[int, ...]
    completions: tuple[int, ...]
    """What moves and covers refer to, by place in these lists."""
    moves: tuple[ListedMove, ...]
    covers: tuple[SerialCover, ...]
    proof: ChainNode


@dataclass(frozen=True, slots=True)
class Acted:
    """One action of a run of an action system."""

    request: int
    """Counted from 0 in the order of their first actions."""
    local: int
    before: int
    """The global state."""
    action: Action


@dataclass(frozen=True, slots=True)
class FoundCycle:
    """Not conflict-serializable: the conflict graph of this run has a cycle."""

    run: tuple[Acted, ...]
    is_minimal: bool
    """Whether no violation has fewer requests."""


@dataclass(frozen=True, slots=True)
class ProvedAcyclic:
    """Conflict-serializable: `seriatim.engines.conflicts.proof`."""

    coverage: Coverage
    """What can be in flight."""


@dataclass(frozen=True, slots=True)
class FoundMisorder:
    """Not static-linearizable with given points: a run in which everybody who has taken effect has been
    answered, and in which the order of their points is not allowed."""

    run: Run
    points: tuple[int, ...]
    """The turns in which requests take effect, by number, from 1 on."""
    is_minimal: bool
    """Whether no violation has fewer requests."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An outcome that no serial run has, and that perhaps no other run has either: ask a search."""

    outcome: dict[int, int]
    """How often each completion occurs; those that do not occur are left out."""

    def requests(self) -> int:
        return sum(self.outcome.values())


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Where a proof by commit points stops: the handler may give this response where no order of those that
    took effect before allows it."""

    handler: str
    line: int | None
    """Where the handler pauses before; None if it has not begun, or is one of a network system."""
    response: str


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Nothing found; why the engine stopped, and what might help."""

    why: str
    hint: str | None = None
    blocked: tuple[int, int] | None = None
    """(local, completion): the proof came nearest where this local takes effect with this completion."""
