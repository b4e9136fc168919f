"""The front end of SQL: scripts and PostgreSQL's isolation specs.

The parser is an optional dependency, and most checks read no SQL. So other modules are imported only when
there is a file to read.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from seriatim.frontends.protocol import (
    COMPARED,
    ISOLATION_LEVELS,
    NO_SETTINGS,
    Settings,
    Translation,
    provenance,
)
from seriatim.frontends.sql.refusal import HEADER, NO_LEVEL, NO_PARSER, SCOPE, Refusal
from seriatim.source import Diagnostic, InputError, Severity, SourceText

if TYPE_CHECKING:
    from seriatim.frontends.sql.language import Level, Script
    from seriatim.frontends.sql.machine import Escape
    from seriatim.frontends.sql.system import SqlSystem

TELLER = "sql"


POSTGRESQL = "postgresql"
"""The replayer that uses a server, whose URL may follow after a colon."""


ENGINE, COMPARE = "engine", "compare"
"""The settings that certificates do not record: which database has its say, and about how much of the file.
They matter only after the verdict, and a URL may hold a password."""


ON_ABORT = "on-abort"
"""The setting for clients that the database aborts: `retry` or `answer`."""


FROM_LOG = "from-log"
"""The setting that holds an application's log, whose transactions come after those of the file."""


def translate(source: SourceText, settings: Settings = NO_SETTINGS) -> Translation:
    """Translates a script or a spec; raises `InputError`."""
    if "run-seen" in settings:
        from seriatim.frontends.sql.seen import translate_seen

        return translate_seen(source, settings)
    from seriatim.frontends.sql.engines import has_model

    if not has_model(settings.get(ENGINE, "")):
        from seriatim.frontends.sql.promised import translate_promised

        return translate_promised(source, settings)
    system = system_of(source, settings)  # It says so if there is no parser, which what follows needs.
    from seriatim.frontends.sql.assuming import about_choices, approximations
    from seriatim.frontends.sql.autocommit import warn_of_single_statements

    recorded = {name: value for name, value in settings.items() if name not in (ENGINE, COMPARE, COMPARED)}
    assumed, unsure = approximations(system, settings)
    assumed += about_choices(source)
    escape = next(iter(system.machine.escapes), None)
    exact = not unsure and escape is None and not system.counts_many and not system.confuses_rows
    exact = exact and not system.machine.answers_aborts
    engine = settings.get(ENGINE, POSTGRESQL)
    return Translation(
        replace(system.content, warnings=warn_of_single_statements(source)),
        approximations=assumed,
        exact=exact,
        replayer=f"{POSTGRESQL}:{engine}",
        simulates=not exact and not unsure,
        comparer=f"{settings.get(COMPARE, 'quick')}:{engine}",
        provenance=provenance("sql", source, recorded),
        scope_report=tuple(scope_report(system)),
        doubt_hint="install the extra: pip install 'seriatim[sql]', which brings a PostgreSQL that can tell",
        questions=("serializable",),
        told_by=TELLER,
        escape=None if escape is None else escape_diagnostic(system),
    )


SYSTEM_SETTINGS = ("isolation", "scope", ON_ABORT, FROM_LOG)
"""The settings that change the meaning of a file."""


def system_of(source: SourceText, settings: Settings) -> "SqlSystem":
    """The system of a file, unfolded; raises `InputError`."""
    relevant = tuple(sorted((name, text) for name, text in settings.items() if name in SYSTEM_SETTINGS))
    return _system(source, relevant)


@lru_cache(maxsize=4)
def _system(source: SourceText, settings: tuple[tuple[str, str], ...]) -> "SqlSystem":
    try:
        import sqlglot  # noqa: F401
    except ImportError:
        missing = Diagnostic(NO_PARSER, "the SQL parser is not installed", hint="pip install 'seriatim[sql]'")
        raise InputError([missing]) from None
    from seriatim.frontends.sql.scoping import check_scopes, with_scopes
    from seriatim.frontends.sql.widening import build_in_scopes

    given = dict(settings)
    script = with_scopes(read(source, given.get(FROM_LOG)), given.get("scope", ""))
    check_scopes(script)
    level = default_level(given.get("isolation"))
    try:
        return build_in_scopes(script, level, given.get(ON_ABORT) == "answer")
    except Refusal as refusal:
        raise InputError([Diagnostic(refusal.code, refusal.message, refusal.span, refusal.hint)]) from None


def read(source: SourceText, log: str | None = None) -> "Script":
    """Reads a script by its suffix, perhaps with the transactions of a log; raises `InputError`."""
    from seriatim.frontends.sql.choosing import complete
    from seriatim.frontends.sql.script import read_script
    from seriatim.frontends.sql.spec_file import read_spec

    source, _ = complete(source)
    reader: Callable[[SourceText], Script] = read_spec if source.name.endswith(".spec") else read_script
    try:
        if log is not None:
            return read_with_log(source, log)
        return reader(source)
    except RecursionError:
        raise InputError([Diagnostic(HEADER, "the file is nested too deeply")]) from None


def read_with_log(source: SourceText, log: str) -> "Script":
    """Reads a script and adds the transactions of a log; raises `InputError`."""
    from seriatim.frontends.sql.from_log import read_log
    from seriatim.frontends.sql.pieces import split
    from seriatim.frontends.sql.script import ScriptReader

    reader = ScriptReader()
    for piece in (*split(source.text, source.name), *read_log(log)):
        reader.take(piece)
    return reader.finish()


def default_level(given: str | None) -> "Level":
    """The level of transactions without a level of their own: the given one, or PostgreSQL's default. Raises
    `InputError`."""
    from seriatim.frontends.sql.language import Level

    if given is None:
        return Level.READ_COMMITTED
    if given in ISOLATION_LEVELS:
        return Level(given.replace("-", " "))
    hint = f"there are {', '.join(ISOLATION_LEVELS)}"
    raise InputError([Diagnostic(NO_LEVEL, f"unknown isolation level {given!r}", hint=hint)])


def escape_diagnostic(system: "SqlSystem") -> Diagnostic:
    """The diagnostic for a value that may leave its scope: nothing is known about what happens then. It is an
    error in scopes that the file declares, and a note in those that were chosen."""
    escape = next(iter(system.machine.escapes))
    from seriatim.frontends.sql.requests import value_text
    from seriatim.frontends.sql.widening import is_chosen

    if is_chosen(system, escape):
        return open_scope(system, escape)
    message = (
        f"`{escape.table}.{escape.column}` may become {value_text(escape.value)}, which is not in its scope"
    )
    if escape.column is None:
        message = (
            f"`{escape.table}` may have {value_text(escape.value)} rows, which is more than its scope says"
        )
    return Diagnostic(
        SCOPE,
        message,
        escape.span,
        "no violation was found inside the scope; widen it, or keep the value inside with CHECK or WHERE",
    )


def open_scope(system: "SqlSystem", escape: "Escape") -> Diagnostic:
    """The note that values leave a scope that was chosen."""
    from seriatim.frontends.sql.assuming import values_text

    table = system.machine.script.table(escape.table)
    if escape.column is None:
        most = table.max_rows or 0
        grows = f"`{table.name}` can have more and more rows: with at most {most} of them"
        wider = f"{table.name} has at most {2 * most} rows"
    else:
        values = table.fields[table.place(escape.column)].values or ()
        name = f"{table.name}.{escape.column}"
        grows = f"`{name}` can take more and more values: while it holds {values_text(values)}"
        numbers = [each for each in values if isinstance(each, int)]
        wider = f"{name} in {2 * min(numbers)}..{2 * max(numbers)}"
    message = f"{grows}, no violation was found, with any number of requests"
    hint = f"to look further, write -- ser: {wider}; for a proof, keep it inside, as with CHECK"
    return Diagnostic(SCOPE, message, escape.span, hint, Severity.NOTE)


def scope_report(system: "SqlSystem") -> list[tuple[str, str]]:
    """The first rows of each table, and how often each request runs."""
    from seriatim.frontends.sql.naming import answer_name

    found = [
        (f"table {table.name}", f"starts with {answer_name(table.rows)}") for table in system.machine.tables
    ]
    for request in system.machine.requests:
        times = "runs at most once" if request.transaction.once else "runs any number of times"
        found.append((f"line {request.transaction.span.line}: {request.name}", times))
    return found
