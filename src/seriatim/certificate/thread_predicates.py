"""Formulas about main and some other threads, as certificates write them.
 A formula is a constant, a variable, or a list of an operator and its operands. Variables are `g.x` for a
global, `m.x` for a local of main, `0.x` for one of the first thread, and `0.#` for its id.
"""

from dataclasses import dataclass
from typing import Annotated, assert_never

from seriatim.codec import AtLeast, Codec
from seriatim.program.threads.syntax import FINISHED
from seriatim.strict_json import is_integer, wrong
from seriatim.terms.expressions import Apply, Constant, Expression, Variable
from seriatim.terms.operators import INFIX, TABLE, Op

Place = Annotated[int, AtLeast(FINISHED)]

MAX_DEPTH = 400
"""How deeply operators may be nested."""


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


OPERATORS = sorted({"-" if op == "neg" else op for op in ("neg", "!", "?", *INFIX.values())})
FORMULA = {
    "anyOf": [
        {"type": ["integer", "boolean", "string"]},
        {
            "type": "array",
            "prefixItems": [{"enum": OPERATORS}],
            "items": {"$ref": "#/$defs/formula"},
            "minItems": 2,
            "maxItems": 4,
        },
    ]
}


@dataclass(frozen=True, slots=True)
class Predicate:
    """What holds whenever main and some threads are at these places."""

    place: Place
    """Of main."""
    threads: tuple[tuple[str, Place], ...]
    """Templates and places, sorted."""
    formula: Annotated[Expression, Codec(read_formula, formula_fields, schema=FORMULA)]


WRITTEN: dict[tuple[str, int], Op] = {
    ("-" if op == "neg" else op, TABLE[op].arity): op for op in ("neg", "!", "?", *INFIX.values())
}
"""Operators of formulas, by what is written and the number of operands; `-` is both signs."""
