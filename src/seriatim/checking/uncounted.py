"""Shows by counting edges that nothing allowed has an outcome (`seriatim.checking.unexplained` says why)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from seriatim.arithmetic.case_proofs import Question
from seriatim.arithmetic.formula import Clause, Constraint, at_least, at_most, combination, total
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion, Place
from seriatim.checking.obligation import Obligation
from seriatim.checking.outcomes import answers
from seriatim.checking.words import counted
from seriatim.closure import reached

Edge = tuple[Place, Completion, Place]

Others = Mapping[str, tuple[int, int]]
"""The smallest and largest number of some requests."""

NO_OTHERS: Others = {}


def uncounted(
    claim: str,
    edges: Sequence[Edge[Place]],
    initial: Place,
    outcome: Counter[Completion],
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
    others: Others = NO_OTHERS,
) -> Obligation:
    """Checks the claim by counting. Raises `GaveUp` if none of the solvers finds out."""
    rows = [*add_up(edges, outcome, others), *balanced(edges, initial)]
    clauses: list[Clause] = []
    while True:
        question = Question(len(edges), rows, clauses, tuple(total([n]) for n in range(len(edges))), (), ())
        found = answers(question, allowance, solvers)
        if found.found is None:
            said = [f"{name} finds no order, for {counted(len(edges), 'edge')}" for name in found.confirmed]
            detail = "; ".join((*said, *found.gave_up.values()))
            return Obligation(claim, True, detail, (), found.confirmed, tuple(found.gave_up))
        _, numbers = found.found
        taken = [edge for edge, number in zip(edges, numbers, strict=True) if number > 0]
        apart = {before for before, _, _ in taken} - reached((initial,), ((b, a) for b, _, a in taken))
        if not apart:
            return Obligation(claim, False, "there is such an order, though a long one")
        clauses.append(entered(edges, apart))


def add_up(
    edges: Sequence[Edge[Place]], outcome: Counter[Completion], others: Others
) -> Iterator[Constraint]:
    """Condition 1: counts of edges add up to the outcome."""
    wanted: Counter[str] = Counter()
    for completion, count in sorted(outcome.items()):
        wanted[completion[0]] += count
        yield at_least(total(n for n, edge in enumerate(edges) if edge[1] == completion), count)
    for request in sorted({*wanted, *others}):
        occurring = total(n for n, edge in enumerate(edges) if edge[1][0] == request)
        least, most = others.get(request, (0, 0))
        yield at_least(occurring, wanted[request] + least)
        yield at_most(occurring, wanted[request] + most)


def balanced(edges: Sequence[Edge[Place]], initial: Place) -> Iterator[Constraint]:
    """Condition 2: states are left at most as often as they are entered."""
    changes: dict[Place, list[tuple[int, int]]] = {initial: []}
    for number, (before, _, after) in enumerate(edges):
        changes.setdefault(before, []).append((-1, number))
        changes.setdefault(after, []).append((1, number))
    for state, parts in changes.items():
        balance = combination((sign, total([number])) for sign, number in parts)
        yield at_least(balance, -1 if state == initial else 0)


def entered(edges: Sequence[Edge[Place]], apart: set[Place]) -> Clause:
    """Condition 3: who leaves these states has entered them."""
    leaving = total(n for n, (before, _, _) in enumerate(edges) if before in apart)
    entering = total(n for n, edge in enumerate(edges) if edge[2] in apart and edge[0] not in apart)
    return at_most(leaving, 0), at_least(entering, 1)
