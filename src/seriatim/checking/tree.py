"""Evidence of the kind `tree`: a proof by cases that whatever outcome counting allows is in a cover.

`seriatim.checking.cover_claim` says why that suffices. The proof is about natural numbers: how often each
step occurs, and for each condition of a cover that asks for a multiple of d
(`seriatim.arithmetic.linear_sets`) a quotient by d and a remainder. A *row* is a constraint on them: a form
is 0, or at least 0. A *case* is a list of rows; the first one has a row for the balance of each place that is
named (`seriatim.checking.counting`).
A node of the tree closes a case, or replaces it by cases with more rows:

- cover: a case for each way not to be in that cover;
- cut: a case for each possibility that the cut leaves;
- round: one case, with a row that follows from the others (`seriatim.arithmetic.formula.round_form`);
- absurd: no case. A sum of rows has a negative constant and no positive multiples of variables.

In a sum, rows that are 0 may be taken any number of times, those that are at least 0 not a negative number.

Claim: if each case is closed, every outcome of a complete run is in a cover. Why: suppose that one is in
none. Let the numbers be those of this run, and, for each cover, the quotients and remainders of this outcome.
Then all rows of the first case hold. If those of a case hold, then also those of one of the cases by which a
node replaces it: the outcome is outside of the cover, in exactly one way; cuts hold for the run; and a
rounded row follows. So there is no end to this, or it ends with a sum of numbers that are at least 0 and
yet negative. But the tree is finite.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, count
from typing import assert_never

from seriatim.arithmetic.formula import (
    Constraint,
    Form,
    Relation,
    at_least,
    combination,
    is_zero,
    round_form,
    total,
)
from seriatim.arithmetic.linear_sets import membership, outside
from seriatim.certificate.tree import Absurd, ByCover, ByCut, Multiples, Rounded, TreeEvidence, TreeNode
from seriatim.checking.allowance import Allowance
from seriatim.checking.counting import InSituation, Place
from seriatim.checking.cover_claim import COVERED, CoverClaim, cover_claim, linear_set
from seriatim.checking.obligation import DoesNotFollow, Obligation, proved
from seriatim.checking.posing import Task
from seriatim.checking.words import counted

MAX_BITS = 4_096
"""The most bits of a number in a row; genuine proofs need a few dozen."""

Case = tuple[Constraint, ...]
"""The rows that a case has beyond those of the case that it comes from."""


def obligations(task: Task[TreeEvidence]) -> Iterator[Obligation]:
    """What has to hold of cuts, covers and the tree, in this order; each relies on those before it."""
    evidence, allowance = task.evidence, task.context.allowance
    claim = yield from cover_claim(task.asked.counted, evidence.claim, task.asked.words, allowance)
    if claim is None:
        return
    yield proved(COVERED, lambda: Cases(claim, evidence, allowance).prove())


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


class Cases:
    """The cases that are open, and the rows of the one at hand."""

    def __init__(self, claim: CoverClaim, evidence: TreeEvidence, allowance: Allowance) -> None:
        self.claim = claim
        self.evidence = evidence
        self.allowance = allowance
        ordered = {
            completion: claim.outcome.get(completion, total(())) for completion in evidence.completions
        }
        self.outcome = {**ordered, **claim.outcome}
        """The outcome in the order of the evidence; the ways to be outside of a cover depend on it."""
        self.rows: list[Constraint] = []
        self._variables = count(len(claim.counting.steps))
        self._outside: dict[int, tuple[Case, ...]] = {}

    def prove(self) -> str:
        self.close(tuple(balances(self.claim, self.evidence, self.allowance)))
        used = Counter(type(node) for node in self.evidence.tree)
        words = ((ByCover, "cover"), (ByCut, "cut"), (Rounded, "rounding"), (Absurd, "contradiction"))
        parts = ", ".join(counted(used[rule], word) for rule, word in words if used[rule])
        return f"a proof by cases: {parts}"

    def close(self, first: Case) -> None:
        """Closes all cases. Raises `DoesNotFollow` if the tree leaves a case open, or is wrong about one."""
        # Cases share the rows of the case that they come from; their own rows follow.
        pending: list[tuple[int, Case]] = [(0, first)]
        for number, node in enumerate(self.evidence.tree, 1):
            if not pending:
                raise DoesNotFollow(f"node {number} of the tree is about no case: all are closed before it")
            shared, own = pending.pop()
            self.rows[shared:] = own
            try:
                cases = self.cases(node)
            except DoesNotFollow as problem:
                raise DoesNotFollow(f"node {number} of the tree {problem}") from None
            pending.extend((len(self.rows), case) for case in reversed(cases))
        if pending:
            raise DoesNotFollow(f"the tree leaves {counted(len(pending), 'case')} open")

    def cases(self, node: TreeNode) -> tuple[Case, ...]:
        """The cases by which a node replaces the one at hand."""
        self.allowance.spend()
        match node:
            case ByCover(cover=number):
                return self.outside(number)
            case ByCut(cut=number):
                if not 1 <= number <= len(self.claim.cuts):
                    raise DoesNotFollow(f"refers to cut {number}, which does not exist")
                cut, places = self.claim.cuts[number - 1]
                self.allowance.spend(len(self.claim.counting.steps) // 10)
                return tuple((constraint,) for constraint in self.claim.counting.cut(cut.kind, places))
            case Rounded(sum=multiples, divisor=divisor):
                if divisor < 1:
                    raise DoesNotFollow(f"divides by {divisor}")
                return ((at_least(round_form(self.sum(multiples), divisor), 0),),)
            case Absurd(sum=multiples):
                form = self.sum(multiples)
                if form.constant >= 0 or any(coefficient > 0 for _, coefficient in form.terms):
                    raise DoesNotFollow("gives a sum of rows that can be at least 0")
                return ()
            case _:
                assert_never(node)

    def outside(self, number: int) -> tuple[Case, ...]:
        """The ways not to be in a cover, about the same quotients and remainders each time."""
        covers = self.evidence.claim.covers
        if not 1 <= number <= len(covers):
            raise DoesNotFollow(f"refers to cover {number}, which does not exist")
        if number not in self._outside:
            condition = membership(linear_set(covers[number - 1], tuple(self.outcome)))
            forms = tuple(self.outcome.values())
            self._outside[number] = tuple(outside(condition, forms, lambda: next(self._variables)))
        self.allowance.spend(len(self._outside[number]))
        return self._outside[number]

    def sum(self, multiples: Multiples) -> Form:
        for number, times in multiples:
            if not 1 <= number <= len(self.rows):
                raise DoesNotFollow(f"refers to row {number}, but there are {len(self.rows):,}")
            row = self.rows[number - 1]
            if times < 0 and row.relation is not Relation.IS_ZERO:
                raise DoesNotFollow(f"takes row {number}, which may exceed 0, a negative number of times")
            self.allowance.spend(1 + len(row.form.terms) // 10)
        form = combination((times, self.rows[number - 1].form) for number, times in multiples)
        if any(n.bit_length() > MAX_BITS for n in (form.constant, *(c for _, c in form.terms))):
            raise DoesNotFollow(f"needs numbers of more than {MAX_BITS:,} bits")
        return form
