"""The serial automaton as a language: its regular expression, its Parikh image, and what is not in it.

Every component of the image remembers the edges that it counts: its base is a path of the automaton, its
periods are cycles through states on that path. So each component is a `SerialCover`, or several, because
covers have independent periods: where Σ cᵢ·pᵢ = 0, a sum of periods can be shifted along this dependency
until some pᵢ with cᵢ > 0 occurs less than cᵢ times. So the component is the union over these i and all
k < cᵢ of components whose base has k times pᵢ more, and whose periods lack pᵢ.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from seriatim.arithmetic.semilinear.kleene import Automaton
from seriatim.arithmetic.semilinear.sets import Component, Word
from seriatim.engines.shared.serial_walks import Edge, Flow, SerialCover, Walk, dependency, euler_path
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.unfolding import INITIAL_GLOBAL


@dataclass(frozen=True, slots=True)
class SerialLanguage:
    """The automaton, and what its letters are: edge n is letter n."""

    automaton: Automaton
    edges: tuple[Edge, ...]

    def words(self, completions: Sequence[int]) -> list[Word]:
        """Returns what each letter counts as: one more of its completion."""
        return [
            Word(tuple(int(completion == each) for each in completions), (number,))
            for number, (_, completion, _) in enumerate(self.edges)
        ]

    def covers(self, component: Component, completions: tuple[int, ...]) -> Iterator[SerialCover]:
        """Covers that make up a component."""
        base = Counter(self.edges[letter] for letter in component.base.letters)
        cycles = tuple(tuple(self.edges[letter] for letter in period.letters) for period in component.periods)
        yield from independent_covers(base, cycles, completions)


def serial_language(specification: SerialAutomaton) -> SerialLanguage:
    """The serial language; raises `LimitReached` if the automaton is too large."""
    reachable = specification.reachable()
    edges = tuple(
        (before, completion, after)
        for before, leaving in reachable.items()
        for completion, targets in leaving.items()
        for after in targets
    )
    arcs = tuple((before, after) for before, _, after in edges)
    return SerialLanguage(Automaton(tuple(reachable), INITIAL_GLOBAL, frozenset(reachable), arcs), edges)


def independent_covers(
    base: Flow, cycles: tuple[Walk, ...], completions: tuple[int, ...]
) -> Iterator[SerialCover]:
    """Covers with independent periods that make up the one of a path with this flow and these cycles."""
    changes = dependency(cycles, completions)
    if not changes:
        yield SerialCover(euler_path(base), cycles)
        return
    opposite = {cycle: -change for cycle, change in changes.items()}
    falling = min(
        ({cycle: change for cycle, change in way.items() if change > 0} for way in (changes, opposite)),
        key=lambda way: sum(way.values()),
    )
    for cycle, change in falling.items():
        others = tuple(other for other in cycles if other is not cycle)
        flow = Counter(base)
        for _ in range(change):
            yield from independent_covers(flow, others, completions)
            flow = Counter(flow)
            flow.update(cycle)
