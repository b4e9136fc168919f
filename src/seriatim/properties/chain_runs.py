"""Runs of perfect chains, as Lambert found them: stretches of edges, each taken a number of times.

Let x be a solution of the system of the chain, and h an integral homogeneous one that is positive wherever
any is (`seriatim.properties.chain_system`). For each component choose

- u, a cycle at its entry that can be taken when a run comes there with enough of what is not bounded, and
  after which all other numbers that can change at all have grown; and v, the same backwards from its exit;
- C, a number so large that C·h takes each edge more often than u and v together, and gives more of what is
  not bounded than these take away;
- w, a cycle that takes each edge as often as C·h does beyond u and v; s, a way from the entry to the exit
  that takes each edge as often as x + h. Both exist by Euler's theorem: their edges are connected.

Then for all large n, the edges uⁿ wⁿ s vⁿ of one component after the other, with the bridges between them,
are a run. `docs/theory/chains.md` has the proof. Its counts are x + (n·C + 1)·h, so that its outcome is in
the region of the chain. Here n is the smallest for which that is a run, which is tried out.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.formula import Constraint, at_least, at_most, combination, total
from seriatim.petri.even_ways import even_way
from seriatim.petri.situated_structures import StructureWalk
from seriatim.petri.situations import Direction
from seriatim.petri.structures import Structure
from seriatim.properties.chain_refinement import Perfect
from seriatim.properties.chain_system import ChainSystem, Growth
from seriatim.properties.covers import MAX_WORK
from seriatim.properties.pumping import Edges, effect_of, pumping_cycle
from seriatim.solvers.smt import Solution, Solver

FEW_REQUESTS = (6, 16, 50, 200)
"""Tried in turn for the smallest solution."""

MAX_TIMES = 2**20
"""How often cycles may be taken."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Edges that are taken one after the other, and that so many times."""

    edges: Edges
    times: int


@dataclass(frozen=True, slots=True)
class _Component:
    pump: Edges
    """u."""
    drain: Edges
    """v."""
    fill: Edges
    """w."""
    cross: Edges
    """s."""
    bridge: Edges
    """The edge to the next one, if there is one."""


def run_of_perfect(perfect: Perfect, deadline: Deadline) -> tuple[Stretch, ...] | None:
    """A run of a perfect chain; None if one of the searches takes too long."""
    system = perfect.system
    solution = small_solution(system, deadline)
    growth = integral_growth(system, perfect.growth, deadline)
    if solution is None or growth is None:
        return None
    pumps: list[tuple[Edges, Edges]] = []
    for level in components(system):
        found = [
            pumping_cycle(system, level, direction, deadline)
            for direction in (Direction.FORWARD, Direction.BACKWARD)
        ]
        if found[0] is None or found[1] is None:
            return None
        pumps.append((found[0], found[1]))
    factor = large_factor(system, growth, pumps)
    parts: list[_Component] = []
    for (entry, exit_, bridge), (pump, drain) in zip(ways(system), pumps, strict=True):
        inner = system.counts.inner.get(system.levels[entry], [])
        spent = Counter((*pump, *drain))
        fill = {edge: factor * growth[edge] - spent[edge] for edge in inner}
        cross = {edge: solution[edge] + growth[edge] for edge in inner}
        parts.append(
            _Component(
                pump,
                drain,
                even_way(system.given, fill, entry, entry),
                even_way(system.given, cross, entry, exit_),
                bridge,
            )
        )
    times = 1
    while times <= MAX_TIMES:
        deadline.check()
        run = assembled(parts, times)
        if is_run(system.given, run):
            return assembled(parts, fewest_times(system.given, parts, times))
        times *= 2
    return None


def components(system: ChainSystem) -> list[int]:
    """The levels, in the order of runs."""
    return sorted(set(system.levels))


def ways(system: ChainSystem) -> Iterator[tuple[int, int, Edges]]:
    """(node where a run comes to a component, node where it leaves, the edge by which it leaves)."""
    entry = system.given.start
    for bridge in system.bridges:
        edge = system.given.edges[bridge]
        yield entry, edge.source, (bridge,)
        entry = edge.target
    yield entry, system.given.end, ()


def small_solution(system: ChainSystem, deadline: Deadline) -> tuple[int, ...] | None:
    """Of the system, with as few requests as one likes to try for."""
    solver = system.solver()
    requests = combination((1, form) for form in system.counts.outcome.values())
    for bound in FEW_REQUESTS:
        answer = solver.solve([at_most(requests, bound)], deadline)
        if isinstance(answer, Solution):
            return answer.values
    answer = solver.solve([], deadline)
    return answer.values if isinstance(answer, Solution) else None


def integral_growth(system: ChainSystem, growth: Growth, deadline: Deadline) -> tuple[int, ...] | None:
    """An integral homogeneous solution that is positive where growth is; not much larger than necessary."""
    solver = Solver(MAX_WORK)
    for _ in range(system.variables):
        solver.variable()
    for constraint in system.homogeneous():
        solver.add((constraint,))
    for form in system.growing():
        if growth.of(form) > 0:
            solver.add((at_least(form, 1),))
    edges = total(range(len(system.given.edges)))
    best: tuple[int, ...] | None = None
    smaller: list[Constraint] = []
    while isinstance(answer := solver.solve(smaller, deadline), Solution):
        best = answer.values
        smaller = [at_most(edges, edges.value(best) * 3 // 4)]
    return best


def large_factor(system: ChainSystem, growth: tuple[int, ...], pumps: list[tuple[Edges, Edges]]) -> int:
    """C: see the module."""
    factor = 1
    forwards = StructureWalk(system.given, Direction.FORWARD)
    for level, (pump, drain) in zip(components(system), pumps, strict=True):
        for edge, times in Counter((*pump, *drain)).items():
            factor = max(factor, -(-(times + 1) // growth[edge]))
        for way, prefix in ((pump, system.counts.entry), (drain, system.counts.exit)):
            effect, _ = effect_of(forwards, way)
            for place, change in effect.items():
                grows = prefix(level, place).value(growth)
                if grows > 0:
                    factor = max(factor, -(-(abs(change) + 1) // grows))
    return factor


def assembled(parts: list[_Component], times: int) -> tuple[Stretch, ...]:
    stretches: list[Stretch] = []
    for part in parts:
        stretches += [Stretch(part.pump, times), Stretch(part.fill, times), Stretch(part.cross, 1)]
        stretches += [Stretch(part.drain, times), Stretch(part.bridge, 1)]
    return tuple(stretch for stretch in stretches if stretch.edges)


def fewest_times(given: Structure, parts: list[_Component], enough: int) -> int:
    """As few as half of enough or more; fewer were tried before."""
    least = enough // 2
    while least + 1 < enough:
        middle = (least + enough) // 2
        if is_run(given, assembled(parts, middle)):
            enough = middle
        else:
            least = middle
    return enough


def is_run(given: Structure, stretches: tuple[Stretch, ...]) -> bool:
    """Whether whoever moves is there, and nobody is at the end. Of a stretch that is taken many times, the
    first and the last time are looked at: between, numbers change evenly."""
    walk = StructureWalk(given, Direction.FORWARD)
    numbers: Counter[int] = Counter()
    for stretch in stretches:
        effect, depth = effect_of(walk, stretch.edges)
        for place, needed in depth.items():
            last = numbers[place] + (stretch.times - 1) * effect[place]
            if min(numbers[place], last) < needed:
                return False
        for place, change in effect.items():
            numbers[place] += stretch.times * change
    return not any(numbers.values())
