"""Follows a run that the reader chooses move by move: its state, the possible moves, what explains it.

A choice is a number: its position in the list of the moves that are possible then. Requests in flight come
first, in the order in which they began, then a new request of each handler.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from seriatim.budget import Deadline
from seriatim.explain.explicability import Explainer, Explaining, Found, Multiset
from seriatim.explain.explored import ExplainingState, Explicability, Exploration, WaitingRequest
from seriatim.explain.naming import Naming
from seriatim.explain.telling import tell_run
from seriatim.explain.timeline import ShownRun, ShownTurn
from seriatim.program.state import GlobalState
from seriatim.properties.statement import Observed
from seriatim.source import SourceText
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run, Turn
from seriatim.systems.unfolding import INITIAL_GLOBAL

MAX_MOVES = 200
"""How many moves can be chosen; each one tells the whole run again."""

MAX_EXPLAINING = 12
"""How many explaining states are listed."""


class _Walk:
    """The moves so far."""

    def __init__(self, origin: Origin) -> None:
        self.origin = origin
        self.turns: list[Turn] = []
        self.at: dict[int, int] = {}
        """Where each request is: a local, or ~completion."""
        self.state = INITIAL_GLOBAL

    def possible(self) -> Iterator[Turn]:
        for request, local in self.at.items():
            if local >= 0:
                yield from self._turns(request, local)
        for start in self.origin.starts:
            yield from self._turns(len(self.at), start)

    def _turns(self, request: int, local: int) -> Iterator[Turn]:
        for target, after in self.origin.moves(local, self.state):
            yield Turn(request, local, target, self.state, after)

    def take(self, turn: Turn) -> None:
        self.turns.append(turn)
        self.at[turn.request] = turn.target
        self.state = turn.after

    def done(self) -> Multiset:
        return _count(~local for local in self.at.values() if local < 0)

    def pending(self) -> Multiset:
        return _count(self.origin.request_of(local) for local in self.at.values() if local >= 0)


def _count(items: Iterator[int]) -> Multiset:
    return tuple(sorted(Counter(items).items()))


def explore(
    origin: Origin,
    source: SourceText,
    choices: Sequence[int],
    deadline: Deadline,
    observed: Observed = (),
) -> Exploration:
    """Follows some choices; raises `LimitReached` or `OutOfBudget`.

    If no request is in flight, a state explains the run only if both agree on what is observed.
    """
    walk, explainer = _Walk(origin), Explainer(origin, deadline)
    found = [_explanation(walk, explainer, observed)]
    refused = None
    for place, choice in enumerate(choices[:MAX_MOVES]):
        possible = list(walk.possible())
        if not 0 <= choice < len(possible):
            refused = place
            break
        walk.take(possible[choice])
        found.append(_explanation(walk, explainer, observed))
    present = found[-1]
    naming = Naming(origin.content.value_names, origin.content.answer_names)
    explaining = tuple(_name_state(each, walk, naming) for each in present.explaining)
    return Exploration(
        naming.run(_show_run(walk.turns, origin, source)),
        tuple(_tell_turn(walk, turn, source, naming) for turn in walk.possible()),
        tuple(_waiting(walk)),
        all(local < 0 for local in walk.at.values()),
        present.kind,
        explaining[:MAX_EXPLAINING],
        max(0, len(explaining) - MAX_EXPLAINING),
        _find_unexplained(found),
        refused,
    )


def _explanation(walk: _Walk, explainer: Explainer, observed: Observed) -> Found:
    found = explainer.explain(walk.done(), walk.pending())
    if not observed or walk.pending() or found.kind is not Explicability.EXPLAINED:
        return found
    seen = _observe(walk.origin, walk.state, observed)
    agreeing = tuple(each for each in found.explaining if _observe(walk.origin, each.state, observed) == seen)
    return Found(Explicability.EXPLAINED if agreeing else Explicability.BY_OTHERS, agreeing)


def _observe(origin: Origin, state: int, observed: Observed) -> GlobalState:
    """The observed part of a global state."""
    shown = origin.global_state(state)
    if observed == "all" or isinstance(shown, str):
        return shown
    return tuple((name, value) for name, value in shown if name in observed or name.split("[")[0] in observed)


def _find_unexplained(found: Sequence[Found]) -> int | None:
    """The move since which nothing explains the run as it is."""
    if not found[-1].kind.is_unexplained:
        return None
    since = len(found) - 1
    while since > 0 and found[since - 1].kind.is_unexplained:
        since -= 1
    return since


def _name_state(explaining: Explaining, walk: _Walk, naming: Naming) -> ExplainingState:
    origin = walk.origin
    names = (origin.completions[completion] for completion in explaining.order)
    order = tuple(naming.completion((origin.requests[request], response)) for request, response in names)
    return ExplainingState(origin.global_state(explaining.state), order, explaining.state == walk.state)


def _show_run(turns: Sequence[Turn], origin: Origin, source: SourceText) -> ShownRun:
    """The run in full, however long."""
    run = Run(tuple(turns))
    timeline = tell_run(run, origin, source, long=MAX_MOVES + 1)
    return ShownRun(timeline, run.requests(), len(run.turns), run.switches())


def _tell_turn(walk: _Walk, turn: Turn, source: SourceText, naming: Naming) -> ShownTurn:
    """The effect of a move, told as the last one of the run."""
    return naming.run(_show_run((*walk.turns, turn), walk.origin, source)).timeline.turns[-1]


def _waiting(walk: _Walk) -> Iterator[WaitingRequest]:
    """The requests that cannot move: in flight, or about to begin."""
    origin = walk.origin
    flying = [(request + 1, local) for request, local in walk.at.items() if local >= 0]
    for request, local in [*flying, *((None, start) for start in origin.starts)]:
        if not origin.moves(local, walk.state):
            handler = origin.requests[origin.request_of(local)]
            yield WaitingRequest(request, handler, origin.faults.get((local, walk.state)))
