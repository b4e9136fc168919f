"""Evidence of the kind `folded-run`: a long run, and nothing with its outcome that is allowed
(`seriatim.checking.unexplained`).

A turn does not say which request takes it, but where it starts: anybody who waits there can take it. The run
is replayed turn by turn, however often its stretches are repeated. All that has to be remembered is how many
requests wait at each stop.

Claim: if nobody is missing on the way and all turns are steps, there is such a run. Several local states may
be described alike, such as those before `-1`, evaluated or not. For each stop, those are kept in which
somebody may be who waits there: one to which the first turn that ends there leads, and one for each later
turn that leads to none that is kept. A turn that starts there has to be possible from each of them. So
a request that waits at a stop can take any turn that starts there, and which one does makes no difference.

What is a step depends on the global state before, which the turn before has left, and on the local states
that are kept so far; so a turn is looked at once for each turn that it follows, and again when there are
more.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Generic

from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence, Stop
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.reference import Reference, State
from seriatim.checking.turns import after_turn
from seriatim.checking.unexplained import unexplained
from seriatim.checking.words import any_turn_words, counted, outcome_words
from seriatim.folding import unfold
from seriatim.program.state import GlobalState

TURNS_A_STATE = 20
"""How many replayed turns cost as much as exploring a state."""

Place = tuple[str, Stop]
"""(handler, where it waits)."""


def obligations(task: Task[FoldedRunEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of a folded run, in this order; each relies on those before it. Raises
    `GaveUp`."""
    evidence, asked = task.evidence, task.asked.runs
    yield Obligation(
        "it does not matter who took which turn",
        asked.seen is not None,
        "outcomes are answers and final values" if asked.seen else "outcomes tell when requests began",
    )
    assert asked.seen is not None
    replay = Replay(task.reference, evidence, task.context.allowance)
    impossible = replay.impossible_turn()
    yield Obligation(
        "every turn is a step of the input",
        impossible is None,
        impossible or f"{counted(replay.turns, 'turn')} of {counted(replay.requests(), 'request')}, replayed",
        evidence.turns,
    )
    left = replay.waiting.total()
    outcome = replay.answers()
    yield Obligation(
        "every request is answered",
        left == 0,
        f"{counted(left, 'request')} in flight at the end" if left else counted(outcome.total(), "answer"),
    )
    outcome += asked.seen(replay.state)
    claim = f"{asked.claim} {outcome_words(sorted(outcome.items()))}"
    yield unexplained(claim, asked.allowed, outcome, task.context)


class Replay(Generic[State]):
    """A run under way."""

    def __init__(
        self, reference: Reference[State], evidence: FoldedRunEvidence, allowance: Allowance
    ) -> None:
        self.reference = reference
        self.order = evidence.turns
        self.allowance = allowance
        self.state: GlobalState = reference.initial
        self.turns = 0
        self.waiting: Counter[Place] = Counter()
        self.taken: Counter[int] = Counter()
        """How often each turn has been taken, by its identity: that is compared faster than a turn."""
        self.known: dict[int, AnyTurn] = {}
        """The turns, by identity."""
        self._local_states: dict[Place, list[State]] = {}
        """The local states of requests that wait at each place."""

    def impossible_turn(self) -> str | None:
        """Takes all turns, up to the first one that is not a step or that no request can take."""
        steps: set[tuple[int, int, int]] = set()
        last = -1
        waiting = self.waiting
        places: dict[int, tuple[Place | None, Place | None]] = {}
        for turn in unfold(self.order):
            number = id(turn)
            if number not in places:
                places[number] = start_of(turn), end_of(turn)
                self.known[number] = turn
            start, end = places[number]
            self.turns += 1
            if self.turns % TURNS_A_STATE == 0:
                self.allowance.spend()
            if start is not None:
                if waiting[start] == 0:
                    return f"turn {self.turns:,}: {any_turn_words(turn)}, but no request waits there"
                waiting[start] -= 1
            known = 0 if start is None else len(self._local_states[start])
            if (last, number, known) not in steps:
                if not self.is_step(turn):
                    return f"turn {self.turns:,}: {any_turn_words(turn)}, but that is not a step from there"
                steps.add((last, number, known))
            if end is not None:
                waiting[end] += 1
            self.taken[number] += 1
            self.state = turn.after
            last = number
        return None

    def is_step(self, turn: AnyTurn) -> bool:
        """Whether a request at the start can take the turn here."""
        start = start_of(turn)
        if start is None:
            return self._can_take(turn, self.reference.fresh(turn.handler))
        return all(self._can_take(turn, frozenset({state})) for state in tuple(self._local_states[start]))

    def _can_take(self, turn: AnyTurn, before: frozenset[State]) -> bool:
        """Whether a request in one of these local states can take the turn. Where it is then is kept."""
        response = turn.end if isinstance(turn.end, str) else None
        recorded = Turn(1, turn.handler, turn.after, response)
        ends = after_turn(self.reference, before, self.state, recorded, self.allowance)
        if isinstance(turn.end, str):
            return bool(ends)
        described = (turn.end.code, turn.end.values)
        alike = [end for end in ends if self.reference.description(end) == described]
        kept = self._local_states.setdefault((turn.handler, turn.end), [])
        if alike and not any(end in kept for end in alike):
            kept.append(alike[0])
        return bool(alike)

    def requests(self) -> int:
        return sum(times for number, times in self.taken.items() if self.known[number].start is None)

    def answers(self) -> Counter[Completion]:
        """How often each completion occurs."""
        found: Counter[Completion] = Counter()
        for number, times in self.taken.items():
            turn = self.known[number]
            if isinstance(turn.end, str):
                found[turn.handler, turn.end] += times
        return found


def start_of(turn: AnyTurn) -> Place | None:
    return None if turn.start is None else (turn.handler, turn.start)


def end_of(turn: AnyTurn) -> Place | None:
    return None if isinstance(turn.end, str) else (turn.handler, turn.end)
