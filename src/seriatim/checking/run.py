"""Evidence of the kind `run`: a run, and nothing with its outcome that is allowed
(`seriatim.checking.unexplained`).

*The run exists.* A turn records a request, the global state that it leaves and the answer, but no local
state. The checker keeps, for each request, the set of all local states in which it can be. Claim: the joint
local states that the turns so far allow are exactly the product of these sets. It holds before the first
turn. A turn moves one request, and what that request can do depends on its own local state and on the global
state, which is recorded, but on no other local state; so its set becomes the image of itself under such
steps, and the other sets stay. Hence the run exists if and only if no set becomes empty on the way.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, Completion
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import Reference, State
from seriatim.checking.unexplained import unexplained
from seriatim.checking.words import counted, turn_words
from seriatim.frozen import frozen
from seriatim.program.state import GlobalState
from seriatim.source import quote

if TYPE_CHECKING:
    from seriatim.arithmetic.solvers.named import SolverName


@frozen
class AskedOfRuns:
    """What makes a run a violation."""

    allowed: Allowed
    """Nothing of this has the outcome."""
    claim: str
    """Says so, up to the outcome."""
    seen: Callable[[GlobalState], Counter[Completion]] | None
    """What the outcome has besides the answers, by the global state that a run leaves; None if it tells when
    requests began and ended."""
    barriers: int = 0
    """How many there may be."""
    pending: bool = False
    """Whether requests may be in flight at the end."""


def answers(evidence: RunEvidence) -> Counter[Completion]:
    """How often each completion occurs."""
    return Counter((turn.handler, turn.response) for turn in evidence.turns if turn.response is not None)


def run_obligations(
    reference: Reference[State],
    evidence: RunEvidence,
    asked: AskedOfRuns,
    allowance: Allowance,
    solvers: "tuple[SolverName, ...]",
) -> Iterator[Obligation]:
    """What has to hold of a run, in this order; each relies on those before it. Raises `GaveUp`."""
    turns = evidence.turns
    misnamed = misnamed_turn(turns)
    yield Obligation(
        "requests are numbered by their first turns, and none changes its handler",
        misnamed is None,
        misnamed or f"{counted(len(turns), 'turn')} of {counted(len({t.request for t in turns}), 'request')}",
    )
    impossible = impossible_turn(reference, turns, allowance)
    replayed = tuple(map(turn_words, turns))
    yield Obligation(
        "every turn is a step of the input", impossible is None, impossible or "replayed", replayed
    )
    unanswered = {turn.request for turn in turns} - {t.request for t in turns if t.response is not None}
    if not asked.pending:
        yield Obligation(
            "everybody is answered",
            not unanswered,
            f"request {min(unanswered)} is not"
            if unanswered
            else counted(answers(evidence).total(), "answer"),
        )
    if evidence.barriers:
        yield Obligation(
            f"there are at most {asked.barriers} barriers",
            len(evidence.barriers) <= asked.barriers,
            f"after turns {', '.join(map(str, evidence.barriers))}",
        )
    if asked.seen is None:
        from seriatim.checking.intervals import with_intervals

        outcome = with_intervals(evidence)
    else:
        outcome = answers(evidence) + asked.seen(turns[-1].after if turns else reference.initial)
    yield unexplained(asked.claim, asked.allowed, outcome, allowance, solvers)


def misnamed_turn(turns: tuple[Turn, ...]) -> str | None:
    """A turn whose request has a number out of order, or a handler other than before."""
    handlers: dict[int, str] = {}
    for number, turn in enumerate(turns, 1):
        if turn.request not in handlers and turn.request != len(handlers) + 1:
            return f"turn {number}: request {turn.request} should be request {len(handlers) + 1}"
        if handlers.setdefault(turn.request, turn.handler) != turn.handler:
            return f"turn {number}: request {turn.request} was {quote(handlers[turn.request])} before"
    return None


def impossible_turn(reference: Reference[State], turns: tuple[Turn, ...], allowance: Allowance) -> str | None:
    """The first turn that is no step from any local state in which its request can be."""

    def after(_: int, turn: Turn, before: frozenset[State], global_: GlobalState) -> frozenset[State]:
        return after_turn(reference, before, global_, turn, allowance)

    number = first_impossible(reference, turns, after)
    if number is None:
        return None
    response = turns[number - 1].response
    does = "pause" if response is None else f"answer {quote(response)}"
    return f"{whose_turn(number, turns)} cannot {does} there and leave such a global state"


After = Callable[[int, Turn, frozenset[State], GlobalState], frozenset[State]]
"""Where a request can be after the turn with this number, by where it can be before, and the global state."""


def first_impossible(reference: Reference[State], turns: tuple[Turn, ...], after: After[State]) -> int | None:
    """The number of the first turn after which its request can be nowhere."""
    global_ = reference.initial
    places: dict[int, frozenset[State]] = {}
    for number, turn in enumerate(turns, 1):
        before = places.get(turn.request)
        if before is None:
            before = reference.fresh(turn.handler)
        possible = after(number, turn, before, global_)
        if not possible:
            return number
        # An answered request is nowhere, so that it can take no further turn.
        places[turn.request] = possible if turn.response is None else frozenset()
        global_ = turn.after
    return None


def whose_turn(number: int, turns: tuple[Turn, ...]) -> str:
    turn = turns[number - 1]
    return f"turn {number}: request {turn.request}, {quote(turn.handler)},"


def after_turn(
    reference: Reference[State],
    before: frozenset[State],
    global_: GlobalState,
    turn: Turn,
    allowance: Allowance,
) -> frozenset[State]:
    """The local states, from those before, in which the request can be at the end of its turn.

    A turn is a step, after which the request may answer. One that can answer as it is may do so without.
    """
    moved: set[State] = set()
    for state in before:
        allowance.spend()
        moved.update(target for target, after in reference.steps(state, global_) if after == turn.after)
    return at_the_end(reference, turn, moved, before if turn.after == global_ else ())


def at_the_end(
    reference: Reference[State], turn: Turn, moved: Iterable[State], unmoved: Iterable[State] = ()
) -> frozenset[State]:
    """Where a request can be at the end of its turn, if a step has led there, or if it answers as it is."""
    if turn.response is None:
        return frozenset(moved)
    return frozenset(state for state in (*moved, *unmoved) if turn.response in reference.answers(state))
