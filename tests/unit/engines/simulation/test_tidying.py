"""Formulas mean the same when they are tidied, and read better."""

from random import Random

import pytest

from seriatim.arithmetic.evaluation import evaluate
from seriatim.arithmetic.term_text import read_term, write_term
from seriatim.arithmetic.terms import (
    Name,
    Sort,
    Term,
    add,
    at_most,
    both,
    either,
    equal,
    negate,
    number,
    times,
)
from seriatim.engines.simulation.tidying import tidy
from testkit.samples import sample

NAMES = [Name(name, Sort.INT) for name in ("g.X", "s.X", "0.x")]


def number_term(random: Random) -> Term:
    parts = [times(random.choice([1, -1, 2]), random.choice(NAMES)) for _ in range(random.randint(0, 2))]
    return add(*parts, number(random.randint(-1, 1)))


def formula(random: Random, depth: int) -> Term:
    if depth == 0:
        compare = random.choice([at_most, at_most, equal])
        return compare(number_term(random), number_term(random))
    parts = [formula(random, depth - 1) for _ in range(random.randint(1, 3))]
    match random.randrange(3):
        case 0:
            return both(*parts)
        case 1:
            return either(*parts)
        case _:
            return negate(parts[0])


@pytest.mark.parametrize("seed", sample(400, 4))
def test_a_tidy_formula_means_the_same_and_is_read_as_written(seed: int) -> None:
    random = Random(seed)
    term = formula(random, random.randint(0, 3))
    tidied = tidy(term)
    for _ in range(20):
        values = {name: random.randint(-2, 2) for name in NAMES}
        assert bool(evaluate(tidied, values)) == bool(evaluate(term, values))
    assert read_term(write_term(tidied)) == tidied


@pytest.mark.parametrize(
    ("untidy", "expected"),
    [
        ("(and (not (<= 1 (+ g.X (* (- 1) s.X)))) (<= s.X g.X))", "(= g.X s.X)"),
        ("(not (<= g.LOCK 0))", "(<= 1 g.LOCK)"),
        (
            "(and (or (<= 1 g.L) (<= g.X s.X)) (or (<= 1 g.L) (<= s.X g.X)))",
            "(or (<= 1 g.L) (= g.X s.X))",
        ),
    ],
)
def test_two_bounds_that_meet_are_an_equation(untidy: str, expected: str) -> None:
    assert write_term(tidy(read_term(untidy))) == expected
