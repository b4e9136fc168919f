"""A guess at the order in which transactions committed; a good one saves most of the search, a bad one costs
time only.

Times help: what ended before another one began comes first. From there on, orders are propagated: if b
comes before the reader of a, and both write the key, then b comes before a; if a comes before b, then the
reader of a's version comes before b. What comes before a transaction is a bound (all that ended by then) and
a mask of bits above it.
"""

from bisect import bisect_right
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import pairwise

from seriatim.budget import Deadline
from seriatim.history.transactions.observe import INIT, Observed

ROUNDS = 30
VISITS = 60
"""How often a transaction is updated in a round."""

Past = tuple[int, int]
"""Everything below a bound, in the order of ends, and a mask of what is above it."""
DEPENDS, OVERTAKES = 0, 1


class Propagation:
    def __init__(self, observed: Observed, has_two: bool) -> None:
        self.observed = observed
        self.has_two = has_two
        lines = [each.line for each in observed.transactions]
        ended = sorted(range(observed.size), key=lines.__getitem__)
        self.index = [0] * observed.size
        for at, number in enumerate(ended):
            self.index[number] = at
        ends = [observed.transactions[n].end for n in ended]
        latest, bounds = -1, []
        for end in ends:
            latest = max(latest, end if end is not None else latest + 1)
            bounds.append(latest)
        starts = [each.start for each in observed.transactions]
        self.begin = [0 if s is None else bisect_right(bounds, s) for s in starts]
        """How many, in the order of ends, had ended when each transaction began."""
        self.before: list[Past] = [(low, 0) for low in self.begin]
        """What comes before the snapshot of each transaction, or before itself."""
        self.before_commit = [(low, 0) for low in self.begin] if has_two else self.before
        self.following: list[list[tuple[int, int]]] = [[] for _ in range(observed.size)]
        self.known: set[tuple[int, int, int]] = set()
        self.changed: set[int] = set(range(observed.size))

    def add(self, kind: int, first: int, second: int) -> None:
        if (kind, first, second) not in self.known:
            self.known.add((kind, first, second))
            self.following[first].append((kind, second))
            self.changed.add(first)

    def has(self, past: Past, number: int) -> bool:
        at = self.index[number] - past[0]
        return at < 0 or bool(past[1] >> at & 1)

    def spread(self) -> None:
        """Passes the pasts of changed transactions on to those that come after them."""
        queue = sorted(self.changed, key=self.index.__getitem__)
        self.changed.clear()
        visits: dict[int, int] = {}
        while queue:
            again: dict[int, None] = {}
            for number in queue:
                if self.has_two:
                    self.before_commit[number] = _join(self.before_commit[number], self.before[number])
                for kind, other in self.following[number]:
                    if self._pass_on(kind, number, other):
                        again[other] = None
            queue = []
            for number in again:
                visits[number] = visits.get(number, 0) + 1
                if visits[number] < VISITS:
                    queue.append(number)

    def _pass_on(self, kind: int, number: int, other: int) -> bool:
        if kind == DEPENDS:
            new = _join(self.before[other], self.before_commit[number], self.index[number])
            if new == self.before[other]:
                return False
            self.before[other] = new
            return True
        extra = -1 if self.has_two else self.index[number]
        new = _join(self.before_commit[other], self.before[number], extra)
        if new == self.before_commit[other]:
            return False
        self.before_commit[other] = new
        return True


def _join(one: Past, other: Past, extra: int = -1) -> Past:
    low, mask = one
    other_low, other_mask = other
    if other_low > low:
        mask, low = mask >> (other_low - low), other_low
    else:
        other_mask >>= low - other_low
    mask |= other_mask
    if extra >= low:
        mask |= 1 << (extra - low)
    return low, mask


def guess(observed: Observed, has_two: bool, deadline: Deadline) -> dict[int, int]:
    """The place of each transaction's commit."""
    work = Propagation(observed, has_two)
    open_ = _add_facts(work)
    for _ in range(ROUNDS):
        deadline.check()
        work.spread()
        before, rest = len(work.known), []
        for triple in open_:
            reader, writer, other = triple
            if work.has(work.before[reader], other):
                work.add(DEPENDS, other, writer)
            elif work.has(work.before_commit[other], writer):
                work.add(OVERTAKES, reader, other)
                if has_two:
                    work.add(DEPENDS, writer, other)
            else:
                rest.append(triple)
        open_ = rest
        if len(work.known) == before:
            break
    return _schedule(work)


def _add_facts(work: Propagation) -> list[tuple[int, int, int]]:
    """Adds what reads show; what stays open: a reader, the writer of what it read, another writer."""
    observed = work.observed
    open_: list[tuple[int, int, int]] = []
    for key in observed.keys:
        for first, second in pairwise(key.chain):
            work.add(DEPENDS, first, second)
    for reader, k, writer in observed.reads_from:
        others = [number for number in observed.keys[k].tail if number not in (reader, writer)]
        if writer == INIT:
            for other in others:
                work.add(OVERTAKES, reader, other)
        else:
            work.add(DEPENDS, writer, reader)
            open_ += [(reader, writer, other) for other in others]
    return open_


def _schedule(work: Propagation) -> dict[int, int]:
    """An order of what is known, by ends; where it goes round, the earliest comes first."""
    count, two = work.observed.size, work.has_two
    size = 2 * count if two else count
    following: list[list[int]] = [[] for _ in range(size)]
    degree = [0] * size
    for first, second in _point_pairs(work):
        following[first].append(second)
        degree[second] += 1
    ranks = [work.index[p // 2 if two else p] for p in range(size)]
    heap = [(ranks[p], p) for p in range(size) if not degree[p]]
    heapify(heap)
    later = iter(sorted(range(size), key=ranks.__getitem__))
    is_done = bytearray(size)
    places: dict[int, int] = {}
    while len(places) < count:
        point = heappop(heap)[1] if heap else next(later)
        if is_done[point]:
            continue
        is_done[point] = 1
        if not two or point % 2:
            places[point // 2 if two else point] = len(places)
        for other in following[point]:
            degree[other] -= 1
            if not degree[other]:
                heappush(heap, (ranks[other], other))
    return places


def _point_pairs(work: Propagation) -> Iterator[tuple[int, int]]:
    if not work.has_two:
        yield from ((first, second) for _, first, second in work.known)
        return
    yield from ((2 * number, 2 * number + 1) for number in range(work.observed.size))
    for kind, first, second in work.known:
        yield (2 * first + 1, 2 * second) if kind == DEPENDS else (2 * first, 2 * second + 1)
