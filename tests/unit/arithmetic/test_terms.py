"""Functions that make terms simplify, but never change what a term means."""

import pickle
from random import Random

import pytest

from seriatim.arithmetic.terms import (
    FALSE,
    TRUE,
    Compound,
    Constant,
    Name,
    Op,
    Sort,
    Term,
    add,
    at_most,
    choose,
    equal,
    less,
    number,
    subtract,
    times,
)
from testkit.oracles.term_values import value
from testkit.samples import sample

NAMES = tuple(Name(name, Sort.INT) for name in "abc")


def random_sum(random: Random, depth: int = 3) -> Term:
    if depth == 0 or random.random() < 0.2:
        choices: tuple[Term, ...] = (*NAMES, number(random.randint(-2, 2)))
        return random.choice(choices)
    one, other = (random_sum(random, depth - 1) for _ in range(2))
    match random.randrange(4):
        case 0:
            return add(one, other)
        case 1:
            return subtract(one, other)
        case 2:
            return times(random.randint(-2, 2), one)
        case _:
            return choose(at_most(one, other), other, one)


def test_sums_in_another_order_are_equal() -> None:
    a, b, _ = NAMES
    assert equal(add(a, b), add(b, a)) == TRUE
    assert equal(add(a, b), add(b, a, number(1))) == FALSE


@pytest.mark.parametrize("seed", sample(200))
def test_comparisons_mean_what_they_say(seed: int) -> None:
    random = Random(seed)
    for _ in range(40):
        one = random_sum(random)
        other = random.choice((random_sum(random), add(one, random.choice(NAMES), number(0))))
        if random.random() < 0.3:
            other = subtract(other, random.choice(NAMES))
        names = {each.name: random.randint(-3, 3) for each in NAMES}
        first, second = value(one, names), value(other, names)
        assert value(equal(one, other), names) == (first == second)
        assert value(at_most(one, other), names) == (first <= second)
        assert value(less(one, other), names) == (first < second)


def test_terms_go_from_process_to_process() -> None:
    """Results of checks with several jobs are pickled, and proofs may have terms in them."""
    term = Compound(Op.ADD, (Name("X", Sort.INT), Constant(1, Sort.INT)), Sort.INT)
    assert pickle.loads(pickle.dumps(term)) is term
    assert pickle.loads(pickle.dumps(TRUE)) is TRUE
