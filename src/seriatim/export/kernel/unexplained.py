"""Why no serial run has an outcome, for outcomes with too many orders: a proof by counting serial edges.

`seriatim.checking.unexplained` says why counting suffices. There a solver is asked; here it is asked only for
the sets of states that matter, and the proof is a tree of cases, found as for evidence of the kind `tree`.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

from seriatim.arithmetic.case_proofs import Question
from seriatim.arithmetic.formula import Clause, Form, at_least, combination, is_zero, total
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion, SerialRuns
from seriatim.checking.outcomes import solution
from seriatim.checking.reference import Reference, State
from seriatim.checking.uncounted import Edge, entered
from seriatim.checking.unexplained import edges_of
from seriatim.closure import reached
from seriatim.engines.shared.case_tree import case_tree
from seriatim.engines.shared.covering import Covered
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import Text
from seriatim.export.kernel.trees import Branches, tree_text
from seriatim.program.state import GlobalState

MOST_STATES = 500
"""The most states of serial runs; the proof has a number for each edge between them."""

QUESTIONS = 40
"""The work for a tree, as if a solver had been asked this often."""

Apart = frozenset[GlobalState]
"""A siphon: states that are entered from outside, or never left."""


class TooManyOrders(Exception):
    """Neither can the serial orders be listed, nor is there a proof by counting."""


class SerialCounts:
    """What counts of serial edges satisfy; a `Relaxation` for proofs by cases."""

    def __init__(
        self, edges: Sequence[Edge[GlobalState]], initial: GlobalState, outcome: Sequence[Completion]
    ) -> None:
        self.edges = edges
        self.initial = initial
        self.states = tuple(dict.fromkeys([initial, *(end for a, _, b in edges for end in (a, b))]))
        self.kinds = tuple(reversed(dict.fromkeys(reversed(outcome))))
        """The kinds in the kernel's order: by their last occurrences."""
        self.numbers = {kind: list(outcome).count(kind) for kind in self.kinds}

    @property
    def variables(self) -> int:
        return len(self.edges)

    @property
    def outcome(self) -> dict[int, Form]:
        return {}

    @cached_property
    def clauses(self) -> Sequence[Clause]:
        """Balances of states, then the sums that make the outcome; each is one row."""
        return [
            *((at_least(self._left(state), 0),) for state in self.states),
            *map(self._adds_up, self.kinds),
        ]

    def _left(self, state: GlobalState) -> Form:
        given = total(n for n, (_, _, after) in enumerate(self.edges) if after == state)
        taken = total(n for n, (before, _, _) in enumerate(self.edges) if before == state)
        return combination([(1, given), (-1, taken)], int(state == self.initial))

    def _adds_up(self, kind: Completion) -> Clause:
        occurring = total(n for n, edge in enumerate(self.edges) if edge[1] == kind)
        return (is_zero(combination([(1, occurring)], -self.numbers[kind])),)

    def broken_cuts(self, counts: Sequence[int]) -> Iterable[Apart]:
        taken = [edge for edge, number in zip(self.edges, counts, strict=True) if number > 0]
        together = reached((self.initial,), ((before, after) for before, _, after in taken))
        apart = frozenset(before for before, _, _ in taken) - together
        return [apart] if apart else []

    def clause(self, cut: Apart) -> Clause:
        return entered(self.edges, set(cut))


def counted_text(
    reference: Reference[State], outcome: Sequence[Completion], names: Names[State], allowance: Allowance
) -> tuple[list[Text], Text]:
    """The states from which requests run alone, and the proof. Raises `TooManyOrders`."""
    serial = SerialRuns(reference, allowance)
    edges = edges_of(serial, frozenset(outcome), allowance, MOST_STATES)
    if edges is None:
        raise TooManyOrders
    relaxation = SerialCounts(edges, reference.initial, outcome)
    cuts = needed_cuts(relaxation, allowance)
    nodes = case_tree(relaxation, Covered(tuple(cuts), (), QUESTIONS), allowance.deadline)
    if nodes is None:
        raise TooManyOrders
    requests = list(dict.fromkeys(names.request(request) for request, _ in relaxation.kinds))
    states = [names.global_(state) for state in relaxation.states]
    starts: list[Text] = [(request, state) for request in requests for state in states]
    siphons: list[Text] = [[names.global_(s) for s in relaxation.states if s in cut] for cut in cuts]
    return starts, (states, siphons, tree_text(nodes, Branches(lambda _: 0, lambda _: 2)))


def needed_cuts(relaxation: SerialCounts, allowance: Allowance) -> list[Apart]:
    """Sets of states that exclude the counts that a solver finds, until it finds none."""
    cuts: list[Apart] = []
    each = tuple(total([n]) for n in range(relaxation.variables))
    while True:
        rows = [row for clause in relaxation.clauses for row in clause]
        clauses = [relaxation.clause(cut) for cut in cuts]
        question = Question(relaxation.variables, rows, clauses, each, (), ())
        counts = solution(question, allowance, SolverName.Z3)
        if counts is None:
            return cuts
        broken = list(relaxation.broken_cuts(counts))
        if not broken:
            raise TooManyOrders
        cuts.extend(broken)
