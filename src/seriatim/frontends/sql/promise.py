"""What PostgreSQL's promise about SERIALIZABLE leaves out: errors about keys.

A transaction that inserts a key fails with 23505, and not with a serialization failure, if another one that
runs at the same time has inserted it; no serial order need explain that. Its manual names one exception:
each transaction that may insert the key has looked for it before. Foreign keys are checked in the same way,
against what is committed now.

Claim: if `may_fail_on_keys` is false, errors about keys occur in concurrent runs only where the promise
covers them. For then every statement that checks a key comes after one of the same transaction that has read
all rows of the table, or those with this key, so PostgreSQL notices the conflict as one between a read and a
write.
"""

from collections.abc import Iterable, Iterator

from seriatim.frontends.sql.code import Branch, Instruction, Jump
from seriatim.frontends.sql.language import Begin, Delete, Do, Insert, Key, Select, Table, Update
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.terms import TRUE, Column, Expression, NextValue, Operation, Operator, Query


def may_fail_on_keys(machine: Machine) -> bool:
    """Whether a statement may meet a key of a concurrent transaction that it has not looked for."""
    return any(
        not _is_covered(machine, statement, before)
        for request in machine.requests
        for statement, before in _with_queries_before(request.code)
    )


def _with_queries_before(code: Iterable[Instruction]) -> Iterator[tuple[object, list[Query]]]:
    """The statements of a request, with the queries before each in its transaction. Queries in branches do
    not count."""
    before: list[Query] = []
    branched = False
    for each in code:
        match each:
            case Begin():
                before, branched = [], False
            case Do(statement=Select(query=query)) if not branched:
                before.append(query)
            case Do(statement=statement):
                yield statement, list(before)
        branched = branched or isinstance(each, Branch | Jump)


def _is_covered(machine: Machine, statement: object, before: list[Query]) -> bool:
    match statement:
        case Insert(table=name, rows=rows, query=None, conflict=None):
            table = machine.script.table(name)
            linked = bool(table.references)
            return not linked and all(
                _is_new(table, key, row) or any(_looks_for(query, table, key, row) for query in before)
                for key in table.keys
                for row in rows
            )
        case Insert(table=name):
            table = machine.script.table(name)
            return not table.references and not table.keys
        case Update(table=name, assignments=assignments):
            table = machine.script.table(name)
            changed = {column for column, _ in assignments}
            checked = {column for key in table.keys for column in key.columns}
            checked |= {column for each in table.references for column in each.columns}
            return not changed & checked
        case Delete(table=name):
            return not any(each.table == name for table in machine.tables for each in table.references)
        case _:
            return True


def _is_new(table: Table, key: Key, row: tuple[Expression, ...]) -> bool:
    """Whether a sequence gives a part of a key, so that no other row has it."""
    return any(isinstance(row[table.place(column)], NextValue) for column in key.columns)


def _looks_for(query: Query, table: Table, key: Key, row: tuple[Expression, ...]) -> bool:
    """Whether a query has read all rows of a table, or those with the key of a new row."""
    if len(query.relations) != 1 or query.relations[0].content != table.name or query.limit is not None:
        return False
    if query.where == TRUE:
        return True
    wanted = {(column, row[table.place(column)]) for column in key.columns}
    return key.values is None and set(_equalities(query.where)) == wanted


def _equalities(condition: Expression) -> Iterator[tuple[str, Expression] | None]:
    """The columns that a condition compares, with what; None for any other part."""
    match condition:
        case Operation(operator=Operator.AND, left=left, right=right):
            yield from _equalities(left)
            yield from _equalities(right)
        case Operation(operator=Operator.EQUAL, left=Column(name=name), right=right):
            yield name, right
        case _:
            yield None
