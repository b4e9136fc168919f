"""Thread-modular closures: over-approximations of what can be in flight together, of bounded size.

The reachable states of a system are (g, multiset of locals): infinitely many. A closure keeps, for each
global state g, which locals can occur (level 1), or which pairs of locals (level 2), and forgets how many
requests there are.

Claim: the result covers every reachable state: each local in flight at g is in `covered(g)`, and of two
requests in flight at g, each one's local is in `together` of the other's. Why: by induction over runs.
Fresh requests are always allowed. If a request moves (ℓ, g) → (ℓ', g'), every other one in flight at g had
a local m in `together(g, ℓ)`, and the closure carries all of these to g' and puts ℓ' beside them; at level
2 it carries a pair (m, n) if ℓ, m and n are pairwise possible. Level 2 knows mutual exclusion. `Potentials`
may exclude more; their module says why that is sound.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from seriatim.budget import Deadline, Pieces, finish
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.potential import Broken, Candidate, Potentials, Weights, candidates
from seriatim.systems.unfolding import INITIAL_GLOBAL, Unfolding, awake


def bits(mask: int) -> Iterator[int]:
    """The positions of the ones, lowest first."""
    while mask:
        low = mask & -mask
        mask ^= low
        yield low.bit_length() - 1


class Coverage(ABC):
    """What a closure found. Masks are over locals."""

    level: int
    potentials: Potentials

    @abstractmethod
    def globals(self) -> list[int]:
        """The global states that can occur."""

    @abstractmethod
    def find_covered(self, global_: int) -> int:
        """The locals that can be in flight in this global state, fresh requests included."""

    @abstractmethod
    def together(self, global_: int, local: int) -> int:
        """The locals that can be in flight in this global state beside a request at `local`."""

    def pairs(self) -> int:
        """The number of pairs (local, global) that can occur."""
        return sum(self.find_covered(g).bit_count() for g in self.globals())


class ClosureExploration:
    """A closure under way: global states wait in a queue until nothing new can happen in them.

    A level processes each of them: it does what has become possible there.
    """

    def __init__(
        self,
        unfolding: Unfolding,
        potentials: Potentials,
        max_pairs: int,
        deadline: Deadline,
        process: Callable[[int], None],
    ) -> None:
        self.unfolding = unfolding
        self.potentials = potentials
        self.max_pairs = max_pairs
        self.deadline = deadline
        self.process = process
        self.work = 0
        """Steps carried out so far; one that is carried out again with more beside it counts again."""
        self.fresh = sum(1 << start for start in set(unfolding.starts))
        self.reached: dict[int, None] = {}
        self.explored_pairs = 0
        self.queue: deque[int] = deque()
        self.queued: set[int] = set()
        self.reach(INITIAL_GLOBAL)

    def ends_within(self, work: int) -> bool:
        """Goes on until nothing new can happen, or until so much work has been done in all."""
        while self.queue:
            if self.work > work:
                return False
            global_ = self.queue.popleft()
            self.queued.discard(global_)
            self.process(global_)
            if self.explored_pairs > self.max_pairs:
                raise LimitReached("--max-states", self.max_pairs)
            self.deadline.check()
        return True

    def in_pieces(self, work: int) -> Pieces[bool]:
        """The same, a piece at a time."""
        while not self.ends_within(min(work, self.work + PIECE)):
            if self.work > work:
                return False
            yield PIECE // WORK_PER_UNIT
        return True

    def reach(self, global_: int) -> None:
        """A global state that is new, or in which something is."""
        self.reached[global_] = None
        if global_ not in self.queued:
            self.queued.add(global_)
            self.queue.append(global_)

    def explore(self, locals_: int, global_: int) -> list[tuple[int, int, int]]:
        """The steps (ℓ, ℓ' or ~completion, g') of these locals."""
        found: list[tuple[int, int, int]] = []
        learn = self.potentials.step if self.potentials.candidates else None
        self.explored_pairs += locals_.bit_count()
        self.deadline.pairs += locals_.bit_count()
        for local in bits(awake(self.unfolding, locals_, global_)):
            for target, after in self.unfolding.moves(local, global_):
                if learn is not None:
                    learn(local, global_, target, after)
                found.append((local, target, after))
        return found


class Level1(Coverage):
    """For each global state, the locals that can occur.

    Steps to the same global state by requests of the same weight take the same others along, so they are
    carried out together.
    """

    level = 1

    def __init__(
        self,
        unfolding: Unfolding,
        potentials: Potentials,
        max_pairs: int,
        deadline: Deadline,
    ) -> None:
        self.potentials = potentials
        self.under_way = ClosureExploration(unfolding, potentials, max_pairs, deadline, self.process)
        self.fresh = self.under_way.fresh
        self.present: dict[int, int] = {INITIAL_GLOBAL: self.fresh}
        self.explored: dict[int, int] = {}
        self.departures: dict[int, dict[tuple[int, Weights], int]] = {}
        """For each global state, where requests of some weight go, and the locals that they have there."""

    def globals(self) -> list[int]:
        return list(self.under_way.reached)

    def find_covered(self, global_: int) -> int:
        return self.present[global_]

    def together(self, global_: int, local: int) -> int:
        present = self.present[global_]
        return present & self.potentials.companions(global_, local) if present >> local & 1 else 0

    def process(self, global_: int) -> None:
        present = self.present[global_]
        new = present & ~self.explored.get(global_, 0)
        self.explored[global_] = present
        departures = self.departures.setdefault(global_, {})
        for local, target, after in self.under_way.explore(new, global_):
            key = (after, self.potentials.weights.get(local, ()))
            departures[key] = departures.get(key, 0) | (1 << target if target >= 0 else 0)
        self.under_way.work += len(departures)
        for (after, weight), arrived in departures.items():
            carried = present & self.potentials.companions_of(global_, weight) | self.fresh | arrived
            known = self.present.get(after, 0)
            if carried & ~known:
                self.present[after] = known | carried
                self.under_way.reach(after)


WORK_PER_PAIR = 20
"""How much work level 2 may do for each pair (local, global) that there may be."""


class Level2(Coverage):
    """For each global state and each local that can occur, the locals that can occur beside it.

    Fresh requests are beside everything, so they are kept out of the rows. Rows are symmetric; a row that
    changed is `dirty`. A pair (m, n) that was not transferable through a step of ℓ becomes so only if one
    of the three pairs among ℓ, m, n is new, and then m or n is dirty: it is enough to look at the dirty m
    beside ℓ. Whether (m, n) is transferable does not depend on their order; so if both are looked at, each
    gets the other in its own turn.
    """

    level = 2

    def __init__(
        self,
        unfolding: Unfolding,
        potentials: Potentials,
        max_pairs: int,
        deadline: Deadline,
    ) -> None:
        self.potentials = potentials
        self.under_way = ClosureExploration(unfolding, potentials, max_pairs, deadline, self.process)
        self.fresh = self.under_way.fresh
        self.steps: dict[int, list[tuple[int, int, int]]] = {}
        """For each global state, the explored steps."""
        self.rows: dict[int, dict[int, int]] = {INITIAL_GLOBAL: {}}
        self.dirty: dict[int, int] = {}
        self.explored: dict[int, int] = {}

    def globals(self) -> list[int]:
        return list(self.under_way.reached)

    def find_covered(self, global_: int) -> int:
        mask = self.fresh
        for local in self.rows[global_]:
            mask |= 1 << local
        return mask

    def together(self, global_: int, local: int) -> int:
        if self.fresh >> local & 1:
            return self.find_covered(global_)
        row = self.rows[global_].get(local)
        return 0 if row is None else row | self.fresh

    def process(self, global_: int) -> None:
        rows = self.rows[global_]
        dirty = self.dirty.pop(global_, 0)
        new = self.find_covered(global_) & ~self.explored.get(global_, 0)
        self.explored[global_] = self.explored.get(global_, 0) | new
        old_steps = self.steps.setdefault(global_, [])
        new_steps = [
            step for step in self.under_way.explore(new, global_) if self.takes_effect(step, global_)
        ]
        everyone = self.find_covered(global_) & ~self.fresh
        for steps, looked_at in ((old_steps, dirty), (new_steps, everyone)):
            for local, target, after in steps:
                self.under_way.deadline.check()  # one global state may take long at this level
                if self.under_way.work > WORK_PER_PAIR * self.under_way.max_pairs:
                    raise LimitReached("--max-states", self.under_way.max_pairs)
                beside = everyone if self.fresh >> local & 1 else rows[local]
                self.carry(global_, local, beside, beside & looked_at, target, after)
        old_steps.extend(new_steps)

    def takes_effect(self, step: tuple[int, int, int], global_: int) -> bool:
        """Whether a step changes the global state, or leads to a local that is not fresh. All others take
        along what is there, to where it is."""
        _, target, after = step
        return after != global_ or (target >= 0 and not self.fresh >> target & 1)

    def carry(self, global_: int, local: int, beside: int, moved: int, target: int, after: int) -> None:
        """A step of `local`: what is `beside` it can be so afterwards; `moved` is where to look."""
        here = self.rows[global_]
        is_new = after not in self.rows
        there = self.rows.setdefault(after, {})
        dirty = self.dirty.get(after, 0)
        arrived = 0
        if target >= 0 and not self.fresh >> target & 1:
            arrived = 1 << target
            known = there.get(target)
            if known is None or moved & ~known:
                there[target] = (known or 0) | moved
                dirty |= arrived
        weights = self.potentials.weights
        companions: dict[Weights, int] = {}
        """Of `local` and others of some weight."""
        earlier = work = 0
        for other in bits(moved):
            row = here[other] & beside
            if row and self.potentials.candidates:
                weight = weights[other]
                mask = companions.get(weight)
                if mask is None:
                    mask = self.potentials.companions_of(global_, weight, weights[local])
                    companions[weight] = mask
                row &= mask
            row |= arrived
            bit = 1 << other
            known = there.get(other)
            added = row if known is None else row & ~known
            if known is None or added:
                there[other] = (known or 0) | row
                dirty |= bit
                for partner in bits(added & ~moved & ~arrived):  # All others have their own turn.
                    there[partner] = there.get(partner, 0) | bit
                    dirty |= 1 << partner
            work += 1 + (added & ~earlier).bit_count()
            earlier |= bit
        self.under_way.work += work
        if dirty or is_new:
            self.dirty[after] = dirty
            self.under_way.reach(after)


FIRST_WORK = 200_000
"""Work for the first turn of level 1; finer levels get less, and each further turn has four times as much."""

LEVELS: dict[int, type[Level1] | type[Level2]] = {1: Level1, 2: Level2}


PIECE = 20_000
"""Work that is done in one piece."""

WORK_PER_UNIT = 20
"""So much of it takes about as long as exploring one state in a search."""


def closure(
    unfolding: Unfolding, limits: Limits, deadline: Deadline, levels: tuple[int, ...] = (1, 2)
) -> Coverage:
    """The first closure to end, in one go; raises `LimitReached` if none ends within the limits."""
    return finish(close(unfolding, limits, deadline, levels))


def close(
    unfolding: Unfolding, limits: Limits, deadline: Deadline, levels: tuple[int, ...] = (1, 2)
) -> Pieces[Coverage]:
    """The first closure to end: the levels take turns, with growing amounts of work.

    Raises `LimitReached` if none ends within the limits.
    """

    def begin(level: int, unbroken: Iterable[Candidate]) -> Level1 | Level2:
        potentials = Potentials(unfolding, sorted(unbroken))
        return LEVELS[level](unfolding, potentials, limits.max_states, deadline)

    initial = candidates(unfolding)
    explorations = {level: begin(level, initial) for level in levels}
    work = FIRST_WORK
    while True:
        for level, current in list(explorations.items()):
            try:
                if (yield from current.under_way.in_pieces(work // level**2)):
                    return current
            except Broken as broken:
                unbroken = set(current.potentials.candidates) - broken.candidates
                explorations[level] = begin(level, unbroken)
                break
            except LimitReached:
                del explorations[level]
                if not explorations:
                    raise
        else:
            work *= 4
