"""Marks: what `# ser:` comments, or the lines of a scope file, say about what to try.

| mark | stands at | means |
|---|---|---|
| `0..3`, `{1, 5}`, `{'a', 'b'}`, `bool`, `None` | a parameter | its values, joined by strokes |
| `a in SCOPE, b in SCOPE` | a coroutine | the same for its parameters |
| `SCOPE` | `name = request.match_info["name"]` | what a stand-in gives there |
| `opaque -> SCOPE`, `opaque raises OSError` | a call of a stand-in | what it may answer, or raise |
| `handler`, `internal` | a coroutine | requests call it, or do not |
| `service` | a class | it alone is checked |

Code that is there runs as it is, whatever a mark says about it. Marks about the state (`# ser: 0..3` at
`self.seats = 3`, `keys`, `values`, `at most`, `ignore`) are read and say nothing: runs see the state itself.
"""

import ast
import builtins
import io
import re
import tokenize
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from seriatim.source import Diagnostic, InputError, Span

CODE = "SER926"
HINT = "marks are seat in 0..3, {'a', 'b'}, opaque -> 0..1, opaque raises OSError, handler, internal, service"

MOST_VALUES = 1_000
"""Values of a range."""

_COMMENT = re.compile(r"#\s*ser:\s*(.*?)\s*$")
_BETWEEN = re.compile(r",(?![^{]*\})")
"""A comma that is not inside of a set."""
_STROKE = re.compile(r"\|(?![^{]*\})")
_NAMED = re.compile(r"([A-Za-z_]\w*)\s+in\s+(.+)")
_OPAQUE = re.compile(r"opaque(?:\s*->\s*(.+?))?(?:\s*,?\s*raises\s+([\w., ]+))?")

Extent = tuple[int, int, int, int]
"""The first and last line and column of an expression."""


@dataclass(frozen=True, slots=True)
class Named:
    """A value that has a name in the file, such as a member of an enumeration."""

    name: str

    def find(self, names: Mapping[str, Any]) -> Any:
        """The value; raises `LookupError` and `AttributeError`."""
        first, *others = self.name.split(".")
        found = names[first] if first in names else vars(builtins)[first]
        for each in others:
            found = getattr(found, each)
        return found


Scope = tuple[Any, ...]
"""Values, some of which may be `Named`."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one comment says."""

    line: int
    text: str
    values: Scope | None = None
    parameters: Mapping[str, Scope] = field(default_factory=dict)
    answers: Scope | None = None
    raises: tuple[Named, ...] = ()
    word: str = ""
    """`opaque`, `handler`, `internal`, `service`; `state` for what runs need not be told."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What an expression gives if a stand-in is asked there."""

    values: Scope | None
    """None is whatever a stand-in gives."""
    raises: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of a file, by what they are about."""

    parameters: Mapping[int, Mapping[str, Scope]] = field(default_factory=dict)
    """The values of parameters, by the first line of the function, and by name."""
    roles: Mapping[int, str] = field(default_factory=dict)
    """`handler` and `internal`, by the first line of the coroutine."""
    services: tuple[str, ...] = ()
    """The classes that alone are checked; empty if all are."""
    awaits: Mapping[Extent, Answers] = field(default_factory=dict)
    """What awaited calls answer."""
    expressions: Mapping[Extent, Answers] = field(default_factory=dict)
    """What other calls, items and attributes give."""
    needless: tuple[int, ...] = ()
    """The lines of marks that say nothing."""


NO_MARKS = Marks()


def read_marks(text: str, scope: str = "") -> Marks:
    """Raises `InputError` at the first mark that means nothing."""
    lines, names = _by_line(text), {}
    for number, entry in enumerate(scope.split("\n"), 1):
        told = entry.partition(" #")[0].strip()
        if not told or told.startswith("#"):
            continue
        name, colon, mark = (part.strip() for part in told.partition(":"))
        if not colon:
            message = f"line {number} of the scope file is not `NAME: MARK` or `line 12: MARK`"
            raise _refusal(message, 1)
        if found := re.fullmatch(r"line (\d+)", name):
            lines[int(found[1])] = read_mark(mark, int(found[1]))
        else:
            names[name] = read_mark(mark, 1)
    if not lines and not names:
        return NO_MARKS
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return NO_MARKS  # Loading the file says so.
    return _Placing(lines, names).place(tree)


def _by_line(text: str) -> dict[int, Mark]:
    """The marks of a text; one on a line of its own stands above what it is about."""
    found: dict[int, Mark] = {}
    lines = text.split("\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            comment = _COMMENT.match(token.string) if token.type == tokenize.COMMENT else None
            if comment is not None:
                line = token.start[0]
                while line < len(lines) and lines[line - 1].lstrip().startswith("#"):
                    line += 1
                found[line] = read_mark(comment[1], token.start[0])
    except (tokenize.TokenError, SyntaxError):
        pass  # Loading the file says so.
    return found


def read_mark(text: str, line: int) -> Mark:
    """Raises `InputError`."""
    if text in ("handler", "internal", "service"):
        return Mark(line, text, word=text)
    if text == "ignore" or re.fullmatch(r"at most \d+|(keys|values)\s+.+", text):
        return Mark(line, text, word="state")
    if found := _OPAQUE.fullmatch(text):
        is_new = found[1] is not None and re.fullmatch(r"new\(\d+\)", found[1].strip())
        answers = None if found[1] is None or is_new else read_scope(found[1], line)
        names = (name.strip() for name in (found[2] or "").split(","))
        return Mark(
            line, text, answers=answers, raises=tuple(Named(each) for each in names if each), word="opaque"
        )
    parts = [_NAMED.fullmatch(part.strip()) for part in _BETWEEN.split(text)]
    named = {part[1]: read_scope(part[2], line) for part in parts if part is not None}
    if named and len(named) == len(parts):
        return Mark(line, text, parameters=named)
    return Mark(line, text, values=read_scope(text.removeprefix("in "), line))


def read_scope(text: str, line: int) -> Scope:
    """The values that a scope names, each one once; raises `InputError`."""
    found: dict[tuple[type, Any], Any] = {}
    for part in _STROKE.split(text):
        for value in _values(part.strip(), line):
            found.setdefault((type(value), value), value)
    return tuple(found.values())


def _values(text: str, line: int) -> Iterator[Any]:
    if found := re.fullmatch(r"(-?\d+)\s*\.\.\s*(-?\d+)", text):
        low, high = int(found[1]), int(found[2])
        if not low <= high < low + MOST_VALUES:
            raise _refusal(f"the range {text} is {'empty' if low > high else 'too long'}", line)
        yield from range(low, high + 1)
    elif text == "bool":
        yield from (True, False)
    elif found := re.fullmatch(r"\{(.*)\}", text):
        for each in found[1].split(","):
            yield _literal(each.strip(), line)
    else:
        yield _literal(text, line)


def _literal(text: str, line: int) -> Any:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    if re.fullmatch(r"'[^'\\]*'|\"[^\"\\]*\"", text):
        return text[1:-1]
    if re.fullmatch(r"[A-Za-z_]\w*\.\w+", text):  # a member of an enumeration
        return Named(text)
    raise _refusal(f"`{text}` is not a mark", line)


def _refusal(message: str, line: int) -> InputError:
    return InputError([Diagnostic(CODE, message, Span(line, 1, line, 1), HINT)])


class _Placing:
    """Finds what marks are about: the parts of a file at their lines, or with their names."""

    def __init__(self, lines: Mapping[int, Mark], names: Mapping[str, Mark]) -> None:
        self.lines, self.names = lines, names
        self.parameters: dict[int, dict[str, Scope]] = {}
        self.roles: dict[int, str] = {}
        self.services: list[str] = []
        self.awaits: dict[Extent, Answers] = {}
        self.expressions: dict[Extent, Answers] = {}
        self.used: set[int] = set()

    def place(self, tree: ast.Module) -> Marks:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self._place_at_head(node)
            elif isinstance(node, ast.stmt):
                body: list[ast.stmt] = getattr(node, "body", [])
                last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
                self._place_in(node, node.lineno, last)
        needless = tuple(line for line in sorted(self.lines) if line not in self.used)
        services = tuple(self.services)
        return Marks(self.parameters, self.roles, services, self.awaits, self.expressions, needless)

    def _place_at_head(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        last = max(node.lineno, node.body[0].lineno - 1)
        marks = [(line, self.lines[line]) for line in range(first, last + 1) if line in self.lines]
        marks += [(0, mark) for name, mark in self.names.items() if name == node.name]
        for line, mark in marks:
            if mark.word == "service" and isinstance(node, ast.ClassDef):
                self.services.append(node.name)
                self.used.add(line)
            elif mark.word in ("handler", "internal"):
                self.roles[first] = mark.word
                self.used.add(line)
            if mark.parameters:
                self.parameters.setdefault(first, {}).update(mark.parameters)
                self.used.add(line)
        if isinstance(node, ast.ClassDef):
            return
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            at = self.lines.get(argument.lineno) if argument.lineno != node.lineno else None
            found = at or self.names.get(f"{node.name}.{argument.arg}")
            if found is not None and found.values is not None:
                self.parameters.setdefault(first, {})[argument.arg] = found.values
                self.used.add(argument.lineno if at is not None else 0)

    def _place_in(self, statement: ast.stmt, first: int, last: int) -> None:
        """Finds the expressions that the marks at the lines of a statement are about."""
        parts = list(_expressions_of(statement))
        for line in range(first, last + 1):
            mark = self.lines.get(line)
            if mark is None or mark.word == "state" or mark.parameters:
                continue
            at = [each for each in parts if each.lineno <= line <= (each.end_lineno or each.lineno)]
            if mark.word == "opaque" and any(map(_is_call, at)):
                self._note(mark, next(each for each in at if _is_call(each)))
                self.used.add(line)
            elif mark.values is not None:
                self._place_value(statement, mark, line)
        for each in parts:
            named = self.names.get(f"call {ast.unparse(each.func)}") if isinstance(each, ast.Call) else None
            if named is not None:
                awaited = [one for one in parts if isinstance(one, ast.Await) and one.value is each]
                self._note(named, awaited[0] if awaited else each)

    def _place_value(self, statement: ast.stmt, mark: Mark, line: int) -> None:
        """What is assigned by a statement, if it is asked of something else."""
        value: ast.expr | None = getattr(statement, "value", None)
        if value is not None and (isinstance(value, ast.Subscript | ast.Attribute) or _is_call(value)):
            self._note(Mark(mark.line, mark.text, answers=mark.values), value)
            self.used.add(line)

    def _note(self, mark: Mark, node: ast.expr) -> None:
        answers = Answers(mark.answers, mark.raises)
        extent = (node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0)
        if isinstance(node, ast.Await):
            self.awaits[extent] = answers
        else:
            self.expressions[extent] = answers


def _is_call(node: ast.expr) -> bool:
    """Whether it is a call, or one that is awaited."""
    return isinstance(node.value if isinstance(node, ast.Await) else node, ast.Call)


def _expressions_of(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, those that are awaited first, and outer ones before inner ones."""
    found: list[ast.expr] = []
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop(0)
        if isinstance(node, ast.expr):
            found.append(node)
        pending += [each for each in ast.iter_child_nodes(node) if not isinstance(each, ast.stmt)]
    yield from sorted(found, key=lambda each: not isinstance(each, ast.Await))


class Placed:
    """Marks of the file that runs, found by its functions and frames."""

    def __init__(self, file: str = "", marks: Marks = NO_MARKS) -> None:
        self.file, self.marks = file, marks

    def role_of(self, function: Any) -> str:
        return self.marks.roles.get(self._line_of(function), "")

    def values_of(self, function: Any) -> dict[str, list[Any]]:
        """The values of the parameters of a function that are marked."""
        found = self.marks.parameters.get(self._line_of(function), {})
        names = getattr(function, "__globals__", {})
        return {name: find_values(scope, names) for name, scope in found.items()}

    def _line_of(self, function: Any) -> int:
        """The first line of a function of the file; 0 for all others."""
        code = getattr(function, "__code__", None)
        return code.co_firstlineno if code is not None and code.co_filename == self.file else 0

    def find(self, frame: types.FrameType | None, *, is_await: bool = False) -> Answers | None:
        """The answers for the expression that a frame is at now."""
        known = self.marks.awaits if is_await else self.marks.expressions
        if not known or frame is None or frame.f_code.co_filename != self.file:
            return None
        place = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        line, end, column, last = (each or 0 for each in place)
        return known.get((line, end, column, last))


def find_values(scope: Scope, names: Mapping[str, Any]) -> list[Any]:
    """The values of a scope, in a file with these names."""
    return [each.find(names) if isinstance(each, Named) else each for each in scope]
