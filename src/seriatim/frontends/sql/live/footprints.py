"""Which steps of requests commute on a database: runs that differ only in their order need not all be run.

Claim: if `Footprints.commute` says so for the next steps of two requests, then both orders of the two steps
give the same answers and lead to the same state, as long as neither step waits and nobody is woken. For a
step that is no end of a transaction changes nothing that others see before the end, except locks and keys on
the tables that it writes; what it reads are committed rows. An end makes rows of the tables visible that its
request has written, and releases their locks. At REPEATABLE READ, a statement may be the one that takes the
snapshot, so it commutes with no end; at SERIALIZABLE, reads conflict with writes, and ends with each other.

Footprints are read off from words. A statement that is not plainly about tables has one that covers
everything: it calls a function that is not listed, it defines something, or the script has triggers, views or
rules.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.frontends.sql.live.text import Call, Text

READ_COMMITTED, SERIALIZABLE = "read committed", "serializable"

_WORD = re.compile(r"\w+")
_STRING = re.compile(r"--[^\n]*|'(?:[^']|'')*'")
_CALLED = re.compile(r"(\w+)\s*\(")
_PLAIN = re.compile(r"\s*(select|insert|update|delete|with|values)\b", re.I)
_LOCAL = re.compile(
    r"\s*(begin|start\s+transaction|savepoint|set\s+transaction)\b(?!.*\bdeferrable\b)", re.I | re.S
)
_END = re.compile(r"\s*(commit|end|rollback|abort)\b(?!.*\bto\b)", re.I | re.S)
_TARGET = re.compile(r"\b(?:insert\s+into|update|delete\s+from)\s+(?:only\s+)?[\"`]?(\w+)", re.I)
_LOCKS = re.compile(r"\bfor\s+(no\s+key\s+|key\s+)?(update|share)\b|\block\s+in\b", re.I)
_TABLE = re.compile(r"\bcreate\s+(?:\w+\s+)*?table\s+(?:if\s+not\s+exists\s+)?[\"`]?(\w+)", re.I)
_REFERENCES = re.compile(r"\breferences\s+[\"`]?(\w+)", re.I)
_OPAQUE = re.compile(
    r"\bcreate\s+(?:\w+\s+)*?(view|trigger|rule|function|procedure|policy|event)\b|\b(inherits|partition)\b",
    re.I,
)

KNOWN_CALLS = frozenset(
    _WORD.findall("""
    abs all and any as avg between by case coalesce conflict count distinct else exists except from greatest
    having ifnull in intersect key lateral least length limit lower max min not nullif on or returning round
    select set sum then union upper using values when where
    """)
)
"""Words before a parenthesis that hide no effect: functions of values alone, and words of SQL."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """The tables of a step."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    ends: bool = False
    """Whether it ends a transaction."""
    opaque: bool = False
    """Whether it may touch anything."""

    @property
    def tables(self) -> frozenset[str]:
        return self.reads | self.writes


OPAQUE = Footprint(opaque=True)


class Footprints:
    """What the steps of a script touch, at one level."""

    def __init__(self, text: Text, level: str, opaque: bool = False) -> None:
        self.level = level
        setup = [_STRING.sub("''", each.text) for each in text.setup]
        self.opaque = opaque or any(map(_OPAQUE.search, setup))
        self.tables = {name.lower() for each in setup for name in _TABLE.findall(each)}
        self.linked = _linked(setup)
        self._known: dict[str, Footprint] = {}
        self._whole: dict[Call, Footprint] = {}

    def of_step(self, call: Call, texts: Iterable[str] | None) -> Footprint:
        """The footprint of the statements that a request sends in its next turn; None is unknown ones."""
        if texts is None:
            return OPAQUE
        found = [self._of(text) for text in texts]
        if any(each.ends for each in found):
            return self._of_end(call)
        return _union(found)

    def commute(self, one: Footprint, other: Footprint) -> bool:
        if one.opaque or other.opaque:
            return False
        if one.ends and other.ends:
            return self.level != SERIALIZABLE and not one.tables & other.tables
        if one.ends or other.ends:
            return self.level == READ_COMMITTED and not one.tables & other.tables
        if self.level == SERIALIZABLE:
            return not (one.writes & other.tables or other.writes & one.tables)
        return not one.writes & other.writes

    def _of_end(self, call: Call) -> Footprint:
        """The end of a transaction is about all that its request writes."""
        if call not in self._whole:
            whole = _union(self._of(each.text) for each in call.statements if not _END.match(each.text))
            self._whole[call] = Footprint(frozenset(), whole.writes, ends=True, opaque=whole.opaque)
        return self._whole[call]

    def _of(self, text: str) -> Footprint:
        if text not in self._known:
            self._known[text] = self._read(_STRING.sub("''", text).lower())
        return self._known[text]

    def _read(self, text: str) -> Footprint:
        if self.opaque:
            return OPAQUE
        if _END.match(text):
            return Footprint(ends=True)
        if _LOCAL.match(text):
            return Footprint()
        called = set(_CALLED.findall(text)) - KNOWN_CALLS - self.tables
        if not _PLAIN.match(text) or called:
            return OPAQUE
        named = frozenset(set(_WORD.findall(text)) & self.tables)
        targets = frozenset(_TARGET.findall(text))
        if targets - self.tables:
            return OPAQUE
        if _LOCKS.search(text) or (targets and text.lstrip().startswith("with")):
            targets = named
        return Footprint(named, targets | (self.linked if targets & self.linked else frozenset()))


def _linked(setup: Iterable[str]) -> frozenset[str]:
    """The tables that foreign keys join: a statement about one may lock rows of another."""
    found: set[str] = set()
    for each in setup:
        parents = {name.lower() for name in _REFERENCES.findall(each)}
        named = re.search(r"\btable\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?[\"`]?(\w+)", each, re.I)
        if parents and named is not None:
            found |= {*parents, named.group(1).lower()}
    return frozenset(found)


def _union(found: Iterable[Footprint]) -> Footprint:
    every = list(found)
    return Footprint(
        frozenset().union(*(each.reads for each in every)),
        frozenset().union(*(each.writes for each in every)),
        opaque=any(each.opaque for each in every),
    )
