"""Evaluates SQL expressions with three truth values: true, false and NULL, written as Python's None."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import add, ge, gt, le, lt, mul, sub
from typing import assert_never

from seriatim.frontends.sql.accepting import accept_aggregate, accept_call, accept_number, accept_operation
from seriatim.frontends.sql.refusal import HEADER, Refusal, unsupported
from seriatim.frontends.sql.terms import (
    Aggregate,
    Among,
    AmongRows,
    Call,
    Case,
    Column,
    Constant,
    Exists,
    Expression,
    Function,
    Moment,
    New,
    NextValue,
    Operation,
    Operator,
    Query,
    Row,
    Scalar,
    Summary,
    Value,
    Variable,
)
from seriatim.source import quote


class SqlError(Exception):
    """Raised when a statement fails, and its transaction with it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code
        """The SQLSTATE of the error."""


DIVISION_BY_ZERO = "22012"


TOO_MANY_ROWS = "21000"


Cells = Mapping[tuple[str, str], Value]
"""The values of the columns in scope, by relation and name."""


Tables = Mapping[str, Sequence[Row]]
"""The rows of each table, as a statement sees them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The tables, variables and columns that an expression can refer to."""

    tables: Tables
    variables: Mapping[str, Value]
    cells: Cells
    select: "Callable[[Query, Scope], list[Row]]"
    """Runs a query."""
    group: "Sequence[Scope] | None" = None
    """The rows that aggregates summarize."""
    fresh: "Iterator[Value] | None" = None
    """The next values of sequences; None where nextval is not supported."""

    def inside(self, cells: Cells, group: "Sequence[Scope] | None" = None) -> "Scope":
        return Scope(self.tables, self.variables, {**self.cells, **cells}, self.select, group, self.fresh)


def evaluate(expression: Expression, scope: Scope) -> Value:
    """The value of an expression; raises `SqlError`."""
    match expression:
        case Constant(value=value):
            return value
        case NextValue():
            return _next_value(scope)
        case Variable(name=name):
            return _variable(name, scope)
        case Column(relation=relation, name=name):
            return scope.cells[relation, name]
        case Operation(operator=operator, left=left, right=right):
            return _operation(operator, left, right, scope)
        case Call(function=Function.COALESCE, arguments=arguments):
            return _call(Function.COALESCE, list(_until_known(arguments, scope)))
        case Call(function=function, arguments=arguments):
            return _call(function, [evaluate(each, scope) for each in arguments])
        case Case(branches=branches, otherwise=otherwise):
            chosen = next((value for test, value in branches if evaluate(test, scope) is True), otherwise)
            return evaluate(chosen, scope)
        case Among(value=value, items=items):
            return _among_items(evaluate(value, scope), items, scope)
        case AmongRows() | Exists() | Scalar():
            return _subquery(expression, scope)
        case Aggregate():
            return _aggregate(expression, scope)
        case _:
            assert_never(expression)


def _until_known(arguments: Sequence[Expression], scope: Scope) -> Iterator[Value]:
    """The values of arguments. Those after one that is not NULL may fail; whether they do depends on the
    plan, which computes constants first."""
    known = False
    for each in arguments:
        try:
            value = evaluate(each, scope)
        except SqlError:
            if known:
                raise unsupported("an argument of COALESCE that fails") from None
            raise
        known = known or value is not None
        yield value


def _next_value(scope: Scope) -> Value:
    if scope.fresh is None:
        raise unsupported("nextval here", "use it in INSERT, or in SELECT nextval('name') without FROM")
    return next(scope.fresh)


def _variable(name: str, scope: Scope) -> Value:
    if name not in scope.variables:
        hint = f"list values in the transaction's comment, such as `-- transaction: NAME({name} in 1..2)`"
        raise Refusal(HEADER, f"the variable :{name} has no value here", f"{hint}, or use \\gset or \\set")
    return scope.variables[name]


def _subquery(expression: AmongRows | Exists | Scalar, scope: Scope) -> Value:
    rows = scope.select(expression.query, scope)
    match expression:
        case AmongRows(value=value):
            return _among(evaluate(value, scope), [row[0] for row in rows])
        case Exists():
            return bool(rows)
        case Scalar():
            if len(rows) > 1:
                raise SqlError(TOO_MANY_ROWS)
            return rows[0][0] if rows else None


def is_true(expression: Expression, scope: Scope) -> bool:
    """Whether a condition holds; NULL does not count."""
    return evaluate(expression, scope) is True


@lru_cache(maxsize=4096)
def can_fail(expression: Expression) -> bool:
    """Whether the value of an expression may be an error."""
    match expression:
        case Operation(operator=Operator.DIVIDE | Operator.MODULO) | Scalar():
            return True
        case Operation(left=left, right=right):
            return can_fail(left) or can_fail(right)
        case Call(arguments=arguments):
            return any(map(can_fail, arguments))
        case Case(branches=branches, otherwise=otherwise):
            return can_fail(otherwise) or any(can_fail(a) or can_fail(b) for a, b in branches)
        case Among(value=value, items=items):
            return can_fail(value) or any(map(can_fail, items))
        case AmongRows(value=value):
            return can_fail(value)
        case _:
            return False


def _decides(operator: Operator, value: Value) -> bool:
    """Whether one operand of AND or OR decides about both."""
    return value is (operator is Operator.OR)


def _refuse_plan(operator: Operator, one: Expression, other: Expression, scope: Scope) -> None:
    """Raises `Refusal` if one operand decides and the other one fails: which one is computed first depends on
    the plan."""
    if can_fail(other) and _decides(operator, _value_or_none(one, scope)):
        try:
            evaluate(other, scope)
        except SqlError:
            hint = "write CASE WHEN … THEN … END, which decides the order"
            raise unsupported(f"a condition that fails beside {operator}", hint) from None


def _value_or_none(expression: Expression, scope: Scope) -> Value:
    try:
        return evaluate(expression, scope)
    except SqlError:
        return None


def _operation(operator: Operator, left: Expression, right: Expression, scope: Scope) -> Value:
    if operator in LOGICAL:
        _refuse_plan(operator, left, right, scope)
        _refuse_plan(operator, right, left, scope)
    one = evaluate(left, scope)
    accept_operation(operator, one, one if operator in LOGICAL else None)
    if operator is Operator.AND and one is False:
        return False
    if operator is Operator.OR and one is True:
        return True
    other = evaluate(right, scope)
    accept_operation(operator, one, other)
    accept_operation(operator, other, other if operator in LOGICAL else None)
    if operator is Operator.AND:
        return _both(one, other)
    if operator is Operator.OR:
        return _either(one, other)
    if one is None or other is None:
        return None
    return accept_number(_compute(operator, one, other))


LOGICAL = (Operator.AND, Operator.OR)


def _both(one: Value, other: Value) -> Value:
    if other is False:
        return False
    return None if one is None or other is None else True


def _either(one: Value, other: Value) -> Value:
    if other is True:
        return True
    return None if one is None or other is None else False


Known = int | bool | str | Moment | New
"""A value that is not NULL."""


def _compute(operator: Operator, one: Known, other: Known) -> Value:
    one, other = as_moments(one, other)
    match operator:
        case Operator.EQUAL:
            return _check_comparable(one, other) and one == other
        case Operator.UNEQUAL:
            return not (_check_comparable(one, other) and one == other)
    if operator is Operator.JOINED:
        return text_of(one) + text_of(other)
    if isinstance(one, Moment) and isinstance(other, Moment) and operator in COMPARISONS:
        return ON_NUMBERS[operator](one.seconds, other.seconds)
    if isinstance(one, New) or isinstance(other, New):
        raise unsupported(f"{operator} on values of a sequence", "their order is not that of commits")
    if isinstance(one, Moment) or isinstance(other, Moment):
        raise unsupported(f"{operator} on dates or times", "dates and times can only be compared")
    if isinstance(one, str) or isinstance(other, str):
        raise unsupported(f"{operator} on texts", "the order of texts depends on the collation")
    return ON_NUMBERS[operator](one, other)


COMPARISONS = (Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL)


def text_of(value: "Known") -> str:
    """A value as `||` writes it."""
    if isinstance(value, Moment | New):
        raise unsupported("a date, a time or a value of a sequence as text")
    return str(value).lower() if isinstance(value, bool) else str(value)


def as_moments(one: "Known", other: "Known") -> "tuple[Known, Known]":
    """Converts a text that is compared with a date or a time."""
    if isinstance(one, Moment) and isinstance(other, str):
        return one, _moment_beside(one, other)
    if isinstance(other, Moment) and isinstance(one, str):
        return _moment_beside(other, one), other
    return one, other


def _moment_beside(known: Moment, text: str) -> Moment:
    """The moment of a text that is compared with a known one: beside a date, the text's time is cut off, and
    beside midnight it is not."""
    found = moment_of(text)
    if found.seconds % 86_400 and not known.seconds % 86_400:
        raise unsupported(f"comparing {known}, a date or a midnight, with {quote(text)}")
    return found


def moment_of(text: str) -> Moment:
    found = Moment.of(text)
    if found is None:
        raise unsupported(f"{quote(text)} as a date or a time", "write 2024-12-31, or 2024-12-31 23:59")
    return found


KINDS: tuple[type, ...] = (bool, int, str, Moment, New)


def _compare_with_number(one: Value, other: Value) -> None:
    """Raises `Refusal` unless the number is one that the sequence gave before: only those are known to
    differ."""
    floor = max(each.floor for each in (one, other) if isinstance(each, New))
    if any(isinstance(each, int) and each > floor for each in (one, other)):
        raise unsupported("comparing a value of a sequence with a number", "its number is not known")


def _check_comparable(one: Value, other: Value) -> bool:
    kinds = [next(kind for kind in KINDS if isinstance(each, kind)) for each in (one, other)]
    if set(kinds) == {New, int}:
        _compare_with_number(one, other)
        return True
    if kinds[0] is not kinds[1]:
        raise unsupported(f"comparing {quote(repr(one))} with {quote(repr(other))}", "their types differ")
    return True


def _quotient(one: int, other: int) -> int:
    """Divides, rounding towards zero."""
    if other == 0:
        raise SqlError(DIVISION_BY_ZERO)
    size = abs(one) // abs(other)
    return size if (one < 0) == (other < 0) else -size


ON_NUMBERS: dict[Operator, Callable[[int, int], Value]] = {
    Operator.ADD: add,
    Operator.SUBTRACT: sub,
    Operator.MULTIPLY: mul,
    Operator.DIVIDE: _quotient,
    Operator.MODULO: lambda one, other: one - other * _quotient(one, other),
    Operator.LESS: lt,
    Operator.LESS_EQUAL: le,
    Operator.GREATER: gt,
    Operator.GREATER_EQUAL: ge,
}


def _call(function: Function, values: list[Value]) -> Value:
    known = [value for value in values if value is not None]
    accept_call(function, values)
    match function:
        case Function.COALESCE:
            return known[0] if known else None
        case Function.GREATEST | Function.LEAST:
            numbers = [_number(value) for value in known]
            chosen = max if function is Function.GREATEST else min
            return chosen(numbers) if numbers else None
        case Function.NULLIF:
            one, other = values
            return None if one is not None and other is not None and one == other else one
        case Function.IS_NULL:
            return values[0] is None
        case Function.IS_TRUE:
            return values[0] is True
        case Function.IS_FALSE:
            return values[0] is False
        case Function.SAME:
            return values[0] == values[1]
    return _of_one(function, known[0]) if known else None


def _of_one(function: Function, value: Value) -> Value:
    """Applies a function of one value that is not NULL."""
    match function:
        case Function.NOT:
            return not value
        case Function.NEGATE:
            return accept_number(-_number(value))
        case Function.ABS:
            return accept_number(abs(_number(value)))
        case Function.TO_INTEGER:
            return accept_number(int(_number(value)))
        case Function.LOWER:
            return _text(value).lower()
        case Function.UPPER:
            return _text(value).upper()
        case _:
            raise AssertionError(function)


def _text(value: Value) -> str:
    if not isinstance(value, str) or not value.isascii():
        raise unsupported(f"LOWER or UPPER of {quote(repr(value))}")
    return value


def _number(value: Value) -> int:
    if isinstance(value, New):
        raise unsupported("computing with a value of a sequence", "its number is not known")
    if isinstance(value, str | Moment) or value is None:
        raise unsupported(f"arithmetic with {quote(repr(value))}")
    return value


def _among_items(value: Value, items: Sequence[Expression], scope: Scope) -> Value:
    """Whether a value is one of some; raises `Refusal` if one of them fails beside one that is equal."""
    values: list[Value] = []
    failed: SqlError | None = None
    for each in items:
        try:
            values.append(evaluate(each, scope))
        except SqlError as error:
            failed = failed or error
    if failed is None:
        return _among(value, values)
    if _among(value, values) is True:
        raise unsupported("a value in IN that fails")
    raise failed


def _among(value: Value, items: Iterable[Value]) -> Value:
    unknown = False
    for item in items:
        if value is None or item is None:
            unknown = True
        elif _compute(Operator.EQUAL, value, item):
            return True
    return None if unknown else False


def _aggregate(aggregate: Aggregate, scope: Scope) -> Value:
    assert scope.group is not None, "an aggregate outside a group"
    if aggregate.argument is None:
        return len(scope.group)
    values = [evaluate(aggregate.argument, each) for each in scope.group]
    known = [value for value in values if value is not None]
    accept_aggregate(aggregate.summary, known)
    if aggregate.distinct:
        known = list(dict.fromkeys(known))
    match aggregate.summary:
        case Summary.COUNT:
            return len(known)
        case Summary.SUM:
            return accept_number(sum(map(_number, known))) if known else None
        case Summary.MIN | Summary.MAX:
            return _extreme(known, min if aggregate.summary is Summary.MIN else max)
        case _:
            assert_never(aggregate.summary)


def _extreme(known: Sequence[Value], choose: Callable[[Iterable[int]], int]) -> Value:
    """The least or the greatest of numbers, dates or times."""
    if not known:
        return None
    moments = [each.seconds for each in known if isinstance(each, Moment)]
    return Moment(choose(moments)) if moments else choose(map(_number, known))
