"""Barriers of time: an input, and what is allowed, with the intervals in which requests begin and end.

A barrier is a moment of a run. With K of them there are K + 1 intervals, numbered from 1 on. A request that
begins in the interval s and ends in the interval j, written [s,j], *precedes* another one [s',j'] if j < s':
it was answered before a barrier that the other one began after. A run is explained by a word of a
specification that has its completions in an order that respects precedence.

*What is allowed*: a state is one of the specification, and the latest interval c in which any request so far
began. A completion [s,j] may follow if it may in the specification, and if j ≥ c: exactly then it precedes
none of those before it. A pending request [s,ω] may be left out, as if it had done nothing, or have any
answer; it precedes nobody.

*The input*: a request begins with its first step, and answers in its last, or with neither if it can answer
at once; a barrier may follow an answer. It suffices to look at such runs. For if a run is explained with
shorter intervals and later beginnings, then also with longer ones, since fewer precede. So requests may be
taken to begin and to end as late and as early as they can. A barrier may be moved back to the last answer
before it, and be dropped if it is the first: nobody ends in another interval then, and no one begins earlier.
Steps that change nothing are left out: without them, requests only begin later.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Generic

from seriatim.certificate.run import RunEvidence
from seriatim.checking.allowed import Allowed, Completion
from seriatim.checking.reference import Reference, State
from seriatim.program.state import GlobalState
from seriatim.properties.derived import (
    INTERVAL,
    answer_in,
    marked_state,
    marked_values,
    pending_since,
)

FRESH = 0
"""Instead of the interval in which a request began."""


class Marks:
    """States with intervals, and the way back."""

    def __init__(self) -> None:
        self._known: dict[GlobalState, tuple[GlobalState, int]] = {}

    def state(self, own: GlobalState, interval: int) -> GlobalState:
        marked = marked_state(own, INTERVAL, interval)
        self._known[marked] = (own, interval)
        return marked

    def parts(self, marked: GlobalState) -> tuple[GlobalState, int] | None:
        """The parts of a marked state; None if it is not a marked state, or was never reached."""
        return self._known.get(marked)


class AllowedInTime:
    """A specification whose words respect precedence."""

    def __init__(self, allowed: Allowed, barriers: int, pending: bool) -> None:
        self.allowed = allowed
        self.intervals = range(1, barriers + 2)
        self.pending = pending
        self._marks = Marks()
        self.initial = self._marks.state(allowed.initial, 1)

    def after(self, state: GlobalState, request: str) -> list[tuple[str, GlobalState]]:
        parts = self._marks.parts(state)
        if parts is None:
            return []
        own, latest = parts
        found: list[tuple[str, GlobalState]] = []
        if self.pending:
            found.extend((pending_since(began), state) for began in self.intervals)
        for response, target in self.allowed.after(own, request):
            for began in self.intervals:
                then = self._marks.state(target, max(latest, began))
                found.extend(
                    (answer_in(response, began, ended), then)
                    for ended in self.intervals
                    if ended >= max(latest, began)
                )
                if self.pending:
                    found.append((pending_since(began), then))
        return found


@dataclass(frozen=True, slots=True)
class Ended:
    """The local state of a request that does nothing more than to answer so."""

    answer: str


Timed = tuple[State, int] | Ended
"""A local state, and the interval in which its request began."""


class TimedReference(Generic[State]):
    """An input whose answers tell in which intervals requests began and ended. Answering is a step here, as
    it depends on the interval."""

    def __init__(self, reference: Reference[State], barriers: int, pending: bool) -> None:
        self.inner = reference
        self.requests = reference.requests
        self.last = barriers + 1
        self.pending = pending
        self._marks = Marks()
        self.initial = self._marks.state(reference.initial, 1)

    def fresh(self, request: str) -> frozenset[Timed[State]]:
        return frozenset((state, FRESH) for state in self.inner.fresh(request))

    def answers(self, state: Timed[State]) -> frozenset[str]:
        return frozenset((state.answer,)) if isinstance(state, Ended) else frozenset()

    def is_final(self, state: Timed[State]) -> bool:
        return isinstance(state, Ended)

    def steps(self, state: Timed[State], global_: GlobalState) -> frozenset[tuple[Timed[State], GlobalState]]:
        parts = self._marks.parts(global_)
        if isinstance(state, Ended) or parts is None:
            return frozenset()
        own, interval = parts
        local, marked = state
        began = interval if marked == FRESH else marked
        found: set[tuple[Timed[State], GlobalState]] = set()
        reached = set(self.inner.steps(local, own)) - {(local, own)}
        for target, after in reached:
            if not self.inner.is_final(target) or (self.pending and not self.inner.answers(target)):
                found.add(((target, began), self._marks.state(after, interval)))
        if marked == FRESH:
            reached.add((local, own))
        for target, after in reached:
            for response in self.inner.answers(target):
                ended = Ended(answer_in(response, began, interval))
                found.add((ended, self._marks.state(after, interval)))
                if interval < self.last:
                    found.add((ended, self._marks.state(after, interval + 1)))
        if self.pending and marked != FRESH:
            found.add((Ended(pending_since(began)), global_))
        return frozenset(found)

    def description(self, state: Timed[State]) -> tuple[str, tuple[tuple[str, int], ...]]:
        if isinstance(state, Ended):
            return "", ()
        code, values = self.inner.description(state[0])
        return code, marked_values(values, INTERVAL, state[1])


def with_intervals(evidence: RunEvidence) -> Counter[Completion]:
    """The answers, and who is pending, with the intervals in which requests began and ended."""
    outcome: Counter[Completion] = Counter()
    began: dict[int, int] = {}
    handlers: dict[int, str] = {}
    for number, turn in enumerate(evidence.turns):
        interval = 1 + sum(number >= barrier for barrier in evidence.barriers)
        began.setdefault(turn.request, interval)
        handlers[turn.request] = turn.handler
        if turn.response is not None:
            answer = answer_in(turn.response, began[turn.request], interval)
            outcome[handlers.pop(turn.request), answer] += 1
    for request, handler in handlers.items():
        outcome[handler, pending_since(began[request])] += 1
    return outcome
