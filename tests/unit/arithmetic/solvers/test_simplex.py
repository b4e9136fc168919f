"""The simplex method: its solutions satisfy the constraints, its sums refute them, its roundings hold."""

from itertools import product
from random import Random

import pytest

from seriatim.arithmetic.formula import (
    Constraint,
    Form,
    Relation,
    at_least,
    at_most,
    combination,
    is_zero,
    round_form,
    total,
)
from seriatim.arithmetic.solvers.simplex import Multiples, Tableau, TooMuchWork, Work
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Solver
from seriatim.budget import Deadline, OutOfTime

SEEDS = range(60)
VARIABLES = 3


def tableau(constraints: list[Constraint]) -> Tableau:
    made = Tableau(Work(100_000, Deadline()))
    for number, constraint in enumerate(constraints):
        made.add(number, constraint)
    return made


def random_constraints(seed: int) -> list[Constraint]:
    random = Random(seed)
    relations = (Relation.IS_NATURAL, Relation.IS_NATURAL, Relation.IS_ZERO)
    return [
        Constraint(
            combination(
                ((random.randint(-3, 3), total([variable])) for variable in range(VARIABLES)),
                random.randint(-6, 6),
            ),
            random.choice(relations),
        )
        for _ in range(random.randint(1, 5))
    ]


def summed(multiples: Multiples, constraints: list[Constraint]) -> Form:
    assert all(
        times >= 0 or constraints[number].relation is Relation.IS_ZERO for number, times in multiples.items()
    )
    return combination((times, constraints[number].form) for number, times in multiples.items())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_solution_or_a_sum_that_refutes_all(seed: int) -> None:
    constraints = random_constraints(seed)
    made = tableau(constraints)
    why = made.solve()
    if why is None:
        assert all(map(made.satisfies, constraints))
        assert all(made.value(total([variable])) >= 0 for variable in range(VARIABLES))
    else:
        form = summed(why, constraints)
        assert form.constant < 0
        assert all(coefficient <= 0 for _, coefficient in form.terms)


@pytest.mark.parametrize("seed", SEEDS)
def test_constraints_may_come_one_by_one(seed: int) -> None:
    """The answer is the same, and a copy does not notice what is added to the original."""
    constraints = random_constraints(seed)
    made = tableau([])
    for number, constraint in enumerate(constraints):
        before = made.copy()
        made.add(number, constraint)
        is_solved = made.solve() is None
        assert is_solved == (tableau(constraints[: number + 1]).solve() is None)
        assert before.solve() is None
        if not is_solved:
            break


@pytest.mark.parametrize("seed", SEEDS)
def test_rounding_excludes_the_solution_at_hand_and_no_integers(seed: int) -> None:
    """Branch and cut without branches agrees with z3, as far as it gets."""
    constraints = random_constraints(seed)
    made = tableau(constraints)
    for _ in range(20):
        if made.solve() is not None or (rounding := made.rounding()) is None:
            break
        multiples, divisor = rounding
        row = at_least(round_form(summed(multiples, constraints), divisor), 0)
        assert not made.satisfies(row)
        for values in product(range(7), repeat=VARIABLES):
            if all(constraint.holds(values) for constraint in constraints):
                assert row.holds(values)
        made.add(len(constraints), row)
        constraints.append(row)
    else:
        return
    solver = Solver(1_000_000)
    for _ in range(VARIABLES):
        solver.variable()
    answer = solver.solve(random_constraints(seed), Deadline())
    assert isinstance(answer, Solution if made.solve() is None else NoSolution)


def test_a_residue_is_refuted_by_rounding() -> None:
    """3y + 1 = 3q + 2"""
    constraints = [is_zero(Form(((0, 3), (1, -3)), -1))]
    made = tableau(constraints)
    assert made.solve() is None
    rounding = made.rounding()
    assert rounding is not None
    made.add(1, at_least(round_form(summed(rounding[0], constraints), rounding[1]), 0))
    assert made.solve() is not None


def test_solutions_are_smallest() -> None:
    made = tableau([at_least(total([0, 1]), 3), at_least(total([0, 0, 1]), 4), at_most(total([0]), 2)])
    assert made.solve() is None
    assert made.value(total([0, 1])) == 3


def test_work_is_bounded() -> None:
    made = Tableau(Work(1, Deadline()))
    made.add(0, at_least(total([0, 1]), 3))
    with pytest.raises(TooMuchWork):
        made.solve()


def test_the_deadline_is_heeded() -> None:
    made = Tableau(Work(1_000, Deadline(-1)))
    made.add(0, at_least(total([0, 1]), 3))
    with pytest.raises(OutOfTime):
        made.solve()
