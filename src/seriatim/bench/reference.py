"""Known verdicts and times of a suite, from a table or from an earlier result."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from seriatim.bench.result import VERDICTS, Outcome, Result, read_json_line
from seriatim.source import Diagnostic, InputError, SourceText, Span

TIMEOUT = "timeout"
MILLISECONDS = "_ms"
ANSWERS = {"yes": True, "no": False, "": None}


@dataclass(frozen=True, slots=True)
class ReferenceEntry:
    """What is known about an input."""

    file: str
    is_serializable: bool | None
    """Whether it is serializable; None if not known."""
    seconds: float | None
    """The time; None if it was not solved in time."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A table of entries."""

    name: str
    entries: tuple[ReferenceEntry, ...]
    has_times: bool

    def find(self, file: str) -> ReferenceEntry | None:
        """The entry for a file: of those whose path is the end of the file's path, or the other way round,
        the one that agrees furthest."""
        parts = PurePath(file).parts
        matching = [entry for entry in self.entries if _is_end(PurePath(entry.file).parts, parts)]
        return max(matching, key=lambda entry: len(PurePath(entry.file).parts), default=None)


def _is_end(one: Sequence[str], other: Sequence[str]) -> bool:
    shared = min(len(one), len(other))
    return shared > 0 and one[-shared:] == other[-shared:]


def read_reference(source: SourceText) -> Reference:
    """Reads an earlier result (JSON lines) or a table (TSV); raises `InputError`."""
    if source.text.lstrip().startswith("{"):
        entries = tuple(_make_entry(result) for result in read_results(source))
        return Reference(source.name, entries, has_times=True)
    return _read_table(source)


def read_results(source: SourceText) -> tuple[Result, ...]:
    """The lines of an earlier result. A last line without a line break was being written when something
    interrupted it, and does not count."""
    *lines, _ = source.text.split("\n")
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(read_json_line(line))
        except ValueError as error:
            raise _bad(number, line, f"not a result of `ser bench`: {error}") from None
    return tuple(found)


def _make_entry(result: Result) -> ReferenceEntry:
    is_solved = result.outcome in VERDICTS or result.outcome is Outcome.COMPILED
    return ReferenceEntry(result.file, VERDICTS.get(result.outcome), result.seconds if is_solved else None)


def _read_table(source: SourceText) -> Reference:
    lines = source.text.splitlines()
    header = lines[0].split("\t") if lines else []
    times = [column for column in header if column.endswith(MILLISECONDS)]
    if "file" not in header or not ("serializable" in header or times):
        hint = "the first line names the columns: file, serializable, and times that end in _ms"
        raise _bad(1, lines[0] if lines else "", "neither a result of `ser bench` nor a table of one", hint)
    entries = []
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            raise _bad(number, line, f"{len(cells)} columns instead of {len(header)}")
        row = dict(zip(header, cells, strict=True))
        answer = row.get("serializable", "")
        if answer not in ANSWERS:
            raise _bad(number, line, f"`serializable` is {answer!r}", "write yes, no, or nothing")
        seconds = _seconds(row[times[-1]], number, line) if times else None
        entries.append(ReferenceEntry(row["file"], ANSWERS[answer], seconds))
    name = f"{source.name} ({times[-1].removesuffix(MILLISECONDS)})" if times else source.name
    return Reference(name, tuple(entries), has_times=bool(times))


def _seconds(cell: str, number: int, line: str) -> float | None:
    if cell in (TIMEOUT, ""):
        return None
    try:
        milliseconds = float(cell)
    except ValueError:
        milliseconds = math.nan
    if not 0 <= milliseconds < math.inf:
        raise _bad(number, line, f"{cell!r} is not a time", f"write milliseconds or {TIMEOUT}")
    return milliseconds / 1000


def _bad(number: int, line: str, message: str, hint: str | None = None) -> InputError:
    return InputError([Diagnostic("SER501", message, Span(number, 1, number, len(line) + 1), hint)])
