"""Marks: what `# ser:` comments, or the lines of a scope file, say about a source.

| mark | stands at | means |
|---|---|---|
| `0..3`, `{1, 5}`, `{'a', 'b'}`, `bool`, `None` | state, a parameter | its values, joined by strokes |
| `a in SCOPE, b in SCOPE` | a coroutine | the values of its parameters |
| `keys SCOPE`, `values SCOPE` | a dict, a set or a list | its keys, and the values at them |
| `at most 3` | an unbounded queue | how many items it can hold |
| `opaque`, `opaque -> SCOPE` | a call | may pause if awaited, leaves the state alone, answers any value |
| `opaque` | `with`, `async with` | begins and ends outside, leaves the state alone, lets exceptions pass |
| `opaque -> new(2)` | a call | answers an object that is told apart from one other |
| `ignore` | a statement | leaves the state alone |
| `service` | a class | is the service, though there are others |
| `handler`, `internal` | a coroutine | requests call it, or do not |
"""

import io
import re
import tokenize
from dataclasses import dataclass, field, replace

from seriatim.frontends.python.domains import (
    NONE,
    NOTHING,
    Atom,
    Domain,
    atomic,
    integers,
    join,
    list_numbers,
)
from seriatim.frontends.python.places import Refused

CODE = "SER926"
HINT = (
    "marks are 0..3, {1, 5}, seat in 0..3, keys 0..2, at most 3, opaque, opaque -> 0..1, ignore, service,"
    " handler, internal"
)

_COMMENT = re.compile(r"#\s*ser:\s*(.*?)\s*$")
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)$")
_NEW = re.compile(r"new\((\d+)\)$")
_SET = re.compile(r"\{(.*)\}$")
_BETWEEN = re.compile(r",(?![^{]*\})")
"""A comma that is not inside of a set."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one comment says."""

    line: int
    text: str
    values: Domain | None = None
    keys: Domain | None = None
    at_most: int | None = None
    is_opaque: bool = False
    answers: Domain | None = None
    """Of an opaque call."""
    raises: tuple[str, ...] = ()
    parameters: dict[str, Domain] = field(default_factory=dict)
    """The values of parameters, by name."""
    word: str = ""
    """`ignore`, `service`, `handler` or `internal`."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a source: by line, and by name."""

    lines: dict[int, Mark] = field(default_factory=dict)
    names: dict[str, Mark] = field(default_factory=dict)

    def at(self, first: int, last: int, *names: str) -> Mark | None:
        """The mark of what stands in some lines and has some names; one on a line of its own stands above."""
        for line in range(first, last + 1):
            if line in self.lines:
                return self.lines[line]
        return next((self.names[name] for name in names if name in self.names), None)


def read_marks(text: str, scope: str) -> Marks:
    """Raises `Refused` at the first mark that means nothing."""
    marks = Marks()
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        found = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
        if found is not None:
            line = token.start[0]
            if lines[line - 1].lstrip().startswith("#"):  # It stands above what it marks.
                line = _below(lines, line)
            marks.lines[line] = read_mark(found[1], token.start[0])
    for number, entry in enumerate(scope.split("\n"), 1):
        told = entry.partition("#")[0].strip()
        if not told:
            continue
        name, colon, mark = told.partition(":")
        if not colon:
            raise Refused(
                CODE, f"line {number} of the scope file is not `NAME: MARK` or `line 12: MARK`", 1, HINT
            )
        if name.startswith("line "):
            marks.lines[int(name[5:])] = read_mark(mark.strip(), int(name[5:]))
        else:
            marks.names[name.strip()] = read_mark(mark.strip(), 1)
    return marks


def _below(lines: list[str], line: int) -> int:
    while line < len(lines) and (not lines[line].strip() or lines[line].lstrip().startswith("#")):
        line += 1
    return line + 1


def read_mark(text: str, line: int) -> Mark:
    """Raises `Refused`."""
    if text in ("ignore", "service", "handler", "internal"):
        return Mark(line, text, word=text)
    if found := re.fullmatch(r"at most (\d+)", text):
        return Mark(line, text, at_most=int(found[1]))
    if found := re.fullmatch(r"opaque(?:\s*->\s*(.+?))?(?:\s*,?\s*raises\s+([\w., ]+))?", text):
        answers = None if found[1] is None else read_scope(found[1], line)
        raises = tuple(name.strip() for name in (found[2] or "").split(",") if name.strip())
        return Mark(line, text, is_opaque=True, answers=answers, raises=raises)
    if found := re.fullmatch(r"keys\s+(.+?)(?:\s*,?\s*values\s+(.+))?", text):
        values = None if found[2] is None else read_scope(found[2], line)
        return Mark(line, text, keys=read_scope(found[1], line), values=values)
    if found := re.fullmatch(r"values\s+(.+)", text):
        return Mark(line, text, values=read_scope(found[1], line))
    if (parameters := _parameters(text, line)) is not None:
        return Mark(line, text, parameters=parameters)
    return Mark(line, text, values=read_scope(text.removeprefix("in "), line))


def _parameters(text: str, line: int) -> dict[str, Domain] | None:
    """`a in 0..1, b in {'x', 'y'}`; None if it is something else."""
    parts = [re.fullmatch(r"([A-Za-z_]\w*)\s+in\s+(.+)", part.strip()) for part in _BETWEEN.split(text)]
    found = {part[1]: read_scope(part[2], line) for part in parts if part is not None}
    return found if len(found) == len(parts) else None


def read_scope(text: str, line: int) -> Domain:
    """The values that a scope names; raises `Refused`."""
    found = NOTHING
    for part in _alternatives(text):
        found = join(found, _part(part, line))
    return replace(found, is_scope=found.is_scope or bool(found.atoms - {NONE}))


def _alternatives(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"\|(?![^{]*\})", text)]


def _part(text: str, line: int) -> Domain:
    if found := _RANGE.match(text):
        low, high = int(found[1]), int(found[2])
        if low > high:
            raise Refused(CODE, f"the range {text} is empty", line, "write the smaller number first")
        return integers(low, high, is_scope=True)
    if text == "bool":
        return Domain(True, 0, 1, is_boolean=True)
    if found := _NEW.match(text):
        return atomic(*(Atom(f"<object {number}>") for number in range(1, int(found[1]) + 1)))
    if found := _SET.match(text):
        return _read_list(found[1], line)
    return _literal(text, line)


def _read_list(text: str, line: int) -> Domain:
    items = [each.strip() for each in text.split(",") if each.strip()]
    numbers = [int(item) for item in items if re.fullmatch(r"-?\d+", item)]
    found = list_numbers(numbers) if numbers else NOTHING
    for item in items:
        if not re.fullmatch(r"-?\d+", item):
            found = join(found, _literal(item, line))
    return found


def _literal(text: str, line: int) -> Domain:
    if re.fullmatch(r"-?\d+", text):
        return integers(int(text), int(text), is_scope=True)
    if text == "None":
        return atomic(NONE)
    if text in ("True", "False"):
        value = int(text == "True")
        return Domain(True, value, value, is_boolean=True)
    if re.fullmatch(r"'[^']*'|\"[^\"]*\"", text):
        return atomic(Atom(repr(text[1:-1]), bool(text[1:-1])))
    if re.fullmatch(r"[A-Za-z_]\w*\.\w+", text):  # a member of an enumeration
        return atomic(Atom(text))
    raise Refused(CODE, f"`{text}` is not a mark", line, HINT)
