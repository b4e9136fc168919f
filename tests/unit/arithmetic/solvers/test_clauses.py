"""The first assignment that satisfies all clauses, against trying them all."""

from itertools import product
from random import Random

import pytest

from seriatim.arithmetic.solvers.clauses import Clause, first_model
from seriatim.budget import Deadline, OutOfTime


def by_trying_all(variables: int, clauses: list[Clause]) -> set[int] | None:
    for values in product((False, True), repeat=variables):
        literals = {v if value else ~v for v, value in enumerate(values)}
        if all(clause & literals for clause in clauses):
            return {v for v, value in enumerate(values) if value}
    return None


def random_clauses(random: Random, variables: int) -> list[Clause]:
    literals = [*range(variables), *(~v for v in range(variables))]
    return [
        Clause(random.sample(literals, random.randint(1, min(3, len(literals)))))
        for _ in range(random.randint(0, 5 * variables))
    ]


def test_it_is_the_first_one_of_all_assignments() -> None:
    outcomes = set()
    for seed in range(300):
        random = Random(seed)
        variables = random.randint(1, 7)
        clauses = random_clauses(random, variables)
        expected = by_trying_all(variables, clauses)
        assert first_model(range(variables), clauses, Deadline()) == expected, seed
        outcomes.add(None if expected is None else bool(expected))
    assert outcomes == {None, False, True}


def test_without_clauses_everything_is_false() -> None:
    assert first_model([3, 1], [], Deadline()) == set()


def test_nothing_satisfies_the_empty_clause() -> None:
    assert first_model([0], [Clause()], Deadline()) is None


def test_it_ends_when_the_time_is_over() -> None:
    with pytest.raises(OutOfTime):
        first_model([0], [], Deadline(seconds=0))
