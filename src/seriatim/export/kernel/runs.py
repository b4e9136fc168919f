"""Evidence of the kinds `run` and `folded-run` for the kernel: every move, with local states.

A certificate records global states and answers. The kernel replays single moves: a request is spawned, takes
a step, or answers. Which local states it goes through is chosen here.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence, Stop
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion, SerialRuns
from seriatim.checking.reference import Reference, State
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import FUEL, Text
from seriatim.export.kernel.unexplained import counted_text
from seriatim.folding import Folded, Repeated, fold, unfold
from seriatim.program.state import GlobalState
from seriatim.systems.run import LONG_RUN

SPAWN, GO, REPLY, AGAIN, TICK = range(5)

MAX_ORDERS = 5_000
"""States in which serial runs can be on their way to the outcome; the kernel looks at each."""


Act = tuple[Text, ...]
"""A move, as the kernel reads it."""

Reached = tuple[int, State]
"""(the turn that led there, the local state); the number of a turn keeps ways of different turns apart."""


def run_text(
    reference: Reference[State], evidence: RunEvidence, names: Names[State], allowance: Allowance
) -> Text:
    acts: list[Act] = []
    began: dict[int, int] = {}
    ticks = 0
    for number, (turn, before, states) in enumerate(chosen_ways(reference, evidence.turns)):
        passed = sum(barrier <= number for barrier in evidence.barriers)
        acts.extend([(TICK,)] * (passed - ticks))
        ticks = passed
        acts.extend(acts_of(names, turn, before, states, began.setdefault(turn.request, ticks)))
    outcome = [(t.handler, t.response) for t in evidence.turns if t.response is not None]
    return replayed(reference, acts, outcome, names, allowance)


def any_state(_: int, states: Iterable[State]) -> State:
    return next(iter(states))


def chosen_ways(
    reference: Reference[State],
    turns: tuple[Turn, ...],
    choose: Callable[[int, Iterable[State]], State] = any_state,
) -> Iterator[tuple[Turn, GlobalState, tuple[State, State, bool]]]:
    """For each turn the global state before it, and where its request starts and ends; whether it is fresh.

    Forwards, all ways are kept; backwards, one is chosen. `choose` says where a request is in the end."""
    global_ = reference.initial
    places: dict[int, list[State]] = {}
    origins: list[dict[State, State]] = []
    befores: list[GlobalState] = []
    for turn in turns:
        known = places.get(turn.request)
        starts = list(reference.fresh(turn.handler)) if known is None else known
        found: dict[State, State] = {}
        for state in starts:
            for end in ends(reference, state, global_, turn):
                found.setdefault(end, state)
        origins.append(found)
        befores.append(global_)
        places[turn.request] = list(found)
        global_ = turn.after
    chosen: list[tuple[State, State]] = []
    wanted: dict[int, State] = {}
    for turn, found in zip(reversed(turns), reversed(origins), strict=True):
        end = wanted[turn.request] if turn.request in wanted else choose(turn.request, found)
        wanted[turn.request] = found[end]
        chosen.append((found[end], end))
    begun: set[int] = set()
    for turn, before, (start, end) in zip(turns, befores, reversed(chosen), strict=True):
        yield turn, before, (start, end, turn.request not in begun)
        begun.add(turn.request)


def ends(reference: Reference[State], state: State, global_: GlobalState, turn: Turn) -> Iterator[State]:
    """Where a turn from this local state can end; the same state, if the request answers without a step."""
    if turn.response is None:
        yield from (m for m, after in reference.steps(state, global_) if after == turn.after)
        return
    if global_ == turn.after and turn.response in reference.answers(state):
        yield state
    for target, after in reference.steps(state, global_):
        if after == turn.after and turn.response in reference.answers(target):
            yield target


def acts_of(
    names: Names[State], turn: Turn, before: GlobalState, states: tuple[State, State, bool], began: int = 0
) -> Iterator[Act]:
    """The moves of a turn; `began` is the number of barriers before its request began."""
    start, end, is_fresh = states
    request = names.request(turn.handler)
    if is_fresh:
        yield (SPAWN, request, names.local(start))
    at_once = turn.response is not None and start == end and before == turn.after
    if not at_once:
        yield (GO, request, names.local(start), began, names.local(end), names.global_(turn.after))
    if turn.response is not None:
        yield (REPLY, request, names.local(end), began, names.response(turn.handler, turn.response))


def folded_run_text(
    reference: Reference[State], evidence: FoldedRunEvidence, names: Names[State], allowance: Allowance
) -> Text:
    """The run is followed turn by turn: requests that are described alike may differ in dead locals."""
    waiting: dict[tuple[str, Stop], list[State]] = {}
    acts: list[Act] = []
    outcome: list[Completion] = []
    global_ = reference.initial
    for any_turn in unfold(evidence.turns):
        allowance.spend()
        handler, start = any_turn.handler, any_turn.start
        states = list(reference.fresh(handler)) if start is None else [waiting[handler, start].pop()]
        response = any_turn.end if isinstance(any_turn.end, str) else None
        turn = Turn(1, handler, any_turn.after, response)
        state, end = next(
            (state, end)
            for state in states
            for end in ends(reference, state, global_, turn)
            if fits(reference, end, any_turn)
        )
        acts.extend(acts_of(names, turn, global_, (state, end, start is None)))
        if isinstance(any_turn.end, str):
            outcome.append((handler, any_turn.end))
        else:
            waiting.setdefault((handler, any_turn.end), []).append(end)
        global_ = any_turn.after
    return replayed(reference, acts, outcome, names, allowance)


def fits(reference: Reference[State], end: State, turn: AnyTurn) -> bool:
    return isinstance(turn.end, str) or reference.description(end) == (turn.end.code, turn.end.values)


def replayed(
    reference: Reference[State],
    acts: list[Act],
    outcome: list[Completion],
    names: Names[State],
    allowance: Allowance,
) -> Text:
    """No flights in the table: moves name theirs. Then the moves, from where requests run alone, and a proof
    that no serial order has the outcome, if they are too many to be listed."""
    proof: Text = (0,)
    starts = serial_starts(reference, Counter(outcome), names, allowance)
    if starts is None:
        starts, counted = counted_text(reference, outcome, names, allowance)
        proof = (1, counted)
    shown: Iterable[Folded[Act]] = fold(acts) if len(acts) > LONG_RUN else acts
    return ([], [act_text(act) for act in shown], starts, proof, FUEL)


def act_text(act: Folded[Act]) -> Text:
    if isinstance(act, Repeated):
        return (AGAIN, act.times, [act_text(item) for item in act.items])
    return act


def serial_starts(
    reference: Reference[State], outcome: Counter[Completion], names: Names[State], allowance: Allowance
) -> list[Text] | None:
    """The requests, and the global states from which they run alone, on all ways to the outcome; None if
    these are too many."""
    serial = SerialRuns(reference, allowance)
    completions = sorted(outcome)
    starts: dict[Text, None] = {}
    first = (reference.initial, tuple(outcome[completion] for completion in completions))
    seen = {first}
    pending = [first]
    while pending:
        global_, owed = pending.pop()
        allowance.spend()
        for index, (request, response) in enumerate(completions):
            if owed[index] == 0:
                continue
            starts[names.request(request), names.global_(global_)] = None
            rest = (*owed[:index], owed[index] - 1, *owed[index + 1 :])
            for answer, after in serial.after(global_, request):
                if answer == response and (after, rest) not in seen:
                    seen.add((after, rest))
                    pending.append((after, rest))
        if len(seen) > MAX_ORDERS:
            return None
    return list(starts)
