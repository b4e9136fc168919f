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
cheapest first. `learn_commit_points` looks through all others: whatever has led to an empty D once, step
by step with the same commits, is not tried again.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Protocol

from seriatim.arithmetic.solvers.clauses import Clause, first_model
from seriatim.budget import Deadline
from seriatim.closure import reached
from seriatim.engines.commits.proof import ProvedByCommits
from seriatim.engines.stage import GaveUp
from seriatim.systems.automaton import Automaton
from seriatim.systems.closure import closure
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.slicing import CoveredSystem, MacroSystem
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move

MAX_MIXTURES = 64
"""How many ways to choose a policy for each handler are tried."""

MAX_LEARNED = 200
"""How many cuts are tried that need not follow a policy, with each level of the closure."""

MAX_LEARNED_PAIRS = 30_000
"""Pairs of a local and a global state that may be looked at for all of these cuts together."""

MAX_LEVEL = 2

MORE_PAIRS = 20
"""Pairs of a local and a global state, for each one of the system, that a closer look may come to: sets of
serial states are a part of the global state."""

UNEXPLAINED = "no choice of commit points that was tried explains all interleavings"


class CommitMoves(Protocol):
    """All moves that requests can make, for policies."""

    @property
    def table(self) -> Mapping[tuple[int, int], Sequence[Move]]: ...

    @property
    def starts(self) -> tuple[int, ...]: ...

    @property
    def requests(self) -> tuple[str, ...]: ...

    @property
    def request_of(self) -> Callable[[int], int]: ...


@dataclass(frozen=True, slots=True)
class BlockedCommit(GaveUp):
    """No order explains a response."""

    step: tuple[int, int] = (0, 0)
    """The blocked step (local, completion): this local takes effect with this completion."""


def commit_points(
    system: MacroSystem, specification: Automaton, mixed: bool, limits: Limits, deadline: Deadline
) -> ProvedByCommits | GaveUp:
    """Tries the cuts in turn, with the closure that the system needed, then with a finer one."""
    blocked: NoSerialState | None = None
    for level in range(system.coverage.level, MAX_LEVEL + 1):
        room = limits if level == system.coverage.level else room_for_more(system, limits)
        for committed in cuts(system, futures(system), mixed):
            try:
                coverage = closure(
                    WithSerialStates(system, specification, committed), room, deadline, (level,)
                )
            except NoSerialState as state:
                blocked = blocked or state
                continue
            except LimitReached:
                break
            return ProvedByCommits(coverage, committed)
    return GaveUp(UNEXPLAINED) if blocked is None else BlockedCommit(UNEXPLAINED, step=blocked.step)


def room_for_more(system: MacroSystem, limits: Limits) -> Limits:
    """Limits for a finer closure: mostly as many states as the coarse one took."""
    return replace(limits, max_states=min(limits.max_states, MORE_PAIRS * (len(system.table) + 50)))


def try_commit_points(
    system: CoveredSystem,
    specification: Automaton,
    committed: dict[int, int],
    limits: Limits,
    deadline: Deadline,
) -> ProvedByCommits | GaveUp:
    """Tries one cut, with the closure that the system needed, then with a finer one; raises
    `LimitReached`."""
    for level in range(system.coverage.level, MAX_LEVEL + 1):
        try:
            states = WithSerialStates(system, specification, committed)
            return ProvedByCommits(closure(states, limits, deadline, (level,)), committed)
        except NoSerialState:
            continue
    return GaveUp(UNEXPLAINED)


def learn_commit_points(
    system: MacroSystem, specification: Automaton, limits: Limits, deadline: Deadline
) -> ProvedByCommits | GaveUp:
    """Tries all cuts, late commits first, except those that fail as one before has failed.

    A clause may exclude too much, because what else is in flight depends on λ as well: then a proof is
    missed. It excludes the cut that it was learned from, so the search goes on.
    """
    certain = committable(system, futures(system))
    closed_under_moves = [
        Clause((~local, target))
        for (local, _), moves in system.table.items()
        for target, _ in moves
        if local in certain and target >= 0 and target != local
    ]
    left = min(MAX_LEARNED_PAIRS, limits.max_states)
    for level in range(system.coverage.level, MAX_LEVEL + 1):
        clauses = list(dict.fromkeys(closed_under_moves))
        for _ in range(MAX_LEARNED):
            model = first_model(certain, clauses, deadline)
            if model is None:
                break
            committed = {local: certain[local] for local in sorted(model)}
            states = WithSerialStates(system, specification, committed)
            try:
                coverage = closure(states, Limits(left, limits.max_value), deadline, (level,))
            except NoSerialState as failure:
                clauses.append(states.clause(failure, certain.keys()))
            except LimitReached:
                break
            else:
                return ProvedByCommits(coverage, committed)
            left -= states.count_explored()
            if left <= 0:
                return GaveUp(UNEXPLAINED)
    return GaveUp(UNEXPLAINED)


class NoSerialState(Exception):
    """D became empty at this step of a local: the order of the commits is not serial."""

    def __init__(self, local: int, global_: int, target: int, completion: int) -> None:
        super().__init__(local, global_, target, completion)
        self.local = local
        self.global_ = global_
        self.target = target
        self.step = (local, completion)


class WithSerialStates:
    """The system with pairs (g, D) for global states; raises `NoSerialState` where D becomes empty."""

    def __init__(self, system: MacroSystem, specification: Automaton, committed: dict[int, int]) -> None:
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
                    (target, self._number(after, self._commit(serial, local, global_, target)))
                    for target, after in self.system.moves(local, own)
                ]
            )
        return known

    def count_explored(self) -> int:
        """How many pairs of a local and a global state have been looked at."""
        return len(self._moves)

    def clause(self, failure: NoSerialState, free: Set[int]) -> "Clause":
        """Excludes each λ with the same commits on the way to the failure; `free` locals may be chosen."""
        literals: set[int] = set()
        for local, target in [*self._way(failure), (failure.local, failure.target)]:
            if local in self.committed:
                literals.add(~local)
            elif target in self.committed:
                literals |= {local, ~target}
            else:  # By (b), a request that is not committed after a move was not committed before it.
                literals.add(local if target < 0 else target)
        return Clause(literal for literal in literals if (literal if literal >= 0 else ~literal) in free)

    def _way(self, failure: NoSerialState) -> list[tuple[int, int]]:
        """Moves (local, target), as few as possible, that lead the request that fails to where it does.

        Found afterwards, among all moves that were looked at: so exploring costs nothing more.
        """
        moves_at: dict[int, list[tuple[int, Move]]] = {}
        for (local, global_), moves in self._moves.items():
            moves_at.setdefault(global_, []).extend((local, move) for move in moves)
        came_by: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]] | None] = {
            (start, INITIAL_GLOBAL): None for start in self.starts
        }
        pending = deque(came_by)
        failed = (failure.local, failure.global_)
        while failed not in came_by:
            own, global_ = here = pending.popleft()
            for local, (target, after) in moves_at.get(global_, ()):
                for there in ((own, after), (target, after)) if local == own else ((own, after),):
                    if there[0] >= 0 and there not in came_by:
                        came_by[there] = (here, (local, target))
                        pending.append(there)
        way: list[tuple[int, int]] = []
        last = came_by[failed]
        while last is not None:
            way.append(last[1])
            last = came_by[last[0]]
        return way

    def _commit(self, serial: frozenset[int], local: int, global_: int, target: int) -> frozenset[int]:
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
                raise NoSerialState(local, global_, target, completion)
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


def futures(system: CommitMoves) -> dict[int, int]:
    """The locals with a single possible answer, and that answer."""
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


def cuts(system: CommitMoves, future: dict[int, int], mixed: bool) -> Iterator[dict[int, int]]:
    """Candidates for λ that satisfy (a) and (b): one policy for all handlers, or a mixture. `future` has the
    locals that can be answered in one way only.

    The policies: commit at the answer; when no write is left to do; as soon as the answer is certain.
    """
    certain = committable(system, future)
    writers = may_write(system)
    policies: list[dict[int, int]] = [
        {},
        close(system, {local: c for local, c in certain.items() if local not in writers}),
        certain,
    ]
    tried: list[dict[int, int]] = []
    by_request: list[list[dict[int, int]]] = [[{} for _ in policies] for _ in system.requests]
    for number, policy in enumerate(policies):
        for local, completion in policy.items():
            by_request[system.request_of(local)][number][local] = completion
    uniform = (tuple(own[number] for own in by_request) for number in range(len(policies)))
    mixtures = islice(product(*by_request), MAX_MIXTURES)
    for choice in mixtures if mixed else uniform:
        cut = {local: completion for own in choice for local, completion in own.items()}
        if cut not in tried:
            tried.append(cut)
            yield cut


def committable(system: CommitMoves, future: dict[int, int]) -> dict[int, int]:
    """The largest λ that satisfies (a) and (b)."""
    return close(system, {local: c for local, c in future.items() if local not in system.starts})


def close(system: CommitMoves, committed: dict[int, int]) -> dict[int, int]:
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


def may_write(system: CommitMoves) -> set[int]:
    """The locals from which some move that changes the global state can still come."""
    steps = [(*state, *move) for state, moves in system.table.items() for move in moves]
    writers = {local for local, before, _, after in steps if after != before}
    return reached(writers, ((target, local) for local, _, target, _ in steps))
