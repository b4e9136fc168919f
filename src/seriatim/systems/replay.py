"""Turns evidence back into a run: finds the local states, which certificates do not name.

Claim. What a request can do in its turn depends on its own local state and on the global state, which is
recorded. So its possible local states are found turn by turn, independently of the other requests, and any
chain of them that leads to a last one is one that it can have gone through.
"""

from seriatim.certificate.folded_run import FoldedRunEvidence, Stop
from seriatim.certificate.turns import Turn as RecordedTurn
from seriatim.folding import unfold
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run, Turn
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move

MAX_TURNS = 1_000_000


class ImpossibleTurn(Exception):
    """The system has no such step."""

    def __init__(self, number: int) -> None:
        super().__init__(f"turn {number}")
        self.number = number
        """Counted from 1."""


class TooManyTurns(Exception):
    """The turns of a run do not fit into memory."""


def name_turns(evidence: FoldedRunEvidence) -> tuple[RecordedTurn, ...]:
    """The turns one by one, each with its request: of several requests at a stop, the last one goes first.

    Raises `ImpossibleTurn` if no request waits there, and `TooManyTurns`.
    """
    waiting: dict[tuple[str, Stop], list[int]] = {}
    turns: list[RecordedTurn] = []
    requests = 0
    for turn in unfold(evidence.turns):
        if len(turns) == MAX_TURNS:
            raise TooManyTurns
        if turn.start is None:
            requests += 1
            request = requests
        elif there := waiting.get((turn.handler, turn.start)):
            request = there.pop()
        else:
            raise ImpossibleTurn(len(turns) + 1)
        response = turn.end if isinstance(turn.end, str) else None
        turns.append(RecordedTurn(request, turn.handler, turn.after, response))
        if not isinstance(turn.end, str):
            waiting.setdefault((turn.handler, turn.end), []).append(request)
    return tuple(turns)


def replay_turns(recorded: tuple[RecordedTurn, ...], origin: Origin) -> Run:
    """A run of the system with these turns; raises `ImpossibleTurn`."""
    numbers: dict[int, int] = {}
    """The requests, by the order of their first turns."""
    last_turns: dict[int, int] = {}
    """The index of the latest turn of each request."""
    reached: list[dict[int, int]] = []
    """For each turn, the targets that it can have, each with a local that it can have begun at."""
    states: list[tuple[int, int]] = []
    """For each turn, the global state before and after."""
    before = INITIAL_GLOBAL
    for index, turn in enumerate(recorded):
        previous = last_turns.get(turn.request)
        places = origin.starts if previous is None else tuple(reached[previous])
        own = [place for place in places if place >= 0 and origin.request_of(place) == _handler(turn, origin)]
        ends = [(local, move) for local in own for move in _moves(turn, origin, local, before)]
        if not ends:
            raise ImpossibleTurn(index + 1)
        reached.append({move[0]: local for local, move in ends})
        after = ends[0][1][1]
        states.append((before, after))
        before = after
        numbers.setdefault(turn.request, len(numbers))
        last_turns[turn.request] = index
    return _choose_run(recorded, numbers, reached, states)


def _handler(turn: RecordedTurn, origin: Origin) -> int | None:
    return origin.requests.index(turn.handler) if turn.handler in origin.requests else None


def _moves(turn: RecordedTurn, origin: Origin, local: int, before: int) -> list[Move]:
    """The moves from a local that match the recorded turn."""
    return [
        (target, after)
        for target, after in origin.moves(local, before)
        if origin.global_state(after) == turn.after
        and (origin.completions[~target][1] if target < 0 else None) == turn.response
    ]


def _choose_run(
    recorded: tuple[RecordedTurn, ...],
    numbers: dict[int, int],
    reached: list[dict[int, int]],
    states: list[tuple[int, int]],
) -> Run:
    """One chain of local states for each request, from its last turn backwards."""
    wanted: dict[int, int] = {}
    turns: list[Turn] = []
    for turn, targets, (before, after) in reversed(list(zip(recorded, reached, states, strict=True))):
        target = wanted.get(turn.request, next(iter(targets)))
        local = wanted[turn.request] = targets[target]
        turns.append(Turn(numbers[turn.request], local, target, before, after))
    return Run(tuple(reversed(turns)))
