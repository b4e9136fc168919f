"""Histories of the shapes that the documentation of Porcupine and the papers about Elle discuss, with the
verdicts that these tools give: written anew, in our words."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main

Timed = tuple[str, object, int, int]

REGISTER: list[tuple[str, list[Timed], bool]] = [
    (
        "two reads during a write may see both values",
        [("write(100)", "ok", 0, 100), ("read", 100, 25, 75), ("read", 0, 30, 60)],
        True,
    ),
    (
        "a read after one that saw the write must not see the old value",
        [("write(200)", "ok", 0, 100), ("read", 200, 10, 30), ("read", 0, 40, 90)],
        False,
    ),
    (
        "reads of two overlapping writes in either order",
        [("write(1)", "ok", 0, 10), ("write(2)", "ok", 0, 10), ("read", 1, 11, 12), ("read", 1, 13, 14)],
        True,
    ),
    (
        "two reads that disagree about which write was last",
        [("write(1)", "ok", 0, 10), ("write(2)", "ok", 0, 10), ("read", 1, 11, 12), ("read", 2, 13, 14)],
        False,
    ),
    (
        "a failed exchange beside one that succeeds",
        [("cas(0,1)", True, 0, 10), ("cas(0,2)", False, 0, 10), ("read", 1, 11, 12)],
        True,
    ),
    (
        "both exchanges of the same value succeed",
        [("cas(0,1)", True, 0, 10), ("cas(0,2)", True, 0, 10)],
        False,
    ),
]
"""The first two are those of Porcupine's introduction."""


def verdict(tmp_path: Path, model: str, entries: list[dict[str, object]], *options: str) -> int:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
    return CliRunner().invoke(main, ["history", model, str(log), *options], prog_name="ser").exit_code


@pytest.mark.parametrize(("name", "history", "explained"), REGISTER, ids=[name for name, _, _ in REGISTER])
def test_registers(name: str, history: list[Timed], explained: bool, tmp_path: Path) -> None:
    entries = [
        {"request": request, "answer": answer, "start": start, "end": end}
        for request, answer, start, end in history
    ]
    assert verdict(tmp_path, "register", entries, "--initial", "0") == (0 if explained else 1), name


QUEUE_AND_MAP: list[tuple[str, str, list[Timed], bool]] = [
    ("map", "keys are independent", [("put(x,1)", "ok", 0, 9), ("get(y)", None, 1, 2)], True),
    ("map", "a stale read of one key", [("put(x,1)", "ok", 0, 1), ("get(x)", None, 2, 3)], False),
    (
        "queue",
        "overlapping removals in either order",
        [("enqueue(1)", "ok", 0, 1), ("enqueue(2)", "ok", 2, 3), ("dequeue", 2, 4, 9), ("dequeue", 1, 5, 8)],
        True,
    ),
    (
        "queue",
        "the second element first",
        [("enqueue(1)", "ok", 0, 1), ("enqueue(2)", "ok", 2, 3), ("dequeue", 2, 4, 5), ("dequeue", 1, 6, 7)],
        False,
    ),
    (
        "set",
        "an element that was acknowledged is missing",
        [("add(1)", "ok", 0, 1), ("add(2)", "ok", 2, 3), ("read", [2], 4, 5)],
        False,
    ),
]


@pytest.mark.parametrize(("model", "name", "history", "explained"), QUEUE_AND_MAP)
def test_other_objects(model: str, name: str, history: list[Timed], explained: bool, tmp_path: Path) -> None:
    entries = [
        {"request": request, "answer": answer, "start": start, "end": end}
        for request, answer, start, end in history
    ]
    assert verdict(tmp_path, model, entries) == (0 if explained else 1), name


TRANSACTIONS = """
X := 0
Y := 0
request x_up { X := X + 1; X }
request y_up { Y := Y + 1; Y }
request both { 10 * X + Y }
request swap_x { if (Y == 0) { X := 1; 1 } else { 0 } }
request swap_y { if (X == 0) { Y := 1; 1 } else { 0 } }
"""

ANOMALIES: list[tuple[str, list[tuple[str, int]], bool]] = [
    ("lost update", [("x_up", 1), ("x_up", 1)], False),
    ("no lost update", [("x_up", 1), ("x_up", 2)], True),
    ("long fork", [("x_up", 1), ("y_up", 1), ("both", 10), ("both", 1)], False),
    ("no long fork", [("x_up", 1), ("y_up", 1), ("both", 10), ("both", 11)], True),
    ("write skew", [("swap_x", 1), ("swap_y", 1)], False),
    ("no write skew", [("swap_x", 1), ("swap_y", 0)], True),
    ("a value that nobody wrote", [("x_up", 1), ("both", 30)], False),
    ("a read between two writes", [("x_up", 1), ("x_up", 2), ("both", 10), ("both", 20)], True),
]
"""Transactions whose answers show anomalies of the kinds that Elle names."""


@pytest.mark.parametrize(("name", "answers", "explained"), ANOMALIES, ids=[name for name, _, _ in ANOMALIES])
def test_transactions(name: str, answers: list[tuple[str, int]], explained: bool, tmp_path: Path) -> None:
    program = tmp_path / "program.ser"
    program.write_text(TRANSACTIONS, "utf-8")
    entries: list[dict[str, object]] = [{"request": r, "answer": a} for r, a in answers]
    assert verdict(tmp_path, str(program), entries) == (0 if explained else 1), name
