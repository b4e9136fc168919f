"""Evidence of the kind `linear-cover`: solvers say that whatever outcome counting allows is in a cover.

`seriatim.checking.cover_claim` says what has to be shown, and why it suffices. That there are no counts with
an outcome in no cover is for solvers to say, the only part of the checker that is not its own. One is asked
about one conjunction of constraints on the outcome at a time, the first of them empty. If there are counts,
and their outcome is in a cover, what is left is the conjunction minus that cover, as disjoint conjunctions
(`seriatim.linear_sets`).
"""

from collections import Counter
from collections.abc import Iterator

from seriatim.budget import OutOfBudget
from seriatim.certificate.format import CoverEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.cover_claim import COVERED, CoverClaim, cover_claim
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import Reference, State
from seriatim.checking.run import Completion, counted, shown
from seriatim.formula import Constraint, combination, is_zero, total
from seriatim.linear_sets import Membership, membership, outside
from seriatim.solvers.named import SolverName, new_solver
from seriatim.solvers.smt import NoSolution, Unknown


def cover_obligations(
    reference: Reference[State],
    evidence: CoverEvidence,
    allowance: Allowance,
    solvers: tuple[SolverName, ...],
) -> Iterator[Obligation]:
    """What has to hold of cuts and covers, in this order; each relies on those before it.

    Raises `GaveUp` if none of the solvers finds out about the last one."""
    claim = yield from cover_claim(reference, evidence, allowance)
    if claim is not None:
        yield covered(claim, allowance, solvers)


def covered(claim: CoverClaim, allowance: Allowance, solvers: tuple[SolverName, ...]) -> Obligation:
    """What the solvers say; one that finds out is enough, and none may contradict."""
    if not solvers:
        return Obligation(COVERED, False, "only a solver can tell, and none is to be asked")
    confirmed: dict[SolverName, str] = {}
    gave_up: dict[SolverName, str] = {}
    for name in solvers:
        try:
            escaped = outcome_outside(claim, allowance, name)
        except OutOfBudget as out:
            gave_up[name] = f"{name} gave up: {out.spent}"
        except GaveUp as reason:
            gave_up[name] = f"{name} gave up: {reason}"
        else:
            if escaped is not None:
                return Obligation(
                    COVERED, False, f"{name} finds {{{shown(escaped.elements())}}}, in no cover"
                )
            confirmed[name] = f"{name} finds no other, for {counted(len(claim.counting.steps), 'step')}"
    if not confirmed:
        raise GaveUp("; ".join(gave_up.values()))
    detail = "; ".join((*confirmed.values(), *gave_up.values()))
    return Obligation(COVERED, True, detail, (), tuple(confirmed), tuple(gave_up))


def outcome_outside(claim: CoverClaim, allowance: Allowance, name: SolverName) -> Counter[Completion] | None:
    """An outcome that the clauses allow and that is in none of the sets."""
    solver = new_solver(name)
    for _ in claim.counting.steps:
        solver.variable()
    counts = [total([solver.variable()]) for _ in claim.outcome]
    for clause in claim.clauses(allowance):
        solver.add(clause)
    for count, form in zip(counts, claim.outcome.values(), strict=True):
        solver.add((is_zero(combination([(1, form), (-1, count)])),))
    conditions: list[Membership] = []
    for each in claim.sets:
        allowance.spend()
        conditions.append(membership(each))
    outsides: dict[int, tuple[tuple[Constraint, ...], ...]] = {}
    regions: list[tuple[Constraint, ...]] = [()]
    while regions:
        allowance.spend()
        region = regions.pop()
        answer = solver.solve(region, allowance.deadline)
        if isinstance(answer, NoSolution):
            continue
        if isinstance(answer, Unknown):
            raise GaveUp("an integer problem is not decided within the bound on its work")
        vector = tuple(count.value(answer.values) for count in counts)
        covering = next((i for i, condition in enumerate(conditions) if condition.holds(vector)), None)
        if covering is None:
            return Counter(dict(zip(claim.outcome, vector, strict=True)))
        if covering not in outsides:
            outsides[covering] = tuple(outside(conditions[covering], counts, solver.variable))
        regions.extend((*region, *part) for part in outsides[covering])
    return None
