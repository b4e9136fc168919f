"""Formulas about main and some other threads, as certificates write them.
 A formula is a constant, a variable, or a list of an operator and its operands. Variables are `g.x` for a
global, `m.x` for a local of main, `0.x` for one of the first thread, and `0.#` for its id.
"""

from dataclasses import dataclass
from typing import assert_never

from seriatim.program.threads.syntax import FINISHED
from seriatim.strict_json import integer_from, is_integer, record, string, wrong
from seriatim.terms.expressions import (
    OPERATORS,
    Apply,
    Constant,
    Expression,
    Op,
    Variable,
)

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
        case Apply(op=op, arguments=arguments):
            return ["-" if op == "neg" else op, *map(formula_fields, arguments)]
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
        op = WRITTEN.get((value[0], len(operands)))
        if op is not None:
            return Apply(op, tuple(operands))
    raise wrong(where, "a formula: a constant, a variable, or a list of an operator and its operands")


WRITTEN: dict[tuple[str, int], Op] = {
    **{(text, 2): op for text, op in OPERATORS.items()},
    ("-", 1): "neg",
    ("!", 1): "!",
    ("?", 3): "?",
}
