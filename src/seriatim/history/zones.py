"""Registers whose written values all differ: decided by sorting, however many requests overlap.

The write of a value and the reads that answered it are a *cluster*. In an order, a cluster stands together:
the register has the value from its write to the next one, and never again. So of two clusters, one comes
before the other as a whole. Cluster a *must* come before b if some request of a ended before some request of
b began, that is, if the earliest end in a is before the latest start in b.

Claim (Gibbons and Korach, *Testing shared memories*). There is an order iff no read ended before the write of
its value began, and no two clusters must come before each other.

Why. Let f be the earliest end and s the latest start of a cluster. Sort clusters by min(f, s), and where that
is equal, those with s <= f first. Let a stand before b. If a has s <= f, then s_a <= min(f_b, s_b) <= f_b, so
b need not come before a. Otherwise f_a < s_a, and f_a <= f_b, and f_a < s_b: so a must come before b, and b
before a iff f_b < s_a. If that is nowhere so, then clusters in this order, each with its write first and then
its reads by their starts, respect all times. ∎

Reads of the initial value are a cluster whose write ended before everything, provided that nobody writes the
initial value. A write that never ended counts only if its value was read; a read without an answer demands
nothing, but a read that has ended must have a place: it reads whatever it finds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from seriatim.history.log import Time
from seriatim.history.model import Model
from seriatim.history.search import Op

NEVER, ALWAYS = Decimal("Infinity"), Decimal("-Infinity")


@dataclass(frozen=True, slots=True)
class Clash:
    """Operations, by number, that no order explains."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Cluster:
    write: Op | None
    """None for the initial value."""
    reads: tuple[Op, ...]
    first_end: Time
    last_start: Time

    @property
    def members(self) -> tuple[Op, ...]:
        return self.reads if self.write is None else (self.write, *self.reads)

    def is_before(self, other: "_Cluster") -> bool:
        return self.first_end < other.last_start


def decide_by_values(model: Model, ops: Sequence[Op]) -> tuple[int, ...] | Clash | None:
    """An order of the operations of one part, or some that have none; None if values are written twice, or
    if requests do more than read and write."""
    writes: dict[str, Op] = {}
    reads: dict[str, list[Op]] = {}
    free: list[Op] = []
    for op in ops:
        access = model.as_register(op.request)
        if access is None:
            return None
        if access.written is not None:
            if access.written in writes or access.written == model.initial:
                return None
            writes[access.written] = op
        elif op.answer is not None:
            reads.setdefault(op.answer, []).append(op)
        elif op.end is not None:
            free.append(op)
    clusters: list[_Cluster] = []
    for value in dict.fromkeys([*writes, *reads]):
        write = writes.get(value)
        seen = tuple(sorted(reads.get(value, ()), key=lambda op: op.start))
        if write is None and value != model.initial:
            return Clash((seen[0].number,))
        if write is not None and write.end is None and not seen:
            continue
        early = next((op for op in seen if write and op.end is not None and op.end < write.start), None)
        if early is not None:
            return Clash((early.number,))
        clusters.append(_cluster(write, seen))
    found = _sorted(clusters)
    if isinstance(found, Clash):
        return found
    return _with_free_reads([op for cluster in found for op in cluster.members], free)


def _cluster(write: Op | None, reads: tuple[Op, ...]) -> _Cluster:
    members = reads if write is None else (write, *reads)
    ends = (NEVER if op.end is None else op.end for op in members)
    first = ALWAYS if write is None else min(ends)
    return _Cluster(write, reads, first, max(op.start for op in members))


def _sorted(clusters: list[_Cluster]) -> list[_Cluster] | Clash:
    clusters.sort(key=lambda c: (min(c.first_end, c.last_start), c.first_end < c.last_start))
    latest: _Cluster | None = None
    for cluster in clusters:
        if latest is not None and cluster.is_before(latest):
            return Clash(_witnesses(latest, cluster))
        if cluster.first_end < cluster.last_start and (
            latest is None or cluster.last_start > latest.last_start
        ):
            latest = cluster
    return clusters


def _witnesses(one: _Cluster, other: _Cluster) -> tuple[int, ...]:
    """The reads of two clusters that show that each must come before the other."""
    kept = [
        op.number
        for cluster in (one, other)
        for op in cluster.reads
        if op.start == cluster.last_start or op.end == cluster.first_end
    ]
    return tuple(dict.fromkeys(kept))


def _with_free_reads(order: list[Op], free: list[Op]) -> tuple[int, ...]:
    """Inserts reads with any answer: each one before the first operation that began after it ended."""
    if not free:
        return tuple(op.number for op in order)
    latest: list[Time] = []
    for op in order:
        latest.append(max(op.start, latest[-1]) if latest else op.start)
    found: list[int] = []
    waiting = sorted(free, key=lambda op: op.end or 0)
    at = 0
    for op, bound in zip(order, latest, strict=True):
        while at < len(waiting) and (waiting[at].end or 0) < bound:
            found.append(waiting[at].number)
            at += 1
        found.append(op.number)
    return (*found, *(op.number for op in waiting[at:]))
