"""Questions about counts that need no solver: what is found out is right, by brute force and by z3."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random

import pytest

from seriatim.arithmetic.formula import (
    Clause,
    Constraint,
    Form,
    Relation,
    at_least,
    at_most,
    combination,
    is_zero,
    total,
)
from seriatim.arithmetic.linear_sets import LinearSet, Membership, Vector, membership, outside
from seriatim.arithmetic.linear_sets import product as product_of
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.simplex import Multiples, Tableau, Work
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.checking import by_cases
from seriatim.checking.allowance import Allowance
from seriatim.checking.by_cases import settled
from seriatim.checking.outcomes import Question, solution

VARIABLES = 3
WORK = 20_000
PERIODS: tuple[tuple[Vector, ...], ...] = (
    (),
    ((1, 0),),
    ((0, 2),),
    ((1, 1),),
    ((2, 0), (0, 3)),
    ((2, 1), (1, 2)),
)


def random_question(random: Random) -> Question:
    def constraint() -> Constraint:
        terms = tuple((v, c) for v in range(VARIABLES) if (c := random.randint(-3, 3)))
        return Constraint(Form(terms, random.randint(-4, 4)), random.choice(list(Relation)))

    def clause() -> Clause:
        return tuple(constraint() for _ in range(random.choice((1, 1, 2))))

    sets = tuple(
        membership(LinearSet((random.randint(0, 2), random.randint(0, 2)), random.choice(PERIODS)))
        for _ in range(3)
    )
    region = frozenset({(0, random.randrange(number_of_parts(sets[0])))} if random.random() < 0.5 else ())
    outcome = (total([0, 1]), total([1, 2, 2]))
    return Question(VARIABLES, [clause() for _ in range(4)], outcome, sets, (0, 1, 2), region)


def number_of_parts(condition: Membership) -> int:
    return len(list(outside(condition, [Form(()), Form(())], lambda: 0)))


def is_answer(question: Question, values: tuple[int, ...]) -> bool:
    vector = tuple(form.value(values) for form in question.outcome)
    return (
        all(any(part.holds(values) for part in clause) for clause in question.clauses)
        and not any(question.sets[number].holds(vector) for number in question.avoided)
        and all(part_of(question.sets[number], vector) == part for number, part in question.region)
    )


def part_of(condition: Membership, vector: Vector) -> int | None:
    """The part outside of a set in which a vector is: the first condition that fails."""
    offset = [a - b for a, b in zip(vector, condition.base, strict=True)]
    part = 0
    for row in condition.equations:
        if product_of(row, offset) != 0:
            return part if product_of(row, offset) > 0 else part + 1
        part += 2
    for row, _ in condition.coordinates:
        if product_of(row, offset) < 0:
            return part
        part += 1
    for row, divisor in condition.coordinates:
        if product_of(row, offset) % divisor != 0:
            return part
        part += divisor > 1
    return None


@pytest.mark.parametrize("seed", range(150))
def test_what_is_found_out_is_right(seed: int) -> None:
    question = random_question(Random(seed))
    answer = settled(question, WORK, Deadline())
    if isinstance(answer, Solution):
        assert is_answer(question, answer.values)
    elif isinstance(answer, NoSolution):
        assert not any(is_answer(question, values) for values in product(range(6), repeat=VARIABLES))


def test_most_is_found_out() -> None:
    answers = [settled(random_question(Random(seed)), WORK, Deadline()) for seed in range(150)]
    assert sum(isinstance(answer, Solution) for answer in answers) > 15
    assert sum(isinstance(answer, NoSolution) for answer in answers) > 30
    assert sum(isinstance(answer, Unknown) for answer in answers) < 10


@pytest.mark.parametrize("seed", range(0, 150, 5))
def test_z3_agrees(seed: int) -> None:
    question = random_question(Random(seed))
    answer = settled(question, WORK, Deadline())
    if not isinstance(answer, Unknown):
        found = solution(question, Allowance(1_000, Deadline()), SolverName.Z3)
        assert (found is None) == isinstance(answer, NoSolution)


def test_a_set_is_avoided_once() -> None:
    """2 = 2·q + 1 has a solution in rationals; cutting it off takes a rounding, not the same cases again."""
    two = at_least(total([0]), 2), at_most(total([0]), 2)
    even = membership(LinearSet((0,), ((2,),)))
    question = Question(1, [(part,) for part in two], (total([0]),), (even,), (0,))
    assert isinstance(settled(question, WORK, Deadline()), NoSolution)


def test_looking_at_clauses_is_work() -> None:
    either = (at_least(total([0]), 0), at_least(total([1]), 0))
    assert settled(Question(2, [either] * 500, (), (), ()), 1_000, Deadline()) == Solution((0, 0))
    assert settled(Question(2, [either] * 500, (), (), ()), 100, Deadline()) == Unknown()


def test_too_much_work_settles_nothing() -> None:
    """3x + 3y = 1 has no solution in integers, but one in rationals."""
    equation = Constraint(combination([(3, total([0, 1]))], -1), Relation.IS_ZERO)
    question = Question(2, [(equation,)], (), (), ())
    assert isinstance(settled(question, 5, Deadline()), Unknown)
    assert isinstance(settled(question, WORK, Deadline()), NoSolution)


# --- a method that is not to be trusted ---------------------------------------------------------------------


class Told(Tableau):
    """Says what it was told to, one thing after the other."""

    def __init__(
        self,
        work: Work,
        absurd: Multiples | None,
        roundings: Iterator[tuple[Multiples, int]],
        values: Iterator[tuple[Fraction, ...]],
    ) -> None:
        super().__init__(work)
        self.absurd = absurd
        self.roundings = roundings
        self.values = values

    def copy(self) -> "Told":
        return self

    def solve(self) -> Multiples | None:
        return self.absurd

    def rounding(self) -> tuple[Multiples, int] | None:
        return next(self.roundings, None)

    def value(self, form: Form) -> Fraction:
        values = next(self.values)
        return form.constant + sum((c * values[v] for v, c in form.terms), Fraction())


def settled_by(
    monkeypatch: pytest.MonkeyPatch,
    question: Question,
    absurd: Multiples | None = None,
    roundings: Iterable[tuple[Multiples, int]] = (),
    values: Iterable[tuple[Fraction, ...]] = (),
) -> Solution | NoSolution | Unknown:
    told = partial(Told, absurd=absurd, roundings=iter(roundings), values=iter(values))
    monkeypatch.setattr(by_cases, "Tableau", told)
    return settled(question, WORK, Deadline())


X = total([0])
POSITIVE, TINY, ABSENT, NEGATIVE = at_least(X, 1), at_least(X, -1), is_zero(total([0], 1)), at_most(X, -1)
"""x ≥ 1; x + 1 ≥ 0; x + 1 = 0; −x − 1 ≥ 0."""

SUMS: dict[str, tuple[Constraint, Multiples, bool]] = {
    "nothing": (POSITIVE, {}, False),
    "what grows": (POSITIVE, {0: 1}, False),
    "what can be 0": (at_most(X, 0), {0: 1}, False),
    "what is never natural": (NEGATIVE, {0: 1}, True),
    "a negative multiple of what is natural": (TINY, {0: -1}, False),
    "a negative multiple of what is 0": (ABSENT, {0: -1}, True),
    "no multiple of what is natural": (NEGATIVE, {0: 1, 1: 0}, True),
    "too long a number": (ABSENT, {0: -(1 << by_cases.MAX_BITS)}, False),
    "too long a constant": (at_most(X, -(1 << by_cases.MAX_BITS)), {0: 1}, False),
    "a number just not too long": (ABSENT, {0: -(1 << by_cases.MAX_BITS - 1)}, True),
}


@pytest.mark.parametrize(("row", "multiples", "is_proof"), SUMS.values(), ids=SUMS.keys())
def test_a_sum_closes_a_case_only_if_it_is_negative(
    monkeypatch: pytest.MonkeyPatch, row: Constraint, multiples: Multiples, is_proof: bool
) -> None:
    found = settled_by(monkeypatch, Question(1, [(row,), (POSITIVE,)], (), (), ()), multiples)
    assert found == (NoSolution() if is_proof else Unknown())


@pytest.mark.parametrize("divisor", [0, -2])
def test_what_is_rounded_is_divided_by_a_positive_number(
    monkeypatch: pytest.MonkeyPatch, divisor: int
) -> None:
    question = Question(1, [(POSITIVE,)], (), (), ())
    assert settled_by(monkeypatch, question, roundings=[({0: 1}, divisor)]) == Unknown()


ONE, HALF = (Fraction(1), Fraction(1)), (Fraction(1, 2), Fraction(1, 2))


def test_a_solution_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """All clauses hold of it, and its outcome is in no set to be avoided, whatever the method says."""
    both = Question(2, [(POSITIVE,), (at_least(total([1]), 1),)], (), (), ())
    right = settled_by(monkeypatch, both, roundings=[({0: 1}, 1)], values=[ONE, ONE])
    assert right == Solution((1, 1))
    one_holds = [(Fraction(1), Fraction(0))] * 2
    assert settled_by(monkeypatch, both, values=one_holds) == Unknown()
    avoiding = Question(1, [(POSITIVE,)], (X,), (membership(LinearSet((1,), ())),), (0,))
    assert settled_by(monkeypatch, avoiding, values=[HALF, ONE]) == Unknown()
    free = replace(avoiding, avoided=())
    assert settled_by(monkeypatch, free, values=[HALF, ONE]) == Solution((1,))
