"""Decides logs without times, part by part, from the counts of answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.folding import Folded
from seriatim.history.automaton import Label, TooManyStates, explore
from seriatim.history.counted import Flow, NoAnswer, NoWalk, Tally, Walk
from seriatim.history.log import Entry
from seriatim.history.model import Model, Part, Request, State

MAX_SEARCHED = 100_000
FEW_EDGES = 100
"""A graph with more edges than this is left to trials first."""

Path = tuple[Label, "Path"] | None
Left = tuple[State, tuple[int, ...], tuple[int, ...]]
"""A state, the remaining number of each label, and how often each request is left with any answer."""


class Trials:
    """Finds walks by trying what is left in each state; what is reached once is not looked at again.

    This is for models with many states, such as queues; it works for few entries or few choices."""

    def __init__(self, model: Model, deadline: Deadline) -> None:
        self.model = model
        self.deadline = deadline

    def walk(
        self, least: Mapping[Label, int], totals: Mapping[Request, int], lost: Mapping[Request, int]
    ) -> Walk | NoWalk:
        """A walk with at least `least` of each label. Each request occurs between `totals` and `totals +
        lost` times. Raises `NoAnswer`."""
        labels, others = [*least], [*{**totals, **lost}]
        spare = tuple(lost.get(request, 0) for request in others)
        rest = Counter(totals) + Counter(lost)
        for label, count in least.items():
            rest[label[0]] -= count
        start = self.model.initial, tuple(least.values()), tuple(rest[request] for request in others)
        stack: list[tuple[Left, Path]] = [(start, None)]
        seen: set[Left] = {start}
        while stack:
            self.deadline.check()
            (state, left, free), path = stack.pop()
            if not any(left) and all(count <= most for count, most in zip(free, spare, strict=True)):
                order = list_path(path)
                return Walk(Counter(order), order)
            for at, request in enumerate(others):
                if free[at]:
                    for said, after in self.model.outcomes(state, request):
                        self._reach((after, left, _less(free, at)), ((request, said), path), seen, stack)
            for at, (request, answer) in enumerate(labels):
                if left[at]:
                    for said, after in self.model.outcomes(state, request):
                        if said == answer:
                            self._reach((after, _less(left, at), free), ((request, said), path), seen, stack)
        return NoWalk(())

    def _reach(self, there: Left, path: Path, seen: set[Left], stack: list[tuple[Left, Path]]) -> None:
        if there in seen:
            return
        seen.add(there)
        if len(seen) > MAX_SEARCHED:
            raise NoAnswer
        stack.append((there, path))


def _less(counts: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*counts[:at], counts[at] - 1, *counts[at + 1 :])


def list_path(path: Path) -> tuple[Label, ...]:
    found: list[Label] = []
    while path is not None:
        label, path = path
        found.append(label)
    return tuple(reversed(found))


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order for each part."""

    orders: tuple[tuple[Part, tuple[Folded[Label], ...]], ...]


@dataclass(frozen=True, slots=True)
class Unordered:
    """A part that has no order."""

    part: Part
    tally: Tally
    walks: Flow | Trials
    """What looked for an order, and can be asked about fewer answers."""


def tallies(model: Model, entries: Iterable[Entry]) -> dict[Part, Tally]:
    """Counts the requests and answers of each part; raises `Unfit`."""
    found: dict[Part, Tally] = {}
    parsed: dict[str, object] = {}
    for entry in entries:
        request = parsed.get(entry.request)
        if request is None:
            request = parsed[entry.request] = model.request(entry.request)
        part = model.part(request)
        tally = found.get(part)
        if tally is None:
            tally = found[part] = Tally({}, {})
        answered, lost = tally.answered, tally.lost
        assert isinstance(answered, dict)
        assert isinstance(lost, dict)
        if entry.answer is None:
            lost[request] = lost.get(request, 0) + 1
        else:
            label = request, model.answer(request, entry.answer)
            answered[label] = answered.get(label, 0) + 1
    return found


def decide_untimed(model: Model, counts: Mapping[Part, Tally], deadline: Deadline) -> Ordered | Unordered:
    """Decides whether each part has an order. Raises `NoAnswer`, `OutOfBudget`."""
    orders: list[tuple[Part, tuple[Folded[Label], ...]]] = []
    for part, tally in counts.items():
        for walks in _ways_to_look(model, tally, deadline):
            try:
                found = walks.walk(tally.answered, tally.totals(), tally.lost)
                break
            except NoAnswer:
                continue
        else:
            raise NoAnswer
        if isinstance(found, NoWalk):
            return Unordered(part, tally, walks)
        orders.append((part, found.order))
    return Ordered(tuple(orders))


def _ways_to_look(model: Model, tally: Tally, deadline: Deadline) -> Iterator[Flow | Trials]:
    """The ways to look for an order: by counts in a small graph of states; else by trials, as far as they
    go, and then by counts."""
    try:
        graph = explore(model, tally.requests(), deadline, tally.size())
    except TooManyStates:
        yield Trials(model, deadline)
        return
    if len(graph.edges) > FEW_EDGES:
        yield Trials(model, deadline)
    yield Flow(graph, deadline)


def decide_counts(
    model: Model, counts: Mapping[Part, Tally], deadline: Deadline
) -> Ordered | Unordered | None:
    """Decides whether each part has an order; None if that is unknown. Raises `OutOfBudget`."""
    try:
        return decide_untimed(model, counts, deadline)
    except NoAnswer:
        return None
