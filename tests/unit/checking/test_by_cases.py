"""Questions about counts that need no solver: what is found out is right, by brute force and by z3."""

from itertools import product
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.checking.by_cases import settled
from seriatim.checking.outcomes import Question, solution
from seriatim.formula import Clause, Constraint, Form, Relation, combination, total
from seriatim.linear_sets import LinearSet, Membership, Vector, membership, outside
from seriatim.linear_sets import product as product_of
from seriatim.solvers.named import SolverName
from seriatim.solvers.smt import NoSolution, Solution, Unknown

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


def test_too_much_work_settles_nothing() -> None:
    """3x + 3y = 1 has no solution in integers, but one in rationals."""
    equation = Constraint(combination([(3, total([0, 1]))], -1), Relation.IS_ZERO)
    question = Question(2, [(equation,)], (), (), ())
    assert isinstance(settled(question, 5, Deadline()), Unknown)
    assert isinstance(settled(question, WORK, Deadline()), NoSolution)
