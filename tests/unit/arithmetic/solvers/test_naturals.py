"""The provers' solver: branch and cut and z3 agree, and take turns as they should."""

import subprocess
import sys
from random import Random

import pytest

from seriatim.arithmetic.formula import (
    Clause,
    Constraint,
    Relation,
    at_least,
    at_most,
    combination,
    is_zero,
    total,
)
from seriatim.arithmetic.solvers import naturals
from seriatim.arithmetic.solvers.branch_and_cut import BranchAndCut
from seriatim.arithmetic.solvers.naturals import MUCH_WORK, NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Solution, Solver, Unknown
from seriatim.budget import Deadline, OutOfTime

NEVER = Deadline()
Z3_WORK = 20_000_000


def random_constraint(random: Random, variables: int) -> Constraint:
    terms = random.sample(range(variables), random.randint(1, min(4, variables)))
    form = combination([(random.choice([-3, -2, -1, 1, 1, 2, 5]), total([v])) for v in terms])
    relation = random.choice([Relation.IS_ZERO, *[Relation.IS_NATURAL] * 2])
    return Constraint(combination([(1, form)], random.randint(-6, 6)), relation)


def random_clause(random: Random, variables: int) -> Clause:
    return tuple(random_constraint(random, variables) for _ in range(random.choice([1, 1, 2, 3])))


def satisfied(values: tuple[int, ...], clauses: list[Clause]) -> bool:
    return min(values) >= 0 and all(any(part.holds(values) for part in clause) for clause in clauses)


@pytest.mark.parametrize("seed", range(150))
def test_branch_and_cut_agrees_with_z3_as_clauses_come_and_go(seed: int) -> None:
    random = Random(seed)
    variables = random.randint(2, 8)
    cutting, z3 = BranchAndCut(), Solver(Z3_WORK)
    for _ in range(variables):
        assert cutting.variable() == z3.variable()
    clauses: list[Clause] = []
    asked = compared = 0

    def compare() -> None:
        nonlocal asked, compared
        region = [random_constraint(random, variables) for _ in range(random.randint(0, 2))]
        answer = cutting.solve(region, MUCH_WORK, NEVER)
        other = z3.solve(region, NEVER)
        if isinstance(answer, Solution):
            assert satisfied(answer.values, [*clauses, *((part,) for part in region)])
        asked += 1
        if not isinstance(answer, Unknown) and not isinstance(other, Unknown):
            compared += 1
            assert type(answer) is type(other)

    def add() -> None:
        clauses.append(random_clause(random, variables))
        cutting.add(clauses[-1])
        z3.add(clauses[-1])

    for _ in range(random.randint(1, 5)):
        add()
        compare()
    kept = len(clauses)
    with cutting.for_a_while(), z3.for_a_while():
        add()
        compare()
    del clauses[kept:]
    compare()
    assert compared >= asked - 1, "both have to answer nearly always, or nothing is compared"


def test_most_small_questions_are_answered_by_branch_and_cut() -> None:
    random = Random(1)
    unknown = 0
    for _ in range(200):
        cutting = BranchAndCut()
        for _ in range(6):
            cutting.variable()
        for _ in range(5):
            cutting.add(random_clause(random, 6))
        unknown += isinstance(cutting.solve([], naturals.LITTLE_WORK, NEVER), Unknown)
    assert unknown <= 10


def hard_question() -> tuple[BranchAndCut, list[Clause]]:
    """A transport problem with prices, which takes a number of exchanges."""
    random = Random(7)
    size = 6
    clauses: list[Clause] = [
        (is_zero(total([size * row + column for column in range(size)], -random.randint(3, 9))),)
        for row in range(size)
    ]
    costs = combination((random.randint(1, 9), total([cell])) for cell in range(size * size))
    clauses.append((at_most(costs, 120),))
    clauses += [(at_least(total([size * row + column for row in range(size)]), 3),) for column in range(size)]
    cutting = BranchAndCut()
    for _ in range(size * size):
        cutting.variable()
    for clause in clauses:
        cutting.add(clause)
    return cutting, clauses


def test_what_was_given_up_can_be_asked_again() -> None:
    """Work that ends in the middle leaves the clauses as they are."""
    cutting, clauses = hard_question()
    work, given_up = 1, 0
    while isinstance(answer := cutting.solve([], work, NEVER), Unknown):
        work += 40
        given_up += 1
    assert given_up > 3
    assert isinstance(answer, Solution)
    assert satisfied(answer.values, clauses)


def test_the_deadline_is_heeded() -> None:
    cutting, _ = hard_question()
    with pytest.raises(OutOfTime):
        cutting.solve([], MUCH_WORK, Deadline(0))


def test_whoever_has_answered_goes_first_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def gives_up(_: BranchAndCut, __: list[Constraint], max_work: int, ___: Deadline) -> Unknown:
        asked.append(f"cut {max_work}")
        return Unknown()

    def answers(_: Solver, __: list[Constraint], ___: Deadline) -> NoSolution:
        asked.append("z3")
        return NoSolution()

    monkeypatch.setattr(BranchAndCut, "solve", gives_up)
    monkeypatch.setattr(Solver, "solve", answers)
    solver = NaturalSolver(Z3_WORK)
    for _ in range(2):
        assert solver.solve([], NEVER) == NoSolution()
    assert asked == [f"cut {naturals.LITTLE_WORK}", "z3", "z3"]
    monkeypatch.setattr(Solver, "solve", lambda *_: Unknown())
    del asked[:]
    assert solver.solve([], NEVER) == Unknown()
    assert asked == [f"cut {MUCH_WORK}", f"cut {naturals.LITTLE_WORK}"]


@pytest.mark.parametrize("seed", range(40))
def test_z3_is_told_all_that_holds_and_nothing_that_was_for_a_while(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Branch and cut gives up now and then, so that z3 comes in anywhere."""
    random = Random(seed)
    answered_by_cutting = BranchAndCut.solve

    def sometimes(self: BranchAndCut, region: list[Constraint], work: int, deadline: Deadline) -> object:
        return Unknown() if random.random() < 0.6 else answered_by_cutting(self, region, work, deadline)

    solver = NaturalSolver(Z3_WORK)
    clauses: list[Clause] = []
    variables = 0

    def grow() -> None:
        nonlocal variables
        variables += 1
        solver.variable()
        clauses.append(random_clause(random, variables))
        solver.add(clauses[-1])

    def check() -> None:
        with monkeypatch.context() as patched:
            patched.setattr(BranchAndCut, "solve", sometimes)
            answer = solver.solve([], NEVER)
        fresh = Solver(Z3_WORK)
        for _ in range(variables):
            fresh.variable()
        for clause in clauses:
            fresh.add(clause)
        expected = fresh.solve([], NEVER)
        if not isinstance(answer, Unknown) and not isinstance(expected, Unknown):
            assert type(answer) is type(expected)
        if isinstance(answer, Solution):
            assert satisfied(answer.values, clauses)

    for _ in range(3):
        grow()
        check()
        kept = len(clauses)
        with solver.for_a_while():
            grow()
            check()
        del clauses[kept:]
        check()


def test_z3_is_not_loaded_for_what_branch_and_cut_answers() -> None:
    code = """if True:
        import sys
        from seriatim.budget import Deadline
        from seriatim.arithmetic.formula import at_least, total
        from seriatim.arithmetic.solvers.naturals import NaturalSolver
        solver = NaturalSolver(1_000)
        solver.add((at_least(total([solver.variable()]), 7),))
        print(solver.solve([], Deadline()), "z3" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "Solution(values=(7,)) False\n"
