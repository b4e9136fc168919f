"""Proofs by cases, wherever they come from: only those that are right are accepted."""

import pytest

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Question, Rounded
from seriatim.arithmetic.formula import Constraint, Form, at_least, at_most, is_zero, total
from seriatim.arithmetic.linear_sets import LinearSet, membership
from seriatim.budget import Deadline
from seriatim.checking import cases
from seriatim.checking.allowance import Allowance
from seriatim.checking.cases import Cases, check_cases
from seriatim.checking.obligation import DoesNotFollow

X = total([0])
POSITIVE, TINY, ABSENT, NEGATIVE = at_least(X, 1), at_least(X, -1), is_zero(total([0], 1)), at_most(X, -1)
"""x ≥ 1; x + 1 ≥ 0; x + 1 = 0; −x − 1 ≥ 0."""

ODD, EVEN = (membership(LinearSet((base,), ((2,),))) for base in (1, 0))


def is_accepted(question: Question, *nodes: CaseNode) -> bool:
    try:
        check_cases(question, nodes, Allowance(1_000, Deadline()))
    except DoesNotFollow:
        return False
    return True


SUMS: dict[str, tuple[Constraint, Multiples, bool]] = {
    "nothing": (POSITIVE, (), False),
    "what grows": (POSITIVE, ((1, 1),), False),
    "what can be 0": (at_most(X, 0), ((1, 1),), False),
    "what is never natural": (NEGATIVE, ((1, 1),), True),
    "a row that does not exist": (NEGATIVE, ((1, 1), (3, 1)), False),
    "row 0": (NEGATIVE, ((1, 1), (0, 1)), False),
    "a negative multiple of what is natural": (TINY, ((1, -1),), False),
    "a negative multiple of what is 0": (ABSENT, ((1, -1),), True),
    "no multiple of what is natural": (NEGATIVE, ((1, 1), (2, 0)), True),
    "too long a number": (ABSENT, ((1, -(1 << cases.MAX_BITS)),), False),
    "too long a constant": (at_most(X, -(1 << cases.MAX_BITS)), ((1, 1),), False),
    "a number just not too long": (ABSENT, ((1, -(1 << cases.MAX_BITS - 1)),), True),
}


@pytest.mark.parametrize(("row", "multiples", "is_proof"), SUMS.values(), ids=SUMS.keys())
def test_a_sum_closes_a_case_only_if_it_is_negative(
    row: Constraint, multiples: Multiples, is_proof: bool
) -> None:
    question = Question(1, [row, POSITIVE], [], (), (), ())
    assert is_accepted(question, Absurd(multiples)) == is_proof


@pytest.mark.parametrize(("divisor", "is_proof"), [(2, True), (0, False), (-2, False)])
def test_what_is_rounded_is_divided_by_a_positive_number(divisor: int, is_proof: bool) -> None:
    """1 − 2·x ≥ 0 and x ≥ 1."""
    question = Question(1, [at_most(total([0, 0]), 1), POSITIVE], [], (), (), ())
    nodes = Rounded(((1, 1),), divisor), Absurd(((2, 1), (3, 1)))
    assert is_accepted(question, *nodes) == is_proof


def test_every_case_is_closed_once() -> None:
    question = Question(1, [NEGATIVE], [(POSITIVE, TINY)], (), (), ())
    absurd = Absurd(((1, 1),))
    assert is_accepted(question, ByCut(1), absurd, absurd)
    assert not is_accepted(question)
    assert not is_accepted(question, ByCut(1), absurd)
    assert not is_accepted(question, ByCut(1), absurd, absurd, absurd)


@pytest.mark.parametrize("node", [ByCut(0), ByCut(2), ByCover(0), ByCover(1), ByCover(3)])
def test_nodes_refer_to_clauses_and_to_sets_that_are_to_be_avoided(node: CaseNode) -> None:
    """All is absurd here, but for the node."""
    question = Question(1, [NEGATIVE], [(TINY, TINY)], (X,), (ODD, EVEN), (1,))
    absurd = Absurd(((1, 1),))
    assert is_accepted(question, ByCover(2), absurd, absurd)
    for number in range(4):
        assert not is_accepted(question, node, *[absurd] * number)


@pytest.mark.parametrize(("part", "is_proof"), [(0, True), (1, False)])
def test_an_outcome_is_in_the_region(part: int, is_proof: bool) -> None:
    """The region says that x is at most 0, or that it is at least 2 and even; and then x is not even."""
    question = Question(1, [], [], (X,), (ODD, EVEN), (1,), frozenset({(0, part)}))
    nodes = ByCover(2), Absurd(((2, 1),)), Absurd(((1, 1), (3, 1)))
    assert is_accepted(question, *nodes) == is_proof


def test_nodes_cases_and_rows_are_paid_for() -> None:
    question = Question(1, [at_least(X, 2), at_most(X, 1)], [(POSITIVE, TINY)], (X,), (ODD,), (0,))

    def spent(*nodes: CaseNode) -> int:
        allowance = Allowance(1_000, Deadline())
        with pytest.raises(DoesNotFollow):
            check_cases(question, nodes, allowance)
        return allowance.spent

    assert spent(Rounded(((1, 1), (2, 1), (2, 1)), 1)) == 2 + 3
    assert spent(ByCut(1)) == 1 + 2
    assert spent(ByCover(1)) == 1 + len(Cases(question, Allowance()).outside(0))


NOTHING = Question(2, [], [], (), (), ())


def test_sums_of_rows() -> None:
    """A row may be taken no times, and numbers may have 4,096 bits."""
    cases = Cases(NOTHING, Allowance(1_000, Deadline()))
    cases.rows = [at_least(total([0]), 0), is_zero(total([1], 5))]
    assert cases.sum(((1, 0), (2, -1))) == Form(((1, -1),), -5)
    assert cases.sum(((1, 2**4_095),)) == Form(((0, 2**4_095),))
    for row, times in ((1, 2**4_096), (2, 2**4_094)):
        with pytest.raises(DoesNotFollow, match="more than 4,096 bits"):
            cases.sum(((row, times),))


def test_a_contradiction_cannot_be_at_least_0_whatever_the_numbers() -> None:
    """x ≥ 1 alone is none, and neither is x ≤ 0, nor is x ≤ 1 with it."""
    cases = Cases(NOTHING, Allowance(1_000, Deadline()))
    cases.rows = [at_least(total([0]), 1), at_most(total([0]), 0), at_most(total([0]), 1)]
    assert cases.cases(Absurd(((1, 1), (2, 1)))) == []
    for rows in ((1,), (2,), (1, 3)):
        with pytest.raises(DoesNotFollow, match="can be at least 0"):
            cases.cases(Absurd(tuple((row, 1) for row in rows)))
