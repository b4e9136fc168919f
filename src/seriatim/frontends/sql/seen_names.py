"""Common names of violations that were seen on a database, from their answers and rows alone.

The name helps readers. It follows from what each request would have answered and written if it had been the
only one.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from seriatim.frontends.sql.anomaly import Anomaly
from seriatim.frontends.sql.live.places import Rows
from seriatim.frontends.sql.live.runs import Answer, Outcome
from seriatim.frontends.sql.live.text import Call
from seriatim.frontends.sql.live.wire import Cells

Told = tuple[int, tuple[Cells, ...] | None, int | None, str | None]


def name_seen(calls: Sequence[Call], outcome: Outcome, alone: Sequence[Outcome], first: Rows) -> Anomaly:
    """The name of a violation; `alone` is what each request gives if it is the only one, and `first` has the
    rows at the start."""
    for call, answers, each in zip(calls, outcome.answers, alone, strict=True):
        changed = _changed_between(call, answers, each.answers[0])
        if changed is not None:
            return changed
    as_if_alone = [
        list(map(_told, answers)) == list(map(_told, each.answers[0]))
        for answers, each in zip(outcome.answers, alone, strict=True)
    ]
    writers = [each for each in alone if each.tables != first]
    if all(as_if_alone) and len(writers) > 1:
        if any(outcome.tables == each.tables for each in alone) or _write_same_row(first, writers):
            return Anomaly.LOST_UPDATE
        return Anomaly.PHANTOM if _sizes(outcome.tables) != _sizes(first) else Anomaly.WRITE_SKEW
    if len(writers) < len(alone):
        return Anomaly.READ_SKEW
    return Anomaly.OTHER


def _told(answer: Answer) -> Told:
    rows = None if answer.rows is None else tuple(sorted(answer.rows, key=repr))
    return answer.line, rows, answer.count, answer.error


def _changed_between(call: Call, answers: Sequence[Answer], alone: Sequence[Answer]) -> Anomaly | None:
    """The name if a statement that a request executes twice gives different rows only beside others."""
    texts = {each.line: " ".join(each.text.lower().split()) for each in call.statements}
    for (one, one_alone), (other, other_alone) in combinations(zip(answers, alone, strict=False), 2):
        if texts.get(one.line) != texts.get(other.line) or one.rows is None or other.rows is None:
            continue
        if one.rows != other.rows and one_alone.rows == other_alone.rows:
            same_size = len(one.rows) == len(other.rows)
            return Anomaly.NON_REPEATABLE_READ if same_size else Anomaly.PHANTOM
    return None


def _sizes(tables: Rows) -> list[int]:
    return [len(rows) for _, rows in tables]


def _write_same_row(first: Rows, writers: Sequence[Outcome]) -> bool:
    """Whether all of them take away the same row of the start."""
    gone = [set(_rows(first)) - set(_rows(each.tables)) for each in writers]
    return bool(set.intersection(*gone))


def _rows(tables: Rows) -> Iterator[tuple[str, Cells]]:
    return ((name, row) for name, rows in tables for row in rows)
