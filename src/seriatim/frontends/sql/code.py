"""A transaction as a list of instructions with jumps, and facts about it that need no run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from seriatim.frontends.sql.language import (
    AdvisoryLock,
    AdvisoryUnlock,
    Begin,
    Commit,
    DataStatement,
    Delete,
    Do,
    If,
    Insert,
    Item,
    LockTable,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
    Select,
    SelectLocking,
    SetVariable,
    Update,
)
from seriatim.frontends.sql.refusal import UNSUPPORTED, Refusal
from seriatim.frontends.sql.terms import (
    Aggregate,
    Among,
    AmongRows,
    Call,
    Case,
    Exists,
    Expression,
    Operation,
    Query,
    Scalar,
    Series,
)


@dataclass(frozen=True, slots=True)
class Branch:
    """Jumps to the target unless the condition holds."""

    condition: Expression
    target: int


@dataclass(frozen=True, slots=True)
class Jump:
    target: int


Instruction = Do | Begin | Commit | Rollback | Savepoint | RollbackTo | Release | SetVariable | Branch | Jump


Code = tuple[Instruction, ...]


def bracket(items: Iterable[Item], inside: bool | None = False) -> tuple[list[Item], bool | None]:
    """Puts BEGIN and COMMIT around each statement outside a transaction. Also tells whether the end is inside
    a transaction; None if that depends on the branches taken. Raises `Refusal`."""
    found: list[Item] = []
    for item in items:
        match item:
            case Begin():
                inside = True
            case Commit() | Rollback():
                inside = False
            case If(condition=condition, then=then, otherwise=otherwise, span=span):
                one, after_one = bracket(then, inside)
                other, after_other = bracket(otherwise, inside)
                inside = after_one if after_one is after_other else None
                found.append(If(condition, tuple(one), tuple(other), span))
                continue
            case Savepoint() | Release() | RollbackTo() | Do(statement=LockTable()) if inside is False:
                hint = "write BEGIN before it: PostgreSQL answers 25P01"
                raise Refusal(UNSUPPORTED, "this statement outside a transaction", hint, item.span)
            case Do(span=span) if inside is False:
                found += [Begin(None, span), item, Commit(span, implicit=True)]
                continue
            case Do(span=span) if inside is None:
                hint = "end the transaction in both branches of \\if, or in none"
                raise Refusal(UNSUPPORTED, "whether this is inside a transaction depends on \\if", hint, span)
        found.append(item)
    return found, inside


def compile_items(items: Iterable[Item]) -> Code:
    """Flattens branches into jumps. All jumps lead forwards: there are no loops."""
    code: list[Instruction] = []
    for item in items:
        if not isinstance(item, If):
            code.append(item)
            continue
        start = len(code)
        then = compile_items(item.then)
        otherwise = compile_items(item.otherwise)
        after_then = start + 1 + len(then) + 1
        code.append(Branch(item.condition, after_then))
        code.extend(shift_targets(then, start + 1))
        code.append(Jump(after_then + len(otherwise)))
        code.extend(shift_targets(otherwise, after_then))
    return tuple(code)


def shift_targets(code: Code, by: int) -> Iterator[Instruction]:
    for each in code:
        match each:
            case Branch(condition=condition, target=target):
                yield Branch(condition, target + by)
            case Jump(target=target):
                yield Jump(target + by)
            case _:
                yield each


def statements_in(items: Iterable[Item]) -> Iterator[DataStatement]:
    """The statements of a transaction, in all branches."""
    for item in items:
        match item:
            case Do(statement=statement):
                yield statement
            case If(then=then, otherwise=otherwise):
                yield from statements_in((*then, *otherwise))


def statements(code: Iterable[Instruction]) -> Iterator[DataStatement]:
    return (each.statement for each in code if isinstance(each, Do))


def table_written(statement: DataStatement) -> str | None:
    """The table that a statement writes."""
    return statement.table if isinstance(statement, Update | Delete | Insert) else None


def tables_read(statement: DataStatement) -> frozenset[str]:
    """The tables whose rows a statement may look at in its snapshot."""
    match statement:
        case Select(query=query):
            return frozenset(_tables_of_query(query))
        case SelectLocking(table=table, query=query):
            return frozenset({table, *_tables_of_query(query)})
        case Update(table=table, assignments=assignments, where=where):
            inner = _tables_of([where, *(value for _, value in assignments)])
            return frozenset({table, *inner})
        case Delete(table=table, where=where):
            return frozenset({table, *_tables_of([where])})
        case Insert(table=table, conflict=conflict):
            return frozenset({*_inserted_from(statement), *((table,) if conflict is not None else ())})
        case LockTable() | AdvisoryLock() | AdvisoryUnlock():
            return frozenset()


def _inserted_from(statement: Insert) -> Iterator[str]:
    """The tables from which the rows of an INSERT are computed."""
    yield from _tables_of([value for row in statement.rows for value in row])
    if statement.query is not None:
        yield from _tables_of_query(statement.query)


def reads_rows(statement: Insert) -> bool:
    """Whether the new rows of an INSERT depend on existing ones."""
    return any(True for _ in _inserted_from(statement))


def _tables_of_query(query: Query) -> Iterator[str]:
    for relation in query.relations:
        match relation.content:
            case str() as table:
                yield table
            case Query() as inner:
                yield from _tables_of_query(inner)
            case Series():
                pass
        yield from _tables_of([relation.on])
    orders = [each.expression for each in query.order]
    outputs = [each.expression for each in query.outputs]
    yield from _tables_of([query.where, query.having, *query.group, *outputs, *orders])


def _tables_of(expressions: Iterable[Expression]) -> Iterator[str]:
    for expression in expressions:
        for query in queries_in(expression):
            yield from _tables_of_query(query)


def expressions_of(statement: DataStatement) -> Iterator[Expression]:
    match statement:
        case Select(query=query) | SelectLocking(query=query):
            yield from of_query(query)
        case Update(assignments=assignments, where=where, returning=returning):
            yield where
            yield from (value for _, value in assignments)
            yield from (each.expression for each in returning or ())
        case Delete(where=where, returning=returning):
            yield where
            yield from (each.expression for each in returning or ())
        case Insert(rows=rows, query=query, conflict=conflict, returning=returning):
            yield from (value for row in rows for value in row)
            if query is not None:
                yield from of_query(query)
            if conflict is not None:
                yield conflict.where
                yield from (value for _, value in conflict.assignments or ())
            yield from (each.expression for each in returning or ())


def of_query(query: Query) -> Iterator[Expression]:
    yield query.where
    yield query.having
    for relation in query.relations:
        yield relation.on
        if isinstance(relation.content, Query):
            yield from of_query(relation.content)
    yield from (each.expression for each in query.outputs)
    yield from query.group
    yield from (each.expression for each in query.order)


def parts(expression: Expression) -> Iterator[Expression]:
    """Lists an expression and all expressions inside it, except those in subqueries."""
    yield expression
    match expression:
        case Operation(left=left, right=right):
            yield from parts(left)
            yield from parts(right)
        case Call(arguments=arguments):
            for each in arguments:
                yield from parts(each)
        case Case(branches=branches, otherwise=otherwise):
            for condition, value in branches:
                yield from parts(condition)
                yield from parts(value)
            yield from parts(otherwise)
        case _:
            for each in _operands(expression):
                yield from parts(each)


def _operands(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Among(value=value, items=items):
            return (value, *items)
        case AmongRows(value=value):
            return (value,)
        case Aggregate(argument=argument) if argument is not None:
            return (argument,)
        case _:
            return ()


def queries_in(expression: Expression) -> Iterator[Query]:
    """The subqueries of an expression."""
    for part in parts(expression):
        if isinstance(part, AmongRows | Exists | Scalar):
            yield part.query
