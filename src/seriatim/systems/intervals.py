"""Real time, up to a number of barriers: systems whose answers tell when requests began and ended.

A *barrier* is a moment of a run; K barriers divide it into K + 1 intervals. A request that begins in the
interval i and ends in the interval j is annotated [i, j]. One that ended before a barrier *precedes* every
request that began after it: p precedes q iff j_p < i_q.

*The system.* Its global states are (g, i), with i the interval; a request in flight is (ℓ, s), with s the
interval in which it began. A step in which a request is answered may be followed by a barrier; other steps
are not. Completions are (request, response, [s, i]).

*The specification.* Let q range over the states of an automaton that says which words of completions are
allowed. The annotated automaton has states (q, c), with c the latest beginning so far: from (q, c) a letter
(a, [s, j]) leads to (q', max(c, s)), provided that a leads from q to q' and that j ≥ c.

Claim 1. A word is one of the annotated automaton iff its completions are allowed, and their order respects
precedence. Why: the order is wrong iff some letter [s, j] comes after a letter [s', j'] that it precedes,
that is with j < s'; and c is the largest of these s'. ∎

Claim 2. There is a complete run of the origin, with calls and returns at any moments before its first and
after its last step, and with at most K barriers anywhere, whose annotated outcome no word has, if and only if
the system has a complete run whose outcome no word has. Why: a run of the system is a run of the origin whose
requests are called just before their first steps and return just after their last, so one direction is
clear. For the other, change a run of the first kind, such that no word with its outcome arises:
- Call each request just before its first step, and let it return just after its last. Intervals get shorter:
  s grows, j falls. Whatever preceded before precedes now; so an order that respects precedence now did so
  before, and the outcome without annotations is the same.
- Move each barrier to just after the last return before it; if it has none, drop it, as nothing precedes
  by it. No return crosses the barrier, so ends keep their intervals; beginnings may only get later.
- Of several barriers at one place, keep one: renumber the intervals.
What results is a run of the system. ∎

So the question is Int(S') ⊆ Parikh(annotated automaton) for an ordinary system S': engines that are right for
any system and any automaton are right here, and so are reductions that keep Int(S'). K = 0 annotates
everything with [1, 1]: it is the question without barriers.

*Pending requests.* If runs that end with requests in flight count, everyone who has begun may stop: a move
that leaves g, with the completion (request, *, [s, ω]). Claim 3. Runs in which nobody who stops has any step
afterwards, which is all of them, are the runs of the origin with some requests in flight at the end; whether
they stop then or before makes no difference to anyone. In the annotated automaton, (request, *, [s, ω]) leads
from (q, c) to itself, as if the request had done nothing yet, and to wherever the request with any answer
would lead: it may have taken effect. It ends after all others, so j ≥ c always holds.
"""

from seriatim.budget import Deadline
from seriatim.program.state import GlobalState
from seriatim.properties.derived import INTERVAL, answer_in, marked_state, pending_since
from seriatim.systems.automaton import Automaton, Edges
from seriatim.systems.from_input import Origin
from seriatim.systems.run import Run, Turn
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move
from seriatim.systems.words import Words

FRESH = 0
"""Replaces the interval in which a request began, plus 1, for fresh requests."""


class IntervalSystem:
    """A system with barriers; it numbers globals and completions on demand."""

    def __init__(self, origin: Origin, barriers: int, pending: bool) -> None:
        self.origin = origin
        self.barriers = barriers
        self.pending = pending
        self.requests = origin.requests
        self.width = barriers + 2
        """Local ℓ that began in the interval s is ℓ · width + s + 1; fresh, it is ℓ · width."""
        self.starts = tuple(local * self.width + FRESH for local in origin.starts)
        self.completions: list[tuple[int, str]] = []
        self.annotations: list[tuple[str | None, int, int]] = []
        """(response or None if pending, beginning, end) of each completion."""
        self.global_values: list[tuple[int, ...]] = []
        self.globals: list[tuple[int, int]] = []
        """(global state of the origin, interval)."""
        self._completions: dict[tuple[int, str | None, int, int], int] = {}
        self._globals: dict[tuple[int, int], int] = {}
        self._moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self._global(INITIAL_GLOBAL, 0)

    def request_of(self, local: int) -> int:
        return self.origin.request_of(local // self.width)

    def global_state(self, global_: int) -> GlobalState:
        own, interval = self.globals[global_]
        return marked_state(self.origin.global_state(own), INTERVAL, interval + 1)

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        known = self._moves.get((local, global_))
        if known is None:
            known = self._moves[local, global_] = tuple(self._explore(local, global_))
        return known

    def _explore(self, local: int, global_: int) -> list[Move]:
        own, marked = divmod(local, self.width)
        before, interval = self.globals[global_]
        began = interval if marked == FRESH else marked - 1
        request = self.origin.request_of(own)
        found: list[Move] = []
        for target, after in self.origin.moves(own, before):
            if target >= 0:
                found.append((target * self.width + began + 1, self._global(after, interval)))
                continue
            answer = ~self.completion(request, self.origin.completions[~target][1], began, interval)
            found.append((answer, self._global(after, interval)))
            if interval < self.barriers:
                found.append((answer, self._global(after, interval + 1)))
        if self.pending and marked != FRESH:
            found.append((~self.completion(request, None, began, began), global_))
        return found

    def _global(self, own: int, interval: int) -> int:
        number = self._globals.get((own, interval))
        if number is None:
            number = self._globals[own, interval] = len(self.globals)
            self.globals.append((own, interval))
            self.global_values.append(self.origin.global_values[own])
        return number

    def completion(self, request: int, response: str | None, began: int, ended: int) -> int:
        """The number of a completion; a pending one has no end."""
        key = (request, response, began, ended)
        number = self._completions.get(key)
        if number is None:
            number = self._completions[key] = len(self.completions)
            answer = (
                pending_since(began + 1) if response is None else answer_in(response, began + 1, ended + 1)
            )
            self.completions.append((request, answer))
            self.annotations.append((response, began, ended))
        return number

    @property
    def observer(self) -> None:
        """None: there is no observer of final values."""

    def way_back(self, run: Run) -> tuple[Run, tuple[int, ...]]:
        """The same run of the origin, and the number of its turns before each barrier.

        A request that stops does so at the end; that is not a turn of the origin.
        """
        turns: list[Turn] = []
        barriers: list[int] = []
        for turn in run.turns:
            before, interval = self.globals[turn.before]
            after, next_interval = self.globals[turn.after]
            own = turn.local // self.width
            if turn.target >= 0:
                target = turn.target // self.width
            else:
                request, _ = self.completions[~turn.target]
                response, _, _ = self.annotations[~turn.target]
                if response is None:
                    continue
                target = ~self.origin.completions.index((request, response))
            turns.append(Turn(turn.request, own, target, before, after))
            if next_interval > interval:
                barriers.append(len(turns))
        return Run(tuple(turns)), tuple(barriers)


class IntervalAutomaton(Automaton):
    """The annotated automaton of some words, over the completions of a system with barriers."""

    def __init__(self, words: Words, system: IntervalSystem, max_states: int, deadline: Deadline) -> None:
        super().__init__(max_states, deadline)
        self.words = words
        self.system = system
        self.width = system.barriers + 1
        """The state (q, c) is q · width + c."""

    def state_name(self, state: int) -> GlobalState:
        own, latest = divmod(state, self.width)
        return marked_state(self.words.state_name(own), INTERVAL, latest + 1)

    def edges(self, state: int) -> Edges:
        own, latest = divmod(state, self.width)
        numbers = {name: number for number, name in enumerate(self.system.requests)}
        found: dict[int, set[int]] = {}
        if self.system.pending:
            for request in numbers.values():
                for began in range(self.width):
                    found[self.system.completion(request, None, began, began)] = {state}
        for (name, response), targets in self.words.after(own).items():
            request = numbers[name]
            for began in range(self.width):
                after = {target * self.width + max(latest, began) for target in targets}
                for ended in range(max(latest, began), self.width):
                    found.setdefault(self.system.completion(request, response, began, ended), set()).update(
                        after
                    )
                if self.system.pending:
                    found[self.system.completion(request, None, began, began)] |= after
        return {completion: tuple(sorted(found[completion])) for completion in sorted(found)}
