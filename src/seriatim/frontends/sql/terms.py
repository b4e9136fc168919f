r"""Expressions and queries, as plain data.

Names are resolved: a column knows its relation. Parameters of transactions and variables of `\gset` are both
`Variable`s.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """A date or a time. A date is its midnight, and all times are UTC."""

    seconds: int
    """The seconds since the first day of the calendar."""

    @classmethod
    def of(cls, text: str) -> "Moment | None":
        """Reads a moment from SQL text; None for anything but dates and whole seconds without a zone."""
        try:
            found = datetime.fromisoformat(text.strip())
        except ValueError:
            return None
        return None if found.tzinfo is not None or found.microsecond else cls.at(found)

    @classmethod
    def at(cls, when: date) -> "Moment":
        """Converts a date or a time that a database driver returns."""
        if not isinstance(when, datetime):
            when = datetime(when.year, when.month, when.day)
        if when.tzinfo is not None:
            when = when.astimezone(UTC).replace(tzinfo=None)
        return cls(round((when - datetime.min).total_seconds()))

    def __str__(self) -> str:
        return str(datetime.min + timedelta(seconds=self.seconds)).removesuffix(" 00:00:00")


@dataclass(frozen=True, slots=True)
class New:
    """A value that a sequence has given. It is only known to differ from all others: the order of such values
    is not that of commits."""

    number: int
    """The name of the value in a state, which distinguishes it from others; 0 in answers."""
    floor: int = 0
    """The largest number that the sequence gave before: the value differs from all numbers up to this one."""

    def __str__(self) -> str:
        return f"new{self.number or ''}"


Value = int | bool | str | Moment | New | None
"""A value of SQL; None is NULL."""


Row = tuple[Value, ...]


TIED: Row = ()
"""Stands in an answer between two rows that ORDER BY does not order: they may come in either order."""


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
    JOINED = "||"


class Function(StrEnum):
    """Functions of single values, without side effects."""

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
    LOWER = "LOWER"
    UPPER = "UPPER"


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
    """The name of the relation in the query."""
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
    """An aggregate function; COUNT(*) has no argument."""

    summary: Summary
    argument: "Expression | None"
    distinct: bool


@dataclass(frozen=True, slots=True)
class NextValue:
    """`nextval('name')`, or the default of a column that a sequence fills."""

    sequence: str


Leaf = NextValue | Constant | Variable | Column


Expression = Leaf | Operation | Call | Case | Among | AmongRows | Exists | Scalar | Aggregate


TRUE = Constant(True)


class Join(StrEnum):
    INNER = "inner"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Series:
    """`generate_series(first, last)`: numbers, in one column."""

    first: int
    last: int

    @property
    def rows(self) -> tuple[Row, ...]:
        return tuple((number,) for number in range(self.first, self.last + 1))


@dataclass(frozen=True, slots=True)
class Relation:
    """An item of FROM: a table, a query or a series, under a name, joined to those before it."""

    name: str
    content: "str | Query | Series"
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
    """Whether the query groups rows: it has GROUP BY, HAVING or an aggregate."""
    distinct: bool = False
    order: tuple[Order, ...] = ()
    limit: Expression | None = None
    offset: Expression | None = None
