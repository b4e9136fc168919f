"""Proof by commit points: every request takes effect in one step, and the order of these steps explains the
answers.

Let λ be a partial function from locals to completions; a local in its domain is *committed*. A move
*commits* to c if it leads from an uncommitted local to one that λ commits to c, or to the completion c
itself. Let D be a set of states of the serial automaton, {g₀} at the start; a move that commits to c
replaces D by its c-successors. Conditions:

  (a) no fresh request is committed; (b) no move leads from a local that is committed to c to an uncommitted
  one, to one that is committed to something
      else, or to another completion than c;
  (c) no step of a reachable state of the system, with D as a part of its global state, makes D empty.

Claim: then the system is serializable. Why: take a complete run. Each of its requests is fresh at first and
answered in the end, so by (a) and (b) it commits exactly once, and to the completion with which it is
answered. D is always the set of states that the serial automaton can reach by the word of commits so far;
by (c) it is never empty, so that word is serial. Its letters are the outcome of the run.

Condition (c) is established by a closure of the system with pairs (g, D) for global states. So the number
of requests plays no part, and what the closure knows (locks, mutual exclusion) relates D to what the
requests in flight have done so far. λ can only commit to a unique future completion; `cuts` proposes some,
cheapest first.
"""

from collections.abc import Iterator
from itertools import islice, product

from seriatim.budget import Deadline
from seriatim.network.closure import closure
from seriatim.network.limits import LimitReached, Limits
from seriatim.network.serial import SerialAutomaton
from seriatim.network.slicing import MacroSystem
from seriatim.network.unfolding import INITIAL_GLOBAL, Move
from seriatim.properties.answer import GaveUp, ProvedByCommits

MAX_MIXTURES = 64
"""How many ways to choose a policy for each handler are tried."""

MAX_LEVEL = 2


def commit_points(
    system: MacroSystem, specification: SerialAutomaton, mixed: bool, limits: Limits, deadline: Deadline
) -> ProvedByCommits | GaveUp:
    """Tries the cuts in turn, with the closure that the system needed, then with a finer one."""
    blocked: NoSerialState | None = None
    for level in range(system.coverage.level, MAX_LEVEL + 1):
        for committed in cuts(system, mixed):
            try:
                coverage = closure(
                    WithSerialStates(system, specification, committed), limits, deadline, (level,)
                )
            except NoSerialState as state:
                blocked = blocked or state
                continue
            except LimitReached:
                break
            return ProvedByCommits(coverage, committed)
    why = "no choice of commit points that was tried explains all interleavings"
    return GaveUp(why) if blocked is None else GaveUp(why, blocked=blocked.step)


class NoSerialState(Exception):
    """D became empty at this step of a local: the order of the commits is not serial."""

    def __init__(self, local: int, completion: int) -> None:
        super().__init__(local, completion)
        self.step = (local, completion)


class WithSerialStates:
    """The system with pairs (g, D) for global states; raises `NoSerialState` where D becomes empty."""

    def __init__(
        self, system: MacroSystem, specification: SerialAutomaton, committed: dict[int, int]
    ) -> None:
        self.requests = system.requests
        self.starts = system.starts
        self.completions = system.completions
        self.request_of = system.request_of
        self.system = system
        self.specification = specification
        self.committed = committed
        start = frozenset((INITIAL_GLOBAL,))
        self.global_values = [system.global_values[INITIAL_GLOBAL]]
        self._pairs = [(INITIAL_GLOBAL, start)]
        self._numbers = {self._pairs[0]: INITIAL_GLOBAL}
        self._after: dict[tuple[frozenset[int], int], frozenset[int]] = {}
        self._moves: dict[tuple[int, int], tuple[Move, ...]] = {}

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        key = (local, global_)
        known = self._moves.get(key)
        if known is None:
            own, serial = self._pairs[global_]
            known = self._moves[key] = tuple(
                [
                    (target, self._number(after, self._committed(serial, local, target)))
                    for target, after in self.system.moves(local, own)
                ]
            )
        return known

    def _committed(self, serial: frozenset[int], local: int, target: int) -> frozenset[int]:
        """D after a move."""
        if local in self.committed:
            return serial
        completion = ~target if target < 0 else self.committed.get(target)
        if completion is None:
            return serial
        after = self._after.get((serial, completion))
        if after is None:
            automaton = self.specification
            after = frozenset(
                [next_ for state in serial for next_ in automaton.after(state).get(completion, ())]
            )
            if not after:
                raise NoSerialState(local, completion)
            self._after[serial, completion] = after
        return after

    def _number(self, global_: int, serial: frozenset[int]) -> int:
        pair = (global_, serial)
        number = self._numbers.get(pair)
        if number is None:
            number = self._numbers[pair] = len(self._pairs)
            self._pairs.append(pair)
            self.global_values.append(self.system.global_values[global_])
        return number


def futures(system: MacroSystem) -> dict[int, int]:
    """The locals that can be answered in one way only, and how."""
    before: dict[int, set[int]] = {}
    possible: dict[int, set[int]] = {}
    pending: list[int] = []
    for (local, _), moves in system.table.items():
        for target, _ in moves:
            before.setdefault(target, set()).add(local)
            if target < 0 and target not in possible:
                possible[target] = {~target}
                pending.append(target)
    while pending:
        target = pending.pop()
        for local in before.get(target, ()):
            own = possible.setdefault(local, set())
            if len(own) < 2 and not possible[target] <= own:  # two are as good as many
                own |= possible[target]
                pending.append(local)
    return {local: min(own) for local, own in possible.items() if local >= 0 and len(own) == 1}


def cuts(system: MacroSystem, mixed: bool) -> Iterator[dict[int, int]]:
    """Candidates for λ that satisfy (a) and (b): one policy for all handlers, or a mixture.

    The policies: commit at the answer; when no write is left to do; as soon as the answer is certain.
    """
    certain = futures(system)
    for start in system.starts:
        certain.pop(start, None)
    writers = may_write(system)
    policies: list[dict[int, int]] = [
        {},
        closed(system, {local: c for local, c in certain.items() if local not in writers}),
        closed(system, certain),
    ]
    tried: list[dict[int, int]] = []
    uniform = [(policy,) * len(system.requests) for policy in policies]
    mixtures = islice(product(policies, repeat=len(system.requests)), MAX_MIXTURES)
    for choice in mixtures if mixed else uniform:
        cut = {
            local: completion
            for request, policy in enumerate(choice)
            for local, completion in policy.items()
            if system.request_of(local) == request
        }
        if cut not in tried:
            tried.append(cut)
            yield cut


def closed(system: MacroSystem, committed: dict[int, int]) -> dict[int, int]:
    """The largest part of λ that satisfies (b)."""
    before: dict[int, set[int]] = {}
    bad: list[int] = []
    for (local, _), moves in system.table.items():
        for target, _ in moves:
            if target >= 0:
                before.setdefault(target, set()).add(local)
                if local in committed and target not in committed:
                    bad.append(local)
    kept = dict(committed)
    while bad:
        local = bad.pop()
        if kept.pop(local, None) is not None:
            bad.extend(other for other in before.get(local, ()) if other in kept)
    return kept


def may_write(system: MacroSystem) -> set[int]:
    """The locals from which some move that changes the global state can still come."""
    before: dict[int, set[int]] = {}
    writers: set[int] = set()
    for (local, global_), moves in system.table.items():
        for target, after in moves:
            if after != global_:
                writers.add(local)
            if target >= 0:
                before.setdefault(target, set()).add(local)
    pending = sorted(writers)
    while pending:
        for local in before.get(pending.pop(), ()):
            if local not in writers:
                writers.add(local)
                pending.append(local)
    return writers
