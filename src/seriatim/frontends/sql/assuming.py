"""The assumptions about a SQL file, in sentences."""

from collections.abc import Iterator, Sequence

from seriatim.frontends.protocol import Approximation, ApproximationKind, Settings
from seriatim.frontends.sql.choosing import complete
from seriatim.frontends.sql.deadlocks import find_deadlock
from seriatim.frontends.sql.frontend import FROM_LOG
from seriatim.frontends.sql.language import Begin, Level
from seriatim.frontends.sql.system import SqlSystem
from seriatim.frontends.sql.terms import Value
from seriatim.frontends.sql.widening import CHOSEN
from seriatim.source import SourceText, Span


def approximations(system: SqlSystem, settings: Settings) -> tuple[tuple[Approximation, ...], bool]:
    """The assumptions, and whether only a server can tell that a run is possible in the database."""
    found = [*_about_levels(system, settings), *_about_values(system, settings)]
    unsure = Level.SERIALIZABLE in system.levels and not system.guaranteed
    if unsure:
        sentence = (
            "SERIALIZABLE transactions are treated as REPEATABLE READ, because others are not SERIALIZABLE,"
            " because some roll back or fail, because one may insert a key that it has not looked for,"
            " because SKIP LOCKED shows locks, or because a request has several of them (write BEGIN and"
            " COMMIT around its statements): PostgreSQL promises nothing for these cases"
        )
        found.append(Approximation(ApproximationKind.INTERLEAVING, sentence))
    found += _about_counting(system)
    found += _about_scopes(system)
    found.append(_about_aborts(system))
    return tuple(found), unsure


def about_choices(source: SourceText) -> tuple[Approximation, ...]:
    """The values that were chosen for variables, because the file names none."""
    _, chosen = complete(source)
    return tuple(Approximation(ApproximationKind.CHOSEN, each.sentence) for each in chosen)


def _about_levels(system: SqlSystem, settings: Settings) -> Iterator[Approximation]:
    approval = f"--isolation {settings['isolation']}" if "isolation" in settings else ""
    codes = (request.code for request in system.machine.requests)
    leaves_open = any(isinstance(each, Begin) and each.level is None for code in codes for each in code)
    names = " and ".join(level.value.upper() for level in Level if level in system.levels)
    sentence = f"the transactions run at {names}, by the rules of PostgreSQL"
    if leaves_open and "isolation" not in settings:
        sentence += ", whose default is READ COMMITTED"
    yield Approximation(ApproximationKind.ASSUMPTION, sentence, None, approval)
    if system.guaranteed:
        sentence = "PostgreSQL promises to run SERIALIZABLE transactions as if one at a time: not proved here"
        yield Approximation(ApproximationKind.ASSUMPTION, sentence, None, approval)


def _about_values(system: SqlSystem, settings: Settings) -> Iterator[Approximation]:
    if FROM_LOG in settings:
        sentence = "each value in the log is taken as an argument, even where the application computes it"
        yield Approximation(ApproximationKind.ASSUMPTION, sentence, None, "--from-log")
    if system.machine.has_sequences:
        sentence = "values of sequences are new: which numbers they are is not compared"
        yield Approximation(ApproximationKind.ASSUMPTION, sentence)


def _about_counting(system: SqlSystem) -> Iterator[Approximation]:
    if system.counts_many:
        sentence = "three or more transactions that hold the same lock are not counted exactly"
        yield Approximation(ApproximationKind.INTERLEAVING, sentence)
    if system.confuses_rows:
        sentence = (
            "rows that are inserted again and again while statements wait for them are not all distinguished"
        )
        yield Approximation(ApproximationKind.INTERLEAVING, sentence)


def _about_scopes(system: SqlSystem) -> Iterator[Approximation]:
    for table in system.machine.tables:
        if table.max_rows is not None:
            yield _scope(f"{table.name} has at most {table.max_rows} rows", table.rows_span)
        for column in table.fields:
            if column.scope_span is not None and column.values is not None:
                values = values_text(column.values)
                yield _scope(f"{table.name}.{column.name} holds only {values}", column.scope_span)


def _scope(sentence: str, span: Span | None) -> Approximation:
    if span == CHOSEN:
        return Approximation(ApproximationKind.SCOPE, f"{sentence}: chosen, because the file names no scope")
    return Approximation(ApproximationKind.SCOPE, sentence, span)


MOST_SHOWN = 8


def values_text(values: Sequence[Value]) -> str:
    """Values in a short form: a range, or the first ones."""
    numbers = sorted(each for each in values if isinstance(each, int) and not isinstance(each, bool))
    if len(numbers) == len(values) > 3 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]}..{numbers[-1]}"
    shown = ", ".join(map(str, values[:MOST_SHOWN]))
    return shown if len(values) <= MOST_SHOWN else f"{shown}, … ({len(values)} values)"


def _about_aborts(system: SqlSystem) -> Approximation:
    sentence = "a transaction that PostgreSQL aborts is started again"
    if system.machine.answers_aborts:
        sentence = "a transaction that PostgreSQL aborts answers with the error; it may do so when alone, too"
    elif not system.guaranteed and (stuck := find_deadlock(system.machine)) is not None:
        sentence += f", also after a deadlock, which can happen: {stuck}"
    return Approximation(ApproximationKind.ASSUMPTION, sentence)
