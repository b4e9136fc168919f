r"""Expressions and queries, as plain data.

Names are resolved: a column knows the relation that it belongs to; a parameter of a transaction and a
variable of `\gset` are both `Variable`s.
"""

from dataclasses import dataclass
from enum import StrEnum

Value = int | bool | str | None
"""A value of SQL; None is NULL."""


Row = tuple[Value, ...]


class Operator(StrEnum):
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "%"
    EQUAL = "="
    UNEQUAL = "<>"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    AND = "AND"
    OR = "OR"


class Function(StrEnum):
    """Functions of values, without side effects."""

    ABS = "ABS"
    COALESCE = "COALESCE"
    GREATEST = "GREATEST"
    LEAST = "LEAST"
    NULLIF = "NULLIF"
    NOT = "NOT"
    NEGATE = "NEGATE"
    IS_NULL = "IS NULL"
    IS_TRUE = "IS TRUE"
    IS_FALSE = "IS FALSE"
    SAME = "IS NOT DISTINCT FROM"
    TO_INTEGER = "::integer"


class Summary(StrEnum):
    """Functions of groups of rows."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"


@dataclass(frozen=True, slots=True)
class Constant:
    value: Value


@dataclass(frozen=True, slots=True)
class Variable:
    """`:name`."""

    name: str


@dataclass(frozen=True, slots=True)
class Column:
    relation: str
    """The name that the relation has in the query."""
    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    operator: Operator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True, slots=True)
class Call:
    function: Function
    arguments: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class Case:
    branches: tuple[tuple["Expression", "Expression"], ...]
    """(condition, value)."""
    otherwise: "Expression"


@dataclass(frozen=True, slots=True)
class Among:
    """`value IN (items)`."""

    value: "Expression"
    items: tuple["Expression", ...]


@dataclass(frozen=True, slots=True)
class AmongRows:
    """`value IN (query)`."""

    value: "Expression"
    query: "Query"


@dataclass(frozen=True, slots=True)
class Exists:
    query: "Query"


@dataclass(frozen=True, slots=True)
class Scalar:
    """The value of a query with one column and at most one row."""

    query: "Query"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """COUNT(*) has no argument."""

    summary: Summary
    argument: "Expression | None"
    distinct: bool


Expression = (
    Constant | Variable | Column | Operation | Call | Case | Among | AmongRows | Exists | Scalar | Aggregate
)


TRUE = Constant(True)


class Join(StrEnum):
    INNER = "inner"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Relation:
    """An item of FROM: a table or a query, under a name, joined to those before it."""

    name: str
    content: "str | Query"
    columns: tuple[str, ...]
    join: Join = Join.INNER
    on: Expression = TRUE


@dataclass(frozen=True, slots=True)
class Output:
    expression: Expression
    name: str


@dataclass(frozen=True, slots=True)
class Order:
    expression: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class Query:
    relations: tuple[Relation, ...]
    where: Expression
    outputs: tuple[Output, ...]
    group: tuple[Expression, ...] = ()
    having: Expression = TRUE
    grouped: bool = False
    """Whether rows are summed up: GROUP BY, HAVING or an aggregate is there."""
    distinct: bool = False
    order: tuple[Order, ...] = ()
    limit: Expression | None = None
    offset: Expression | None = None
