"""Decision by refinement of the ways that complete runs can go, after Kosaraju, Lambert and Mayr, lazily.

The outcomes of a structure are covered as in the state equation. An outlier uses some of the edges between
components: that chain is taken apart and dealt with by itself, and left out from then on. A chain that cannot
be taken apart any further is perfect and has runs; where their outcomes are in a cover, only what is outside
of it is looked at, and otherwise one of them is a violation.

`docs/theory/chains.md` says why that is right, and as far as is known why it ends.
"""

from collections.abc import Generator
from itertools import chain as concatenated

from seriatim.arithmetic.formula import at_most, total
from seriatim.arithmetic.solvers.smt import NoSolution, Unknown
from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts, LevelCut, PrefixRow
from seriatim.certificate.chain_proofs import Chain, ChainNode, Counted, NodeCase, NoRuns, OutsideCover
from seriatim.engines.chains.proof import ProvedByChains
from seriatim.engines.chains.refinement import Closed, Perfect, Refined, Stuck, refine, tell_apart
from seriatim.engines.chains.runs import run_of_perfect
from seriatim.engines.chains.system import ChainSystem
from seriatim.engines.shared.covering import TOO_HARD, Covering, Outlier, Region
from seriatim.engines.shared.covers import Covers
from seriatim.engines.shared.run_evidence import Refuted
from seriatim.engines.stage import GaveUp
from seriatim.method import Minimality
from seriatim.petri.from_macro_system import macro_net
from seriatim.petri.level_counts import LevelCounts, Row
from seriatim.petri.macro_runs import system_run
from seriatim.petri.search import order_firings
from seriatim.petri.situated_structures import Pumps, StructureWalk, TooManyCases, explore, split_into_cases
from seriatim.petri.situations import Direction
from seriatim.petri.structures import Structure, chain, component_levels, is_bridge, move_table, net_of, root
from seriatim.systems.automaton import Automaton
from seriatim.systems.slicing import MacroSystem

MAX_CASES = 2_000
FEW_EDGES = 250
"""The most edges of a product that replaces the root. Most products become small; solvers stall on others."""

FEW_MOVES = 60
MAX_ORDERS = 3_000
"""How many orders of an outlier's moves are tried."""

MAX_DEPTH = 60
"""How deeply refinements may be nested."""

MAX_TURNS = 1_000_000
"""The most turns of a run; more do not fit into memory."""

Work = Generator[None, None, ChainNode]
"""A proof under way, which pauses after each question to the solver, and after equally long work."""

Steps = tuple[tuple[tuple[int, ...], int], ...]
"""Moves in a row, and how often the row is repeated."""


class Violation(Exception):
    """A run whose outcome is not serial."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self.steps = steps


class Chains:
    """Proofs of one system, in turns: with the product instead of the root, and without."""

    def __init__(self, system: MacroSystem, specification: Automaton, deadline: Deadline) -> None:
        self.system = system
        self.macro = macro_net(system)
        self.table = move_table(self.macro.counted)
        self.net = net_of(self.table)
        self.covers = Covers(specification, self.table.completions)
        self.deadline = deadline
        self.under_way: list[Work] = [self.from_product(), self.from_root()]
        self.stuck = GaveUp("the cases of runs were not explored")

    def advance(self, questions: int) -> ProvedByChains | Refuted | GaveUp | None:
        """Continues each proof for about this many questions to the solver; gives up when all are stuck.

        Raises `LimitReached` if the serial automaton is too large, `OutOfBudget` after the deadline.
        """
        for work in list(self.under_way):
            try:
                for _ in range(questions):
                    next(work)
            except StopIteration as ended:
                return self.make_proof(ended.value)
            except Violation as found:
                answer = self.make_refutation(found.steps)
                if isinstance(answer, Refuted):
                    return answer
                self.stuck = answer
                self.under_way.remove(work)
            except Stuck as stuck:
                self.stuck = stuck.why
                self.under_way.remove(work)
        return None if self.under_way else self.stuck

    def make_proof(self, proof: ChainNode) -> ProvedByChains:
        return ProvedByChains(
            self.system.coverage,
            self.macro.globals,
            self.macro.locals,
            self.table.completions,
            self.table.moves,
            tuple(self.covers.found),
            proof,
        )

    def make_refutation(self, steps: Steps) -> Refuted | GaveUp:
        turns = sum(len(moves) * times for moves, times in steps)
        if turns > MAX_TURNS:
            return GaveUp(f"there is a violation, but its run of {turns:,} turns does not fit into memory")
        moves = concatenated.from_iterable(moves * times for moves, times in steps)
        run = system_run(self.system, self.macro, (self.table.moves[move] for move in moves))
        return Refuted(run, Minimality.UNKNOWN, 0)

    def from_root(self) -> Work:
        return self.prove(root(self.table), ())

    def from_product(self) -> Work:
        """Starts from the product: distinguishes all nodes of the root, forwards and then backwards."""
        given = root(self.table)
        steps: list[tuple[Direction, tuple[NodeCase, ...]]] = []
        for direction in (Direction.FORWARD, Direction.BACKWARD):
            if not given.nodes:
                break
            walk = StructureWalk(given, direction)
            try:
                nodes = frozenset(range(given.nodes))
                cases = yield from explore(walk, nodes, walk.first, MAX_CASES, None, self.deadline)
            except TooManyCases:
                raise Stuck(GaveUp("the requests in flight have too many cases")) from None
            assert not isinstance(cases, Pumps)
            steps.append((direction, cases))
            given = split_into_cases(walk, cases)
            yield
        if len(given.edges) > FEW_EDGES:
            raise Stuck(GaveUp("the requests in flight have too many cases"))
        proof = yield from self.prove(given, ())
        for direction, cases in reversed(steps):
            proof = tell_apart(direction, cases, proof)
        return proof

    def prove(self, given: Structure, region: Region, depth: int = 0) -> Work:
        """Covers the outcomes of a structure in a region, chain by chain."""
        if not given.nodes:
            return NoRuns()
        if depth == MAX_DEPTH:
            raise Stuck(GaveUp(f"chains were taken apart {MAX_DEPTH} times, one in the other"))
        levels = component_levels(given)
        covering = Covering(LevelCounts(given, levels), self.covers, self.deadline, region)
        chains: list[Chain] = []
        while not covering.is_done():
            yield
            found = covering.advance()
            match found:
                case None:
                    pass
                case GaveUp():
                    raise Stuck(found)
                case Outlier(counts=counts):
                    self.realize(given, counts)
                    bridges = used_bridges(given, levels, counts)
                    proof = yield from self.take_apart(chain(given, levels, bridges), region, depth)
                    chains.append(Chain(bridges, proof))
                    covering.exclude(tuple(at_most(total([bridge]), 0) for bridge in bridges))
        return make_counted(levels, covering, tuple(chains))

    def realize(self, given: Structure, counts: tuple[int, ...]) -> None:
        """Raises `Violation` if the few moves of an outlier can be made in some order."""
        moves = [0] * len(self.table.moves)
        for edge, count in zip(given.edges, counts, strict=True):
            if edge.move is not None:
                moves[edge.move] += count
        if sum(moves) <= FEW_MOVES:
            order = order_firings(self.net, moves, MAX_ORDERS, self.deadline)
            if order is not None:
                raise Violation(((order, 1),))

    def take_apart(self, given: Structure, region: Region, depth: int) -> Work:
        """Proves or refines a single chain whose system has a solution."""
        found = yield from refine(ChainSystem(given, region, self.covers), self.deadline)
        match found:
            case Closed(proof=proof):
                return proof
            case Refined(child=child, step=step):
                return step((yield from self.prove(child, region, depth + 1)))
            case Perfect():
                return (yield from self.perfect(found, region, depth))

    def perfect(self, found: Perfect, region: Region, depth: int) -> Work:
        """Continues with the outcomes outside of a cover, or finds a violation."""
        given = found.system.given
        covering = Covering(found.system.counts, self.covers, self.deadline, region)
        outlier: Outlier | None = None
        while outlier is None and not covering.is_done():
            yield
            answer = covering.advance()
            if isinstance(answer, GaveUp):
                raise Stuck(answer)
            outlier = answer
        if outlier is None:
            return make_counted(found.system.levels, covering, ())
        if len(outlier.region) > len(region):
            cover = outlier.region[len(region)][0]
        else:
            cover = self.cover_of_run(found)
        parts: list[ChainNode] = []
        for part in range(len(covering.outside(cover))):
            proof = yield from self.prove(given, (*region, (cover, part)), depth + 1)
            parts.append(proof)
        return OutsideCover(cover, tuple(parts))

    def cover_of_run(self, found: Perfect) -> int:
        """A cover that contains the outcome of some run of a perfect chain; raises `Violation` if that is not
        serial."""
        stretches = run_of_perfect(found, self.deadline)
        if stretches is None:
            raise Stuck(GaveUp("a run of a perfect chain takes too long to find"))
        edges = found.system.given.edges
        steps = [
            (tuple(move for edge in stretch.edges if (move := edges[edge].move) is not None), stretch.times)
            for stretch in stretches
        ]
        cover = self.covers.around(self.outcome(tuple(steps)), self.deadline)
        match cover:
            case NoSolution():
                raise Violation(self.without_bystanders(tuple(steps)))
            case Unknown():
                raise Stuck(GaveUp(TOO_HARD))
            case number:
                return number

    def without_bystanders(self, steps: Steps) -> Steps:
        """The run without requests that change nothing and are answered at once, if its outcome is still not
        serial. Runs of perfect chains contain them because they use every edge."""

        def is_needed(move: int) -> bool:
            listed = self.table.moves[move]
            return not (listed.takes is None and listed.gives is None and listed.before == listed.after)

        fewer = tuple((tuple(filter(is_needed, moves)), times) for moves, times in steps)
        is_serial = not isinstance(self.covers.around(self.outcome(fewer), self.deadline), NoSolution)
        return steps if is_serial else fewer

    def outcome(self, steps: Steps) -> tuple[int, ...]:
        outcome = [0] * len(self.table.completions)
        for moves, times in steps:
            for move in moves:
                answer = self.table.moves[move].answer
                if answer is not None:
                    outcome[answer] += times
        return tuple(outcome)


def make_counted(levels: tuple[int, ...], covering: Covering[Row], chains: tuple[Chain, ...]) -> Counted:
    rows = tuple(sorted(row for row in covering.cuts if isinstance(row, PrefixRow)))
    cuts = tuple(cut for cut in covering.cuts if isinstance(cut, LevelCut))
    return Counted(Counts(levels, rows, cuts), chains)


def used_bridges(given: Structure, levels: tuple[int, ...], counts: tuple[int, ...]) -> tuple[int, ...]:
    """The edges between levels that are used, in the order of runs."""
    used = [n for n, edge in enumerate(given.edges) if counts[n] and is_bridge(levels, edge)]
    return tuple(sorted(used, key=lambda number: levels[given.edges[number].source]))
