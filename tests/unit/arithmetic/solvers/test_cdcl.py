"""Clauses: models are models, and what has none has a core that follows by unit propagation."""

from itertools import product
from random import Random

import pytest

from seriatim.arithmetic.solvers.cdcl import ClauseStore
from seriatim.budget import Deadline
from testkit.samples import sample


def has_model(clauses: list[list[int]], size: int) -> bool:
    return any(
        all(any((literal > 0) == values[abs(literal) - 1] for literal in clause) for clause in clauses)
        for values in product((False, True), repeat=size)
    )


def propagates(clauses: list[set[int]], clause: set[int]) -> bool:
    """Whether a clause follows by unit propagation."""
    known = {-literal for literal in clause}
    while True:
        size = len(known)
        for each in clauses:
            left = {literal for literal in each if -literal not in known}
            if not left:
                return True
            if len(left) == 1:
                known |= left
        if len(known) == size:
            return False


@pytest.mark.parametrize("seed", sample(100, 10))
def test_clauses_that_come_one_by_one_agree_with_truth_tables(seed: int) -> None:
    for part in range(20):
        random = Random(20 * seed + part)
        size, solver, given = random.randint(1, 8), ClauseStore(), list[list[int]]()
        for _ in range(random.randint(1, 6)):
            for _ in range(random.randint(1, 8)):
                clause = [
                    random.choice((1, -1)) * random.randint(1, size) for _ in range(random.randint(1, 3))
                ]
                given.append(clause)
                solver.add(clause)
            solver.prefer(random.choice((1, -1)) * variable for variable in range(1, size + 1))
            model = solver.solve(Deadline())
            assert (model is not None) == has_model(given, size)
            if model is None:
                core = solver.core()
                known = [set(given[number]) for number in core.given]
                for learned in core.learned:
                    assert propagates(known, set(learned))
                    known.append(set(learned))
                assert propagates(known, set())
                break
            assert all(any((literal > 0) == model[abs(literal)] for literal in clause) for clause in given)


def test_a_model_is_the_guess_where_clauses_leave_it() -> None:
    solver = ClauseStore()
    solver.add([1, 2])
    solver.prefer([-1, 2, 3, -4])
    assert solver.solve(Deadline()) == [False, False, True, True, False]


def test_an_empty_clause_has_no_model() -> None:
    solver = ClauseStore()
    solver.add([])
    assert solver.solve(Deadline()) is None
    assert solver.core().given == (0,)
