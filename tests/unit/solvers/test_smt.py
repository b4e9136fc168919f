"""The solver: right about small problems, reproducible, and not loaded before it is needed."""

import subprocess
import sys
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seriatim.budget import Deadline, OutOfMemory, OutOfTime
from seriatim.formula import (
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
from seriatim.solvers.smt import NoSolution, Solution, Solver, Unknown

MAX_WORK = 1_000_000

forms = st.builds(
    lambda coefficients, constant: combination(
        [(c, total([v])) for v, c in enumerate(coefficients)], constant
    ),
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.integers(-5, 5),
)
constraints = st.builds(Constraint, forms, st.sampled_from(Relation))
clauses = st.lists(constraints, max_size=2).map(tuple)


def solver_of(variables: int, found: list[Clause]) -> Solver:
    solver = Solver(MAX_WORK)
    for _ in range(variables):
        solver.variable()
    for clause in found:
        solver.add(clause)
    return solver


@given(st.lists(clauses, max_size=4), st.lists(constraints, max_size=3))
def test_a_solution_satisfies_everything_and_none_means_none(
    found: list[Clause], region: list[Constraint]
) -> None:
    answer = solver_of(3, found).solve(region, Deadline())

    def fits(values: tuple[int, ...]) -> bool:
        return all(c.holds(values) for c in region) and all(any(c.holds(values) for c in cl) for cl in found)

    match answer:
        case Solution(values=values):
            assert min(values) >= 0
            assert fits(values)
        case NoSolution():
            assert not any(map(fits, product(range(5), repeat=3)))
        case Unknown():
            pytest.fail("a small problem")


def test_a_region_counts_once() -> None:
    solver = solver_of(1, [])
    assert solver.solve([at_most(total([0]), -1)], Deadline()) == NoSolution()
    assert isinstance(solver.solve([at_least(total([0]), 7)], Deadline()), Solution)


def test_the_same_questions_have_the_same_answers() -> None:
    def ask() -> list[object]:
        solver = solver_of(4, [(at_least(total(range(4)), 17),)])
        return [solver.solve([is_zero(total([i], -i))], Deadline()) for i in range(4)]

    assert ask() == ask()


def test_too_much_work_is_unknown() -> None:
    """An equation whose smallest solution is far away, and next to no work allowed."""
    solver = Solver(10)
    first, second = (total([solver.variable()]) for _ in range(2))
    answer = solver.solve([is_zero(combination([(7919, first), (-7907, second)], -1))], Deadline())
    assert answer == Unknown()


def test_no_question_after_the_deadline() -> None:
    with pytest.raises(OutOfTime):
        solver_of(1, []).solve([], Deadline(-1.0))


def test_a_form_without_terms_is_its_constant() -> None:
    assert solver_of(0, [(is_zero(Form((), 1)),)]).solve([], Deadline()) == NoSolution()
    assert solver_of(0, [()]).solve([], Deadline()) == NoSolution()
    assert isinstance(solver_of(0, []).solve([], Deadline()), Solution)


def test_nothing_loads_z3_before_a_solver_is_made() -> None:
    script = "import sys, seriatim.cli.main, seriatim.engines.state_equation; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_memory_ends_a_question() -> None:
    """Too many pigeons for their holes, hard to refute, and no memory beyond what there is."""
    holes = 30
    solver = Solver(2**31 - 1)
    sits = [[total([solver.variable()]) for _ in range(holes)] for _ in range(holes + 1)]
    for pigeon in sits:
        solver.add(tuple(at_least(place, 1) for place in pigeon))
    for hole in range(holes):
        for one, other in combinations([pigeon[hole] for pigeon in sits], 2):
            solver.add((at_most(one, 0), at_most(other, 0)))
    with pytest.raises(OutOfMemory):
        solver.solve([], Deadline(60.0, max_bytes=1))
