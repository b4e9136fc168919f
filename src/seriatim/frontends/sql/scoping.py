"""Scopes from `--scope`, and the check for constants outside a scope."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seriatim.frontends.sql.code import bracket, compile_items, expressions_of, of_query, parts, queries_in
from seriatim.frontends.sql.language import (
    DataStatement,
    Delete,
    Do,
    If,
    Item,
    Script,
    Select,
    SelectLocking,
    SetVariable,
    Transaction,
    Update,
)
from seriatim.frontends.sql.refusal import SCOPE, Refusal
from seriatim.frontends.sql.scope_comments import apply_scope
from seriatim.frontends.sql.terms import (
    Among,
    Column,
    Constant,
    Expression,
    Operation,
    Operator,
    Value,
    Variable,
)
from seriatim.source import Diagnostic, InputError, Span

COMPARISONS = {
    Operator.EQUAL,
    Operator.UNEQUAL,
    Operator.LESS,
    Operator.LESS_EQUAL,
    Operator.GREATER,
    Operator.GREATER_EQUAL,
}


def with_scopes(script: Script, text: str) -> Script:
    """The script with the scopes of a separate text, one per line; raises `InputError`."""
    tables = {table.name: table for table in script.tables}
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip().removeprefix("--").strip().removeprefix("ser:").strip()
        if not words or words.startswith("#"):
            continue
        span = Span(number, 1, number, len(line) + 1, "--scope")
        try:
            apply_scope(tables, words, span)
        except Refusal as refusal:
            problems.append(
                Diagnostic(refusal.code, f"--scope, line {number}: {refusal.message}", None, refusal.hint)
            )
    if problems:
        raise InputError(problems)
    return replace(script, tables=tuple(tables.values()))


def check_scopes(script: Script) -> None:
    """Raises `InputError` for comparisons with constants outside a scope: they would hide the code behind
    them."""
    problems: list[Diagnostic] = []
    for transaction in script.transactions:
        for expression, span in decisions(transaction.items):
            problems.extend(_constants_outside(expression, script, transaction, None, span))
        try:
            code = compile_items(bracket(transaction.items)[0])
        except Refusal:
            continue  # Building the machine reports it, with its place.
        for each in code:
            if not isinstance(each, Do):
                continue
            for expression in expressions_of(each.statement):
                problems.extend(
                    _constants_outside(expression, script, transaction, each.statement, each.span)
                )
    if problems:
        raise InputError(list(dict.fromkeys(problems)))


def decisions(items: Iterable[Item]) -> Iterator[tuple[Expression, Span]]:
    """The expressions that the client itself evaluates, in `\\set` and `\\if`."""
    for item in items:
        match item:
            case SetVariable(value=value, span=span):
                yield value, span
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                yield condition, span
                yield from decisions((*then, *otherwise))


def _constants_outside(
    expression: Expression,
    script: Script,
    transaction: Transaction,
    statement: DataStatement | None,
    span: Span,
) -> Iterator[Diagnostic]:
    for part in parts(expression):
        for one, other in comparisons(part):
            if not isinstance(other, Constant) or other.value is None or isinstance(other.value, bool):
                continue
            values = _values(one, script, transaction, statement)
            if values is not None and not _between(other.value, values):
                name = f":{one.name}" if isinstance(one, Variable) else getattr(one, "name", "")
                message = f"`{name}` is compared with {other.value}, which lies outside its scope"
                hint = (
                    "a comparison that always has the same result hides the code behind it; widen the scope"
                )
                yield Diagnostic(SCOPE, message, span, hint)
    for query in queries_in(expression):
        for inner in of_query(query):
            yield from _constants_outside(inner, script, transaction, Select(query), span)


def comparisons(part: Expression) -> Iterable[tuple[Expression, Expression]]:
    match part:
        case Operation(operator=operator, left=left, right=right) if operator in COMPARISONS:
            return [(left, right), (right, left)]
        case Among(value=value, items=items):
            return [(value, item) for item in items]
        case _:
            return []


def _between(value: Value, values: tuple[Value, ...]) -> bool:
    """Whether a value lies in a scope, between its ends, or one beyond them."""
    if value in values or not isinstance(value, int):
        return value in values
    numbers = [each for each in values if isinstance(each, int)]
    return not numbers or min(numbers) - 1 <= value <= max(numbers) + 1


def _values(
    expression: Expression, script: Script, transaction: Transaction, statement: DataStatement | None
) -> tuple[Value, ...] | None:
    """The declared scope of a parameter or a column."""
    match expression:
        case Variable(name=name):
            return next((each.values for each in transaction.parameters if each.name == name), None)
        case Column(relation=relation, name=name):
            table = _table_of(relation, statement)
            fields = [
                each for t in script.tables if t.name == table for each in t.fields if each.name == name
            ]
            return next((each.values for each in fields if each.scope_span is not None), None)
        case _:
            return None


def _table_of(relation: str, statement: DataStatement | None) -> str | None:
    match statement:
        case Select(query=query) | SelectLocking(query=query):
            found = [each.content for each in query.relations if each.name == relation]
            return found[0] if found and isinstance(found[0], str) else None
        case Update(table=table) | Delete(table=table):
            return table
        case _:
            return None
