"""Serial outcomes as flows on the serial automaton, and whole linear sets of them.

A *flow* gives each edge of the serial automaton a count, such that one unit goes from the initial state to
some state. Claim: Z is in Ser if and only if it is the image of a flow whose edges with positive counts can
all be reached from the initial state along such edges. Why: by Euler's theorem these are exactly the flows
of paths. The automaton is a net with one token, a flow is a solution of its state equation, and an edge
that can't be reached breaks a siphon cut; so asking a solver, and adding cuts as they break, decides
membership, however large Z is.

`cover` finds a linear set around Z that lies inside Ser. From the flow of Z it takes cycles away as long as
a tree of first visits stays; the rest is still the flow of a path, and it visits the same states. The base
of the linear set is the image of that path; its periods are images of cycles among the visited states,
first of those that were taken away, then of others.

- The set lies inside Ser: a path can be extended by any cycle through a state that it visits, as often as
  one likes.
- Z lies in it: it is the base plus what was taken away. The periods have to be independent; where they are
  not, counts are shifted along a dependency until one of them can't be reduced further, and what is left of
  that one goes back to the base.
- There are finitely many such sets, so that covering with them ends: a flow from which no cycle can be
  taken away is bounded, and so is what goes back to the base.
"""

from collections import Counter
from collections.abc import Mapping

from seriatim.arithmetic.formula import at_least, at_most, total
from seriatim.arithmetic.linear_sets import Vector
from seriatim.arithmetic.semilinear.independence import Independent
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.engines.shared.serial_walks import (
    Edge,
    Flow,
    SerialCover,
    Walk,
    by_source,
    circulations,
    dependency,
    euler_path,
    first_visits,
    image,
    shortest_cycle,
)
from seriatim.petri.cuts import broken_cuts, clause
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.state_equation import final_marking
from seriatim.systems.automaton import INITIAL_STATE, Automaton


class SerialFlows:
    """Membership in Ser, for outcomes over some completions."""

    def __init__(self, specification: Automaton, completions: tuple[int, ...], max_work: int) -> None:
        self.completions = completions
        self.edges: tuple[Edge, ...] = tuple(
            (before, completion, after)
            for before, edges in specification.reachable().items()
            for completion, targets in edges.items()
            if completion in completions
            for after in targets
        )
        self.net = _net(self.edges)
        self.solver = NaturalSolver(max_work)
        for _ in self.edges:
            self.solver.variable()
        for tokens in final_marking(self.net):
            self.solver.add((at_least(tokens, 0),))

    def flow(self, outcome: Vector, deadline: Deadline) -> Flow | NoSolution | Unknown:
        """The flow of a path with this outcome."""
        region = []
        for completion, count in zip(self.completions, outcome, strict=True):
            occurring = total(index for index, edge in enumerate(self.edges) if edge[1] == completion)
            region += [at_least(occurring, count), at_most(occurring, count)]
        while True:
            answer = self.solver.solve(region, deadline)
            if not isinstance(answer, Solution):
                return answer
            cuts = list(broken_cuts(self.net, answer.values))
            if not cuts:
                return {e: count for e, count in zip(self.edges, answer.values, strict=True) if count > 0}
            for cut in cuts:
                self.solver.add(clause(self.net, cut))

    def cover(self, flow: Flow) -> SerialCover:
        """A linear set inside Ser that contains the image of this flow, which must be one of a path."""
        tree = first_visits(flow)
        base = Counter(flow)
        taken: dict[Walk, int] = {}
        for cycle, count in circulations({edge: count - (edge in tree) for edge, count in flow.items()}):
            taken[cycle] = count
            base.subtract(dict.fromkeys(cycle, count))
        for cycle, count in self._give_back(taken).items():
            base.update(dict.fromkeys(cycle, count))
        visited = {INITIAL_STATE, *(after for _, _, after in tree)}
        return SerialCover(euler_path(base), (*taken, *self._further_cycles(taken, visited)))

    def _give_back(self, cycles: dict[Walk, int]) -> dict[Walk, int]:
        """Changes the counts of cycles, and takes some of them out, until the images of the others are
        independent; the sum of all images stays the same. Returns what it took out."""
        out: dict[Walk, int] = {}
        while found := dependency(cycles, self.completions):
            opposite = {cycle: -change for cycle, change in found.items()}
            ways = [shift(cycles, way) for way in (found, opposite) if max(way.values()) > 0]
            counts, tightest = min(ways, key=lambda way: way[0][way[1]])
            cycles.update(counts)
            out[tightest] = cycles.pop(tightest)
        return out

    def _further_cycles(self, known: Mapping[Walk, int], visited: set[int]) -> list[Walk]:
        """Cycles among visited states whose images are independent of those known and of each other."""
        inner = [edge for edge in self.edges if edge[0] in visited and edge[2] in visited]
        leaving = by_source(inner)
        found = [cycle for edge in inner if (cycle := shortest_cycle(edge, leaving)) is not None]
        independent = Independent()
        for cycle in known:
            independent.add(image(cycle, self.completions))
        return [
            cycle
            for cycle in sorted(found, key=len)
            if independent.add(image(cycle, self.completions)) is None
        ]


def shift(counts: Mapping[Walk, int], changes: Mapping[Walk, int]) -> tuple[dict[Walk, int], Walk]:
    """The counts minus the largest multiple of a dependency that leaves all of them natural, and the cycle
    that prevents a larger one."""
    falling = (cycle for cycle, change in changes.items() if change > 0)
    tightest = min(falling, key=lambda cycle: counts[cycle] // changes[cycle])
    times = counts[tightest] // changes[tightest]
    return {cycle: count - times * changes.get(cycle, 0) for cycle, count in counts.items()}, tightest


def _net(edges: tuple[Edge, ...]) -> PetriNet:
    """The automaton as a net: its state is the token."""
    states = dict.fromkeys((INITIAL_STATE, *(g for before, _, after in edges for g in (before, after))))
    place = {state: index for index, state in enumerate(states)}
    return PetriNet(
        places=tuple(f"g{state}" for state in states),
        transitions=tuple(
            Transition(f"t{index}", (place[before],), (place[after],))
            for index, (before, _, after) in enumerate(edges)
        ),
        initial=tuple(int(state == INITIAL_STATE) for state in states),
    )
