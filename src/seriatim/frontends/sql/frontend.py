"""The front end of SQL: scripts and PostgreSQL's isolation specs.

The parser is an extra, and most checks read no SQL: everything else is imported when a file comes.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from seriatim.frontends.protocol import (
    NO_SETTINGS,
    Approximation,
    ApproximationKind,
    Settings,
    Translation,
    provenance,
)
from seriatim.frontends.sql.refusal import HEADER, NO_LEVEL, NO_PARSER, SCOPE, Refusal
from seriatim.source import Diagnostic, InputError, SourceText

if TYPE_CHECKING:
    from seriatim.frontends.sql.language import Level, Script
    from seriatim.frontends.sql.system import SqlSystem

LEVEL_NAMES = ("read-committed", "repeatable-read", "serializable")
"""As the command line writes them, weakest first."""


TELLER = "sql"


SIMULATION = "sql-simulation"


POSTGRESQL = "postgresql"
"""Who repeats runs: all orders without scopes, or a server, perhaps with its URL after a colon."""


UNCONFIRMED = "confirm"
"""The setting that no certificate records: it is about what comes after the verdict, and may hold a
password."""


class SqlFrontend:
    suffixes = (".sql", ".spec")
    settings = ("isolation", "scope", UNCONFIRMED)

    def translate(self, source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
        system = system_of(source, settings)
        recorded = {name: value for name, value in settings.items() if name != UNCONFIRMED}
        assumed, unsure = approximations(system, settings)
        escape = next(iter(system.machine.escapes), None)
        exact = not unsure and escape is None and not system.counts_many and not system.confuses_rows
        replayer = None if exact or unsure else SIMULATION
        if UNCONFIRMED in settings:
            replayer = POSTGRESQL + (f":{settings[UNCONFIRMED]}" if settings[UNCONFIRMED] else "")
        return Translation(
            system.content,
            approximations=assumed,
            exact=exact,
            replayer=replayer,
            provenance=provenance("sql", source, recorded),
            scope_report=tuple(scope_report(system)),
            doubt_hint="add --confirm, which repeats it on PostgreSQL",
            questions=("serializable",),
            told_by=TELLER,
            escape=None if escape is None else escape_diagnostic(system),
        )


def system_of(source: SourceText, settings: Settings) -> "SqlSystem":
    """What a file stands for, unfolded; raises `InputError`."""
    relevant = tuple(
        sorted((name, text) for name, text in settings.items() if name in ("isolation", "scope"))
    )
    return _system(source, relevant)


@lru_cache(maxsize=4)
def _system(source: SourceText, settings: tuple[tuple[str, str], ...]) -> "SqlSystem":
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        missing = Diagnostic(
            NO_PARSER, "the parser of SQL is not installed", hint="pip install 'seriatim[sql]'"
        )
        raise InputError([missing]) from None
    from seriatim.frontends.sql.scoping import check_scopes, with_scopes
    from seriatim.frontends.sql.system import build

    given = dict(settings)
    script = with_scopes(read(source), given.get("scope", ""))
    check_scopes(script)
    level = default_level(script, given.get("isolation"))
    try:
        return build(script, level)
    except Refusal as refusal:
        raise InputError([Diagnostic(refusal.code, refusal.message, refusal.span, refusal.hint)]) from None


def read(source: SourceText) -> "Script":
    """By the suffix of its name; raises `InputError`."""
    from seriatim.frontends.sql.script import read_script
    from seriatim.frontends.sql.spec_file import read_spec

    reader: Callable[[SourceText], Script] = read_spec if source.name.endswith(".spec") else read_script
    try:
        return reader(source)
    except RecursionError:
        raise InputError([Diagnostic(HEADER, "the file is nested too deeply")]) from None


def default_level(script: "Script", given: str | None) -> "Level":
    """The level of transactions that have none of their own; raises `InputError` if it is needed and not
    given."""
    from seriatim.frontends.sql.code import bracketed, compiled
    from seriatim.frontends.sql.language import Begin, Level

    if given is not None:
        if given in LEVEL_NAMES:
            return Level(given.replace("-", " "))
        hint = f"there are {', '.join(LEVEL_NAMES)}"
        raise InputError([Diagnostic(NO_LEVEL, f"unknown isolation level {given!r}", hint=hint)])
    try:
        codes = [(each, compiled(bracketed(each.items)[0])) for each in script.transactions]
    except Refusal as refusal:
        raise InputError([Diagnostic(refusal.code, refusal.message, refusal.span, refusal.hint)]) from None
    hint = "write BEGIN ISOLATION LEVEL READ COMMITTED (or REPEATABLE READ, SERIALIZABLE), or add --isolation"
    missing = [
        Diagnostic(NO_LEVEL, f"transaction `{each.name}` has no isolation level", each.span, hint)
        for each, code in codes
        if any(isinstance(item, Begin) and item.level is None for item in code)
    ]
    if missing:
        raise InputError(missing)
    return Level.READ_COMMITTED


def approximations(system: "SqlSystem", settings: Settings) -> tuple[tuple[Approximation, ...], bool]:
    """What is assumed, and whether only a server can tell if a run is one of the database."""
    from seriatim.frontends.sql.language import Level

    found: list[Approximation] = []
    approval = f"--isolation {settings['isolation']}" if "isolation" in settings else ""
    names = " and ".join(level.value.upper() for level in Level if level in system.levels)
    found.append(
        Approximation(
            ApproximationKind.ASSUMPTION,
            f"the transactions run at {names}, by the rules of PostgreSQL",
            None,
            approval,
        )
    )
    if system.guaranteed:
        sentence = "PostgreSQL promises to run SERIALIZABLE transactions as if one at a time: not proved here"
        found.append(Approximation(ApproximationKind.ASSUMPTION, sentence, None, approval))
    unsure = Level.SERIALIZABLE in system.levels and not system.guaranteed
    if unsure:
        sentence = (
            "SERIALIZABLE transactions are taken for REPEATABLE READ, because others are not SERIALIZABLE, or"
            " because some roll back or fail, about which PostgreSQL promises nothing"
        )
        found.append(Approximation(ApproximationKind.INTERLEAVING, sentence))
    if system.counts_many:
        sentence = "three or more transactions that hold the same lock are not counted exactly"
        found.append(Approximation(ApproximationKind.INTERLEAVING, sentence))
    if system.confuses_rows:
        sentence = (
            "rows that are inserted again and again while statements wait for them are not all told apart"
        )
        found.append(Approximation(ApproximationKind.INTERLEAVING, sentence))
    for table in system.machine.tables:
        if table.max_rows is not None:
            sentence = f"{table.name} has at most {table.max_rows} rows"
            found.append(Approximation(ApproximationKind.SCOPE, sentence, table.rows_span))
        for column in table.fields:
            if column.scope_span is not None and column.values is not None:
                values = ", ".join(map(str, column.values))
                found.append(
                    Approximation(
                        ApproximationKind.SCOPE,
                        f"{table.name}.{column.name} holds only {values}",
                        column.scope_span,
                    )
                )
    found.append(
        Approximation(ApproximationKind.ASSUMPTION, "a transaction that PostgreSQL aborts is started again")
    )
    return tuple(found), unsure


def escape_diagnostic(system: "SqlSystem") -> Diagnostic:
    """That a value may leave its scope, so that nothing is known about what happens then."""
    escape = next(iter(system.machine.escapes))
    from seriatim.frontends.sql.requests import shown

    message = f"`{escape.table}.{escape.column}` may become {shown(escape.value)}, which is not in its scope"
    if escape.column is None:
        message = f"`{escape.table}` may have {shown(escape.value)} rows, which is more than its scope says"
    return Diagnostic(
        SCOPE,
        message,
        escape.span,
        "no violation was found inside the scope; widen it, or keep the value inside with CHECK or WHERE",
    )


def scope_report(system: "SqlSystem") -> list[tuple[str, str]]:
    """What was taken as what."""
    from seriatim.frontends.sql.naming import answer_name

    found = [
        (f"table {table.name}", f"starts with {answer_name(table.rows)}") for table in system.machine.tables
    ]
    for request in system.machine.requests:
        times = "runs at most once" if request.transaction.once else "runs any number of times"
        found.append((f"line {request.transaction.span.line}: {request.name}", times))
    return found
