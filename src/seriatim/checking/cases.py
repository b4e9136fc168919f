"""Checks proofs by cases that a question about counts has no answer (`seriatim.arithmetic.case_proofs`).

The proof is about natural numbers: those of the question, and for each condition of a set that asks for a
multiple of d (`seriatim.arithmetic.linear_sets`) a quotient by d and a remainder. A *row* is a constraint on
them: a form is 0, or at least 0. A *case* is a list of rows; the first one has the rows of the question and
of its region. A node of the proof closes a case, or replaces it by cases with more rows:

- cover: a case for each way to be outside of a set that is to be avoided;
- cut: a case for each alternative of a clause;
- round: one case, with a row that follows from the others (`seriatim.arithmetic.formula.round_form`);
- absurd: no case. A sum of rows has a negative constant and no positive multiples of variables.

In a sum, rows that are 0 may be taken any number of times, those that are at least 0 not a negative number.

Claim: if each case is closed, the question has no answer. Why: suppose that it has one. Take the numbers of
this answer and, for each set, the quotients and remainders of its outcome. Then all rows of the first case
hold. If those of a case hold, then also those of one of the cases by which a node replaces it: the outcome is
outside of the set, in exactly one way; clauses hold; and a rounded row follows. So there is no end to this,
or it ends with a sum of numbers that are at least 0 and yet negative. But the proof is finite.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import count
from typing import assert_never

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Question, Rounded
from seriatim.arithmetic.formula import Constraint, Form, Relation, at_least, combination, round_form
from seriatim.arithmetic.linear_sets import outside
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.words import counted

MAX_BITS = 4_096
"""The most bits of a number in a row; genuine proofs need a few dozen."""

Case = tuple[Constraint, ...]
"""The rows that a case has beyond those of the case that it comes from."""


def check_cases(question: Question, nodes: Iterable[CaseNode], allowance: Allowance) -> None:
    """Raises `DoesNotFollow` if the nodes leave a case open, or are wrong about one."""
    Cases(question, allowance).close(nodes)


class Cases:
    """The cases of a question that are open, and the rows of the one at hand."""

    def __init__(self, question: Question, allowance: Allowance) -> None:
        self.question = question
        self.allowance = allowance
        self.rows: list[Constraint] = []
        variables = count(question.variables)
        self.outside = cache(
            lambda index: tuple(outside(question.sets[index], question.outcome, variables.__next__))
        )
        """The parts outside of a set, about the same quotients and remainders each time."""

    def close(self, nodes: Iterable[CaseNode]) -> None:
        region = (row for index, part in sorted(self.question.region) for row in self.outside(index)[part])
        # Cases share the rows of the case that they come from; their own rows follow.
        pending: list[tuple[int, Case]] = [(0, (*self.question.rows, *region))]
        for number, node in enumerate(nodes, 1):
            if not pending:
                raise DoesNotFollow(f"node {number} of the tree is about no case: all are closed before it")
            shared, own = pending.pop()
            self.rows[shared:] = own
            try:
                cases = self.cases(node)
            except DoesNotFollow as problem:
                raise DoesNotFollow(f"node {number} of the tree {problem}") from None
            self.allowance.spend(1 + len(cases))
            pending.extend((len(self.rows), case) for case in reversed(cases))
        if pending:
            raise DoesNotFollow(f"the tree leaves {counted(len(pending), 'case')} open")

    def cases(self, node: CaseNode) -> Sequence[Case]:
        """The cases by which a node replaces the one at hand."""
        match node:
            case ByCover(cover=number):
                if number - 1 not in self.question.avoided:
                    raise DoesNotFollow(f"refers to cover {number}, which does not exist")
                return self.outside(number - 1)
            case ByCut(cut=number):
                if not 1 <= number <= len(self.question.clauses):
                    raise DoesNotFollow(f"refers to cut {number}, which does not exist")
                return [(alternative,) for alternative in self.question.clauses[number - 1]]
            case Rounded(sum=multiples, divisor=divisor):
                if divisor < 1:
                    raise DoesNotFollow(f"divides by {divisor}")
                return [(at_least(round_form(self.sum(multiples), divisor), 0),)]
            case Absurd(sum=multiples):
                form = self.sum(multiples)
                if form.constant >= 0 or any(coefficient > 0 for _, coefficient in form.terms):
                    raise DoesNotFollow("gives a sum of rows that can be at least 0")
                return []
            case _:
                assert_never(node)

    def sum(self, multiples: Multiples) -> Form:
        """A form that is at least 0 whenever the rows of the case hold."""
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
