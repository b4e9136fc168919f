"""Reads EDN as far as Jepsen's histories use it: maps, vectors, lists, sets, keywords, numbers, texts,
tags."""

import json
import re
from collections.abc import Callable, Iterator

_TOKEN = re.compile(
    r"""[\s,]+|;[^\n]*|(?P<open>\#\{|[\[({])|(?P<close>[\])}])|(?P<text>"(?:[^"\\]|\\.)*")"""
    r"""|(?P<tag>\#[A-Za-z][\w./-]*)|(?P<skip>\#_)|(?P<char>\\\S+)|(?P<atom>[^\s,\[\](){}";]+)""",
    re.DOTALL,
)
_ENDS = {"[": "]", "(": ")", "{": "}", "#{": "}"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}


class BadEdn(ValueError):
    """Raised if a text is not EDN; `place` is the position of the mistake."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    place = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise BadEdn(f"unexpected {text[place]!r}", place)
        if found.lastgroup is not None:
            yield found.lastgroup, found[0], place
        place = found.end()


def _atom(kind: str, text: str) -> object:
    if kind == "text":
        return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), text[1:-1])
    if kind == "char":
        return text[1:]
    if text in ("nil", "true", "false"):
        return {"nil": None, "true": True, "false": False}[text]
    if re.fullmatch(r"[+-]?[0-9]+N?", text):
        return int(text.rstrip("N"))
    if re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?M?", text):
        return float(text.rstrip("M"))
    return text.removeprefix(":")


def _typed_atom(kind: str, text: str) -> object:
    if kind == "text":
        return json.dumps(_atom(kind, text))
    return text if kind == "char" or text.startswith(":") else _atom(kind, text)


def _make(kind: str, items: list[object], place: int) -> object:
    if kind == "{":
        if len(items) % 2:
            raise BadEdn("a map has a key without a value", place)
        return {_key(items[at]): items[at + 1] for at in range(0, len(items), 2)}
    return sorted(items, key=repr) if kind == "#{" else items


def _key(value: object) -> str:
    return value if isinstance(value, str) else str(value)


def read_forms(text: str) -> Iterator[tuple[object, int]]:
    """The forms of a text, each with its line; a vector around all forms is left out. Keywords become texts
    without their colon. `#_` drops the form that follows it, wherever it stands."""
    return _read(text, _atom)


def read_typed_forms(text: str) -> Iterator[tuple[object, int]]:
    """The forms of a text in which keywords keep their colon, and texts their quotes, so that no two atoms of
    different types are equal, except numbers."""
    return _read(text, _typed_atom)


def _read(text: str, atom: Callable[[str, str], object]) -> Iterator[tuple[object, int]]:
    stack: list[tuple[str, list[object], int]] = []
    skips = [0]
    """How many forms to drop next: at the top, and in each form that is open."""
    line, counted = 1, 0
    for kind, token, place in _tokens(text):
        if kind in ("tag", "skip"):
            skips[-1] += kind == "skip"
            continue
        if kind == "open":
            stack.append((token, [], place))
            skips.append(0)
            continue
        if kind == "close":
            if not stack or _ENDS[stack[-1][0]] != token:
                raise BadEdn(f"unexpected {token!r}", place)
            if skips.pop():
                raise BadEdn("nothing follows `#_`", place)
            opened, items, begun = stack.pop()
            value = _make(opened, items, begun)
        else:
            value, begun = atom(kind, token), place
        if skips[-1]:
            skips[-1] -= 1
        elif len(stack) > 1 or (stack and stack[0][0] not in ("[", "(")):
            stack[-1][1].append(value)
        elif (stack and not skips[0]) or (not stack and not isinstance(value, list)):
            line += text.count("\n", counted, begun)
            counted = begun
            yield value, line
    if stack:
        raise BadEdn("this is not closed", stack[-1][2])
