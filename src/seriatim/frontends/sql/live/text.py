"""A script as the server sees it: statements verbatim, in the order of the file.

This reader shares nothing with the model's: it knows where a statement ends, as psql does, and nothing of
SQL. So a mistake of the model's reader is a difference from the server, and not a mistake made twice.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product

Argument = int | str | bool | None


class Unreadable(Exception):
    """Raised for text that cannot be sent to a server; gives the line."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    line: int
    gset: str | None = None
    """The prefix of `\\gset`; None without `\\gset`."""


@dataclass(frozen=True, slots=True)
class Assign:
    """`\\set name expression`."""

    name: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Test:
    """`\\if expression`: goes on at `target` unless it holds."""

    text: str
    line: int
    target: int


@dataclass(frozen=True, slots=True)
class Goto:
    target: int


Code = Statement | Assign | Test | Goto


@dataclass(frozen=True, slots=True)
class Call:
    """A request: a transaction with its arguments."""

    name: str
    arguments: tuple[tuple[str, Argument], ...]
    code: tuple[Code, ...]
    once: bool
    line: int
    goes_on: bool = False
    """Whether the client goes on after a failed transaction, as a session of a `.spec` does."""

    @property
    def title(self) -> str:
        values = ", ".join(literal(value) for _, value in self.arguments)
        return f"{self.name}({values})" if values else self.name

    @property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(each for each in self.code if isinstance(each, Statement))


@dataclass(frozen=True)
class Text:
    """A script: statements that create the tables, and the requests."""

    setup: tuple[Statement, ...]
    calls: tuple[Call, ...]

    @cached_property
    def functions(self) -> frozenset[str]:
        """The functions, procedures and triggers that the script defines; what they do is inside them."""
        every = (each.text for each in (*self.setup, *self.statements))
        return frozenset(name.lower() for text in every for name in _BODY.findall(text))

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of all requests."""
        return tuple(dict.fromkeys(each for call in self.calls for each in call.statements))


_BODY = re.compile(r"create\s+(?:or\s+replace\s+)?(?:function|procedure|trigger)\s+(?:\w+\.)?(\w+)", re.I)
_ROUTINE = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?(?:temp\s+|temporary\s+)?(?:trigger|procedure|function)\b", re.I
)
_AFTER_END = re.compile(r"\bend\s*$", re.I)
_BLOCK = re.compile(r"\s*(if|loop|while|repeat|case)\b", re.I)
_HEADER = re.compile(r"--\s*transaction\s*:\s*(\w+)\s*(?:\((.*)\))?\s*(once)?\s*", re.IGNORECASE)
_LOOKS_LIKE_HEADER = re.compile(r"--\s*transaction\s*:", re.IGNORECASE)
_QUERY = re.compile(r"'(?:[^']|'')*'|\b(select)\b", re.I)
_RANDOM = re.compile(r"random\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)", re.IGNORECASE)
_COMMA = re.compile(r",(?![^{]*\})")
_PARAMETER = re.compile(r"(\w+)\s+in\s+(.+)", re.IGNORECASE | re.DOTALL)
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")
_VALUE = re.compile(r"'(?:[^']|'')*'|[^\s,]+")
_TOKEN = re.compile(
    r"--[^\n]*|[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|(\$(?:[A-Za-z_]\w*)?\$).*?\1"
    r"|\\gset\b[^\n]*|\\\w+|[A-Za-z_]\w*|.",
    re.DOTALL,
)
_VARIABLE = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|(\$(?:[A-Za-z_]\w*)?\$).*?\1"
    r"|::|:=|(?<![\w:]):(?:'(\w+)'|\"(\w+)\"|([A-Za-z_]\w*))",
    re.DOTALL,
)

FORBIDDEN = frozenset({"!", "i", "ir", "copy", "o", "g", "gx", "gexec", "w", "c", "connect", "cd", "setenv"})
"""Commands of psql that reach outside the database."""


def read_text(text: str) -> Text:
    """Reads a script; raises `Unreadable`."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.setup: list[Statement] = []
        self.calls: list[Call] = []
        self.code: list[Code] | None = None
        self.heading: tuple[str, list[tuple[str, tuple[Argument, ...]]], bool, int] | None = None
        self.tests: list[tuple[int, int | None]] = []
        """The open `\\if`s: the places of the test, and of the jump over `\\else`."""
        self.parts: list[str] = []
        self.start = 0
        self.parentheses = 0
        self.bodies = 0
        """How many BEGIN ATOMIC and CASE are open: a semicolon in them ends no statement."""

    @property
    def line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def read(self) -> Text:
        while self.at < len(self.text):
            self._step()
        if "".join(self.parts).strip():
            self._put(None)
        self._close()
        return Text(tuple(self.setup), tuple(self.calls))

    def _step(self) -> None:
        idle = not "".join(self.parts).strip()
        rest = self.text[self.at :]
        if rest.startswith("/*"):
            self.at = self._comment_end()
            self.parts.append(" ")
            return
        if idle and rest.startswith("\\"):
            self._command(rest.partition("\n")[0])
            return
        found = _TOKEN.match(self.text, self.at)
        assert found is not None
        token = found.group()
        if token.startswith("--"):
            self._remark(token, idle)
        elif token == ";" and not self.parentheses and not self.bodies:
            self._put(None)
        elif token.startswith("\\gset"):
            self._put(token.removeprefix("\\gset").partition("--")[0].strip())
        elif token.startswith("\\"):
            raise Unreadable(f"`{token}` in a statement cannot be sent to a server", self.line)
        else:
            self._count(token)
            if idle and not token.isspace():
                self.start, self.parts = self.at, []
            self.parts.append(token)
        self.at = found.end()

    def _count(self, token: str) -> None:
        word = token.lower()
        self.parentheses = max(0, self.parentheses + (token == "(") - (token == ")"))
        if word == "atomic" and "".join(self.parts).rstrip().lower().endswith("begin"):
            self.bodies = 1
        elif word == "begin" and _ROUTINE.match("".join(self.parts)):
            self.bodies += 1  # As SQLite and MariaDB write what others quote.
        elif self.bodies and word == "end":
            after = _BLOCK.match(self.text, self.at + len(token))
            self.bodies -= after is None or after.group(1).lower() == "case"
        elif self.bodies and word == "case" and not _AFTER_END.search("".join(self.parts)):
            self.bodies += 1

    def _comment_end(self) -> int:
        """The end of a comment, which may contain others."""
        depth, at = 0, self.at
        while at < len(self.text):
            if self.text.startswith("/*", at):
                depth, at = depth + 1, at + 2
            elif self.text.startswith("*/", at):
                depth, at = depth - 1, at + 2
                if not depth:
                    return at
            else:
                at += 1
        raise Unreadable("a comment does not end", self.line)

    def _remark(self, token: str, idle: bool) -> None:
        before = self.text[: self.at].rpartition("\n")[2]
        if before.strip() or not _LOOKS_LIKE_HEADER.match(token):
            self.parts.append(" ")
            return
        if not idle:
            message = "a transaction starts inside a statement; is there a `;` missing before it?"
            raise Unreadable(message, self.line)
        found = _HEADER.fullmatch(token.strip())
        if found is None:
            raise Unreadable(f"cannot read `{token.strip()}`", self.line)
        self._close()
        if any(each.name == found.group(1) for each in self.calls):
            raise Unreadable(f"two transactions are called `{found.group(1)}`", self.line)
        parameters = [self._parameter(part) for part in _COMMA.split(found.group(2) or "") if part.strip()]
        self.heading = found.group(1), parameters, bool(found.group(3)), self.line
        self.code = []

    def _parameter(self, part: str) -> tuple[str, tuple[Argument, ...]]:
        found = _PARAMETER.fullmatch(part.strip())
        if found is None:
            raise Unreadable(f"parameter `{part.strip()}` has no values", self.line)
        return found.group(1), values_of(found.group(2).strip())

    def _command(self, whole: str) -> None:
        """A line that starts with a backslash."""
        word, _, rest = whole[1:].strip().partition(" ")
        code, line = self.code, self.line
        self.at += len(whole)
        if word in FORBIDDEN or word.startswith("!"):
            raise Unreadable(f"`\\{word}` reaches outside the database, and is refused", line)
        if code is None:
            raise Unreadable(f"`\\{word}` before the first transaction is not supported", line)
        if word in ("set", "if") and any(each.group(1) for each in _QUERY.finditer(rest)):
            message = f"`\\{word}` computes with values alone: ask with SELECT and \\gset before it"
            raise Unreadable(message, line)
        match word:
            case "set":
                name, _, expression = rest.strip().partition(" ")
                drawn = _RANDOM.fullmatch(expression.strip())
                if drawn is not None and self.heading is not None:
                    values = values_of(f"{drawn.group(1)}..{drawn.group(2)}")
                    self.heading[1].append((name, values))  # As pgbench draws it: any of these values.
                    return
                if re.search(r"\brandom\w*\s*\(", expression):
                    raise Unreadable("`\\set` with this random value is not supported", line)
                code.append(Assign(name, expression.strip(), line))
            case "if":
                self.tests.append((len(code), None))
                code.append(Test(rest.strip(), line, 0))
            case "else" if self.tests and self.tests[-1][1] is None:
                self.tests[-1] = self.tests[-1][0], len(code)
                code.append(Goto(0))
            case "endif" if self.tests:
                self._end_test(code)
            case _:
                raise Unreadable(f"`\\{word}` is not supported", line)

    def _end_test(self, code: list[Code]) -> None:
        where, jump = self.tests.pop()
        test = code[where]
        assert isinstance(test, Test)
        code[where] = Test(test.text, test.line, len(code) if jump is None else jump + 1)
        if jump is not None:
            code[jump] = Goto(len(code))

    def _put(self, gset: str | None) -> None:
        text = "".join(self.parts).strip()
        line = self.text.count("\n", 0, self.start) + 1
        self.parts, self.parentheses, self.bodies = [], 0, 0
        if text:
            (self.setup if self.code is None else self.code).append(Statement(text, line, gset))

    def _close(self) -> None:
        if self.heading is None or self.code is None:
            return
        name, parameters, once, line = self.heading
        if self.tests:
            raise Unreadable("`\\if` without `\\endif`", line)
        for values in product(*(values for _, values in parameters)):
            arguments = tuple(zip((each for each, _ in parameters), values, strict=True))
            self.calls.append(Call(name, arguments, tuple(self.code), once, line))


def values_of(text: str) -> tuple[Argument, ...]:
    """The values of a parameter: `0..3` or `{1, 'x', true, NULL}`."""
    found = _RANGE.fullmatch(text)
    if found is not None:
        return tuple(range(int(found.group(1)), int(found.group(2)) + 1))
    return tuple(_value(part) for part in _VALUE.findall(text.strip().removeprefix("{").removesuffix("}")))


def _value(text: str) -> Argument:
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return {"true": True, "false": False, "null": None}.get(text.lower(), text)


def literal(value: Argument) -> str:
    """The SQL text of a value."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return "'" + value.replace("'", "''") + "'"


def fill_in(text: str, variables: dict[str, str]) -> str:
    """Replaces the variables of a statement by their texts."""

    def put(found: re.Match[str]) -> str:
        name = found.group(2) or found.group(3) or found.group(4)
        return variables.get(name, found.group()) if name else found.group()

    return _VARIABLE.sub(put, text)
