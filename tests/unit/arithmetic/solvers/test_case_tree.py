"""Proofs by cases that are found are right, by the checker, by brute force and by z3."""

from itertools import product
from random import Random

import pytest

from seriatim.arithmetic.case_proofs import Question
from seriatim.arithmetic.formula import (
    Clause,
    Constraint,
    Form,
    Relation,
    at_least,
    at_most,
    combination,
    total,
)
from seriatim.arithmetic.linear_sets import LinearSet, Membership, Vector, membership, outside
from seriatim.arithmetic.linear_sets import product as product_of
from seriatim.arithmetic.solvers.case_tree import HasAnswer, find_proof
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.simplex import Work
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Unknown
from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.checking.cases import check_cases
from seriatim.checking.outcomes import solution

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
    clauses = [clause() for _ in range(4)]
    rows = [each[0] for each in clauses if len(each) == 1]
    return Question(
        VARIABLES, rows, [each for each in clauses if len(each) > 1], outcome, sets, (0, 1, 2), region
    )


def number_of_parts(condition: Membership) -> int:
    return len(list(outside(condition, [Form(()), Form(())], lambda: 0)))


def is_answer(question: Question, values: tuple[int, ...]) -> bool:
    vector = tuple(form.value(values) for form in question.outcome)
    return (
        all(row.holds(values) for row in question.rows)
        and all(any(part.holds(values) for part in clause) for clause in question.clauses)
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


def settled(question: Question, work: int) -> Solution | NoSolution | Unknown:
    """What is found out, with a proof that the checker accepts."""
    try:
        nodes = find_proof(question, Work(work, Deadline()))
    except HasAnswer as answer:
        return Solution(answer.values)
    if nodes is None:
        return Unknown()
    check_cases(question, nodes, Allowance(20_000, Deadline()))
    return NoSolution()


@pytest.mark.parametrize("seed", range(150))
def test_what_is_found_out_is_right(seed: int) -> None:
    question = random_question(Random(seed))
    answer = settled(question, WORK)
    if isinstance(answer, Solution):
        assert is_answer(question, answer.values)
    elif isinstance(answer, NoSolution):
        assert not any(is_answer(question, values) for values in product(range(6), repeat=VARIABLES))


def test_most_is_found_out() -> None:
    answers = [settled(random_question(Random(seed)), WORK) for seed in range(150)]
    assert sum(isinstance(answer, Solution) for answer in answers) > 15
    assert sum(isinstance(answer, NoSolution) for answer in answers) > 30
    assert sum(isinstance(answer, Unknown) for answer in answers) < 10


@pytest.mark.parametrize("seed", range(0, 150, 5))
def test_z3_agrees(seed: int) -> None:
    question = random_question(Random(seed))
    answer = settled(question, WORK)
    if not isinstance(answer, Unknown):
        found = solution(question, Allowance(1_000, Deadline()), SolverName.Z3)
        assert (found is None) == isinstance(answer, NoSolution)


def test_a_set_is_avoided_once() -> None:
    """2 = 2·q + 1 has a solution in rationals; cutting it off takes a rounding, not the same cases again."""
    two = at_least(total([0]), 2), at_most(total([0]), 2)
    even = membership(LinearSet((0,), ((2,),)))
    question = Question(1, two, [], (total([0]),), (even,), (0,))
    assert isinstance(settled(question, WORK), NoSolution)


def test_looking_at_clauses_is_work() -> None:
    either = (at_least(total([0]), 0), at_least(total([1]), 0))
    assert settled(Question(2, [], [either] * 500, (), (), ()), 1_000) == Solution((0, 0))
    assert settled(Question(2, [], [either] * 500, (), (), ()), 10) == Unknown()


def test_too_much_work_settles_nothing() -> None:
    """3x + 3y = 1 has no solution in integers, but one in rationals."""
    equation = Constraint(combination([(3, total([0, 1]))], -1), Relation.IS_ZERO)
    question = Question(2, [equation], [], (), (), ())
    assert isinstance(settled(question, 0), Unknown)
    assert isinstance(settled(question, WORK), NoSolution)
