"""Explores a file on the live server alone: what the model refuses gets an answer, too.

Claim: a violation that this reports is a fact. Answers and final rows were observed that no one-at-a-time
order of the same requests gives on the same server. To be comparable, each order runs twice, the second time
with the first rows stored in the opposite order: cells that differ are hidden, and if anything else differs,
nothing is said. "No violation" is bounded by what was run, and proves nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, permutations

from seriatim.budget import Deadline, OutOfBudget
from seriatim.frontends.sql.engines import server_named
from seriatim.frontends.sql.live.runs import (
    Answer,
    Arena,
    Event,
    Impossible,
    Outcome,
    arena,
    next_path,
    row_text,
    run_serially,
)
from seriatim.frontends.sql.live.server import NoServer
from seriatim.frontends.sql.live.text import Call, Unreadable, read_text
from seriatim.frontends.sql.live.wire import Cells, ConnectionLost, Failed
from seriatim.source import SourceText

MOST_RUNS = 1000
"""The number of runs for each number of requests."""

HIDDEN = "~"
"""What stands for a cell that differs between two runs of the same order."""

_UNORDERED_LIMIT = re.compile(r"\b(limit|fetch\s+(first|next))\b", re.I)
_BODY = re.compile(r"create\s+(?:or\s+replace\s+)?(?:function|procedure|trigger)\s+([\w.]+)", re.I)
_CHANCE = re.compile(r"\b(random|now|clock_timestamp|current_timestamp|gen_random_uuid)\b", re.I)
_ORDER = re.compile(r"\border\s+by\b", re.I)

Cell = tuple[object, int]
"""A column of an answer (request, place) or of a table (name)."""


class NotComparable(Exception):
    """Raised when the same order of the same requests gives different answers; says which requests."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What was explored, in words."""

    engine: str
    violation: str = ""
    """Empty if none was found."""
    explored: str = ""
    log: tuple[str, ...] = ()
    """The statements of the violation, in their order."""


def explore(source: SourceText, engine: str, level: str, deadline: Deadline) -> Exploration | str:
    """Explores pairs, then triples, of the requests of a script, as long as there is time; a text says why
    that is not possible."""
    try:
        return _explore(source, engine, level, deadline)
    except NoServer as missing:
        return f"{missing.reason}; to fix this: {missing.hint}"
    except Unreadable as wrong:
        return f"line {wrong.line}: {wrong.message}"
    except Impossible as wrong:
        return wrong.message if wrong.line is None else f"line {wrong.line}: {wrong.message}"
    except (ConnectionLost, Failed) as lost:
        return f"the connection was lost ({lost})"


def _explore(source: SourceText, engine: str, level: str, deadline: Deadline) -> Exploration:
    text = read_text(source.text)
    if not text.calls:
        raise Impossible("there is no transaction")
    with arena(server_named(engine), text, level.replace("-", " ")) as place:
        return _Explorer(place, level, deadline).explore()


class _Explorer:
    def __init__(self, place: Arena, level: str, deadline: Deadline) -> None:
        self.place = place
        self.level = level
        self.deadline = deadline
        self.engine = f"PostgreSQL {place.version}"
        self.notes: list[str] = []
        statements = place.text.statements
        if any(_UNORDERED_LIMIT.search(each.text) and not _ORDER.search(each.text) for each in statements):
            raise Impossible("LIMIT without ORDER BY: the answer depends on how rows are stored")
        whole = "\n".join(each.text for each in (*place.text.setup, *statements))
        bodies = sorted({name.lower() for name in _BODY.findall(whole)})
        if bodies:
            self.notes.append(f"no switch inside {', '.join(bodies)}")
        chance = sorted({name.lower() for name in _CHANCE.findall(whole)})
        if chance:
            self.notes.append(f"what depends on {', '.join(chance)} may differ at another time")

    def explore(self) -> Exploration:
        done: list[str] = []
        for size, name in ((2, "pairs"), (3, "triples")):
            before, is_cut = self.place.runs, False
            try:
                for calls in self._groups(size):
                    found = self._look(calls, MOST_RUNS - (self.place.runs - before))
                    if found is not None:
                        return found
                    is_cut = is_cut or self.place.runs - before >= MOST_RUNS
            except OutOfBudget:
                is_cut = True
            except NotComparable as wrong:
                self.notes.append(str(wrong))
                is_cut = True
            runs = self.place.runs - before
            done.append(f"{'some' if is_cut else 'all'} interleavings of {name} ({runs} runs)")
            if is_cut:
                break
        notes = "".join(f"; {each}" for each in dict.fromkeys(self.notes))
        return Exploration(self.engine, explored=f"{' and '.join(done)} show no violation{notes}")

    def _groups(self, size: int) -> Iterator[tuple[Call, ...]]:
        """The groups of requests that may run together."""
        for calls in combinations_with_replacement(self.place.text.calls, size):
            once = [call.name for call in calls if call.once]
            if len(once) == len(set(once)):
                yield calls

    def _look(self, calls: tuple[Call, ...], most: int) -> Exploration | None:
        """Runs requests in their interleavings, until one gives what no order gives."""
        hidden: set[Cell] = set()
        orders: list[Outcome] = []
        for order in permutations(range(len(calls))):
            self.deadline.check()
            first = run_serially(self.place, calls, order)
            second = run_serially(self.place, calls, order, backwards=True)
            if first is None or second is None:
                raise NotComparable(f"{_names(calls)} one at a time are aborted")
            hidden |= _differences(_sorted(first), _sorted(second), calls)
            orders.append(_sorted(first))
        if hidden:
            self.notes.append("columns that differ from run to run are hidden")
        allowed = {_view(each, calls, hidden) for each in orders}
        path: list[int] | None = []
        for _ in range(max(0, most)):
            self.deadline.check()
            assert path is not None
            turns, path = next_path(self.place, calls, path)
            outcome = turns.outcome()
            if outcome is not None and _view(_sorted(outcome), calls, hidden) not in allowed:
                return self._tell(calls, _sorted(outcome), orders, turns.events)
            if path is None:
                break
        return None

    def _tell(
        self, calls: Sequence[Call], outcome: Outcome, orders: Sequence[Outcome], events: Sequence[Event]
    ) -> Exploration:
        violation = (
            f"{_names(calls)} at {self.level.replace('-', ' ').upper()} end with {_outcome_text(outcome)}, "
            f"and none of the {len(orders)} one-at-a-time orders does: they end with "
            + " or with ".join(dict.fromkeys(map(_outcome_text, orders)))
        )
        log = tuple(
            f"{each.client + 1}: line {each.line}: {' '.join(each.text.split())}"
            + (" (waits)" if each.waited else f" ➜ {each.answer}" if each.answer else "")
            for each in events
        )
        return Exploration(self.engine, violation, log=log)


def _sorted(outcome: Outcome) -> Outcome:
    """The outcome with the rows of each answer sorted: rows with equal sort keys may come in any order."""
    return Outcome(
        tuple(
            tuple(replace(each, rows=each.rows and tuple(sorted(each.rows, key=repr))) for each in answers)
            for answers in outcome.answers
        ),
        outcome.tables,
    )


def _differences(one: Outcome, other: Outcome, calls: Sequence[Call]) -> set[Cell]:
    """The columns in which two runs of the same order differ; raises `NotComparable` if more does."""
    found: set[Cell] = set()
    wrong = NotComparable(f"{_names(calls)} give different answers in the same order, so nothing can be said")

    def look(where: object, rows: Sequence[Cells], others: Sequence[Cells]) -> None:
        if len(rows) != len(others):
            raise wrong
        for row, twin in zip(rows, others, strict=True):
            for place, (cell, same) in enumerate(zip(row, twin, strict=True)):
                if (cell is None) != (same is None):
                    raise wrong  # A hidden cell still shows whether it is NULL.
                if cell != same:
                    found.add((where, place))

    for number, (answers, twins) in enumerate(zip(one.answers, other.answers, strict=True)):
        if [(a.line, a.count, a.error) for a in answers] != [(a.line, a.count, a.error) for a in twins]:
            raise wrong
        for answer, twin in zip(answers, twins, strict=True):
            look((calls[number].name, answer.line), answer.rows or (), twin.rows or ())
    if [name for name, _ in one.tables] != [name for name, _ in other.tables]:
        raise wrong
    for (name, rows), (_, others) in zip(one.tables, other.tables, strict=True):
        look(name, rows, others)
    return found


def _view(outcome: Outcome, calls: Sequence[Call], hidden: set[Cell]) -> Outcome:
    """The outcome with hidden cells, and the answers of equal requests in a fixed order."""

    def hide(where: object, rows: tuple[Cells, ...]) -> tuple[Cells, ...]:
        shown = (
            tuple(HIDDEN if (where, n) in hidden and cell is not None else cell for n, cell in enumerate(row))
            for row in rows
        )
        return tuple(sorted(shown, key=repr))

    def seen(name: str, answer: Answer) -> Answer:
        return answer if answer.rows is None else replace(answer, rows=hide((name, answer.line), answer.rows))

    answers = sorted(
        (
            (call.title, tuple(seen(call.name, each) for each in given))
            for call, given in zip(calls, outcome.answers, strict=True)
        ),
        key=repr,
    )
    return Outcome(
        tuple(given for _, given in answers), tuple((name, hide(name, rows)) for name, rows in outcome.tables)
    )


def _names(calls: Sequence[Call]) -> str:
    return " and ".join(f"`{call.title}`" for call in calls)


def _outcome_text(outcome: Outcome) -> str:
    answers = " | ".join("; ".join(map(_answer_text, each)) or "no answer" for each in outcome.answers)
    shown = ((name, ", ".join(map(row_text, rows)) or "no row") for name, rows in outcome.tables)
    tables = "; ".join(f"{name}: {rows}" for name, rows in shown)
    return f"{answers}, {tables}" if tables else answers


def _answer_text(answer: Answer) -> str:
    if answer.rows is not None:
        return ", ".join(map(row_text, answer.rows)) or "no row"
    if answer.error is not None:
        return f"error {answer.error}"
    return f"{answer.count} row{'' if answer.count == 1 else 's'}"
