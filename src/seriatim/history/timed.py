"""Decides logs with times: is there an order of effects, each between the start and the end of its request?

Events are taken in the order of time, and starts before ends where times are equal, so that requests that
touch may take effect in either order. Each part of the model has a frontier of its own (`frontier`).
"""

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush

from seriatim.budget import Deadline
from seriatim.frozen import frozen
from seriatim.history.frontier import Frontier, Path
from seriatim.history.log import Entry, Time
from seriatim.history.model import Model, Part, Request, State

CHECK_EVERY = 4_096


@frozen
class Op:
    """An entry in the words of a model. Without an answer, it may have had any; without an end, it may not
    have happened."""

    number: int
    """The place of the entry among all entries."""
    request: Request
    answer: str | None
    start: Time
    end: Time | None


def operations(model: Model, entries: Sequence[Entry]) -> Iterator[Op]:
    """Translates entries. Raises `Unfit` for the entry after the last one yielded."""
    request_of, answer_of = model.request, model.answer
    for number, entry in enumerate(entries):
        assert entry.start is not None
        request = request_of(entry.request)
        answer = None if entry.answer is None else answer_of(request, entry.answer)
        yield Op(number, request, answer, entry.start, entry.end)


@frozen
class Explained:
    """An order of the entries of each part."""

    orders: tuple[tuple[Part, tuple[int, ...]], ...]
    work: int


@frozen
class Inexplicable:
    """The entry at whose end no order was left, in its part."""

    part: Part
    number: int
    work: int


Verdict = Explained | Inexplicable


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
    ops: list[Op],
    deadline: Deadline,
    keeps_paths: bool = True,
    states: tuple[State, ...] | None = None,
) -> Verdict:
    """Decides whether operations have an order, starting in one of `states`, or in the initial state. Sorts
    `ops`. Raises `TooManyWays`, `OutOfBudget`."""
    ops.sort(key=lambda op: op.start)
    frontiers: dict[Part, Frontier] = {}
    part_of = model.part
    for count, (op, is_end) in enumerate(events(ops)):
        if count % CHECK_EVERY == 0:
            deadline.check()
        part = part_of(op.request)
        frontier = frontiers.get(part)
        if frontier is None:
            frontier = frontiers[part] = Frontier(model, keeps_paths, states)
        if not is_end:
            frontier.begin(op.number, op.request, op.answer, is_free=op.answer is None)
        elif not frontier.end(op.number, op.answer):
            work = sum(each.visited for each in frontiers.values())
            return Inexplicable(part, op.number, work)
    orders = tuple((part, list_path(next(iter(each.ways.values())))) for part, each in frontiers.items())
    return Explained(orders, sum(each.visited for each in frontiers.values()))


def list_path(path: Path) -> tuple[int, ...]:
    found: list[int] = []
    while path is not None:
        number, path = path
        found.append(number)
    return tuple(reversed(found))
