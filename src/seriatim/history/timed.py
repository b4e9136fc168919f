"""Decides logs with times: is there an order of effects, each between the start and the end of its request?

Events are taken in the order of time, and starts before ends where times are equal, so that requests that
touch may take effect in either order. Each part of the model is decided on its own, by one of three methods:

1. registers whose written values differ by sorting (`zones`),
2. parts with few requests in flight by following all ways at once (`frontier`), which needs little memory,
3. the rest by a search (`search`). The searches take turns, each with more work than in the turn before: a
   part that has no order answers for all, and no other part may keep it from doing so.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from seriatim.budget import Deadline
from seriatim.history.frontier import Frontier, TooManyWays
from seriatim.history.log import Entry, Time
from seriatim.history.model import Model, Part, State
from seriatim.history.search import Op, Search, list_path
from seriatim.history.zones import Clash, decide_by_values

CHECK_EVERY = 4_096
FEW_WAYS = 32
"""How many ways to follow before a part is left to a search."""
FIRST_TURN = 1_000
GROWTH = 4


def operations(model: Model, entries: Sequence[Entry]) -> Iterator[Op]:
    """Translates entries. Raises `Unfit` for the entry after the last one yielded."""
    request_of, answer_of = model.request, model.answer
    for number, entry in enumerate(entries):
        assert entry.start is not None
        request = request_of(entry.request)
        answer = None if entry.answer is None else answer_of(request, entry.answer)
        yield Op(number, request, answer, entry.start, entry.end)


@dataclass(frozen=True, slots=True)
class Explained:
    """An order of the entries of each part."""

    orders: tuple[tuple[Part, tuple[int, ...]], ...]
    work: int


@dataclass(frozen=True, slots=True)
class Inexplicable:
    """The entry at whose end no order was left, in its part."""

    part: Part
    number: int
    work: int
    clash: tuple[int, ...] = ()
    """Entries that contradict each other, where the method tells; it names few."""


Verdict = Explained | Inexplicable


class TooMuchWork(Exception):
    """Raised when a search needs more work than it may do."""


def events(ops: Iterable[Op]) -> Iterator[tuple[Op, bool]]:
    """The starts (False) and ends (True) of operations, sorted by time; `ops` must be sorted by start."""
    ends: list[tuple[Time, int, Op]] = []
    for op in ops:
        while ends and ends[0][0] < op.start:
            yield heappop(ends)[2], True
        yield op, False
        if op.end is not None:
            heappush(ends, (op.end, op.number, op))
    while ends:
        yield heappop(ends)[2], True


def decide_timed(
    model: Model,
    ops: Iterable[Op],
    deadline: Deadline,
    states: tuple[State, ...] | None = None,
    most: int | None = None,
) -> Verdict:
    """Decides whether operations have an order, starting in one of `states`, or in the initial state. Raises
    `OutOfBudget`, and `TooMuchWork` after `most` configurations of a search."""
    parts: dict[Part, list[Op]] = {}
    for op in ops:
        parts.setdefault(model.part(op.request), []).append(op)
    orders: list[tuple[Part, tuple[int, ...]]] = []
    hard: list[tuple[Part, Search]] = []
    work = 0
    for part, mine in parts.items():
        deadline.check()
        quick = decide_by_values(model, mine) if states is None else None
        if isinstance(quick, Clash):
            return Inexplicable(part, _last_to_end(mine, quick.numbers), work, quick.numbers)
        if quick is not None:
            orders.append((part, quick))
            continue
        mine.sort(key=lambda op: op.start)
        frontier = Frontier(model, keeps_paths=True, states=states, max_ways=FEW_WAYS)
        try:
            stopped = follow(frontier, mine, deadline)
        except TooManyWays:
            hard.append((part, Search(model, mine, states)))
            continue
        finally:
            work += frontier.visited
        if stopped is not None:
            return Inexplicable(part, stopped, work)
        orders.append((part, list_path(next(iter(frontier.ways.values())))))
    turn = FIRST_TURN
    while hard:
        for part, search in hard:
            search.advance(turn if most is None else min(turn, most), deadline)
            if search.is_over and search.order is None:
                return Inexplicable(part, search.ends[search.furthest].number, work + search.visited)
            if most is not None and search.visited >= most and not search.is_over:
                raise TooMuchWork
        orders += [(part, search.order) for part, search in hard if search.order is not None]
        work += sum(search.visited for _, search in hard if search.order is not None)
        hard = [(part, search) for part, search in hard if search.order is None]
        turn *= GROWTH
    return Explained(tuple(orders), work)


def follow(frontier: Frontier, ops: list[Op], deadline: Deadline) -> int | None:
    """Follows all ways to explain operations of one part, sorted by start; the one at whose end none is left.
    Raises `TooManyWays`."""
    for count, (op, is_end) in enumerate(events(ops)):
        if count % CHECK_EVERY == 0:
            deadline.check()
        if not is_end:
            frontier.begin(op.number, op.request, op.answer, is_free=op.answer is None)
        elif not frontier.end(op.number, op.answer):
            return op.number
    return None


def _last_to_end(ops: Iterable[Op], numbers: tuple[int, ...]) -> int:
    ended = [op for op in ops if op.number in numbers and op.end is not None]
    return max(ended, key=lambda op: op.end or 0).number
