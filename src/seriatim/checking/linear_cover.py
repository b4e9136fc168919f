"""Evidence of the kind `linear-cover`: solvers say that whatever outcome counting allows is in a cover.

`seriatim.checking.cover_claim` says what has to be shown, and why it suffices. That there are no counts with
an outcome in no cover is for solvers to say (`seriatim.checking.outcomes`), the only part of the checker that
is not its own.
"""

from collections.abc import Iterator

from seriatim.arithmetic.case_proofs import Question
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover_claim import COVERED, CoverClaim, cover_claim
from seriatim.checking.covers import memberships
from seriatim.checking.obligation import Obligation
from seriatim.checking.outcomes import NO_SOLVER, answers
from seriatim.checking.posing import Task
from seriatim.checking.words import counted, outcome_words


def obligations(task: Task[CoverEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of cuts and covers, in this order; each relies on those before it.

    Raises `GaveUp` if none of the solvers finds out about the last one."""
    asked, allowance = task.asked, task.context.allowance
    claim = yield from cover_claim(asked.counted, task.evidence, asked.words, allowance)
    yield covered(claim, task.evidence, allowance, task.context.solvers)


def covered(
    claim: CoverClaim, evidence: CoverEvidence, allowance: Allowance, solvers: tuple[SolverName, ...]
) -> Obligation:
    """Asks the solvers; one that finds out is enough, and none may contradict."""
    if not solvers:
        return Obligation(COVERED, False, NO_SOLVER)
    question = Question(
        variables=len(claim.counting.steps),
        rows=claim.counting.state_equation(),
        clauses=tuple(claim.cut_clauses(allowance)),
        outcome=tuple(claim.outcome.values()),
        sets=memberships(evidence.covers, tuple(claim.outcome), allowance),
        avoided=range(len(evidence.covers)),
    )
    found = answers(question, allowance, solvers)
    if found.found is not None:
        name, vector = found.found
        escaped = outcome_words(zip(claim.outcome, vector, strict=True))
        return Obligation(COVERED, False, f"{name} finds {escaped}, in no cover")
    steps = counted(len(claim.counting.steps), "step")
    confirmed = [f"{name} finds no other, for {steps}" for name in found.confirmed]
    detail = "; ".join((*confirmed, *found.gave_up.values()))
    return Obligation(COVERED, True, detail, (), found.confirmed, tuple(found.gave_up))
