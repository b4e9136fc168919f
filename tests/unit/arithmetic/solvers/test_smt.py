"""The solvers: right about small problems, reproducible, and not loaded before they are needed."""

import subprocess
import sys
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
from seriatim.arithmetic.solvers.cvc5_smt import Cvc5Solver
from seriatim.arithmetic.solvers.named import SolverName, new_solver
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Solver, Unknown
from seriatim.budget import Deadline, OutOfMemory, OutOfTime
from testkit.samples import deep

solvers = pytest.mark.parametrize("name", SolverName)

forms = st.builds(
    lambda coefficients, constant: combination(
        [(c, total([v])) for v, c in enumerate(coefficients)], constant
    ),
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.integers(-5, 5),
)
constraints = st.builds(Constraint, forms, st.sampled_from(Relation))
clauses = st.lists(constraints, max_size=2).map(tuple)


def solver_of(name: SolverName, variables: int, found: list[Clause]) -> Solver | Cvc5Solver:
    solver = new_solver(name)
    for _ in range(variables):
        solver.variable()
    for clause in found:
        solver.add(clause)
    return solver


@solvers
@given(st.lists(clauses, max_size=4), st.lists(constraints, max_size=3))
def test_a_solution_satisfies_everything_and_none_means_none(
    name: SolverName, found: list[Clause], region: list[Constraint]
) -> None:
    answer = solver_of(name, 3, found).solve(region, Deadline())

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


@solvers
def test_a_region_counts_once(name: SolverName) -> None:
    solver = solver_of(name, 1, [])
    assert solver.solve([at_most(total([0]), -1)], Deadline()) == NoSolution()
    assert isinstance(solver.solve([at_least(total([0]), 7)], Deadline()), Solution)


@solvers
def test_the_same_questions_have_the_same_answers(name: SolverName) -> None:
    def ask() -> list[object]:
        solver = solver_of(name, 4, [(at_least(total(range(4)), 17),)])
        return [solver.solve([is_zero(total([i], -i))], Deadline()) for i in range(4)]

    assert ask() == ask()


@pytest.mark.parametrize("solver", [Solver(10), Cvc5Solver(10)], ids=list(SolverName))
def test_too_much_work_is_unknown(solver: Solver | Cvc5Solver) -> None:
    """An equation whose smallest solution is far away, and next to no work allowed."""
    first, second = (total([solver.variable()]) for _ in range(2))
    answer = solver.solve([is_zero(combination([(7919, first), (-7907, second)], -1))], Deadline())
    assert answer == Unknown()


@solvers
def test_no_question_after_the_deadline(name: SolverName) -> None:
    with pytest.raises(OutOfTime):
        solver_of(name, 1, []).solve([], Deadline(-1.0))


@solvers
def test_a_form_without_terms_is_its_constant(name: SolverName) -> None:
    assert solver_of(name, 0, [(is_zero(Form((), 1)),)]).solve([], Deadline()) == NoSolution()
    assert solver_of(name, 0, [()]).solve([], Deadline()) == NoSolution()
    assert isinstance(solver_of(name, 0, []).solve([], Deadline()), Solution)


def test_nothing_loads_a_solver_before_one_is_made() -> None:
    loaded = "sys.exit(not {'z3', 'cvc5'}.isdisjoint(sys.modules))"
    modules = "seriatim.cli.main, seriatim.engines.counting.state_equation, seriatim.cli.verify"
    script = f"import sys, {modules}; {loaded}"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@deep
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


def test_a_solver_that_missed_a_clause_is_not_asked_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would say that there is a solution."""
    import z3

    solver, right = Solver(100_000), Solver._number
    x = solver.variable()

    def fail(_: Solver, value: int) -> z3.ArithRef:
        monkeypatch.setattr(Solver, "_number", right)
        raise z3.Z3Exception(f"no number {value}")

    monkeypatch.setattr(Solver, "_number", fail)
    solver.add((at_most(total([x]), 3),))
    solver.add((at_least(total([x]), 5),))
    assert solver.solve((), Deadline()) == Unknown()
    assert solver.solve((), Deadline()) == Unknown()
