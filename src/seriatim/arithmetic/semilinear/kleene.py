"""Turns automata into regular expressions by eliminating states one after the other (Kleene).

Each edge is labelled with an expression. A state q is eliminated by joining each edge p –u→ q with each edge
q –v→ r: words that pass through q are those of u s* v, where s labels the edge from q to itself. In the end
a single edge is left, from a new initial state to a new accepting one. Every order of elimination gives an
expression of the same language. Eliminating the state with the fewest edges first (paper, section 3.2, 4)
joins few edges, and leaves those with many for the time when little is left to be nested in their stars.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.arithmetic.semilinear.regex import EMPTY, NOTHING, Letter, Regex, either, star, then


@dataclass(frozen=True, slots=True)
class Automaton:
    """States are numbers; edge n has the letter n."""

    states: tuple[int, ...]
    initial: int
    accepting: frozenset[int]
    edges: tuple[tuple[int, int], ...]
    """(from, to)."""


def regular_expression(automaton: Automaton, by_degree: bool = True) -> Regex:
    """An expression of the automaton's language; states are eliminated by degree, or in their own order."""
    start, end = "start", "end"
    graph = _Graph()
    graph.join(start, automaton.initial, EMPTY)
    for number, (source, target) in enumerate(automaton.edges):
        graph.join(source, target, Letter(number))
    for state in sorted(automaton.accepting):
        graph.join(state, end, EMPTY)
    remaining = list(automaton.states)
    while remaining:
        state = min(remaining, key=graph.degree) if by_degree else remaining[0]
        remaining.remove(state)
        graph.eliminate(state)
    return graph.label(start, end)


Node = int | str


class _Graph:
    """Edges with their labels, at most one from a state to another."""

    def __init__(self) -> None:
        self._labels: dict[Node, dict[Node, Regex]] = {}
        self._sources: dict[Node, set[Node]] = {}

    def label(self, source: Node, target: Node) -> Regex:
        return self._labels.get(source, {}).get(target, NOTHING)

    def join(self, source: Node, target: Node, label: Regex) -> None:
        """Adds an edge, or more words to one that is there."""
        self._labels.setdefault(source, {})[target] = either(self.label(source, target), label)
        self._sources.setdefault(target, set()).add(source)

    def degree(self, state: Node) -> int:
        """Of edges in and out; one to itself counts twice."""
        return len(self._labels.get(state, ())) + len(self._sources.get(state, ()))

    def eliminate(self, state: Node) -> None:
        leaving = self._labels.pop(state, {})
        entering = {source: self._labels[source].pop(state) for source in self._others(state)}
        self._sources.pop(state, None)
        for target in leaving:
            if target != state:
                self._sources[target].discard(state)
        loop = star(leaving.pop(state, NOTHING))
        for source, before in entering.items():
            prefix = then(before, loop)
            for target, after in leaving.items():
                self.join(source, target, then(prefix, after))

    def _others(self, state: Node) -> Iterable[Node]:
        return sorted(self._sources.get(state, set()) - {state}, key=str)
