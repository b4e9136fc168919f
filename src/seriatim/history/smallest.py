"""Finds the smallest set of entries that no order explains, whatever answers the other requests got.

The request of an entry outside the set still happens, at its time, but with any answer. So fewer entries
demand less: as a set shrinks, it can only become explicable. No order gives the remaining answers together.

If no entry can be removed from a set, smaller sets are tried among all entries of the same part. The set is
called the smallest only if few attempts are enough to try them all.

In long logs, only a window of entries is shrunk. It starts at a moment at which nothing is in flight, not
long before the entry that no order explains; the requests before it are executed once, with any answers. If
the entries in the window do not contradict each other, the window grows.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from seriatim.budget import Deadline
from seriatim.frozen import frozen, replace
from seriatim.history.automaton import Label
from seriatim.history.counted import Flow, NoWalk, Tally
from seriatim.history.frontier import Frontier
from seriatim.history.log import Time
from seriatim.history.model import Model, State
from seriatim.history.timed import Inexplicable, Op, decide_timed, events

MAX_WORK = 300_000
"""The number of entries that all attempts to find a smaller set may look at."""
MAX_WHOLE = 300
"""A part with more entries than this is shrunk in windows."""
WINDOWS = (100, 2_000, 40_000)


@frozen
class Smallest:
    """A set of entries, by number, that no order explains."""

    numbers: tuple[int, ...]
    is_smallest: bool
    """Whether every smaller set has an order."""
    possible: tuple[tuple[State, tuple[str, ...]], ...]
    """The states in which the last of the entries could have taken effect, and its answers there."""
    last: int


def shrink(items: Sequence[int], fails: Callable[[frozenset[int]], bool]) -> tuple[int, ...]:
    """A subset that fails, but not without any one of its members; tries to remove halves first."""
    kept = list(items)
    size = max(1, len(kept) // 2)
    while True:
        at = 0
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            if fails(frozenset(rest)):
                kept = rest
            else:
                at += size
        if size == 1:
            return tuple(kept)
        size //= 2


def smallest_timed(model: Model, ops: Sequence[Op], last: int, deadline: Deadline) -> Smallest:
    """The smallest contradiction in one part; `last` is the entry at whose end no order was left."""
    ordered = sorted(ops, key=lambda op: op.start)
    if len(ordered) <= MAX_WHOLE:
        return _shrink_answers(model, ordered, (model.initial,), True, deadline)
    end = next(op.end for op in ops if op.number == last)
    assert end is not None
    before = [_cut_at(op, end) for op in ordered if op.start <= end]
    quiet = _quiet_places(before)
    for window in WINDOWS:
        cut = max((place for place in quiet if place <= len(before) - window), default=0)
        states = _states_after([replace(op, answer=None) for op in before[:cut]], model, deadline)
        if cut == 0 or _fails(model, before[cut:], states, deadline):
            return _shrink_answers(model, before[cut:], states, False, deadline)
    return _shrink_answers(model, before, (model.initial,), False, deadline)


def _cut_at(op: Op, end: Time) -> Op:
    """Leaves the end open if it comes later: the request may have taken effect before or after."""
    return op if op.end is None or op.end <= end else replace(op, end=None)


def _quiet_places(ops: list[Op]) -> list[int]:
    """The places of entries before which nothing is in flight."""
    found: list[int] = []
    latest: Time = -float("inf")
    for place, op in enumerate(ops):
        if latest < op.start:
            found.append(place)
        latest = max(latest, float("inf") if op.end is None else op.end)
    return found


def _states_after(ops: list[Op], model: Model, deadline: Deadline) -> tuple[State, ...]:
    """The states that entries with any answers can lead to."""
    frontier = Frontier(model)
    for count, (op, is_end) in enumerate(events(ops)):
        if count % 1_000 == 0:
            deadline.check()
        if is_end:
            frontier.end(op.number, op.answer)
        else:
            frontier.begin(op.number, op.request, op.answer, is_free=True)
    return tuple(dict.fromkeys(state for state, _ in frontier.ways))


def _shrink_answers(
    model: Model, ops: list[Op], states: tuple[State, ...], is_whole: bool, deadline: Deadline
) -> Smallest:
    def relax(kept: frozenset[int]) -> list[Op]:
        """The operations, where those not kept have any answer."""
        return [op if op.number in kept else replace(op, answer=None) for op in ops]

    def fails(kept: frozenset[int]) -> bool:
        return _fails(model, relax(kept), states, deadline)

    answered = [op.number for op in ops if op.answer is not None]
    kept = shrink(answered[::-1], fails)
    kept, is_smallest = _find_smaller(kept, answered, fails, MAX_WORK // len(ops))
    is_smallest = len(kept) == 1 or (is_smallest and is_whole)
    return _describe(model, relax(frozenset(kept)), states, kept, is_smallest, deadline)


def _fails(model: Model, ops: list[Op], states: tuple[State, ...], deadline: Deadline) -> bool:
    deadline.check()
    return isinstance(decide_timed(model, ops, deadline, keeps_paths=False, states=states), Inexplicable)


def _find_smaller(
    kept: tuple[int, ...], among: Sequence[int], fails: Callable[[frozenset[int]], bool], attempts: int
) -> tuple[tuple[int, ...], bool]:
    """A smaller set, if a few attempts find one; and whether it is known to be the smallest."""
    for size in range(1, len(kept)):
        for chosen in combinations(reversed(among), size):
            attempts -= 1
            if attempts < 0:
                return kept, False
            if fails(frozenset(chosen)):
                return chosen, True
    return kept, True


def _describe(
    model: Model,
    ops: list[Op],
    states: tuple[State, ...],
    kept: tuple[int, ...],
    is_smallest: bool,
    deadline: Deadline,
) -> Smallest:
    """Describes a set of entries: what could happen while the last of them was in flight."""
    found = decide_timed(model, ops, deadline, keeps_paths=False, states=states)
    assert isinstance(found, Inexplicable)
    last = next(op for op in ops if op.number == found.number)
    frontier = Frontier(model, states=states)
    for op, is_end in events(sorted(ops, key=lambda op: op.start)):
        if is_end and op.number == last.number:
            break
        if is_end:
            frontier.end(op.number, op.answer)
        else:
            frontier.begin(op.number, op.request, op.answer, is_free=op.answer is None)
    possible = tuple(
        (state, tuple(dict.fromkeys(said for said, _ in model.outcomes(state, last.request))))
        for state in frontier.possible_states(last.number)
    )
    numbers = tuple(op.number for op in sorted(ops, key=lambda op: op.start) if op.number in kept)
    return Smallest(numbers, is_smallest, possible, last.number)


# --- without times ------------------------------------------------------------------------------------------


@frozen
class SmallestCounts:
    """Labels with numbers of entries that no order explains together."""

    counts: tuple[tuple[Label, int], ...]
    is_minimal: bool = True
    """Whether some order explains the counts if any label has one entry less."""


def smallest_counts(flow: Flow, tally: Tally, extends: bool) -> SmallestCounts:
    """The labels that matter, each with as few entries as still contradict the others; raises `NoAnswer`."""
    totals = tally.totals()
    least = dict(tally.answered)

    def fails(wanted: Mapping[Label, int]) -> bool:
        return isinstance(flow.walk(wanted, totals, tally.lost, extends), NoWalk)

    for label in sorted(least, key=lambda each: (-least[each], repr(each))):
        low, high = 0, least[label]  # `high` entries fail
        while low < high:
            middle = (low + high) // 2
            if fails({**least, label: middle}):
                high = middle
            else:
                low = middle + 1
        if high:
            least[label] = high
        else:
            del least[label]
    return SmallestCounts(tuple(sorted(least.items(), key=repr)))
