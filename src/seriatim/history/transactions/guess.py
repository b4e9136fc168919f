"""A guess at the order in which transactions committed; a good one saves most of the search, a bad one costs
time only.

Times help: what ended before another one began comes first. From there on, orders are propagated: if b
comes before the reader of a, and both write the key, then b comes before a; if a comes before b, then the
reader of a's version comes before b. What comes before a transaction is a bound (all that ended by then) and
a mask of bits above it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise

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
    """Adds what reads show, and where times place writers; what stays open: a reader, the writer of what it
    read, another writer that ran between them."""
    observed = work.observed
    open_: list[tuple[int, int, int]] = []
    nearby = [Nearby(work, key.tail) for key in observed.keys]
    for k, key in enumerate(observed.keys):
        for first, second in pairwise(key.chain):
            work.add(DEPENDS, first, second)
        for number in key.tail:
            for other in nearby[k].next_after(number):
                work.add(DEPENDS, number, other)
    for reader, k, writer in observed.reads_from:
        if writer != INIT:
            work.add(DEPENDS, writer, reader)
        for other in nearby[k].next_after(reader):
            work.add(OVERTAKES, reader, other)
        for other in nearby[k].between(writer, reader):
            if other in (reader, writer):
                continue
            if writer == INIT:
                work.add(OVERTAKES, reader, other)
            else:
                open_.append((reader, writer, other))
    return open_


class Nearby:
    """The writers of a key by the times at which they ran."""

    def __init__(self, work: Propagation, writers: Iterable[int]) -> None:
        self.work = work
        self.writers = sorted(writers, key=lambda n: (work.begin[n], n))
        self.begins = [work.begin[n] for n in self.writers]
        self.latest: list[int] = []
        """The latest end of each writer and those before it."""
        for number in self.writers:
            self.latest.append(max(work.index[number], self.latest[-1] if self.latest else -1))
        self.earliest: list[int] = []
        """The earliest end of each writer and those behind it."""
        for number in reversed(self.writers):
            end = work.index[number]
            self.earliest.append(min(end, self.earliest[-1]) if self.earliest else end)
        self.earliest.reverse()

    def next_after(self, number: int) -> Iterator[int]:
        """The writers that began after a transaction ended, but not after another such one ended."""
        at = bisect_right(self.begins, self.work.index[number])
        bound = self.earliest[at] if at < len(self.writers) else -1
        while at < len(self.writers) and self.begins[at] <= bound:
            yield self.writers[at]
            at += 1

    def between(self, writer: int, reader: int) -> Iterator[int]:
        """The writers that neither ended before one of them began, nor began after a reader ended."""
        begin = 0 if writer == INIT else self.work.begin[writer]
        for at in range(bisect_right(self.begins, self.work.index[reader]) - 1, -1, -1):
            if self.latest[at] < begin:
                return
            if self.work.index[self.writers[at]] >= begin:
                yield self.writers[at]


def _schedule(work: Propagation) -> dict[int, int]:
    """An order of what is known and of times, in which no writer overwrites what somebody has yet to read,
    if that can be; where it goes round, what ended first comes first."""
    count, two = work.observed.size, work.has_two
    points = 2 * count if two else count
    size = points + count
    following: list[list[int]] = [[] for _ in range(size)]
    degree = [0] * size
    for first, second in chain(_point_pairs(work), _time_pairs(work, points)):
        following[first].append(second)
        degree[second] += 1
    ranks = [work.index[p // 2 if two else p] for p in range(points)]
    ranks += [-1] * count
    heap = [(ranks[p], p) for p in range(size) if not degree[p]]
    heapify(heap)
    later = iter(sorted(range(points), key=ranks.__getitem__))
    is_done = bytearray(size)
    places: dict[int, int] = {}
    readers = Readers(work)
    waiting: list[tuple[int, int]] = []
    """Points whose transactions would overwrite what is to be read."""
    while len(places) < count:
        is_forced = not heap
        point = heappop(heap)[1] if heap else heappop(waiting)[1] if waiting else next(later)
        if is_done[point]:
            continue
        if point < points:
            number = point // 2 if two else point
            is_commit = not two or point % 2 == 1
            if is_commit and not is_forced and readers.wait_for(number, point):
                heappush(waiting, (ranks[point], point))
                continue
            if not two or not is_commit:
                for other in readers.read(number):
                    heappush(heap, (ranks[other], other))
            if is_commit:
                readers.write(number)
                places[number] = len(places)
        is_done[point] = 1
        for other in following[point]:
            degree[other] -= 1
            if not degree[other]:
                heappush(heap, (ranks[other], other))
    return places


class Readers:
    """The present version of each key, and who has yet to read it."""

    def __init__(self, work: Propagation) -> None:
        self.writes: dict[int, list[int]] = {}
        self.reads: dict[int, list[tuple[int, int]]] = {}
        self.left: dict[tuple[int, int], int] = {}
        """How many have yet to read a version."""
        self.present: dict[int, int] = {}
        self.blocked: dict[tuple[int, int], list[int]] = {}
        self.own = not work.has_two
        """Whether a transaction reads at the moment at which it writes."""
        for k, key in enumerate(work.observed.keys):
            for number in key.tail:
                self.writes.setdefault(number, []).append(k)
        for reader, k, writer in dict.fromkeys(work.observed.reads_from):
            if work.observed.keys[k].tail:
                self.reads.setdefault(reader, []).append((k, writer))
                self.left[k, writer] = self.left.get((k, writer), 0) + 1

    def wait_for(self, number: int, point: int) -> bool:
        """Whether a transaction has to wait, because it would overwrite what others have yet to read. If so,
        its point is kept until they have read it."""
        for k in self.writes.get(number, ()):
            version = k, self.present.get(k, INIT)
            own = self.own and version in self.reads.get(number, ())
            if self.left.get(version, 0) > own:
                self.blocked.setdefault(version, []).append(point)
                return True
        return False

    def read(self, number: int) -> Iterator[int]:
        """Lets a transaction read; the points that need not wait any longer."""
        for version in self.reads.get(number, ()):
            self.left[version] -= 1
            if self.left[version] <= 1:
                yield from self.blocked.pop(version, ())

    def write(self, number: int) -> None:
        for k in self.writes.get(number, ()):
            self.present[k] = number


def _point_pairs(work: Propagation) -> Iterator[tuple[int, int]]:
    if not work.has_two:
        yield from ((first, second) for _, first, second in work.known)
        return
    yield from ((2 * number, 2 * number + 1) for number in range(work.observed.size))
    for kind, first, second in work.known:
        yield (2 * first + 1, 2 * second) if kind == DEPENDS else (2 * first, 2 * second + 1)


def _time_pairs(work: Propagation, points: int) -> Iterator[tuple[int, int]]:
    """Orders what ended before what began later, by way of a node for each end, on one line."""
    for number in range(work.observed.size):
        commit, snapshot = (2 * number + 1, 2 * number) if work.has_two else (number, number)
        yield commit, points + work.index[number]
        if work.begin[number]:
            yield points + work.begin[number] - 1, snapshot
    yield from pairwise(range(points, points + work.observed.size))
