"""Candidate fixes: changed scripts that may make the transactions serializable, and are still to be decided.

They are tried in this order: FOR UPDATE on one SELECT of rows; one statement instead of read-modify-write, or
a constraint instead of a check; FOR UPDATE on all SELECTs; an advisory lock in each transaction; a stronger
level for all transactions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.sql.language import (
    AdvisoryLock,
    Begin,
    Do,
    If,
    Item,
    Level,
    Script,
    Select,
    SelectLocking,
    Strength,
    Wait,
)
from seriatim.frontends.sql.merging import merge_reads
from seriatim.frontends.sql.terms import Constant

Change = Callable[[Item], Item]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A changed script, and the change in words."""

    words: str
    script: Script
    level: Level
    is_larger: bool = False
    """Whether the change includes other candidates."""


def candidates(script: Script, level: Level) -> Iterator[Candidate]:
    """All changes to try."""
    lockable = [
        do for transaction in script.transactions for do in _dos(transaction.items) if _is_lockable(do)
    ]
    for do in lockable:
        words = f"add FOR UPDATE to the SELECT in line {do.span.line}"
        yield Candidate(words, _add_locks(script, frozenset({do})), level)
    for change in merge_reads(script):
        yield Candidate(change.words, change.script, level)
    if len(lockable) > 1:
        lines = ", ".join(str(do.span.line) for do in lockable)
        words = f"add FOR UPDATE to the SELECTs in lines {lines}"
        yield Candidate(words, _add_locks(script, frozenset(lockable)), level, is_larger=True)
    if _levels(script, level) == {Level.READ_COMMITTED}:
        words = "run the transactions one at a time: begin each with SELECT pg_advisory_xact_lock(1)"
        yield Candidate(words, _take_turns(script), level, is_larger=True)
    weakest = min((each for each in _levels(script, level)), key=list(Level).index)
    for stronger in list(Level)[list(Level).index(weakest) + 1 :]:
        words = f"run the transactions at {stronger.value.upper()}"
        yield Candidate(words, _drop_levels(script), stronger)


def _levels(script: Script, level: Level) -> set[Level]:
    begins = [
        item for each in script.transactions for item in _all_items(each.items) if isinstance(item, Begin)
    ]
    return {begin.level or level for begin in begins} or {level}


def _all_items(items: tuple[Item, ...]) -> Iterator[Item]:
    for item in items:
        yield item
        if isinstance(item, If):
            yield from _all_items(item.then)
            yield from _all_items(item.otherwise)


def _dos(items: tuple[Item, ...]) -> Iterator[Do]:
    return (item for item in _all_items(items) if isinstance(item, Do))


def _is_lockable(do: Do) -> bool:
    """Whether FOR UPDATE can be added: the query reads rows of one table, without aggregates."""
    if not isinstance(do.statement, Select):
        return False
    query = do.statement.query
    is_plain = not (query.grouped or query.distinct or query.limit or query.offset or query.order)
    return is_plain and len(query.relations) == 1 and isinstance(query.relations[0].content, str)


def _add_locks(script: Script, locked: frozenset[Do]) -> Script:
    return _map_script(script, lambda item: _lock(item) if item in locked else item)


def _take_turns(script: Script) -> Script:
    """The script with an advisory lock after each BEGIN."""
    transactions = tuple(replace(each, items=_with_lock(each.items)) for each in script.transactions)
    return replace(script, transactions=transactions)


def _with_lock(items: tuple[Item, ...]) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        found.append(item)
        if isinstance(item, Begin):
            found.append(Do(AdvisoryLock(Constant(1), False), "SELECT pg_advisory_xact_lock(1)", item.span))
    return tuple(found)


def _drop_levels(script: Script) -> Script:
    return _map_script(script, lambda item: replace(item, level=None) if isinstance(item, Begin) else item)


def _map_script(script: Script, change: Change) -> Script:
    transactions = tuple(replace(each, items=_map_items(each.items, change)) for each in script.transactions)
    return replace(script, transactions=transactions)


def _map_items(items: tuple[Item, ...], change: Change) -> tuple[Item, ...]:
    found: list[Item] = []
    for item in items:
        if isinstance(item, If):
            then, otherwise = _map_items(item.then, change), _map_items(item.otherwise, change)
            found.append(replace(item, then=then, otherwise=otherwise))
        else:
            found.append(change(item))
    return tuple(found)


def _lock(item: Item) -> Item:
    assert isinstance(item, Do)
    assert isinstance(item.statement, Select)
    query = item.statement.query
    table = query.relations[0].content
    assert isinstance(table, str)
    statement = SelectLocking(table, query, Strength.UPDATE, Wait.WAIT)
    return replace(item, statement=statement, text=f"{item.text} FOR UPDATE")
