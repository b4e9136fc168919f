"""Results as a table for people, and in a sentence."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from seriatim.bench.reference import Reference
from seriatim.bench.result import Outcome, Stage
from seriatim.bench.score import Grade, Graded
from seriatim.report.text_look import Style, TextLook
from seriatim.text_width import columns, printable

GAP = "  "
MEGABYTE = 1_000_000

WORDS = {
    Outcome.SERIALIZABLE: "serializable",
    Outcome.NOT_SERIALIZABLE: "not serializable",
    Outcome.COMPILED: "compiled",
    Outcome.UNKNOWN: "undecided",
    Outcome.REFUSED: "REFUSED",
    Outcome.ERROR: "bad input",
}

STYLES = {
    Grade.WRONG: Style.BAD,
    Grade.BAD_INPUT: Style.BAD,
    Grade.UNDECIDED: Style.CHANGE,
    Grade.SOLVED: Style.PLAIN,
}

TEXT_COLUMNS = ("file", "verdict", "method")

Row = dict[str, str]


def table_text(stage: Stage, graded: Sequence[Graded], against: Reference | None, look: TextLook) -> str:
    """A line for each result; columns without any content are left out."""
    names = short_names([each.result.file for each in graded])
    rows = [
        {"file": name} | _figures(stage, each) | _comparison(each, against)
        for name, each in zip(names, graded, strict=True)
    ]
    if not rows:
        return ""
    header = [column for column in rows[0] if any(row[column] for row in rows)]
    widths = {column: max(columns(column), *(columns(row[column]) for row in rows)) for column in header}

    def line(row: Row) -> str:
        cells = [_align(column, row[column], widths[column]) for column in header]
        return GAP.join(cells).rstrip()

    lines = [look.paint(line({column: column for column in header}), Style.STRONG)]
    lines += [look.paint(line(row), STYLES[each.grade]) for row, each in zip(rows, graded, strict=True)]
    return "".join(text + "\n" for text in lines)


def short_names(files: Sequence[str]) -> list[str]:
    """The names without their folders, unless two would look the same."""
    short = [printable(PurePath(file).name) for file in files]
    return short if len(set(short)) == len(short) else [printable(file) for file in files]


def _figures(stage: Stage, graded: Graded) -> Row:
    result = graded.result
    word = WORDS[result.outcome]
    row = {"verdict": f"WRONG: {word}" if graded.grade is Grade.WRONG else word}
    if stage is Stage.CHECK:
        return row | {
            "method": result.method or "",
            "seconds": _time(result.seconds),
            "re-check": _time(result.recheck_seconds),
            "requests": _count(result.requests),
            "peak MB": _megabytes(result.peak_bytes),
        }
    return row | {
        "pairs": _count(result.pairs),
        "steps": _count(result.steps),
        "level": _count(result.level),
        "closure": _time(result.closure_seconds),
        "seconds": _time(result.seconds),
        "peak MB": _megabytes(result.peak_bytes),
    }


def _comparison(graded: Graded, against: Reference | None) -> Row:
    """The time before, and how many times faster it is now, if both are times of solving it."""
    seconds = graded.result.seconds
    entry = None if against is None else against.find(graded.result.file)
    if entry is None:
        return {"before": "", "times": ""}
    if entry.seconds is None:
        return {"before": "timeout", "times": ""}
    is_comparable = graded.grade is Grade.SOLVED and seconds > 0
    return {
        "before": _time(entry.seconds),
        "times": f"{entry.seconds / seconds:,.1f}" if is_comparable else "",
    }


def _align(column: str, cell: str, width: int) -> str:
    space = " " * (width - columns(cell))
    return cell + space if column in TEXT_COLUMNS else space + cell


def _time(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:,.3f}"


def _count(number: int | None) -> str:
    return "" if number is None else f"{number:,}"


def _megabytes(number: int | None) -> str:
    return "" if number is None else f"{number / MEGABYTE:,.0f}"


def summary(graded: Sequence[Graded]) -> str:
    """How many of which grade, and the time of them all."""
    grades = Counter(each.grade for each in graded)
    counts = ", ".join(f"{grades[grade]} {grade.value}" for grade in reversed(Grade) if grades[grade])
    seconds = sum(each.result.seconds for each in graded)
    inputs = "1 input" if len(graded) == 1 else f"{len(graded)} inputs"
    return f"{inputs}: {counts}; {seconds:,.2f} s of CPU time\n"


def complaints(graded: Sequence[Graded], look: TextLook) -> str:
    """Says what went wrong, wrong verdicts first."""
    lines = []
    for wanted in Grade:
        for each in graded:
            if each.grade is wanted and each.complaint is not None:
                word = look.paint("WRONG VERDICT" if wanted is Grade.WRONG else wanted.value, STYLES[wanted])
                lines.append(f"{printable(each.result.file)}: {word}: {printable(each.complaint)}\n")
    return "".join(lines)
