"""Claims of transactions in flight: locks on rows, tables and numbers, keys to be inserted, rows that must
not change.

A *claim* is a mode on a resource. Holders are counted up to two; `MANY` stands for three and more, and when
one of many drops its claim, either many or two are left. So the model allows more than the database does,
never less, and only where three transactions hold the same claim at once.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from seriatim.frontends.sql.language import Strength, TableMode

Resource = tuple[object, ...]
"""("row", table, key), ("incarnation", table, key, n), ("key", table, number of the key, values),
("table", name), ("number", n), ("once", name)."""


class Mark(StrEnum):
    """Modes of claims that are not SQL locks."""

    WRITTEN = "written"
    """A row that is updated or deleted but not yet committed. The transaction also holds a lock on it."""
    INSERTED = "inserted"
    """A key that is inserted but not yet committed."""
    RESERVED = "reserved"
    """A row that a transaction has seen in its snapshot and will write: the first one to commit wins."""
    WATCHED = "watched"
    """A row that must stay as it is in a snapshot: a transaction that changes it commits later."""
    KEPT = "kept"
    """A row that must not be deleted: a transaction that deletes it commits later."""
    CHOSEN = "chosen"
    """A version of a row that a statement has chosen but not yet visited."""
    DONE = "done"
    """A transaction that runs only once and has begun."""
    RUNNING = "running"
    """A transaction that runs only once and has not ended."""
    EXCLUSIVE = "exclusive"
    SHARED = "shared"
    KNOWN = "known"
    """A value of a sequence that a request has seen: no other row gets it meanwhile."""
    SESSION_EXCLUSIVE = "exclusive for the session"
    SESSION_SHARED = "shared for the session"


Mode = Strength | TableMode | Mark


Claim = tuple[Resource, Mode]


Claims = tuple[tuple[Claim, int], ...]
"""Claims with the number of their holders, sorted."""


MANY = 3


SNAPSHOT_MARKS = (Mark.KEPT, Mark.WATCHED, Mark.RESERVED)
"""The claims that a snapshot takes on its rows, weakest first."""


_STRENGTHS = {
    Strength.KEY_SHARE: {Strength.UPDATE},
    Strength.SHARE: {Strength.NO_KEY_UPDATE, Strength.UPDATE},
    Strength.NO_KEY_UPDATE: {Strength.SHARE, Strength.NO_KEY_UPDATE, Strength.UPDATE},
    Strength.UPDATE: set(Strength),
}


_T = TableMode


_TABLE_MODES = {
    _T.ACCESS_SHARE: {_T.ACCESS_EXCLUSIVE},
    _T.ROW_SHARE: {_T.EXCLUSIVE, _T.ACCESS_EXCLUSIVE},
    _T.ROW_EXCLUSIVE: {_T.SHARE, _T.SHARE_ROW_EXCLUSIVE, _T.EXCLUSIVE, _T.ACCESS_EXCLUSIVE},
    _T.SHARE_UPDATE_EXCLUSIVE: set(_T) - {_T.ACCESS_SHARE, _T.ROW_SHARE, _T.ROW_EXCLUSIVE},
    _T.SHARE: set(_T) - {_T.ACCESS_SHARE, _T.ROW_SHARE, _T.SHARE},
    _T.SHARE_ROW_EXCLUSIVE: set(_T) - {_T.ACCESS_SHARE, _T.ROW_SHARE},
    _T.EXCLUSIVE: set(_T) - {_T.ACCESS_SHARE},
    _T.ACCESS_EXCLUSIVE: set(_T),
}


SESSION_MARKS = (Mark.SESSION_EXCLUSIVE, Mark.SESSION_SHARED)
"""The modes of claims that outlive a transaction."""


_ADVISORY = {Mark.EXCLUSIVE, Mark.SHARED, *SESSION_MARKS}


_MARKS: dict[Mark, set[Mark]] = {
    Mark.WRITTEN: set(),
    Mark.INSERTED: {Mark.INSERTED},
    Mark.RESERVED: {Mark.RESERVED},
    Mark.WATCHED: set(),
    Mark.KEPT: set(),
    Mark.CHOSEN: set(),
    Mark.DONE: {Mark.DONE},
    Mark.RUNNING: set(),
    Mark.KNOWN: set(),
    Mark.EXCLUSIVE: _ADVISORY,
    Mark.SESSION_EXCLUSIVE: _ADVISORY,
    Mark.SHARED: {Mark.EXCLUSIVE, Mark.SESSION_EXCLUSIVE},
    Mark.SESSION_SHARED: {Mark.EXCLUSIVE, Mark.SESSION_EXCLUSIVE},
}


CONFLICTS: dict[Mode, frozenset[Mode]] = {
    **{mode: frozenset[Mode](others) for mode, others in _STRENGTHS.items()},
    **{mode: frozenset[Mode](others) for mode, others in _TABLE_MODES.items()},
    **{mark: frozenset[Mode](marks) for mark, marks in _MARKS.items()},
}
"""The modes that conflict with each mode on the same resource."""


def of_transaction(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims that end with the transaction."""
    return tuple(claim for claim in claims if claim[1] not in (*SESSION_MARKS, Mark.KNOWN))


def of_session(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims if claim[1] in SESSION_MARKS)


def known(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims on values of sequences, which `sequences` manages."""
    return tuple(claim for claim in claims if claim[1] is Mark.KNOWN)


def without_known(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    return tuple(claim for claim in claims if claim[1] is not Mark.KNOWN)


def sort_key(claim: Claim) -> str:
    return repr(claim)


def sort_counts(claims: dict[Claim, int]) -> Claims:
    return tuple(sorted(((claim, n) for claim, n in claims.items() if n), key=lambda item: sort_key(item[0])))


def held_by_others(claims: Claims, own: Iterable[Claim], resource: Resource, modes: Iterable[Mode]) -> bool:
    """Whether another request holds one of these modes on a resource."""
    mine = set(own)
    wanted = set(modes)
    return any(
        count > ((resource, mode) in mine)
        for (where, mode), count in claims
        if where == resource and mode in wanted
    )


def is_free(claims: Claims, own: Iterable[Claim], resource: Resource, mode: Mode) -> bool:
    """Whether no other request holds a conflicting mode."""
    return not held_by_others(claims, own, resource, CONFLICTS[mode])


def add(claims: Claims, new: Iterable[Claim]) -> Claims:
    """The claims after a holder takes these."""
    counts = dict(claims)
    for claim in new:
        counts[claim] = min(MANY, counts.get(claim, 0) + 1)
    return sort_counts(counts)


def drop(claims: Claims, old: Iterable[Claim]) -> Iterator[Claims]:
    """The possible claims after a holder drops these."""
    states: list[dict[Claim, int]] = [dict(claims)]
    for claim in old:
        after: list[dict[Claim, int]] = []
        for counts in states:
            after.append({**counts, claim: counts[claim] - 1})
            if counts[claim] == MANY:
                after.append(counts)
        states = after
    yield from map(sort_counts, states)


def covers(claims: Claims, own: Iterable[Claim]) -> bool:
    """Whether the global claims include all claims of one holder: otherwise the two states do not fit."""
    known = {claim for claim, _ in claims}
    return all(claim in known for claim in own)
