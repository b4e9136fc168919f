"""What only some readers of a verdict want to know, as data: why a proof holds, firings, blame, pictures."""

from enum import Enum, auto

from seriatim.explain.argument import Completion
from seriatim.explain.picture import Picture
from seriatim.frozen import frozen
from seriatim.program.state import GlobalState


class Detail(Enum):
    """What to find out beyond a result."""

    REASONS = auto()
    """Why a proof holds, item by item."""
    FIRINGS = auto()
    """A counterexample as firings of a Petri net."""
    BLAME = auto()
    """Which yields make a program not serializable."""
    PICTURES = auto()
    """The input, drawn."""


@frozen
class Uninterrupted:
    """A handler without a `yield`."""

    handler: str
    line: int


@frozen
class CommitStep:
    """The steps of a handler from one place to another that commit."""

    handler: str
    begins: str
    ends: str
    lines: tuple[int, ...]
    """The lines that are executed, as far as there are lines."""
    responses: tuple[str, ...]


@frozen
class Reduced:
    """What others do in the middle of a request can be done before it, or after it."""

    handler: str
    left: str | None
    """What it has left to do when it takes effect; None if it takes effect with its answer."""


@frozen
class Flight:
    """Where a request may be in flight."""

    handler: str
    code: str
    line: int | None
    values: tuple[tuple[str, int], ...]


@frozen
class Equation:
    """Two sums of completions, with factors, that differ by a constant."""

    terms: tuple[tuple[int, Completion], ...]
    constant: int
    """The terms and the constant add up to 0."""


@frozen
class StateFacts:
    """What counting says about a global state."""

    state: GlobalState
    in_flight: tuple[Flight, ...]
    can_rest: bool
    """Whether it may be that nobody is in flight. The following is about that case."""
    never: tuple[Completion, ...]
    at_most_one: tuple[Completion, ...]
    """Those about which the equations do not say it already."""
    equations: tuple[Equation, ...]


@frozen
class MoreStates:
    """Counting says something about so many other states, too."""

    count: int


@frozen
class OutOfReach:
    """There is more to explain, but finding it takes too long."""


@frozen
class Remark:
    """What a proof about threads rests on, in a sentence."""

    sentence: str


@frozen
class Formula:
    """What holds for all integers, whenever requests rest like this."""

    requests: tuple[tuple[str, str, bool], ...]
    """Handler, what is left to do, and whether it has taken effect."""
    facts: tuple[str, ...]


@frozen
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


@frozen
class Firing:
    """What is where after a firing of the net of all interleavings."""

    what: str
    """Empty at the start."""
    state: GlobalState
    in_flight: tuple[tuple[str, int], ...]
    """Places, each with the number of requests there, sorted."""
    answered: tuple[tuple[str, int], ...]


@frozen
class Blame:
    """The smallest sets of yields without which a program is serializable, as far as they were looked for."""

    yields: int
    """How many the program has."""
    sets: tuple[tuple[int, ...], ...]
    """The lines of the yields in each of them; none contains another."""
    largest: int
    """Larger sets were not looked for."""
    decided: int
    """How many sets were looked at."""
    is_cut: bool
    """Whether the budget ended the search."""
    seconds: float
    """The budget."""


@frozen
class TooLarge:
    """What is not drawn, and why."""

    reason: str | None


@frozen
class Explanation:
    """Beyond a result: whatever was asked for."""

    reasons: tuple[Reason, ...] = ()
    """Why a proof holds, item by item."""
    firings: tuple[Firing, ...] = ()
    """A counterexample as firings of a Petri net."""
    blame: Blame | None = None
    pictures: tuple[tuple[str, Picture | TooLarge], ...] = ()
    """With their titles."""
