"""Changes that remove a read: one statement instead of read-modify-write, a constraint instead of a check.

Each change is a candidate, to be proved like all others. `SELECT … \\gset` and the UPDATE of the same rows
become one UPDATE, with the condition of `\\if` in its WHERE. A SELECT that checks whether a row exists, and
the INSERT after it, become INSERT … ON CONFLICT DO NOTHING, with a UNIQUE constraint.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from seriatim.frontends.sql.code import parts
from seriatim.frontends.sql.language import (
    Do,
    If,
    Insert,
    Item,
    Key,
    OnConflict,
    Script,
    Select,
    SetVariable,
    Table,
    Transaction,
    Update,
)
from seriatim.frontends.sql.printing import expression_text
from seriatim.frontends.sql.terms import (
    TRUE,
    Among,
    Call,
    Column,
    Expression,
    Operation,
    Operator,
    Query,
    Variable,
)


@dataclass(frozen=True, slots=True)
class Merge:
    """A changed script, and the change in words."""

    words: str
    script: Script


def merge_reads(script: Script) -> Iterator[Merge]:
    """All changes that remove one read."""
    for number, transaction in enumerate(script.transactions):
        for place, item in enumerate(transaction.items):
            if not isinstance(item, Do) or not isinstance(item.statement, Select) or item.gset is None:
                continue
            for words, items, tables in (
                *_merge_update(transaction, place, item, item.statement.query),
                *_merge_insert(script, transaction, place, item, item.statement.query),
            ):
                changed = replace(transaction, items=items)
                every = (*script.transactions[:number], changed, *script.transactions[number + 1 :])
                yield Merge(words, replace(script, transactions=every, tables=tables or script.tables))


Change = tuple[str, tuple[Item, ...], tuple[Table, ...]]
"""The change in words, the items of the transaction, and all tables; no tables if they stay the same."""


def _only_table(query: Query) -> tuple[str, str] | None:
    """The name and the table of a query about one table, without DISTINCT, LIMIT and OFFSET; otherwise
    None."""
    if query.distinct or query.limit or query.offset or len(query.relations) != 1:
        return None
    relation = query.relations[0]
    return (relation.name, relation.content) if isinstance(relation.content, str) else None


def _merge_update(transaction: Transaction, place: int, do: Do, query: Query) -> Iterator[Change]:
    """Merges a SELECT and the UPDATE of the same rows."""
    source = _only_table(query)
    items = transaction.items
    if source is None or query.grouped or place + 1 >= len(items):
        return
    following = items[place + 1]
    condition: Expression = TRUE
    update: Item = following
    if isinstance(following, If) and len(following.then) == 1 and not following.otherwise:
        condition, update = following.condition, following.then[0]
    if not isinstance(update, Do) or not isinstance(update.statement, Update):
        return
    statement = update.statement
    renamed = _rename(query.where, source[0], statement.name)
    if statement.table != source[1] or renamed != statement.where:
        return
    columns = {
        f"{do.gset}{each.name}": _rename(each.expression, source[0], statement.name) for each in query.outputs
    }
    if any(_uses(item, columns) for item in items[place + 2 :]):
        return
    where = _replace_variables(condition, columns)
    new = replace(
        statement,
        assignments=tuple(
            (column, _replace_variables(value, columns)) for column, value in statement.assignments
        ),
        where=statement.where if where == TRUE else Operation(Operator.AND, statement.where, where),
    )
    text = _update_text(new)
    if text is not None:
        lines = f"the SELECT in line {do.span.line} and the UPDATE in line {update.span.line}"
        words = f"instead of {lines}, one statement: {text}"
        one = replace(update, statement=new, text=text)
        yield words, (*items[:place], one, *items[place + 2 :]), ()


def _update_text(update: Update) -> str | None:
    values = [(column, expression_text(value)) for column, value in update.assignments]
    where = expression_text(update.where)
    if where is None or any(text is None for _, text in values) or update.returning is not None:
        return None
    return f"UPDATE {update.table} SET {', '.join(f'{c} = {t}' for c, t in values)} WHERE {where}"


def _merge_insert(
    script: Script, transaction: Transaction, place: int, do: Do, query: Query
) -> Iterator[Change]:
    """Replaces the check for a row with some values, and the INSERT of such a row, by ON CONFLICT DO
    NOTHING."""
    source = _only_table(query)
    items = transaction.items
    if source is None or place + 1 >= len(items):
        return
    following = items[place + 1]
    if not isinstance(following, If) or len(following.then) != 1 or following.otherwise:
        return
    insert = following.then[0]
    if not isinstance(insert, Do) or not isinstance(insert.statement, Insert):
        return
    statement, table = insert.statement, script.table(source[1])
    columns = _equated_columns(query.where, source[0])
    is_plain = statement.conflict is None and len(statement.rows) == 1 and statement.returning is None
    names = [f"{do.gset}{each.name}" for each in query.outputs]
    if (
        statement.table != table.name
        or not columns
        or not is_plain
        or any(_uses(item, dict.fromkeys(names, TRUE)) for item in items[place + 2 :])
        or not all(statement.rows[0][table.place(column)] == value for column, value in columns.items())
    ):
        return
    key = Key(tuple(columns))
    known = any(map(key.is_like, table.keys))
    new = replace(statement, conflict=OnConflict(key, None))
    target = ", ".join(key.columns)
    lines = f"the SELECT in line {do.span.line} and the INSERT in line {insert.span.line}"
    words = f"instead of {lines}, INSERT … ON CONFLICT ({target}) DO NOTHING"
    if not known:
        words = f"add UNIQUE ({target}) to {table.name}, and {words}"
    tables = tuple(
        replace(each, keys=(*each.keys, key)) if each.name == table.name and not known else each
        for each in script.tables
    )
    one = replace(insert, statement=new, text=f"{insert.text} ON CONFLICT ({target}) DO NOTHING")
    yield words, (*items[:place], one, *items[place + 2 :]), tables


def _equated_columns(condition: Expression, name: str) -> dict[str, Expression]:
    """The columns that a condition equates with values; empty if it has other parts."""
    match condition:
        case Operation(operator=Operator.AND, left=left, right=right):
            one, other = _equated_columns(left, name), _equated_columns(right, name)
            return {**one, **other} if one and other else {}
        case Operation(operator=Operator.EQUAL, left=Column(relation=relation, name=column), right=value):
            return {column: value} if relation == name and not isinstance(value, Column) else {}
        case _:
            return {}


def _uses(item: Item, names: Mapping[str, Expression]) -> bool:
    """Whether an item uses one of these variables."""
    match item:
        case Do(text=text):
            return any(f":{name}" in text for name in names)
        case SetVariable(value=value):
            return any(isinstance(part, Variable) and part.name in names for part in parts(value))
        case If(condition=condition, then=then, otherwise=otherwise):
            return any(isinstance(part, Variable) and part.name in names for part in parts(condition)) or any(
                _uses(each, names) for each in (*then, *otherwise)
            )
        case _:
            return False


def _rename(expression: Expression, old: str, new: str) -> Expression:
    """An expression with another name for its table."""
    columns = {part for part in parts(expression) if isinstance(part, Column) and part.relation == old}
    return _exchange(expression, {each: Column(new, each.name) for each in columns})


def _replace_variables(expression: Expression, variables: Mapping[str, Expression]) -> Expression:
    return _exchange(expression, {Variable(name): value for name, value in variables.items()})


def _exchange(expression: Expression, by: Mapping[Expression, Expression]) -> Expression:
    if expression in by:
        return by[expression]
    match expression:
        case Operation(operator=operator, left=left, right=right):
            return Operation(operator, _exchange(left, by), _exchange(right, by))
        case Call(function=function, arguments=arguments):
            return Call(function, tuple(_exchange(each, by) for each in arguments))
        case Among(value=value, items=items):
            return Among(_exchange(value, by), tuple(_exchange(each, by) for each in items))
        case _:
            return expression
