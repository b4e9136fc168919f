"""Finds the smallest set of entries that no order explains, whatever answers the other requests got.

The request of an entry outside the set still happens, at its time, but with any answer. So fewer entries
demand less: as a set shrinks, it can only become explicable. No order gives the remaining answers together.

Sets that end with the entry at which no order was left are tried first: this entry alone, with the one that
ended before it, with the three before it, and so on. The first one that has no order is shrunk. If no entry
can be removed, smaller sets are tried among all entries of the same part. The set is called the smallest only
if few attempts are enough to try them all. An attempt that takes too much work counts as if it had an order;
then the set has no order either, but it may be larger than need be.

In long logs, only a window of entries is shrunk. It starts at a moment at which nothing is in flight, not
long before the entry that no order explains; the requests before it are executed once, with any answers. If
the entries in the window do not contradict each other, the window grows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from seriatim.budget import Deadline
from seriatim.history.automaton import Label
from seriatim.history.counted import NoAnswer, NoWalk, Tally, Walk
from seriatim.history.frontier import Frontier, TooManyWays
from seriatim.history.log import Time
from seriatim.history.model import Model, State
from seriatim.history.search import Op
from seriatim.history.timed import FEW_WAYS, Inexplicable, TooMuchWork, decide_timed, events, follow

MAX_WORK = 5_000
"""The number of entries and configurations that all attempts to find a smaller set may look at."""
MAX_ATTEMPT = 500
"""The number of configurations that one attempt may look at."""
MAX_WHOLE = 100
"""A part with more entries than this is shrunk in windows."""
WINDOWS = (100, 2_000, 40_000)

Possible = tuple[tuple[State, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Smallest:
    """A set of entries, by number, that no order explains."""

    numbers: tuple[int, ...]
    is_minimal: bool
    """Whether the others have an order if any entry is left out."""
    is_smallest: bool
    """Whether every smaller set has an order."""
    possible: Possible | None
    """The states in which the last of the entries could have taken effect, and its answers there; None if
    there are too many."""
    last: int


class Attempts:
    """Asks whether the entries of a set, with any answers for the others, have an order; limits work."""

    def __init__(
        self, model: Model, ops: Sequence[Op], states: tuple[State, ...] | None, deadline: Deadline
    ) -> None:
        self.model = model
        self.ops = ops
        self.states = states
        self.deadline = deadline
        self.left = MAX_WORK
        self.is_exact = True
        """Whether all attempts so far had an answer."""

    def relax(self, kept: Iterable[int]) -> list[Op]:
        """The operations, where those not kept have any answer."""
        kept = frozenset(kept)
        return [op if op.number in kept else replace(op, answer=None) for op in self.ops]

    def fails(self, kept: Iterable[int]) -> bool:
        """Whether a set is known to have no order."""
        if self.left <= 0:
            self.is_exact = False
            return False
        self.deadline.check()
        try:
            found = decide_timed(self.model, self.relax(kept), self.deadline, self.states, MAX_ATTEMPT)
        except TooMuchWork:
            self.left -= len(self.ops) + MAX_ATTEMPT
            self.is_exact = False
            return False
        self.left -= len(self.ops) + found.work
        return isinstance(found, Inexplicable)


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


def smallest_timed(model: Model, ops: Sequence[Op], found: Inexplicable, deadline: Deadline) -> Smallest:
    """The smallest contradiction in one part, as far as that can be found with limited work."""
    ordered = sorted(ops, key=lambda op: op.start)
    if len(ordered) <= MAX_WHOLE:
        return _shrink_answers(Attempts(model, ordered, None, deadline), found.number, is_whole=True)
    if found.clash:
        attempts = Attempts(model, ordered, None, deadline)
        attempts.left = max(attempts.left, 2 * len(ordered) * len(found.clash))
        return _describe(attempts, shrink(found.clash, attempts.fails), False, found.number)
    end = next(op.end for op in ops if op.number == found.number)
    assert end is not None
    before = [_cut_at(op, end) for op in ordered if op.start <= end]
    quiet = _quiet_places(before)
    for window in WINDOWS:
        cut = max((place for place in quiet if place <= len(before) - window), default=0)
        if cut == 0:
            break
        earlier = [replace(op, answer=None) for op in before[:cut]]
        try:
            states = _states_after(earlier, model, deadline)
            attempts = Attempts(model, before[cut:], states, deadline)
            if attempts.fails(op.number for op in before[cut:]):
                return _shrink_answers(attempts, found.number, is_whole=False)
        except TooManyWays:
            continue
    return _shrink_answers(Attempts(model, before, None, deadline), found.number, is_whole=False)


def _cut_at(op: Op, end: Time) -> Op:
    """Leaves the end open if it comes later: the request may have taken effect before or after."""
    return op if op.end is None or op.end <= end else replace(op, end=None)


def _quiet_places(ops: list[Op]) -> list[int]:
    """The places of entries before which nothing is in flight."""
    found: list[int] = []
    latest: Time = Decimal("-Infinity")
    for place, op in enumerate(ops):
        if latest < op.start:
            found.append(place)
        latest = max(latest, Decimal("Infinity") if op.end is None else op.end)
    return found


def _states_after(ops: list[Op], model: Model, deadline: Deadline) -> tuple[State, ...]:
    """The states that entries with any answers can lead to. Raises `TooManyWays`."""
    frontier = Frontier(model)
    follow(frontier, ops, deadline)
    return tuple(dict.fromkeys(state for state, _ in frontier.ways))


def _shrink_answers(attempts: Attempts, last: int, is_whole: bool) -> Smallest:
    answered = [op.number for op in attempts.ops if op.answer is not None]
    ending = [op for op in attempts.ops if op.answer is not None and op.end is not None]
    ending.sort(key=lambda op: op.end or 0)
    places = [op.number for op in ending]
    upto = places[: places.index(last) + 1][::-1] if last in places else []
    size = 1
    while size < len(upto) and attempts.left > 0 and not attempts.fails(upto[:size]):
        size *= 2
    start = upto[:size] if size < len(upto) else answered[::-1]
    kept = shrink(start, attempts.fails)
    kept, is_smallest = _find_smaller(kept, answered, attempts)
    return _describe(attempts, kept, is_smallest and is_whole, last)


def _find_smaller(
    kept: tuple[int, ...], among: Sequence[int], attempts: Attempts
) -> tuple[tuple[int, ...], bool]:
    """A smaller set, if a few attempts find one; and whether it is known to be the smallest."""
    for size in range(1, len(kept)):
        for chosen in combinations(reversed(among), size):
            if attempts.left <= 0:
                return kept, False
            if attempts.fails(chosen):
                return chosen, True
    return kept, True


def _describe(attempts: Attempts, kept: tuple[int, ...], is_smallest: bool, last: int) -> Smallest:
    """Describes a set of entries: what could happen while the last of them was in flight."""
    kept = kept or (last,)  # Requests that wait for ever contradict themselves, whatever they answer.
    is_minimal = attempts.is_exact or len(kept) == 1
    numbers = tuple(op.number for op in attempts.ops if op.number in kept)
    ops = attempts.relax(kept)
    possible: Possible | None = None
    frontier = Frontier(attempts.model, states=attempts.states, max_ways=FEW_WAYS)
    try:
        stopped = follow(frontier, ops, attempts.deadline)
        if stopped is not None:
            last = stopped
            possible = _possible_answers(attempts, ops, last)
    except TooManyWays:
        pass
    return Smallest(numbers, is_minimal, is_smallest or len(kept) == 1, possible, last)


def _possible_answers(attempts: Attempts, ops: list[Op], last: int) -> Possible:
    """The states that an operation could have found, and its answers there. Raises `TooManyWays`."""
    model = attempts.model
    frontier = Frontier(model, states=attempts.states)
    request = next(op.request for op in ops if op.number == last)
    for op, is_end in events(ops):
        if is_end and op.number == last:
            break
        if is_end:
            frontier.end(op.number, op.answer)
        else:
            frontier.begin(op.number, op.request, op.answer, is_free=op.answer is None)
    return tuple(
        (state, tuple(dict.fromkeys(said for said, _ in model.outcomes(state, request))))
        for state in frontier.possible_states(last)
    )


# --- without times ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SmallestCounts:
    """Labels with numbers of entries that no order explains together."""

    counts: tuple[tuple[Label, int], ...]
    is_minimal: bool = True
    """Whether some order explains the counts if any label has one entry less."""


def smallest_counts(walk: Callable[[Mapping[Label, int]], Walk | NoWalk], tally: Tally) -> SmallestCounts:
    """The labels that matter, each with as few entries as still contradict the others, as far as `walk`
    answers: it looks for an order with at least so many of each label."""
    least = dict(tally.answered)
    is_minimal = True

    def fails(wanted: Mapping[Label, int]) -> bool:
        nonlocal is_minimal
        try:
            return is_minimal and isinstance(walk(wanted), NoWalk)
        except NoAnswer:
            is_minimal = False
            return False

    for label in sorted(least, key=lambda each: (-least[each], repr(each))):
        low, high = 0, least[label]  # `high` entries fail
        while low < high:
            middle = (low + high) // 2
            if fails({**least, label: middle}):
                high = middle
            else:
                low = middle + 1
        if (
            high or len(least) == 1
        ):  # Requests that wait for ever contradict themselves, whatever they answer.
            least[label] = max(high, 1)
        else:
            del least[label]
    return SmallestCounts(tuple(sorted(least.items(), key=repr)), is_minimal)
