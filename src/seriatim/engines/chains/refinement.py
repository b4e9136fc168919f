"""Refines a chain that may have no runs; a chain that cannot be refined is perfect, and has runs.

In this order, as in the method of Kosaraju, Lambert and Mayr:

1. inner edges that are bounded: a level is copied so as to count them;
2. numbers of requests between levels that are bounded: the edge is copied, with a guard for each value;
3. components that do not pump, forwards from where they are entered or backwards from where they are left:
   nodes are told apart by the numbers of requests.

`docs/theory/chains.md` says why nothing is lost, and why a chain of which nothing of this holds has runs.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial, reduce

from seriatim.arithmetic.formula import Constraint, at_least, total
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Unknown
from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts
from seriatim.certificate.chain_proofs import ChainNode, Counted, Fixed, Layered, NodeCase, Situated
from seriatim.engines.chains.system import ChainSystem, Growth, differs
from seriatim.engines.shared.covering import TOO_HARD
from seriatim.engines.stage import GaveUp
from seriatim.petri.situated_structures import (
    Pumps,
    StructureWalk,
    TooManyCases,
    explore,
    rigid_places,
    split_into_cases,
)
from seriatim.petri.situations import Direction
from seriatim.petri.structures import Structure, copy_level, fix_values

FEW_LAYERS = 8
"""How often bounded edges may be taken if a level is copied that often at once."""

MAX_VALUES = 200
"""The most tuples of numbers between two levels."""

MAX_CASES = 4_000
"""The most cases of the nodes of one component."""


class Stuck(Exception):
    """A bound is reached: nothing is known."""

    def __init__(self, why: GaveUp) -> None:
        super().__init__(why.why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Closed:
    """The chain has no runs."""

    proof: ChainNode


@dataclass(frozen=True, slots=True)
class Refined:
    """The chain has the runs of another structure."""

    child: Structure
    step: Callable[[ChainNode], ChainNode]
    """Turns a proof about the child into one about the chain."""


@dataclass(frozen=True, slots=True)
class Perfect:
    """Nothing is bounded and everything pumps."""

    system: ChainSystem
    growth: Growth


Work = Generator[None, None, Closed | Refined | Perfect]
"""Work that pauses after each question to the solver, and after equally long work."""


def refine(system: ChainSystem, deadline: Deadline) -> Work:
    """Refines a chain whose system has a solution; raises `Stuck` if a bound is reached."""
    growth = system.growth(deadline)
    if isinstance(growth, Unknown):
        raise Stuck(GaveUp(TOO_HARD))
    yield
    solver = system.solver()
    found = yield from _copy_bounded_edges(system, growth, solver, deadline)
    if found is not None:
        return found
    fixing = yield from _copy_bounded_places(system, growth, solver, deadline)
    if fixing is None:
        apart = yield from _without_pumps(system, deadline)
        return apart or Perfect(system, growth)
    if not fixing.is_chain:
        return Refined(fixing.child, fixing.step)
    # The same edges, and the same bounds: guards say what follows from the system anyway.
    known = ChainSystem(fixing.child, system.region, system.covers)
    told = yield from _without_pumps(known, deadline)
    if told is None:
        return Refined(fixing.child, fixing.step)
    return Refined(told.child, lambda proof: fixing.step(told.step(proof)))


def _copy_bounded_edges(
    system: ChainSystem, growth: Growth, solver: NaturalSolver, deadline: Deadline
) -> Generator[None, None, Closed | Refined | None]:
    """Copies the first level some of whose edges are bounded."""
    for level, inner in sorted(system.counts.inner.items()):
        bounded = tuple(edge for edge in inner if growth.values[edge] == 0)
        if not bounded:
            continue
        times: int | None = -1
        """The largest sum that is known to occur; None if it is not small."""
        while times is not None and (found := ask(solver, [at_least(total(bounded), times + 1)], deadline)):
            yield
            times = total(bounded).value(found)
            if times > FEW_LAYERS:
                times = None
        if times == -1:
            return Closed(Counted(system.evidence(), ()))
        counts = Counts(system.levels, (), ()) if times is None else system.evidence()
        return Refined(
            copy_level(system.given, system.levels, level, frozenset(bounded), times),
            partial(Layered, counts, level, bounded, times),
        )
    return None


@dataclass(frozen=True, slots=True)
class _Fixing:
    child: Structure
    steps: tuple[Callable[[ChainNode], ChainNode], ...]
    is_chain: bool
    """Whether there is a single copy of each edge, so that edges have the numbers that they had."""

    def step(self, proof: ChainNode) -> ChainNode:
        return reduce(lambda inner, step: step(inner), reversed(self.steps), proof)


def _copy_bounded_places(
    system: ChainSystem, growth: Growth, solver: NaturalSolver, deadline: Deadline
) -> Generator[None, None, _Fixing | None]:
    """Copies edges between levels after which some numbers are bounded, and not known: up to the first one
    that needs several copies."""
    child = system.given
    steps: list[Callable[[ChainNode], ChainNode]] = []
    for bridge, after in zip(system.bridges, system.after, strict=True):
        known = {place for place, _ in system.given.edges[bridge].guard}
        places = tuple(
            place
            for place in range(system.given.table.places)
            if place not in known and growth.of(after[place]) == 0
        )
        if not places:
            continue
        forms = tuple(after[place] for place in places)
        values: list[tuple[int, ...]] = []
        with solver.for_a_while():
            while found := ask(solver, [], deadline):
                yield
                values.append(tuple(form.value(found) for form in forms))
                if len(values) > MAX_VALUES:
                    raise Stuck(GaveUp(f"more than {MAX_VALUES} numbers of requests between two components"))
                solver.add(differs(forms, values[-1]))
        child = fix_values(child, bridge, places, tuple(values))
        steps.append(partial(Fixed, system.evidence(), bridge, places, tuple(values)))
        if len(values) != 1:
            return _Fixing(child, tuple(steps), is_chain=False)
    return _Fixing(child, tuple(steps), is_chain=True) if steps else None


def _without_pumps(system: ChainSystem, deadline: Deadline) -> Generator[None, None, Refined | None]:
    """Tells apart the nodes of all components that do not pump in one direction, then in the other."""
    for direction in (Direction.FORWARD, Direction.BACKWARD):
        walk = StructureWalk(system.given, direction)
        told: dict[int, tuple[NodeCase, ...]] = {}
        for level in system.counts.inner:
            found = yield from _explore(system, walk, level, deadline)
            if not isinstance(found, Pumps):
                told[level] = found
        if told:
            others = [
                NodeCase(node, walk.unknown) for node, level in enumerate(system.levels) if level not in told
            ]
            cases = (*others, *(case for found in told.values() for case in found))
            return Refined(
                split_into_cases(walk, cases),
                partial(tell_apart, direction, cases),
            )
    return None


def tell_apart(direction: Direction, cases: tuple[NodeCase, ...], proof: ChainNode) -> Situated:
    return Situated("forward" if direction is Direction.FORWARD else "backward", cases, proof)


def _explore(
    system: ChainSystem, walk: StructureWalk, level: int, deadline: Deadline
) -> Generator[None, None, tuple[NodeCase, ...] | Pumps]:
    """The cases of a component, from where it is entered, or backwards from where it is left."""
    first, nodes = component_entry(system, walk, level)
    try:
        rigid = rigid_places(system.given, nodes, first.node)
        return (yield from explore(walk, nodes, first, MAX_CASES, rigid, deadline))
    except TooManyCases:
        raise Stuck(GaveUp(f"a component has more than {MAX_CASES:,} cases")) from None


def component_entry(system: ChainSystem, walk: StructureWalk, level: int) -> tuple[NodeCase, frozenset[int]]:
    """Where a component is entered, or backwards left, with what is known there; and its nodes."""
    nodes = frozenset(node for node, own in enumerate(system.levels) if own == level)
    for bridge in system.bridges:
        edge = system.given.edges[bridge]
        if walk.target(edge) in nodes:
            numbers = walk.after(edge, walk.unknown)
            assert numbers is not None, "the system of the chain has a solution"
            return NodeCase(walk.target(edge), numbers), nodes
    return walk.first, nodes


def ask(solver: NaturalSolver, region: list[Constraint], deadline: Deadline) -> tuple[int, ...] | None:
    """Values of a solution, if there is one."""
    deadline.questions += 1
    answer = solver.solve(region, deadline)
    if isinstance(answer, Unknown):
        raise Stuck(GaveUp(TOO_HARD))
    return None if isinstance(answer, NoSolution) else answer.values
