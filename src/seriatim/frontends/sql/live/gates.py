"""Gates in functions: places in bodies written in PL/pgSQL and SQL where others may move, too.

At READ COMMITTED, each statement inside a volatile function sees what is committed when it starts, so a run
that switches only between whole statements of the file misses outcomes. A gate is a call, before a statement
of a body, of a function of ours that takes a lock which somebody else holds: the session stops there, holding
all that it holds, until the lock is given to it.

Claim: a gate changes nothing that the body can see. In PL/pgSQL it is an ASSERT, which leaves FOUND and row
counts as they are; in SQL, a query whose rows nobody gets. It writes nothing. So a run with gates is one of
the bodies as they are, in which the session was slow at these places. Bodies that the system starts at other
moments, and those of functions that are stable or immutable, and see what their caller sees, get no gates.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.sql.live.text import Statement, Text

SCHEMA = "ser_gate"
FIRST, SECOND = 1_397_051_987, 1_397_051_988
"""The classes of the two locks of a gate; the number of a lock is that of its session."""

CREATE = f"""
CREATE FUNCTION {SCHEMA}.pass(gate int) RETURNS boolean LANGUAGE plpgsql AS $gate$
BEGIN
  PERFORM pg_catalog.set_config('application_name', 'gate ' || gate, false);
  PERFORM pg_catalog.pg_advisory_lock({FIRST}, pg_catalog.pg_backend_pid());
  PERFORM pg_catalog.pg_advisory_unlock({FIRST}, pg_catalog.pg_backend_pid());
  PERFORM pg_catalog.pg_advisory_lock({SECOND}, pg_catalog.pg_backend_pid());
  PERFORM pg_catalog.pg_advisory_unlock({SECOND}, pg_catalog.pg_backend_pid());
  RETURN true;
END $gate$
"""
"""The function that stops at a gate. With one lock alone, a session could come to the next gate before the
lock is taken back."""


def open_gate(session: int) -> str:
    """Statements of the holder of the locks that let a session pass. It stops between the two locks until the
    first one is taken back."""
    return (
        f"SELECT pg_advisory_lock({SECOND}, {session}); SELECT pg_advisory_unlock({FIRST}, {session}); "
        f"SELECT pg_advisory_lock({FIRST}, {session}); SELECT pg_advisory_unlock({SECOND}, {session})"
    )


def close_gate(session: int) -> str:
    """A statement after which a session stops at its first gate."""
    return f"SELECT pg_advisory_lock({FIRST}, {session})"


@dataclass(frozen=True, slots=True)
class Gate:
    """A place in a body."""

    body: str
    """The name of the function."""
    line: int
    """The line of the file."""


_BODY = re.compile(
    r"\bcreate\s+(?:or\s+replace\s+)?(?P<kind>function|procedure)\s+(?:\w+\s*\.\s*)?\"?(?P<name>\w+)\"?"
    r"|^\s*(?P<do>do)\b",
    re.I,
)
_QUOTED = re.compile(r"(?P<tag>\$(?:[A-Za-z_]\w*)?\$)(?P<body>.*?)(?P=tag)", re.S)
_LANGUAGE = re.compile(r"\blanguage\s+'?(\w+)'?", re.I)
_VIEWS = re.compile(r"\b(stable|immutable)\b", re.I)
"""Words of functions that see what their caller sees, so that nothing inside tells when others move."""
_LIMITS = re.compile(r"\b(lock_timeout|statement_timeout|transaction_timeout|check_asserts)\b", re.I)
_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?\*/|[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
    r"|(\$(?:[A-Za-z_]\w*)?\$).*?\1|<<\s*\w+\s*>>|:=|\w+|\s+|.",
    re.S,
)
_QUERIES = frozenset({"select", "insert", "update", "delete", "perform", "with", "merge", "execute", "call"})
_ASSIGNS = re.compile(r"\(\s*select\b|\bquery\b|\bin\s+select\b|\bexecute\b", re.I)
_BRANCHES = frozenset({"if", "elsif", "elseif", "else", "case", "when", "exception", "loop", "for", "while"})


def with_gates(text: Text) -> tuple[Text, tuple[Gate, ...]]:
    """A script whose bodies have gates, and the gates by number."""
    every = (*text.setup, *text.statements)
    if any(_LIMITS.search(each.text) for each in every):
        return text, ()  # To stop at a gate would reach a limit of time.
    gates: list[Gate] = []
    setup = tuple(_gated(each, gates) for each in text.setup)
    known = {each: _gated(each, gates) for each in text.statements}
    calls = tuple(
        replace(call, code=tuple(known[each] if isinstance(each, Statement) else each for each in call.code))
        for call in text.calls
    )
    return Text(setup, calls), tuple(gates)


def _gated(statement: Statement, gates: list[Gate]) -> Statement:
    head = _BODY.search(statement.text)
    quoted = None if head is None else _QUOTED.search(statement.text, head.end())
    if head is None or quoted is None:
        return statement
    around = statement.text[: quoted.start()] + statement.text[quoted.end() :]
    language = _LANGUAGE.search(around)
    named = language.group(1).lower() if language else "plpgsql" if head.group("do") else ""
    if named not in ("plpgsql", "sql") or _VIEWS.search(around):
        return statement
    body = quoted.group("body")
    line = statement.line + statement.text.count("\n", 0, quoted.start("body"))
    name = head.group("name") or "DO"
    parts: list[str] = []
    done = 0
    for place in _all_places(body, named):
        gate = Gate(name, line + body.count("\n", 0, place))
        call = f"{SCHEMA}.pass({len(gates)})"
        parts += [body[done:place], f"ASSERT {call}; " if named == "plpgsql" else f"SELECT {call}; "]
        gates.append(gate)
        done = place
    whole = "".join([*parts, body[done:]])
    return replace(
        statement, text=statement.text[: quoted.start("body")] + whole + statement.text[quoted.end("body") :]
    )


def _all_places(body: str, language: str) -> Iterator[int]:
    """Where gates belong in a body; in other languages, at its start, which says that there are some."""
    match language:
        case "plpgsql":
            return _places(body)
        case "sql":
            return _places_in_sql(body)
        case _:
            return iter((0,))


def _places(body: str) -> Iterator[int]:
    """Where statements start in a body in PL/pgSQL that look at tables or change them. What follows a label
    belongs to it, so nothing may come between."""
    starts = declares = False
    before, first, depth = "", "", 0
    for found in _TOKEN.finditer(body):
        word = found.group().lower()
        if word.isspace() or word.startswith(("--", "/*")):
            continue
        if starts:
            first, starts = word, word.startswith("<<")
            if not before.startswith("<<") and _looks(body[found.start() :], first):
                yield found.start()
        depth += (word == "(") - (word == ")")
        declares = declares or (word == "declare" and first in ("", "declare"))
        if word == "begin" and (declares or first in ("", "begin")):
            starts, declares = True, False
        elif not depth:
            inner = word in ("then", "else", "loop") and first in _BRANCHES
            starts = inner or (word == ";" and not declares)
        before = word


def _looks(rest: str, first: str) -> bool:
    """Whether a statement, whose first word is given, looks at tables or changes them."""
    text = _statement(rest)
    computes = first in ("return", "if", "for") or ":=" in text
    return first in _QUERIES or (computes and bool(_ASSIGNS.search(text)))


def _statement(rest: str) -> str:
    """The text up to the end of a statement, or up to the statements inside it."""
    parts: list[str] = []
    for found in _TOKEN.finditer(rest):
        if found.group().lower() in (";", "then", "loop"):
            break
        parts.append(found.group())
    return "".join(parts)


def _places_in_sql(body: str) -> Iterator[int]:
    """Where the second and later statements of a body in SQL start."""
    after = False
    for found in _TOKEN.finditer(body):
        token = found.group()
        if token == ";":
            after = True
        elif after and not token.isspace() and not token.startswith(("--", "/*")):
            yield found.start()
            after = False


def without_gates(text: str) -> str:
    """A statement as the file has it."""
    return _CALL.sub("", text)


_CALL = re.compile(rf"(?:ASSERT|SELECT) {SCHEMA}\.pass\(\d+\); ")


def closed_bodies(text: Text, gates: tuple[Gate, ...]) -> Iterator[str]:
    """The names of the functions inside which others could move, but do not, because they have no gates."""
    opened = {each.body for each in gates}
    for each in text.setup:
        head = _BODY.search(each.text)
        if head is None or head.group("do"):
            continue
        quoted = _QUOTED.search(each.text, head.end())
        around = each.text if quoted is None else each.text[: quoted.start()] + each.text[quoted.end() :]
        language = _LANGUAGE.search(around)
        is_plain = (
            quoted is not None
            and language is not None
            and not any(True for _ in _all_places(quoted.group("body"), language.group(1).lower()))
        )
        if head.group("name") not in opened and not is_plain and not _VIEWS.search(around):
            yield head.group("name")
