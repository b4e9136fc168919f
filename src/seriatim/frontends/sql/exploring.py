"""Explores a file on a live database alone: what the model refuses gets an answer, too.

Claim: a violation that this reports is a fact. Answers and final rows were observed that no one-at-a-time
order of the same requests gives on the same database. To be comparable, each order runs twice, the second
time with the first rows stored in the opposite order and with other plans: cells that differ are hidden, and
if anything else differs, nothing is said. "No violation" is bounded by what was run, and proves nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, permutations

from seriatim.budget import Deadline, OutOfBudget
from seriatim.frontends.sql.live.footprints import Footprints
from seriatim.frontends.sql.live.places import Impossible, Place, Rows
from seriatim.frontends.sql.live.runs import (
    Answer,
    Event,
    Outcome,
    Turns,
    next_path,
    row_text,
    run_serially,
    sorts,
)
from seriatim.frontends.sql.live.text import Call
from seriatim.frontends.sql.live.wire import Cells

MOST_RUNS = 700
"""The number of runs for each number of requests."""

STAGES = ((2, "pairs", False), (2, "pairs", True), (3, "triples", False))
"""The numbers of requests to run together, in words, and whether others may move inside functions, too."""

HIDDEN = "~"
"""What stands for a cell that differs between two runs of the same order."""

_LIMIT = re.compile(r"\b(limit|fetch\s+(first|next))\b", re.I)
_SORTED_BY = re.compile(r"\border\s+by\b(.*?)(?=\blimit\b|\bfetch\b|\bfor\b|\)|$)", re.I | re.S)
_WORD = re.compile(r"\w+")
_CLOCK = re.compile(r"\b(now|clock_timestamp|statement_timestamp|current_timestamp|localtime\w*)\b", re.I)
_CHANCE = re.compile(r"\b(random|rand|randomblob|setseed|tablesample)\b", re.I)
_LIMITS = re.compile(
    r"\b(lock_timeout|statement_timeout|transaction_timeout|innodb_lock_wait_timeout)\b", re.I
)
_STRING = re.compile(r"--[^\n]*|'(?:[^']|'')*'")

Column = tuple[object, int]
"""A column of an answer (request, line) or of a table (name)."""


class NotComparable(Exception):
    """Raised when the same order of the same requests gives different answers; says which requests."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What requests give one at a time."""

    calls: tuple[Call, ...]
    outcomes: tuple[tuple[tuple[int, ...], Outcome], ...]
    """Each order with its outcome."""
    hidden: frozenset[Column]
    exact: frozenset[int] = frozenset()
    """The lines of statements whose rows have one order."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A run whose outcome no one-at-a-time order gives."""

    orders: Orders
    outcome: Outcome
    events: tuple[Event, ...]
    path: tuple[int, ...]
    """The choices of the run, for `next_path`."""
    gates: bool = False
    """Whether functions have gates in this run."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What was explored, in words."""

    explored: str
    clean_up_to: int
    """All interleavings of this many requests show no violation."""
    violation: Violation | None = None
    doubt: str = ""
    """Why the violation is not certain; empty if it is."""
    notes: tuple[str, ...] = ()


def explore(
    place: Place, deadline: Deadline, stages: Sequence[tuple[int, str, bool]] = STAGES
) -> Exploration:
    """Explores pairs, then triples, of the requests of a script, as long as there is time."""
    explorer = _Explorer(place, deadline)
    done: list[str] = []
    rest = ""
    clean = 1
    for size, name, gates in stages:
        place.use_gates(gates)
        if gates and not place.gates:
            explorer.notes += limits_of(place)
            continue
        before, is_cut = place.runs, False
        explorer.compared = 0
        try:
            for calls in explorer.groups(size):
                found = explorer.look(calls, MOST_RUNS - (place.runs - before))
                if found is not None:
                    done.append(f"run {place.runs} shows a violation")
                    doubt = explorer.doubt(found)
                    return Exploration("; ".join(done), clean, found, doubt, explorer.told())
                is_cut = is_cut or place.runs - before >= MOST_RUNS
        except OutOfBudget:
            explorer.notes.append("the time was up")
            is_cut = True
        except Impossible as wrong:
            explorer.notes.append(f"a run was given up: {wrong.message}")
            is_cut = True
        if explorer.not_compared and not explorer.compared and not is_cut:
            rest = f"{name} cannot be compared, as their answers differ from run to run"
            break
        inside = f", also inside {', '.join(sorted({each.body for each in place.gates}))}," if gates else ""
        part = "some" if is_cut else "all"
        done.append(f"{part} interleavings of {name}{inside} ({place.runs - before} runs)")
        if is_cut and not gates:
            break
        clean = clean if is_cut or explorer.not_compared else size
    place.use_gates(False)
    shown = [f"{' and '.join(done)} show no violation"] if done else []
    return Exploration("; ".join(filter(None, [*shown, rest])), clean, notes=explorer.told())


class _Explorer:
    def __init__(self, place: Place, deadline: Deadline) -> None:
        self.place = place
        self.deadline = deadline
        self.notes: list[str] = list(limits_of(place))
        self.not_compared = False
        self.compared = 0
        """How many groups of requests were compared in this stage."""
        self.footprints = Footprints(place.text, place.level, opaque=place.engine.startswith("SQLite"))

    def told(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.notes))

    def groups(self, size: int) -> Iterator[tuple[Call, ...]]:
        """The groups of requests that may run together."""
        for calls in combinations_with_replacement(self.place.text.calls, size):
            once = [call.name for call in calls if call.once]
            if len(once) == len(set(once)):
                yield calls

    def look(self, calls: tuple[Call, ...], most: int) -> Violation | None:
        """Runs requests in their interleavings, until one gives what no order gives."""
        try:
            orders = orders_of(self.place, calls, self.deadline)
        except NotComparable as wrong:
            self.notes.append(str(wrong))
            self.not_compared = True
            return None
        self.compared += 1
        if orders.hidden:
            self.notes.append("columns that differ from run to run are hidden")
        path: list[int] | None = []
        for _ in range(max(0, most)):
            self.deadline.check()
            assert path is not None
            turns, following = next_path(self.place, calls, path, footprints=self.footprints)
            found = violation_of(orders, turns)
            if found is not None and self._lasts(found):
                return found
            if following is None:
                return None
            path = following
        return None

    def _lasts(self, found: Violation) -> bool:
        """Whether a violation is there again if its orders run once more."""
        try:
            again = orders_of(self.place, found.orders.calls, self.deadline)
        except NotComparable as wrong:
            self.notes.append(str(wrong))
            self.not_compared = True
            return False
        hidden = again.hidden | found.orders.hidden
        shown = _view(found.outcome, found.orders.calls, hidden)
        return shown not in _allowed((found.orders, again), hidden)

    def doubt(self, found: Violation) -> str:
        """Why a violation is not certain; empty if it is."""
        statements = {each.line: each.text for call in found.orders.calls for each in call.statements}
        keys = self.place.keys()
        loose = [line for line, text in statements.items() if depends_on_storage(text, keys)]
        if loose:
            return f"line {loose[0]} takes some rows and no key sorts them, so they may come as they lie"
        whole = "\n".join([*(each.text for each in self.place.text.setup), *statements.values()])
        chance = _CHANCE.search(whole)
        return "" if chance is None else f"the answers may depend on {chance.group().lower()}"


def limits_of(place: Place) -> Iterator[str]:
    """What runs of whole statements do not see in a script."""
    whole = "\n".join(each.text for each in (*place.text.setup, *place.text.statements))
    yield from place.notes.values()
    bodies = place.closed_bodies()
    if bodies:
        yield f"switches inside {', '.join(bodies)} were not tried"
    words = {each.lower() for each in _WORD.findall(_STRING.sub("", whole))}
    clocks = {name.lower() for name in (*_CLOCK.findall(whole), *_CHANCE.findall(whole))}
    clocks |= place.volatile(frozenset(words))
    if clocks:
        yield f"what depends on {', '.join(sorted(clocks))} may differ at another time"
    limit = _LIMITS.search(whole)
    if limit is not None:
        yield f"{limit.group().lower()} may end a wait, and what others would do after it is missing then"


def depends_on_storage(text: str, keys: Sequence[frozenset[str]]) -> bool:
    """Whether a statement takes some of its rows, and how they are stored may say which ones."""
    if not _LIMIT.search(text):
        return False
    orders = [set(_WORD.findall(each.lower())) for each in _SORTED_BY.findall(text)]
    return len(orders) < len(_LIMIT.findall(text)) or any(
        not any(key <= words for key in keys) for words in orders
    )


def orders_of(place: Place, calls: tuple[Call, ...], deadline: Deadline) -> Orders:
    """What requests give one at a time; raises `NotComparable`."""
    hidden: set[Column] = set()
    outcomes: list[tuple[tuple[int, ...], Outcome]] = []
    exact = _totally_sorted(calls, place.keys())
    for order in permutations(range(len(calls))):
        deadline.check()
        first = run_serially(place, calls, order)
        second = run_serially(place, calls, order, backwards=True)
        if first is None or second is None:
            raise NotComparable(f"{_names(calls)} one at a time are aborted")
        one, other = _sorted(first, exact), _sorted(second, exact)
        hidden |= _differences(one, other, calls)
        outcomes.append((order, one))
    return Orders(calls, tuple(outcomes), frozenset(hidden), exact)


def _totally_sorted(calls: Sequence[Call], keys: Sequence[frozenset[str]]) -> frozenset[int]:
    """The lines of statements that sort all of their rows by a key."""
    found = (each for call in calls for each in call.statements if sorts(each.text))
    return frozenset(
        each.line
        for each in found
        if any(key <= set(_WORD.findall(_SORTED_BY.findall(each.text)[-1].lower())) for key in keys)
    )


def _sorted(outcome: Outcome, exact: frozenset[int]) -> Outcome:
    """The outcome with the rows of most answers sorted: rows with equal sort keys may come in any order."""
    return Outcome(
        tuple(
            tuple(
                each
                if each.line in exact
                else replace(each, rows=each.rows and tuple(sorted(each.rows, key=repr)))
                for each in answers
            )
            for answers in outcome.answers
        ),
        outcome.tables,
    )


def violation_of(orders: Orders, turns: Turns) -> Violation | None:
    """The violation that a run shows, if it does."""
    outcome = turns.outcome()
    if outcome is None:
        return None
    outcome = _sorted(outcome, orders.exact)
    if _view(outcome, orders.calls, orders.hidden) in _allowed((orders,), orders.hidden):
        return None
    return Violation(orders, outcome, tuple(turns.events), turns.path, bool(turns.place.gates))


def _allowed(many: Sequence[Orders], hidden: frozenset[Column]) -> set[Outcome]:
    """The outcomes of the orders, in the form in which they are compared."""
    return {_view(each, orders.calls, hidden) for orders in many for _, each in orders.outcomes}


def comparable(outcome: Outcome, calls: Sequence[Call], hidden: frozenset[Column]) -> Outcome:
    """The outcome with hidden cells."""

    def hide(where: object, rows: tuple[Cells, ...]) -> tuple[Cells, ...]:
        return tuple(
            tuple(HIDDEN if (where, n) in hidden and cell is not None else cell for n, cell in enumerate(row))
            for row in rows
        )

    def seen(name: str, answer: Answer) -> Answer:
        if answer.rows is None:
            return answer
        rows = hide((name, answer.line), answer.rows)
        return replace(answer, rows=rows if rows == answer.rows else tuple(sorted(rows, key=repr)))

    return Outcome(
        tuple(
            tuple(seen(call.name, each) for each in given)
            for call, given in zip(calls, outcome.answers, strict=True)
        ),
        tuple((name, tuple(sorted(hide(name, rows), key=repr))) for name, rows in outcome.tables),
    )


def _view(outcome: Outcome, calls: Sequence[Call], hidden: frozenset[Column]) -> Outcome:
    """The outcome with hidden cells, and the answers of equal requests in a fixed order."""
    shown = comparable(outcome, calls, hidden)
    answers = sorted(zip([call.title for call in calls], shown.answers, strict=True), key=repr)
    return Outcome(tuple(given for _, given in answers), shown.tables)


def _differences(one: Outcome, other: Outcome, calls: Sequence[Call]) -> set[Column]:
    """The columns in which two runs of the same order differ; raises `NotComparable` if more does."""
    found: set[Column] = set()
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


def _names(calls: Sequence[Call]) -> str:
    return " and ".join(f"`{call.title}`" for call in calls)


def answers_text(answers: Sequence[Answer]) -> str:
    return "; ".join(map(_answer_text, answers)) or "nothing"


def rows_text(tables: Rows) -> str:
    return "; ".join(f"{name}: {', '.join(map(row_text, rows)) or 'no row'}" for name, rows in tables)


def _answer_text(answer: Answer) -> str:
    if answer.rows is not None:
        return ", ".join(map(row_text, answer.rows)) or "no row"
    if answer.error is not None:
        return f"error {answer.error}"
    return f"{answer.count} row{'' if answer.count == 1 else 's'}"
