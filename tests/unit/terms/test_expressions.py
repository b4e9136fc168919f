"""Expressions: their values are those of a plain interpreter, and nothing that can fail is lost."""

from collections.abc import Mapping
from itertools import product
from random import Random

import pytest

from seriatim.terms import expressions, operators
from seriatim.terms.expressions import (
    FALSE,
    TRUE,
    Apply,
    Constant,
    Expression,
    Unknown,
    Value,
    Variable,
    apply,
    evaluate,
    fold,
    negation,
    substitute,
    variables,
)
from seriatim.terms.operators import DividesByZero


def number(random: Random, depth: int) -> Expression:
    if depth == 0:
        leaves: list[Expression] = [Constant(random.randint(-3, 3)), Variable("x"), Variable("y")]
        return random.choice(leaves)
    match random.randrange(4):
        case 0:
            return apply("neg", number(random, depth - 1))
        case 1:
            return apply("?", truth(random, depth - 1), number(random, depth - 1), number(random, depth - 1))
        case _:
            op = random.choice(operators.ARITHMETIC)
            return apply(op, number(random, depth - 1), number(random, depth - 1))


def truth(random: Random, depth: int) -> Expression:
    if depth == 0:
        return random.choice([TRUE, FALSE])
    match random.randrange(4):
        case 0:
            return apply("!", truth(random, depth - 1))
        case 1:
            op = random.choice(operators.CONNECTIVES)
            return apply(op, truth(random, depth - 1), truth(random, depth - 1))
        case _:
            op = random.choice(operators.COMPARISONS)
            return apply(op, number(random, depth - 1), number(random, depth - 1))


def value_of(expression: Expression, env: Mapping[str, int]) -> int | bool:
    """The value by the rules of SMT-LIB, each operator by itself; raises `ZeroDivisionError`."""
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Variable):
        return env[expression.name]
    operands = expression.arguments
    first = value_of(operands[0], env)
    match expression.op:
        case "neg":
            return -first
        case "!":
            return not first
        case "?":
            return value_of(operands[1 if first else 2], env)
        case "&&":
            return bool(first and value_of(operands[1], env))
        case "||":
            return bool(first or value_of(operands[1], env))
        case "==>":
            return bool(not first or value_of(operands[1], env))
    second = value_of(operands[1], env)
    match expression.op:
        case "/":
            return (first - first % abs(second)) // second
        case "%":
            return first % abs(second)
        case "!=":
            return first != second
        case op:
            answer: int | bool = eval(f"{first} {op} {second}")
            return answer


@pytest.mark.parametrize("seed", range(40))
def test_values_are_those_of_the_rules(seed: int) -> None:
    random = Random(seed)
    expression = random.choice([number, truth])(random, 4)
    for x, y in product((-2, 0, 3), repeat=2):
        env: dict[str, Value] = {"x": x, "y": y}
        inlined = substitute(expression, {"x": Constant(x), "y": Constant(y)})
        try:
            expected = value_of(expression, {"x": x, "y": y})
        except ZeroDivisionError:
            for failing, values in ((expression, env), (fold(expression), env), (inlined, {})):
                with pytest.raises(DividesByZero):
                    evaluate(failing, values)
            assert not isinstance(fold(inlined), Constant)
        else:
            assert evaluate(expression, env) == evaluate(fold(expression), env) == expected
            assert type(evaluate(expression, env)) is type(expected)
            assert evaluate(inlined, {}) == expected
        assert not variables(inlined)


def test_a_truth_value_is_no_number() -> None:
    assert Constant(1) != TRUE
    assert Constant(0) != FALSE
    assert len({TRUE, Constant(1), FALSE, Constant(0), Constant(True)}) == 4


def test_a_division_by_zero_is_not_simplified_away() -> None:
    product_ = apply("*", Constant(0), apply("/", Constant(1), Constant(0)))
    assert fold(product_) == product_
    with pytest.raises(DividesByZero):
        evaluate(product_, {})
    assert evaluate(apply("&&", FALSE, apply("==", product_, Constant(0))), {}) is False


def test_only_variables_that_matter_have_to_be_known() -> None:
    assert evaluate(apply("||", TRUE, Variable("p")), {}) is True
    with pytest.raises(Unknown, match="p"):
        evaluate(apply("||", FALSE, Variable("p")), {})


def test_negating_twice_changes_nothing() -> None:
    assert negation(negation(Variable("p"))) == Variable("p")


def test_meanings_that_are_kept_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "MOST_COMPILED", 10)
    for value in range(50):
        assert evaluate(Apply("+", (Constant(value), Constant(1))), {}) == value + 1
        assert len(expressions._COMPILED) <= 10
