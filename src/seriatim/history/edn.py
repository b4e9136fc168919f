"""Reads EDN as far as Jepsen's histories use it: maps, vectors, lists, sets, keywords, numbers, texts,
tags. Lines are read as they come: no more than one form is in memory."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import chain

_TOKEN = re.compile(
    r"""[\s,]+|;[^\n]*|(?P<open>\#\{|[\[({])|(?P<close>[\])}])|(?P<text>"(?:[^"\\]|\\.)*")"""
    r"""|(?P<tag>\#[A-Za-z][\w./-]*)|(?P<skip>\#_)|(?P<char>\\\S+)|(?P<atom>[^\s,\[\](){}";]+)""",
    re.DOTALL,
)
DEEPEST = 200
"""How deeply forms may be nested."""
_ENDS = {"[": "]", "(": ")", "{": "}", "#{": "}"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


_ATOM = r"[^\s,;\"#\\\[\](){}]+"
_FLAT = re.compile(
    rf"""\s*\{{(?:[\s,]*:[\w-]+\s+(?:"[^"\\]*"|{_ATOM}|\[(?:[\s,]*{_ATOM})*\s*\])(?=[\s,}}]))*[\s,]*\}}\s*"""
)
"""A map on a line of its own with nothing in it but atoms, plain texts and vectors of atoms."""
_PAIR = re.compile(rf""":([\w-]+)\s+("[^"\\]*"|{_ATOM}|\[[^\]]*\])""")


class BadEdn(ValueError):
    """Raised if a text is not EDN; names the line of the mistake."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def _tokens(lines: Iterable[str]) -> Iterator[tuple[str, str, int]]:
    """Kinds, tokens and their lines. Only texts in quotes go on in the next line."""
    text, number = "", 1
    for line in lines:
        text += line
        place = 0
        while found := _TOKEN.match(text, place):
            if found.lastgroup is not None:
                yield found.lastgroup, found[0], number
            number += found[0].count("\n")
            place = found.end()
        text = text[place:]
        if text and text[0] != '"':
            break
    if text:
        raise BadEdn("a text is not closed" if text[0] == '"' else f"unexpected {text[0]!r}", number)


def _atom(kind: str, text: str) -> object:
    """Raises `ValueError` for an integer with more digits than Python reads."""
    if kind == "text":
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1])
    if kind == "char":
        return text[1:]
    if text in ("nil", "true", "false"):
        return {"nil": None, "true": True, "false": False}[text]
    if re.fullmatch(r"[+-]?[0-9]+N?", text):
        return int(text.rstrip("N"))
    if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?M?", text):
        return Decimal(text[:-1]) if text[-1] == "M" else float(text)
    return text.removeprefix(":")


def _typed_atom(kind: str, text: str) -> object:
    if kind == "text":
        return json.dumps(_atom(kind, text))
    if kind == "char" or text.startswith(":"):
        return text
    found = _atom(kind, text)
    return f"{found.normalize()}M" if isinstance(found, Decimal) else found


def _checked(atom: Callable[[str, str], object], kind: str, text: str, line: int) -> object:
    try:
        return atom(kind, text)
    except ValueError:
        raise BadEdn("a number has too many digits", line) from None


def _make(kind: str, items: list[object], line: int) -> object:
    if kind == "{":
        if len(items) % 2:
            raise BadEdn("a map has a key without a value", line)
        found = {_key(items[at]): items[at + 1] for at in range(0, len(items), 2)}
        if 2 * len(found) < len(items):
            raise BadEdn("a map has a key twice", line)
        return found
    return sorted(items, key=repr) if kind == "#{" else items


def _key(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def read_forms(lines: Iterable[str]) -> Iterator[tuple[object, int]]:
    """The forms of a text, each with its line; a vector around all forms is left out. Keywords become texts
    without their colon. `#_` drops the form that follows it, wherever it stands.

    Lines at the beginning that are simple maps are read by a pattern, which is several times faster."""
    iterator = iter(lines)
    for number, line in enumerate(iterator):
        if _FLAT.fullmatch(line) is None:
            rest = _told(_read(chain([line], iterator), _atom), number)
            yield from ((form, number + later) for form, later in rest)
            return
        pairs = _PAIR.findall(line)
        found = {name: _flat_value(value, number + 1) for name, value in pairs}
        if len(found) < len(pairs):
            raise BadEdn("a map has a key twice", number + 1)
        yield found, number + 1


def _told(forms: Iterator[tuple[object, int]], before: int) -> Iterator[tuple[object, int]]:
    """The forms; mistakes are counted from the first line of the text."""
    try:
        yield from forms
    except BadEdn as bad:
        raise BadEdn(str(bad), before + bad.line) from None


def _flat_value(text: str, line: int) -> object:
    if text[0] == '"':
        return text[1:-1]
    if text[0] == "[":
        return [_checked(_atom, "atom", each, line) for each in text[1:-1].replace(",", " ").split()]
    return _checked(_atom, "atom", text, line)


def read_typed_forms(lines: Iterable[str]) -> Iterator[tuple[object, int]]:
    """The forms of a text in which keywords keep their colon, and texts their quotes, so that no two atoms of
    different types are equal, except numbers."""
    return _read(lines, _typed_atom)


def _read(lines: Iterable[str], atom: Callable[[str, str], object]) -> Iterator[tuple[object, int]]:
    stack: list[tuple[str, list[object], int]] = []
    skips = [0]
    """How many forms to drop next: at the top, and in each form that is open."""
    for kind, token, line in _tokens(lines):
        if kind in ("tag", "skip"):
            skips[-1] += kind == "skip"
            continue
        if kind == "open":
            if len(stack) == DEEPEST:
                raise BadEdn("forms are nested too deeply", line)
            stack.append((token, [], line))
            skips.append(0)
            continue
        if kind == "close":
            if not stack or _ENDS[stack[-1][0]] != token:
                raise BadEdn(f"unexpected {token!r}", line)
            if skips.pop():
                raise BadEdn("nothing follows `#_`", line)
            opened, items, begun = stack.pop()
            value = _make(opened, items, begun)
        else:
            value, begun = _checked(atom, kind, token, line), line
        if skips[-1]:
            skips[-1] -= 1
        elif len(stack) > 1 or (stack and stack[0][0] not in ("[", "(")):
            stack[-1][1].append(value)
        elif (stack and not skips[0]) or (not stack and not isinstance(value, list)):
            yield value, begun
    if stack:
        raise BadEdn("this is not closed", stack[-1][2])
