"""Formulas about main and some other threads, as certificates write them.
 A formula is a constant, a variable, or a list of an operator and its operands. Variables are `g.x` for a
global, `m.x` for a local of main, `0.x` for one of the first thread, and `0.#` for its id.
"""

from dataclasses import dataclass
from typing import assert_never, get_args

from seriatim.program.threads.expressions import (
    Binary,
    Conditional,
    Constant,
    Expression,
    Operator,
    Sign,
    Unary,
    Variable,
)
from seriatim.program.threads.syntax import FINISHED
from seriatim.strict_json import integer_from, is_integer, record, string, wrong

PREDICATE = ("place", "threads", "formula")

MAX_DEPTH = 400
"""How deeply operators may be nested."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """What holds whenever main and some threads are at these places."""

    place: int
    """Of main."""
    threads: tuple[tuple[str, int], ...]
    """Templates and places, sorted."""
    formula: Expression


def predicate_fields(predicate: Predicate) -> dict[str, object]:
    threads = [list(each) for each in predicate.threads]
    return dict(zip(PREDICATE, (predicate.place, threads, formula_fields(predicate.formula)), strict=True))


def formula_fields(formula: Expression) -> object:
    match formula:
        case Constant(value=value):
            return value
        case Variable(name=name):
            return name
        case Unary(sign=sign, operand=operand):
            return [sign, formula_fields(operand)]
        case Binary(operator=operator, left=left, right=right):
            return [operator, formula_fields(left), formula_fields(right)]
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return ["?", *map(formula_fields, (condition, then, otherwise))]
        case _:
            assert_never(formula)


def read_predicate(value: object, where: str) -> Predicate:
    fields = record(value, where, PREDICATE)
    return Predicate(
        fields.read("place", read_place),
        fields.items("threads", _read_spot),
        fields.read("formula", read_formula),
    )


def read_place(value: object, where: str) -> int:
    return integer_from(FINISHED, value, where)


def _read_spot(value: object, where: str) -> tuple[str, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(where, "a list of a template and a place")
    return string(value[0], where), read_place(value[1], where)


def read_formula(value: object, where: str, depth: int = 0) -> Expression:
    if depth > MAX_DEPTH:
        raise wrong(where, f"a formula with at most {MAX_DEPTH} operators inside each other")
    if isinstance(value, bool) or is_integer(value):
        return Constant(value)
    if isinstance(value, str):
        return Variable(value)
    if isinstance(value, list) and value and isinstance(value[0], str):
        operands = [read_formula(each, where, depth + 1) for each in value[1:]]
        match value[0], operands:
            case str() as sign, [operand] if sign in get_args(Sign):
                return Unary("-" if sign == "-" else "!", operand)
            case str() as operator, [left, right] if operator in OPERATORS:
                return Binary(OPERATORS[operator], left, right)
            case "?", [condition, then, otherwise]:
                return Conditional(condition, then, otherwise)
    raise wrong(where, "a formula: a constant, a variable, or a list of an operator and its operands")


OPERATORS: dict[str, Operator] = {name: name for name in get_args(Operator)}
