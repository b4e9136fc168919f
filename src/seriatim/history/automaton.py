"""The graph of states that the requests of a log reach one at a time: for logs without times."""

from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.history.model import Model, Request, State

MAX_EDGES = 20_000

Label = tuple[Request, str]
"""A request and its answer."""


class TooManyStates(Exception):
    """Raised when the graph is too large."""


@dataclass(frozen=True, slots=True)
class Edge:
    source: int
    label: Label
    target: int


@dataclass(frozen=True, slots=True)
class Graph:
    """The states by number, the initial one first, and the edges between them."""

    states: tuple[State, ...]
    edges: tuple[Edge, ...]


def explore(model: Model, requests: Iterable[Request], deadline: Deadline, depth: int | None = None) -> Graph:
    """All states that these requests reach, in at most `depth` steps if that is given; raises
    `TooManyStates`."""
    numbers: dict[State, int] = {model.initial: 0}
    edges: list[Edge] = []
    queue: list[State] = [model.initial]
    depths = [0]
    asked = tuple(dict.fromkeys(requests))
    for at, state in enumerate(queue):
        deadline.check()
        if depths[at] == depth:
            break  # The remaining states are at least as deep.
        for request in asked:
            for answer, after in model.outcomes(state, request):
                if after not in numbers:
                    numbers[after] = len(numbers)
                    queue.append(after)
                    depths.append(depths[at] + 1)
                edges.append(Edge(numbers[state], (request, answer), numbers[after]))
        if len(edges) > MAX_EDGES:
            raise TooManyStates
    return Graph(tuple(queue), tuple(edges))
