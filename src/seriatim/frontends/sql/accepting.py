"""What the model accepts, as a list: types, constraints, clauses; operators, functions and aggregates with
the kinds of their arguments.

Each row of an operator, function or aggregate was compared with PostgreSQL over small values, NULL and edge
values (`tests/agreement/test_sql_expressions.py`), and each row at all in whole scripts that are made from
this list (`tests/agreement/test_sql_files.py`). What has no row is refused, and explored on the server.
"""

from collections.abc import Sequence
from enum import StrEnum

from seriatim.frontends.sql.language import Type
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.terms import Function, Moment, New, Operator, Summary, Value


class Kind(StrEnum):
    """The kinds of values that are not NULL."""

    NUMBER = "a number"
    TRUTH = "a truth value"
    TEXT = "a text"
    MOMENT = "a date or a time"
    NEW = "a value of a sequence"


LARGEST = 2**31 - 1
"""Larger results depend on the types of the arguments: they may overflow."""

_NUMBERS = frozenset({(Kind.NUMBER, Kind.NUMBER)})
_TRUTHS = frozenset({(Kind.TRUTH, Kind.TRUTH)})
_ALIKE = frozenset((kind, kind) for kind in Kind)
_DATED = frozenset({(Kind.MOMENT, Kind.TEXT), (Kind.TEXT, Kind.MOMENT)})
_SORTED = frozenset({(Kind.NUMBER, Kind.NUMBER), (Kind.MOMENT, Kind.MOMENT)}) | _TRUTHS | _DATED

OPERATORS: dict[Operator, frozenset[tuple[Kind, Kind]]] = {
    Operator.ADD: _NUMBERS,
    Operator.SUBTRACT: _NUMBERS,
    Operator.MULTIPLY: _NUMBERS,
    Operator.DIVIDE: _NUMBERS,
    Operator.MODULO: _NUMBERS,
    Operator.AND: _TRUTHS,
    Operator.OR: _TRUTHS,
    Operator.EQUAL: _ALIKE | _DATED | {(Kind.NEW, Kind.NUMBER), (Kind.NUMBER, Kind.NEW)},
    Operator.UNEQUAL: _ALIKE | _DATED | {(Kind.NEW, Kind.NUMBER), (Kind.NUMBER, Kind.NEW)},
    Operator.LESS: _SORTED,
    Operator.LESS_EQUAL: _SORTED,
    Operator.GREATER: _SORTED,
    Operator.GREATER_EQUAL: _SORTED,
    Operator.JOINED: frozenset({(Kind.TEXT, Kind.TEXT), (Kind.TEXT, Kind.NUMBER), (Kind.NUMBER, Kind.TEXT)}),
}
"""The pairs of kinds that each operator takes, if neither value is NULL."""

FUNCTIONS: dict[Function, frozenset[Kind]] = {
    Function.NOT: frozenset({Kind.TRUTH}),
    Function.NEGATE: frozenset({Kind.NUMBER}),
    Function.ABS: frozenset({Kind.NUMBER}),
    Function.TO_INTEGER: frozenset({Kind.NUMBER, Kind.TRUTH}),
    Function.LOWER: frozenset({Kind.TEXT}),
    Function.UPPER: frozenset({Kind.TEXT}),
    Function.IS_TRUE: frozenset({Kind.TRUTH}),
    Function.IS_FALSE: frozenset({Kind.TRUTH}),
    Function.IS_NULL: frozenset(Kind),
    Function.GREATEST: frozenset({Kind.NUMBER}),
    Function.LEAST: frozenset({Kind.NUMBER}),
    Function.COALESCE: frozenset(Kind),
    Function.NULLIF: frozenset(Kind),
    Function.SAME: frozenset(Kind),
}
"""The kinds of arguments of each function; those of one call have one kind."""


AGGREGATES: dict[Summary, frozenset[Kind]] = {
    Summary.COUNT: frozenset(Kind),
    Summary.SUM: frozenset({Kind.NUMBER}),
    Summary.MIN: frozenset({Kind.NUMBER, Kind.MOMENT}),
    Summary.MAX: frozenset({Kind.NUMBER, Kind.MOMENT}),
}
"""The kinds of values that each aggregate takes; those of one group have one kind."""

TYPES: dict[str, Type] = {
    **dict.fromkeys(("SMALLINT", "INT", "BIGINT"), Type.INTEGER),
    **dict.fromkeys(("SERIAL", "BIGSERIAL"), Type.INTEGER),
    "DECIMAL": Type.INTEGER,
    "BOOLEAN": Type.BOOLEAN,
    **dict.fromkeys(("TEXT", "VARCHAR"), Type.TEXT),
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMPTZ"), Type.MOMENT),
}
"""The types of columns, by the parser's names; besides, those of CREATE TYPE … AS ENUM."""

CONSTRAINTS = frozenset(
    {
        "primarykeycolumnconstraint",
        "primarykey",
        "uniquecolumnconstraint",
        "checkcolumnconstraint",
        "notnullcolumnconstraint",
        "defaultcolumnconstraint",
        "generatedasidentitycolumnconstraint",
        "constraint",
        "reference",
        "foreignkey",
    }
)
"""The constraints of columns and tables, by the parser's names."""

CLAUSES: dict[str, frozenset[str]] = {
    "select": frozenset(
        {"with_", "from_", "joins", "where", "expressions", "group", "having", "distinct", "order"}
        | {"limit", "offset", "locks"}
    ),
    "update": frozenset({"this", "expressions", "where", "returning"}),
    "delete": frozenset({"this", "where", "returning"}),
    "insert": frozenset({"this", "expression", "conflict", "returning", "default"}),
    "onconflict": frozenset({"expressions", "action", "conflict_keys", "where"}),
    "join": frozenset({"this", "kind", "side", "on"}),
    "lock": frozenset({"update", "key", "wait", "expressions"}),
    "with": frozenset({"expressions"}),
    "ordered": frozenset({"this", "desc", "nulls_first"}),
}
"""The clauses of statements, by the parser's names of both."""


def accept_aggregate(summary: Summary, values: Sequence[Value]) -> None:
    """Raises `Refusal` for kinds that an aggregate does not take."""
    kinds = {kind_of(each) for each in values if each is not None}
    if not kinds <= AGGREGATES[summary] or (len(kinds) > 1 and summary is not Summary.COUNT):
        raise unsupported(f"{summary} of {' and '.join(sorted(kinds))}", "write a cast, or leave it out")


def kind_of(value: Value) -> Kind:
    """The kind of a value that is not NULL."""
    match value:
        case bool():
            return Kind.TRUTH
        case int():
            return Kind.NUMBER
        case str():
            return Kind.TEXT
        case Moment():
            return Kind.MOMENT
        case New():
            return Kind.NEW
        case None:
            raise AssertionError("NULL has no kind")


def accept_operation(operator: Operator, one: Value, other: Value) -> None:
    """Raises `Refusal` for kinds that an operator does not take."""
    if one is None or other is None:
        return
    kinds = kind_of(one), kind_of(other)
    if kinds not in OPERATORS[operator]:
        raise unsupported(
            f"{operator} with {kinds[0]} and {kinds[1]}", "write a cast, or compare like with like"
        )


def accept_call(function: Function, values: list[Value]) -> None:
    """Raises `Refusal` for kinds that a function does not take."""
    kinds = {kind_of(each) for each in values if each is not None}
    if not kinds <= FUNCTIONS[function] or len(kinds) > 1:
        told = " and ".join(sorted(kinds))
        raise unsupported(f"{function} of {told}", "write a cast, or leave it out")


def accept_number(value: Value) -> Value:
    """A result; raises `Refusal` if the server may say that it is out of range."""
    if isinstance(value, int) and not -LARGEST - 1 <= value <= LARGEST:
        raise unsupported("a number beyond the range of integers", "use smaller numbers")
    return value
