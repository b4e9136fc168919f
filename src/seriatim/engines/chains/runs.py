"""Runs of perfect chains, as Lambert found them: stretches of edges, each taken a number of times.

Let x be a solution of the system of the chain. For each component choose

- u, a cycle at its entry that can be taken when a run comes there with enough of what is not bounded, and
  after which all other numbers that can change at all have grown; and v, the same backwards from its exit;
- h, an integral homogeneous solution, the same for all, that takes each edge more often than u and v, and
  gives more of what is not bounded than these take away;
- w, a cycle that takes each edge as often as h does beyond u and v; s, a way from the entry to the exit
  that takes each edge as often as x + h. Both exist by Euler's theorem: their edges are connected.

Then for all large n, the edges uⁿ wⁿ s vⁿ of one component after the other, with the bridges between them,
are a run. `docs/theory/chains.md` has the proof. Its counts are x + (n + 1)·h, so that its outcome is in the
region of the chain. Here n is the smallest for which that is a run, which is tried out. Often x alone is the
counts of a run, which is tried first.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.arithmetic.formula import Constraint, Form, at_least, at_most, combination, total
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import Solution
from seriatim.budget import Deadline
from seriatim.engines.chains.pumping import Edges, effect_of, pumping_cycle
from seriatim.engines.chains.refinement import Perfect
from seriatim.engines.chains.system import ChainSystem
from seriatim.engines.shared.covers import MAX_WORK
from seriatim.petri.even_ways import even_way
from seriatim.petri.situated_structures import StructureWalk
from seriatim.petri.situations import Direction
from seriatim.petri.structures import Structure

FEW_REQUESTS = (6, 16, 50, 200)
"""Numbers of requests to try in turn for the smallest solution."""

FEW_TIMES = (1, 2, 4, 8, 16)
MAX_TIMES = 2**20
"""How often cycles may be taken."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Edges in a row, and how often the row is taken."""

    edges: Edges
    times: int


@dataclass(frozen=True, slots=True)
class _Component:
    pump: Edges
    """The cycle u."""
    drain: Edges
    """The cycle v."""
    fill: Edges
    """The cycle w."""
    cross: Edges
    """The path s."""
    bridge: Edges
    """The edge to the next component, if there is one."""


def run_of_perfect(perfect: Perfect, deadline: Deadline) -> tuple[Stretch, ...] | None:
    """A run of a perfect chain; None if one of the searches takes too long."""
    system = perfect.system
    solution = small_solution(system, deadline)
    if solution is None:
        return None
    short = cross_levels(system, solution)
    edges = range(len(system.given.edges))
    if is_run(system.given, short) and count_taken(short) == Counter(
        dict(zip(edges, solution, strict=False))
    ):
        return short
    pumps = pumping_cycles(system, deadline)
    if pumps is None:
        return None
    for times in FEW_TIMES:
        growth = large_growth(perfect, pumps, times, deadline)
        if growth is None:
            return None
        run = assemble(crossing_at_once(system, solution, growth, pumps, times), times)
        if is_run(system.given, run):
            return run
    growth = large_growth(perfect, pumps, 1, deadline)
    return None if growth is None else repeat_pumps(system, solution, growth, pumps, deadline)


def repeat_pumps(
    system: ChainSystem,
    solution: tuple[int, ...],
    growth: tuple[int, ...],
    pumps: list[tuple[Edges, Edges]],
    deadline: Deadline,
) -> tuple[Stretch, ...] | None:
    """The run of the theorem; None if all cycles have to be taken very often."""
    parts = crossing_after_filling(system, solution, growth, pumps)
    times = 1
    while times <= MAX_TIMES:
        deadline.check()
        if is_run(system.given, assemble(parts, times)):
            return assemble(parts, fewest_times(system.given, parts, times))
        times *= 2
    return None


def crossing_after_filling(
    system: ChainSystem,
    solution: tuple[int, ...],
    growth: tuple[int, ...],
    pumps: list[tuple[Edges, Edges]],
) -> list[_Component]:
    """w takes what the growth has beyond u and v; s takes the solution and the growth once more."""
    parts: list[_Component] = []
    for (entry, exit_, bridge), (pump, drain) in zip(ways(system), pumps, strict=True):
        inner = system.counts.inner.get(system.levels[entry], [])
        spent = Counter((*pump, *drain))
        fill = even_way(system.given, {edge: growth[edge] - spent[edge] for edge in inner}, entry, entry)
        cross = even_way(system.given, {edge: solution[edge] + growth[edge] for edge in inner}, entry, exit_)
        parts.append(_Component(pump, drain, fill, cross, bridge))
    return parts


def crossing_at_once(
    system: ChainSystem,
    solution: tuple[int, ...],
    growth: tuple[int, ...],
    pumps: list[tuple[Edges, Edges]],
    times: int,
) -> list[_Component]:
    """Without w: s takes all that the solution and the growth have beyond u and v, so many times. That need
    not be a run, but is shorter if it is one."""
    parts: list[_Component] = []
    for (entry, exit_, bridge), (pump, drain) in zip(ways(system), pumps, strict=True):
        inner = system.counts.inner.get(system.levels[entry], [])
        spent = Counter((*pump, *drain))
        counts = {edge: solution[edge] + growth[edge] - times * spent[edge] for edge in inner}
        parts.append(_Component(pump, drain, (), even_way(system.given, counts, entry, exit_), bridge))
    return parts


def cross_levels(system: ChainSystem, solution: tuple[int, ...]) -> tuple[Stretch, ...]:
    """A way that takes no edge more often than the solution. It takes all of them as often if they are
    connected, and if it is a run, it is a short one."""
    nothing: list[tuple[Edges, Edges]] = [((), ()) for _ in components(system)]
    return assemble(crossing_at_once(system, solution, (0,) * len(solution), nothing, 0), 0)


def count_taken(stretches: tuple[Stretch, ...]) -> Counter[int]:
    """How often each edge is taken."""
    edges: Counter[int] = Counter()
    for stretch in stretches:
        for edge, times in Counter(stretch.edges).items():
            edges[edge] += times * stretch.times
    return edges


def pumping_cycles(system: ChainSystem, deadline: Deadline) -> list[tuple[Edges, Edges]] | None:
    """u and v of each component."""
    pumps: list[tuple[Edges, Edges]] = []
    for level in components(system):
        forwards = pumping_cycle(system, level, Direction.FORWARD, deadline)
        backwards = pumping_cycle(system, level, Direction.BACKWARD, deadline)
        if forwards is None or backwards is None:
            return None
        pumps.append((forwards, backwards))
    return pumps


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
    """A solution of the system with few requests, if one is found quickly."""
    solver = system.solver()
    requests = combination((1, form) for form in system.counts.outcome.values())
    for bound in FEW_REQUESTS:
        answer = solver.solve([at_most(requests, bound)], deadline)
        if isinstance(answer, Solution):
            return answer.values
    answer = solver.solve([], deadline)
    return answer.values if isinstance(answer, Solution) else None


def large_growth(
    perfect: Perfect, pumps: list[tuple[Edges, Edges]], times: int, deadline: Deadline
) -> tuple[int, ...] | None:
    """An integral homogeneous solution, not much larger than necessary, that takes each inner edge more often
    than u and v do so many times, and gives more of what is not bounded than these take away."""
    system = perfect.system
    solver = NaturalSolver(MAX_WORK)
    for _ in range(system.variables):
        solver.variable()
    for constraint in system.homogeneous():
        solver.add((constraint,))
    forwards = StructureWalk(system.given, Direction.FORWARD)
    entering = [Form(()) for _ in range(system.given.table.places)]
    for index, (level, (pump, drain)) in enumerate(zip(components(system), pumps, strict=True)):
        spent = Counter((*pump, *drain))
        for edge in system.counts.inner.get(level, ()):
            solver.add((at_least(total([edge]), times * spent[edge] + 1),))
        leaving = system.after[index] if index < len(system.after) else None
        for way, numbers in ((pump, entering), (drain, leaving)):
            effect, _ = effect_of(forwards, way)
            for place, number in enumerate(numbers or ()):
                form = Form(number.terms)
                if perfect.growth.of(form) > 0:
                    solver.add((at_least(form, times * abs(effect[place]) + 1),))
        entering = leaving or entering
    edges = total(range(len(system.given.edges)))
    best: tuple[int, ...] | None = None
    smaller: list[Constraint] = []
    while isinstance(answer := solver.solve(smaller, deadline), Solution):
        best = answer.values
        smaller = [at_most(edges, edges.value(best) * 3 // 4)]
    return best


def assemble(parts: list[_Component], times: int) -> tuple[Stretch, ...]:
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
        if is_run(given, assemble(parts, middle)):
            enough = middle
        else:
            least = middle
    return enough


def is_run(given: Structure, stretches: tuple[Stretch, ...]) -> bool:
    """Whether each request that moves is there, and none is left at the end. Of a stretch that is taken many
    times, the first and the last time are looked at: between, numbers change evenly."""
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
