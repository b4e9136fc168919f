"""Decides logs without times, part by part, from the counts of answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.folding import Folded
from seriatim.history.automaton import Graph, Label, TooManyStates, explore
from seriatim.history.counted import Cut, Flow, NoAnswer, NoWalk, Tally
from seriatim.history.log import Entry
from seriatim.history.model import Model, Part, State

MAX_SEARCHED = 100_000

Path = tuple[Label, "Path"] | None
Left = tuple[State, tuple[int, ...], tuple[int, ...]]
"""A state, the remaining number of each label, and the remaining number of each lost request."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """An order for each part."""

    orders: tuple[tuple[Part, tuple[Folded[Label], ...]], ...]


@dataclass(frozen=True, slots=True)
class Unordered:
    """A part that has no order."""

    part: Part
    tally: Tally
    graph: Graph | None
    """The graph of the part's states; None if all orders were tried instead."""
    cuts: tuple[Cut, ...]


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
    """Decides whether each part has an order. Raises `TooManyStates`, `NoAnswer`, `OutOfBudget`."""
    orders: list[tuple[Part, tuple[Folded[Label], ...]]] = []
    for part, tally in counts.items():
        try:
            graph = explore(model, tally.requests(), deadline, tally.size())
        except TooManyStates:
            order = search(model, tally, deadline)
            if order is None:
                return Unordered(part, tally, None, ())
            orders.append((part, order))
            continue
        found = Flow(graph, deadline).walk(tally.answered, tally.totals(), tally.lost)
        if isinstance(found, NoWalk):
            return Unordered(part, tally, graph, found.cuts)
        orders.append((part, found.order))
    return Ordered(tuple(orders))


def decide_counts(
    model: Model, counts: Mapping[Part, Tally], deadline: Deadline
) -> Ordered | Unordered | None:
    """Decides whether each part has an order; None if that is unknown. Raises `OutOfBudget`."""
    try:
        return decide_untimed(model, counts, deadline)
    except (TooManyStates, NoAnswer):
        return None


def search(model: Model, tally: Tally, deadline: Deadline) -> tuple[Label, ...] | None:
    """Searches for an order by trying the remaining entries in each state; None if no order exists. Raises
    `TooManyStates`.

    This is for models with more states than fit into a graph, such as queues; it works for few entries or few
    choices.
    """
    counts = [*tally.answered.items()]
    seen: set[tuple[State, tuple[int, ...], tuple[int, ...]]] = set()
    lost = [*tally.lost.items()]
    start = model.initial, tuple(count for _, count in counts), tuple(count for _, count in lost)
    stack: list[tuple[Left, Path]] = [(start, None)]
    while stack:
        deadline.check()
        (state, left, may), path = stack.pop()
        if not any(left):
            return list_path(path)
        if (state, left, may) in seen:
            continue
        seen.add((state, left, may))
        if len(seen) > MAX_SEARCHED:
            raise TooManyStates
        for at, (request, _) in enumerate(lost):
            if may[at]:
                for said, after in model.outcomes(state, request):
                    stack.append(((after, left, _less(may, at)), ((request, said), path)))
        for at, ((request, answer), _) in enumerate(counts):
            if left[at]:
                for said, after in model.outcomes(state, request):
                    if said == answer:
                        stack.append(((after, _less(left, at), may), ((request, said), path)))
    return None


def _less(counts: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*counts[:at], counts[at] - 1, *counts[at + 1 :])


def list_path(path: Path) -> tuple[Label, ...]:
    found: list[Label] = []
    while path is not None:
        label, path = path
        found.append(label)
    return tuple(reversed(found))
