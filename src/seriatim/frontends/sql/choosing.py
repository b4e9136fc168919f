"""Values for variables that the file leaves open: small ones, chosen from its first rows and its types.

A `:variable` that neither the header of its transaction nor `\\gset` or `\\set` gives a value gets one here.
The header is completed in place, so the model and the server read the same values afterwards.
What was chosen is among the assumptions of the verdict. Nothing is parsed: any SQL may be around.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

from seriatim.frontends.sql.pieces import Kind, Piece, split
from seriatim.source import SourceText

MOST_REQUESTS = 8
"""A transaction becomes at most so many requests by values that are chosen."""

_HEADER = re.compile(r"transaction\s*:\s*(\w+)\s*(?:\((.*)\))?\s*(once)?\s*", re.I)
_COMMA = re.compile(r",(?![^{]*\})")
_USED = re.compile(
    r"--[^\n]*|/\*.*?\*/|(\$(?:[A-Za-z_]\w*)?\$).*?\1|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|::|:="
    r"|(?<![\w:]):(?:'(\w+)'|\"(\w+)\"|([A-Za-z_]\w*))",
    re.S,
)
_VARIABLE = r":['\"]?{}\b['\"]?"
_CREATE = re.compile(
    r"create\s+(?:\w+\s+)*?table\s+(?:if\s+not\s+exists\s+)?\"?(\w+)\"?\s*\((.*)\)", re.I | re.S
)
_ENUM = re.compile(r"create\s+type\s+(\w+)\s+as\s+enum\s*\((.*)\)", re.I | re.S)
_INSERT = re.compile(
    r"insert\s+into\s+\"?(\w+)\"?(?:\s+as\s+\w+)?\s*(?:\(([^()]*)\))?\s*values\s*(.*)", re.I | re.S
)
_WORD = re.compile(r"\w+")
_SELECTED = re.compile(r"\s*select\s+(?:distinct\s+)?(.*?)(?:\bfrom\b.*)?$", re.I | re.S)
_RETURNED = re.compile(r"\breturning\s+(.*)$", re.I | re.S)
_ABOUT = re.compile(r"\b(?:from|join|update|into)\s+\"?(\w+)", re.I)
_PLAIN = re.compile(r"-?\d{1,9}|true|false|'[\w .@:/-]*'", re.I)
_CONSTRAINT = re.compile(r"\s*(primary|unique|check|foreign|constraint|exclude|key|index|like)\b", re.I)

SAMPLES = (
    (re.compile(r"bool", re.I), ("true", "false")),
    (re.compile(r"uuid", re.I), tuple(f"'00000000-0000-0000-0000-00000000000{n}'" for n in (1, 2))),
    (re.compile(r"date|time", re.I), ("'2024-01-01'", "'2024-01-02'")),
    (re.compile(r"json", re.I), ("'{}'",)),
    (re.compile(r"text|char|citext|name|enum|blob|bytea", re.I), ("'a'", "'b'")),
)
"""Values by the type of a column; numbers for every other type."""

NUMBERS = tuple(map(str, range(1, 10)))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The values of the open variables of a transaction, as they stand in its header."""

    transaction: str
    values: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def sentence(self) -> str:
        parts = [f":{name} is {' or '.join(values)}" for name, values in self.values]
        return f"in {self.transaction}, {', '.join(parts)}: chosen, because the file names no values"


@dataclass(slots=True)
class _Table:
    types: dict[str, str] = field(default_factory=dict)
    """The columns with what follows their names."""
    first: dict[str, list[str]] = field(default_factory=dict)
    """The values of the first rows, by column."""


@dataclass(frozen=True, slots=True)
class _Use:
    """How a statement uses a variable."""

    table: str = ""
    column: str = ""
    is_written: bool = False
    is_amount: bool = False
    """Whether it is added, subtracted or a number of rows: one value is enough."""


def complete(source: SourceText) -> tuple[SourceText, tuple[Chosen, ...]]:
    """The file with values for all of its variables, on the same lines, and what was chosen."""
    if source.name.endswith(".spec") or ":" not in source.text:
        return source, ()
    return _complete(source)


@lru_cache(maxsize=8)
def _complete(source: SourceText) -> tuple[SourceText, tuple[Chosen, ...]]:
    pieces = split(source.text, source.name)
    lines = source.text.split("\n")
    tables, labels = _read_schema(pieces)
    found: list[Chosen] = []
    for header, body in _transactions(pieces):
        shape = _HEADER.fullmatch(header.text)
        assert shape is not None
        name, listed, once = shape.groups()
        given = [part.strip() for part in _COMMA.split(listed or "") if part.strip()]
        bare = [part for part in given if re.fullmatch(r"\w+", part)]
        known = {part.split()[0] for part in given if part not in bare}
        settable = _settable(body, tables)
        opened = dict.fromkeys((*bare, *(each for each in _used(body) if each not in settable)))
        chosen = {
            each: _values(_uses(each, body, tables), tables, labels) for each in opened if each not in known
        }
        if not chosen:
            continue
        chosen = _fewer(chosen)
        written = [f"{each} in {{{', '.join(values)}}}" for each, values in chosen.items()]
        whole = ", ".join([*(part for part in given if part not in bare), *written])
        lines[header.span.line - 1] = f"-- transaction: {name}({whole}){' once' if once else ''}"
        found.append(Chosen(name, tuple(chosen.items())))
    return (SourceText(source.name, "\n".join(lines)), tuple(found)) if found else (source, ())


def _transactions(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, list[Piece]]]:
    """The headers that can be read, each with the pieces up to the next one."""
    header: Piece | None = None
    body: list[Piece] = []
    for each in pieces:
        if each.kind is Kind.COMMENT and each.text.lower().startswith("transaction"):
            if header is not None:
                yield header, body
            header = each if _HEADER.fullmatch(each.text) else None
            body = []
        else:
            body.append(each)
    if header is not None:
        yield header, body


def _used(body: Sequence[Piece]) -> Iterator[str]:
    """The variables that a transaction uses, in order."""
    for each in body:
        if each.kind is Kind.COMMENT:
            continue
        for found in _USED.finditer(each.text):
            name = found.group(2) or found.group(3) or found.group(4)
            if name:
                yield name


def _settable(body: Sequence[Piece], tables: dict[str, _Table]) -> set[str]:
    """The names that `\\set` and `\\gset` may give values."""
    found: set[str] = set()
    for each in body:
        if each.kind is Kind.COMMAND and each.text.startswith("\\set"):
            found |= set(each.text.split()[1:2])
        if each.gset is not None:
            found |= {each.gset + name for name in _output_names(each.text, tables)}
    return found


def _output_names(text: str, tables: dict[str, _Table]) -> set[str]:
    """The names that the columns of an answer may have; too many rather than too few."""
    shape = _SELECTED.match(text) or _RETURNED.search(text)
    if shape is None:
        return {word.lower() for word in _WORD.findall(text)} | set(_WORD.findall(text))
    names: set[str] = set()
    for item in _split(shape.group(1)):
        if "*" in item and "(" not in item:
            names |= {column for table in tables.values() for column in table.types}
        words = _WORD.findall(re.sub(r"::\s*\w+", "", item))
        named = re.search(r"\bas\s+\"?(\w+)\"?\s*$", item, re.I)
        names |= {named.group(1), named.group(1).lower()} if named is not None else set()
        names |= {word.lower() for word in (words[:1] + words[-1:] if named is None else [])}
    return names


def _read_schema(pieces: Sequence[Piece]) -> tuple[dict[str, _Table], dict[str, list[str]]]:
    """The tables with their first rows, and the labels of enumerations."""
    tables: dict[str, _Table] = {}
    labels: dict[str, list[str]] = {}
    for each in pieces:
        if each.kind is Kind.COMMENT and each.text.lower().startswith("transaction"):
            break
        created, enumeration, inserted = (shape.match(each.text) for shape in (_CREATE, _ENUM, _INSERT))
        if enumeration is not None:
            labels[enumeration.group(1).lower()] = _split(enumeration.group(2))
        if created is not None:
            parts = [part for part in _split(created.group(2)) if not _CONSTRAINT.match(part)]
            named = (part.partition(" ") for part in parts)
            types = {name.strip('"').lower(): rest.strip() for name, _, rest in named}
            tables[created.group(1).lower()] = _Table(types)
        if inserted is not None and inserted.group(1).lower() in tables:
            table = tables[inserted.group(1).lower()]
            columns = _split(inserted.group(2).lower()) if inserted.group(2) else list(table.types)
            for row in re.findall(r"\(((?:[^()']|'(?:[^']|'')*'|\([^()]*\))*)\)", inserted.group(3)):
                for column, value in zip(columns, _split(row), strict=False):
                    table.first.setdefault(column, []).append(value)
    return tables, labels


def _split(text: str) -> list[str]:
    """The parts between commas outside parentheses and quotes."""
    parts, depth = [""], 0
    for token in re.findall(r"'(?:[^']|'')*'|.", text, re.S):
        depth += (token in "([") - (token in ")]") if len(token) == 1 else 0
        if token == "," and not depth:
            parts.append("")
        else:
            parts[-1] += token
    return [" ".join(part.split()) for part in parts if part.strip()]


def _uses(name: str, body: Sequence[Piece], tables: dict[str, _Table]) -> list[_Use]:
    """How a transaction uses a variable."""
    variable = _VARIABLE.format(re.escape(name))
    sign = r"\s*(?:=|<>|!=|<=|>=|<|>)\s*"
    found: list[_Use] = []
    for each in body:
        if each.kind is not Kind.STATEMENT or not re.search(variable, each.text):
            continue
        about = [table.lower() for table in _ABOUT.findall(each.text) if table.lower() in tables]
        inserted = _INSERT.match(each.text)
        if inserted is not None and inserted.group(1).lower() in tables:
            table = tables[inserted.group(1).lower()]
            columns = _split(inserted.group(2).lower()) if inserted.group(2) else list(table.types)
            for row in re.findall(r"\(((?:[^()']|'(?:[^']|'')*'|\([^()]*\))*)\)", inserted.group(3)):
                for column, value in zip(columns, _split(row), strict=False):
                    if re.search(variable, value):
                        found.append(_Use(inserted.group(1).lower(), column, is_written=True))
        if re.search(rf"(?:[+-]\s*{variable}|{variable}\s*[+*-]|\blimit\s+{variable})", each.text, re.I):
            found.append(_Use(is_amount=True))
        before = rf"(\w+){sign}(?:any\s*\(\s*)?{variable}|(\w+)\s+(?:not\s+)?in\s*\([^()]*{variable}"
        for one, other in re.findall(before, each.text, re.I):
            found.append(_Use(_owner(about, tables, one or other), (one or other).lower()))
        after = re.findall(rf"{variable}{sign}(\w+)", each.text)
        found += [_Use(_owner(about, tables, column), column.lower()) for column in after]
    return found


def _owner(about: Sequence[str], tables: dict[str, _Table], column: str) -> str:
    """The first table of a statement with this column."""
    return next((each for each in about if column.lower() in tables[each].types), "")


def _values(uses: Sequence[_Use], tables: dict[str, _Table], labels: dict[str, list[str]]) -> tuple[str, ...]:
    """Two values for a variable, or one: those of first rows where it is compared, and others where it is
    inserted."""
    if any(each.is_amount for each in uses):
        return ("1",)
    placed = [each for each in uses if each.table and each.column in tables[each.table].types]
    for each in sorted(placed, key=lambda use: use.is_written):
        type_ = tables[each.table].types[each.column]
        first = [one for one in tables[each.table].first.get(each.column, []) if _PLAIN.fullmatch(one)]
        first = list(dict.fromkeys(first))
        own = labels.get(type_.partition(" ")[0].lower())
        samples = own or next((some for shape, some in SAMPLES if shape.match(type_)), NUMBERS)
        fresh = [one for one in samples if one not in first]
        if each.is_written and own is None:
            return tuple((fresh or first)[:2])
        return tuple([*first, *fresh][:2])
    return ("1", "2")


def _fewer(chosen: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The same with fewer values, the last ones first, if there are too many combinations."""
    found = dict(chosen)
    for name in reversed(list(found)):
        if prod(map(len, found.values())) <= MOST_REQUESTS:
            break
        found[name] = found[name][:1]
    return found
