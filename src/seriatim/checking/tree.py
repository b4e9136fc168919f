"""Evidence of the kind `tree`: a proof by cases that whatever outcome counting allows is in a cover.

`seriatim.checking.cover_claim` says what has to be shown and why that suffices, and `seriatim.checking.cases`
checks the proof. Its first rows are the balances of the places that are named (`seriatim.checking.counting`).
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, Question, Rounded
from seriatim.arithmetic.formula import Constraint, Form, at_least, is_zero, total
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Completion
from seriatim.checking.cases import check_cases
from seriatim.checking.counting import InSituation, Place
from seriatim.checking.cover_claim import COVERED, CoverClaim, cover_claim
from seriatim.checking.covers import memberships
from seriatim.checking.obligation import Obligation, claiming
from seriatim.checking.posing import Task
from seriatim.checking.words import counted


def obligations(task: Task[TreeEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of cuts, covers and the tree, in this order; each relies on those before it."""
    evidence, allowance = task.evidence, task.context.allowance
    claim = yield from cover_claim(task.asked.counted, evidence.claim, task.asked.words, allowance)
    with claiming(COVERED):
        yield Obligation(COVERED, True, prove(claim, evidence, allowance))


def prove(claim: CoverClaim, evidence: TreeEvidence, allowance: Allowance) -> str:
    """Follows the tree and says how large it is. Raises `DoesNotFollow`."""
    check_cases(tree_question(claim, evidence, allowance), evidence.tree, allowance)
    used = Counter(type(node) for node in evidence.tree)
    words = ((ByCover, "cover"), (ByCut, "cut"), (Rounded, "rounding"), (Absurd, "contradiction"))
    parts = ", ".join(counted(used[rule], word) for rule, word in words if used[rule])
    return f"a proof by cases: {parts}"


def tree_question(claim: CoverClaim, evidence: TreeEvidence, allowance: Allowance) -> Question:
    """The question whether there are counts with an outcome in no cover, with rows, clauses and completions
    in the order of the evidence."""
    outcome = ordered_outcome(claim, evidence)
    covers = evidence.claim.covers
    return Question(
        variables=len(claim.counting.steps),
        rows=tuple(balances(claim, evidence, allowance)),
        clauses=tuple(claim.cut_clauses(allowance)),
        outcome=tuple(outcome.values()),
        sets=memberships(covers, tuple(outcome), allowance),
        avoided=range(len(covers)),
    )


def ordered_outcome(claim: CoverClaim, evidence: TreeEvidence) -> dict[Completion, Form]:
    """How often each completion occurs, in the order of the evidence."""
    ordered = {each: claim.outcome.get(each, total(())) for each in evidence.completions}
    return {**ordered, **claim.outcome}


def balances(claim: CoverClaim, evidence: TreeEvidence, allowance: Allowance) -> Iterator[Constraint]:
    """The first rows: how many tokens are left on each place that the evidence names, in this order."""
    situations = evidence.claim.situations
    control: list[Place] = list(evidence.globals)
    if situations is not None:
        control = [InSituation(number) for number in range(len(situations.cases) + 1)] + control
    flights: Iterator[frozenset[Place]] = (
        frozenset(flight for flight in claim.moves.flights if claim.moves.is_described(flight, waiting))
        for waiting in evidence.waiting
    )
    for places in chain((frozenset({place}) for place in control), flights):
        allowance.spend(1 + len(claim.counting.steps) // 10)
        tokens = claim.counting.tokens(places)
        yield is_zero(tokens) if places.isdisjoint(claim.counting.ends) else at_least(tokens, 0)
