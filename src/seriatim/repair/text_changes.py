"""Changes of Python, SQL and C files that are proved: each changed text is read and decided like the file.

A request or a thread that runs alone does the same after each of these changes, because they only make it
wait for others: a lock that nobody else uses, rows locked by the SELECT that reads them, a lock for whole
transactions, a stronger isolation level. What is proposed is plain text; that it is a repair is what its own
verdict shows, so a text that means something else than intended is no repair, or not even read.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.budget import Deadline, OutOfBudget
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation, read_translation
from seriatim.explain.timeline import Timeline
from seriatim.frontends.protocol import Settings
from seriatim.frontends.reading import BadInput
from seriatim.repair.service_changes import Handler, propose_changes
from seriatim.result import Faulty, Holds, Result, Suspicion, Undecided, Violated
from seriatim.source import InputError, SourceText

SECONDS_FOR_ONE = 5.0
MOST_FOUND = 3
MOST_TRIED = 12


@dataclass(frozen=True, slots=True)
class TextChange:
    """A changed text of a file."""

    title: str
    """What is done, in a phrase."""
    meaning: str
    text: str
    is_larger: bool = False
    """Whether it is only worth trying if no smaller change is enough."""


def has_changes(name: str) -> bool:
    """Whether changes are proposed for files with this name."""
    return name.endswith(tuple(_PROPOSERS))


def proved_changes(
    result: Result, settings: Settings, options: Options, deadline: Deadline, *, is_default: bool
) -> Iterator[TextChange]:
    """The changes of a file with which the question of its result is answered with yes."""
    shown = _run_of(result)
    suffix = next((each for each in _PROPOSERS if result.source.name.endswith(each)), None)
    if shown is None or suffix is None:
        return
    found = tried = 0
    for change in _PROPOSERS[suffix](result.source.text, shown):
        if found == MOST_FOUND or tried == MOST_TRIED or deadline.remaining() <= 0:
            return
        if change.is_larger and found:
            continue
        tried += 1
        if _holds(SourceText(result.source.name, change.text), settings, options, deadline, is_default):
            found += 1
            yield change


def _run_of(result: Result) -> Timeline | None:
    match result.answer:
        case Violated(run=run) | Faulty(run=run) | Undecided(suspicion=Suspicion(run=run)):
            return run.timeline
        case _:
            return None


def _holds(
    source: SourceText, settings: Settings, options: Options, deadline: Deadline, is_default: bool
) -> bool:
    sooner = deadline.of_cpu(SECONDS_FOR_ONE)
    hurried = replace(options, timeout=sooner.remaining(), stuck_runs=True)
    try:
        translation = read_translation(source, options.question, settings)
        result, _ = decide_translation(
            translation, source, hurried, None, sooner, replay=False, is_default=is_default
        )
    except (BadInput, InputError, OutOfBudget):
        return False
    return isinstance(result.answer, Holds) and result.stuck is None


# Python


def _of_python(text: str, shown: Timeline) -> Iterator[TextChange]:
    """Locks around parts of the handlers of a run."""
    names = {name.partition("(")[0].rpartition(".")[2] for name in shown.handlers()}
    handlers = [
        (node.name, node.lineno)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, Handler) and node.name in names
    ]
    for change in propose_changes(text, handlers):
        if change.change == "lock":
            yield TextChange(change.title, change.meaning, change.text)


# SQL


_BEGIN = re.compile(r"^[ \t]*(?:BEGIN|START[ \t]+TRANSACTION)\b[^;\n]*;", re.IGNORECASE | re.MULTILINE)
_SELECT = re.compile(r"^[ \t]*SELECT\b[^;\\]*?(?=[ \t]*(?:;|\\gset))", re.IGNORECASE | re.MULTILINE)
_SPECIAL = re.compile(r"\b(?:ONLY|DEFERRABLE)\b", re.IGNORECASE)
_LOCKING = re.compile(r"\bFOR\s+(?:UPDATE|NO\s+KEY|SHARE|KEY)\b", re.IGNORECASE)
_TURNS = "SELECT pg_advisory_xact_lock(1);"


def _of_sql(text: str, shown: Timeline) -> Iterator[TextChange]:  # noqa: ARG001 - the signature of all proposers
    """Rows that are locked where they are read; transactions that take turns; a stronger level."""
    begins = list(_BEGIN.finditer(text))
    if not begins or any(_SPECIAL.search(each[0]) for each in begins):
        return
    reads = [
        found.end()
        for found in _SELECT.finditer(text, begins[0].end())
        if not _LOCKING.search(found[0]) and re.search(r"\bFROM\b", found[0], re.IGNORECASE)
    ]
    waiting = "The rows that it reads are locked until the end of the transaction; others wait."
    for place in reads:
        title = f"add FOR UPDATE to the SELECT in line {_line_at(text, place)}"
        yield TextChange(title, waiting, _insert(text, [(place, " FOR UPDATE")]))
    if len(reads) > 1:
        title = (
            f"add FOR UPDATE to the SELECTs in lines {', '.join(str(_line_at(text, each)) for each in reads)}"
        )
        changed = _insert(text, [(each, " FOR UPDATE") for each in reads])
        yield TextChange(title, waiting, changed, is_larger=True)
    yield TextChange(
        "run the transactions one at a time, by an advisory lock",
        "Each transaction first takes a lock that all of them share, and keeps it to its end.",
        _insert(text, [(each.end(), f"\n{_TURNS}") for each in begins]),
        is_larger=True,
    )
    yield TextChange(
        "run the transactions at SERIALIZABLE",
        "PostgreSQL aborts transactions whose order matters; the application starts those again.",
        _BEGIN.sub("BEGIN ISOLATION LEVEL SERIALIZABLE;", text),
    )


# C


_LEAVES = re.compile(r"\b(?:return|goto|break|continue|pthread_exit|exit|pthread_mutex_\w+)\b")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
_GUARD = "seriatim_guard"


def _of_c(text: str, shown: Timeline) -> Iterator[TextChange]:
    """A mutex around what the threads of a run execute, each in its own function."""
    includes = list(_INCLUDE.finditer(text))
    if not includes or _GUARD in text or "pthread.h" not in text:
        return
    lines = text.split("\n")
    executed: dict[str, set[int]] = {}
    for turn in shown.turns:
        own = executed.setdefault(turn.handler.partition("#")[0], set())
        own.update(each.line for each in turn.moments if each.line is not None)
    ranges = [
        found
        for name, own in executed.items()
        if name != "main" and own and (found := _whole_statements(lines, min(own), max(own))) is not None
    ]
    if not ranges:
        return
    chosen = sorted(set(ranges))
    changed = list(lines)
    for first, last in reversed(chosen):
        margin = re.match(r"[ \t]*", lines[first - 1])
        indent = margin[0] if margin else ""
        changed.insert(last, f"{indent}pthread_mutex_unlock(&{_GUARD});")
        changed.insert(first - 1, f"{indent}pthread_mutex_lock(&{_GUARD});")
    after = text.count("\n", 0, includes[-1].end()) + 1
    changed.insert(after, f"\nstatic pthread_mutex_t {_GUARD} = PTHREAD_MUTEX_INITIALIZER;")
    told = " and ".join(
        f"lines {first} to {last}" if first < last else f"line {first}" for first, last in chosen
    )
    yield TextChange(
        f"put a mutex around {told}", "Threads wait while another one is inside.", "\n".join(changed)
    )


def _whole_statements(lines: list[str], first: int, last: int) -> tuple[int, int] | None:
    """The smallest range of lines around two lines that opens and closes its own braces, and that nothing
    leaves early; None if there is none inside the function."""
    while True:
        depth = low = 0
        for line in lines[first - 1 : last]:
            for sign in re.findall(r"[{}]", line):
                depth += 1 if sign == "{" else -1
                low = min(low, depth)
        if low < 0:
            first -= 1
        elif depth > 0:
            last += 1
        else:
            break
        if first < 1 or last > len(lines):
            return None
    inside = lines[first - 1 : last]
    is_function = bool(re.match(r"[^\s#{}]", inside[0]))  # A line without margin begins a function.
    if is_function or any(map(_LEAVES.search, inside)) or not _stand_alone(lines, first, last):
        return None
    return first, last


def _stand_alone(lines: list[str], first: int, last: int) -> bool:
    """Whether a line can be put before and after these: no `if` without braces ends above them, and nothing
    below belongs to them."""
    above = next((each for line in reversed(lines[: first - 1]) if (each := _bare(line))), "")
    below = next((each for line in lines[last:] if (each := _bare(line))), "")
    if not above.endswith(("{", "}", ";")) or re.match(r"(?:else|while)\b", below):
        return False
    return _bare(lines[last - 1]).endswith(("}", ";")) and not any(
        "#" in line for line in lines[first - 1 : last]
    )


def _bare(line: str) -> str:
    """A line of C without a comment at its end."""
    return re.sub(r"//.*|/\*.*?\*/", "", line).strip()


_PROPOSERS = {".py": _of_python, ".sql": _of_sql, ".c": _of_c}


def _insert(text: str, pieces: list[tuple[int, str]]) -> str:
    for place, piece in sorted(pieces, reverse=True):
        text = text[:place] + piece + text[place:]
    return text


def _line_at(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1
