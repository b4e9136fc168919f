"""Values of sequences: they are new, and nothing else is known about them.

Until a transaction commits, no other request sees the values that sequences have given to it, so it uses
local names for them. At COMMIT they become unused numbers: no row has them, and no client has seen them. A
client that sees such a number claims it, so that no later row gets the same number while that client may
still use it. Numbers are used again as soon as no client knows them. Answers do not show them, and final rows
are compared up to a renaming of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import count, permutations

from seriatim.frontends.sql import claims as claims_
from seriatim.frontends.sql.claims import Claim, Mark
from seriatim.frontends.sql.machine import Machine, Move
from seriatim.frontends.sql.refusal import unsupported
from seriatim.frontends.sql.states import Database, Done, Local
from seriatim.frontends.sql.terms import New, Row, Value

MOST = 6
"""The largest number of sequence values in a state: final rows are compared under all their renamings."""


def fresh_values(machine: Machine, local: Local) -> Iterator[Value]:
    """The next values of sequences for a client: negative numbers, which are local names until it commits."""
    used = [-each.number for each in values_in((local.variables, local.changes, local.work))]
    return (New(-number, machine.script.floor) for number in count(max([0, *used]) + 1))


def assign_numbers(machine: Machine, local: Local, database: Database) -> Local:
    """Gives unused numbers to the sequence values of a transaction that commits."""
    used = {each.number for each in values_in(database.tables)}
    used |= {int(str(resource[1])) for (resource, mode), _ in database.claims if mode is Mark.KNOWN}
    free = (number for number in count(1) if number not in used)
    own = sorted({each.number for each in values_in(local.changes) if each.number < 0}, reverse=True)
    names = {number: New(next(free), machine.script.floor) for number in own}

    def name(value: Value) -> Value:
        return names.get(value.number, value) if isinstance(value, New) else value

    return replace(
        local,
        variables=tuple((variable, name(value)) for variable, value in local.variables),
        changes=tuple(
            each if each.row is None else replace(each, row=tuple(map(name, each.row)))
            for each in local.changes
        ),
    )


def values_in(part: object) -> Iterator[New]:
    """All values of sequences in a state, or in a part of one."""
    if isinstance(part, New):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from values_in(each)
    elif is_dataclass(part):
        for each in fields(part):
            yield from values_in(getattr(part, each.name))


def claim_known_values(before: Local, after: Local | Done, there: Database) -> Iterator[Move]:
    """A move with claims on the sequence values that the client knows after it."""
    old = set(claims_.known(before.claims))
    new: set[Claim] = set()
    if isinstance(after, Local):
        bare = replace(after, claims=claims_.without_known(after.claims))
        new = {(("new", each.number), Mark.KNOWN) for each in values_in(bare) if each.number > 0}
        own = tuple(sorted((*bare.claims, *new), key=claims_.sort_key))
        after = replace(bare, claims=own)
    for claims in claims_.drop(there.claims, old - new):
        yield after, replace(there, claims=claims_.add(claims, new - old))


def rename_values(tables: Iterable[tuple[Row, ...]]) -> tuple[tuple[Row, ...], ...]:
    """The rows of all tables, with sequence values renamed in a canonical way."""
    found = tuple(tables)
    numbers = sorted({each.number for each in values_in(found)})
    if len(numbers) > MOST:
        raise unsupported(
            f"more than {MOST} values of sequences at once", "bound the rows: -- ser: … has at most 3 rows"
        )
    names = (dict(zip(numbers, order, strict=True)) for order in permutations(range(1, len(numbers) + 1)))
    return min((_with_names(found, each) for each in names), key=repr)


def _with_names(tables: tuple[tuple[Row, ...], ...], names: dict[int, int]) -> tuple[tuple[Row, ...], ...]:
    def name(value: Value) -> Value:
        return New(names[value.number]) if isinstance(value, New) else value

    return tuple(tuple(sorted((tuple(map(name, row)) for row in rows), key=repr)) for rows in tables)
