"""Optional explanations of a verdict, as data: why a proof holds, firings, blame, pictures."""

from dataclasses import dataclass
from enum import Enum, auto

from seriatim.explain.argument import Completion
from seriatim.explain.picture import Picture
from seriatim.program.state import GlobalState


class Detail(Enum):
    """A kind of explanation to find beyond a result."""

    REASONS = auto()
    """Why a proof holds, item by item."""
    FIRINGS = auto()
    """A counterexample as firings of a Petri net."""
    BLAME = auto()
    """Which yields make a program not serializable."""
    PICTURES = auto()
    """The input, drawn."""
    REPAIRS = auto()
    """Changes that are proved to make a program serializable."""


@dataclass(frozen=True, slots=True)
class Uninterrupted:
    """A handler without a `yield`."""

    handler: str
    line: int


@dataclass(frozen=True, slots=True)
class CommitStep:
    """The steps of a handler from one place to another that commit."""

    handler: str
    begins: str
    ends: str
    lines: tuple[int, ...]
    """The executed lines; empty without source lines."""
    responses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """What other requests do in the middle of a request can be moved before it or after it."""

    handler: str
    left: str | None
    """The code left when it takes effect; None if it takes effect with its answer."""


@dataclass(frozen=True, slots=True)
class Flight:
    """Where a request may be in flight."""

    handler: str
    code: str
    line: int | None
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """Two sums of completions, with factors, that differ by a constant."""

    terms: tuple[tuple[int, Completion], ...]
    constant: int
    """The terms and the constant add up to 0."""


@dataclass(frozen=True, slots=True)
class StateFacts:
    """What counting says about a global state."""

    state: GlobalState
    in_flight: tuple[Flight, ...]
    can_rest: bool
    """Whether there may be no request in flight. The following fields are about that case."""
    never: tuple[Completion, ...]
    at_most_one: tuple[Completion, ...]
    """Completions that occur at most once, unless the equations already say so."""
    equations: tuple[Equation, ...]


@dataclass(frozen=True, slots=True)
class MoreStates:
    """How many other global states counting says something about."""

    count: int


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """There is more to explain, but finding it takes too long."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A fact that a proof about threads rests on, in a sentence."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A fact for all integers, whenever requests rest at these points."""

    requests: tuple[tuple[str, str, bool], ...]
    """For each request: handler, code left, and whether it has taken effect."""
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MoreFormulas:
    count: int


Reason = (
    Uninterrupted
    | CommitStep
    | Reduced
    | StateFacts
    | MoreStates
    | Formula
    | MoreFormulas
    | Remark
    | OutOfReach
)


@dataclass(frozen=True, slots=True)
class Firing:
    """The marking after a firing of the net of all interleavings."""

    what: str
    """The firing; empty at the start."""
    state: GlobalState
    in_flight: tuple[tuple[str, int], ...]
    """Places, each with the number of requests there, sorted."""
    answered: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Blame:
    """The smallest sets of yields without which a program is serializable, as far as the search went."""

    yields: int
    """How many yields the program has."""
    sets: tuple[tuple[int, ...], ...]
    """The lines of the yields in each set; no set contains another."""
    largest: int
    """The size of the largest sets that were tried."""
    decided: int
    """How many sets were decided."""
    is_cut: bool
    """Whether the budget ended the search."""
    seconds: float
    """The time budget in seconds."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with its title."""

    title: str
    picture: Picture | None
    """None if it would take too long."""
    left_out: str | None = None
    """If only a part is drawn: why the whole is too large."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A change of a program's text with which it is proved serializable."""

    title: str
    meaning: str
    text: str
    """The changed text."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """All explanations that were asked for."""

    reasons: tuple[Reason, ...] = ()
    """Why a proof holds, item by item."""
    firings: tuple[Firing, ...] = ()
    """A counterexample as firings of a Petri net."""
    blame: Blame | None = None
    pictures: tuple[Drawing, ...] = ()
    repairs: tuple[Repair, ...] = ()
