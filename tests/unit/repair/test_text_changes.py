"""Changes of Python, SQL and C files: what is proposed is proved, and nothing else is proposed."""

import os
import subprocess
from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation, read_translation
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.repair.text_changes import TextChange, _whole_statements, proved_changes
from seriatim.result import Holds, Result
from seriatim.source import SourceText

EXAMPLES = Path(__file__).parents[3] / "examples"
RUN = {"run": "yes"}
REPEATABLE = {"isolation": "repeatable-read"}


def decided(name: str, text: str, settings: dict[str, str]) -> tuple[Result, Options]:
    source = SourceText(name, text)
    options = Options(timeout=20, question=SAFETY if name.endswith(".c") else SERIALIZABILITY)
    translation = read_translation(source, options.question, settings)
    result, _ = decide_translation(
        translation, source, options, None, Deadline(20), replay=False, is_default=True
    )
    return result, options


def changes(name: str, settings: dict[str, str] | None = None) -> list[TextChange]:
    text = (EXAMPLES / name).read_text("utf-8")
    result, options = decided(name, text, settings or {})
    return list(proved_changes(result, settings or {}, options, Deadline(60), is_default=True))


@pytest.mark.parametrize(
    ("name", "settings", "title", "line"),
    [
        ("services/visit_counter.py", RUN, "hold a lock in line 10", "async with self._lock:"),
        ("services/transfer.py", RUN, "hold a lock in lines 14 to 18", "async with"),
        ("sql/report.sql", REPEATABLE, "add FOR UPDATE to the SELECT in line 9", "FOR UPDATE"),
        ("sql/on_call.sql", REPEATABLE, "run the transactions at SERIALIZABLE", "ISOLATION LEVEL"),
        ("threads/account_race.c", {}, "put a mutex around lines 8 to 11", "pthread_mutex_lock(&"),
    ],
)
def test_changed_files_are_decided_with_yes(
    name: str, settings: dict[str, str], title: str, line: str
) -> None:
    found = changes(name, settings)
    assert found[0].title == title
    assert line in found[0].text
    for each in found:
        result, _ = decided(name, each.text, settings)
        assert isinstance(result.answer, Holds)
    before = (EXAMPLES / name).read_text("utf-8")
    kept = [each.strip() for each in found[0].text.split("\n")]
    if not name.endswith(".sql"):
        assert all(each.strip() in kept for each in before.split("\n")), "what was there is still there"


def test_a_file_without_a_violation_is_left_alone() -> None:
    assert changes("sql/double_spending_locked.sql") == []
    assert changes("threads/locked_account.c") == []
    assert changes("services/visit_counter_ordered.py", RUN) == []


def test_a_violation_that_no_mutex_removes_has_no_change() -> None:
    assert changes("threads/shared_argument.c") == []


def test_the_changed_program_in_c_compiles_and_runs(tmp_path: Path) -> None:
    (change, *_) = changes("threads/account_race.c")
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text(change.text, "utf-8")
    subprocess.run(["gcc", "-Wall", "-Werror", "-pthread", "-o", program, source], check=True)
    for _ in range(20):
        assert subprocess.run([program], check=False, env=dict(os.environ)).returncode == 0


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (2, 2, (2, 2)),
        (3, 4, (3, 5)),
        (4, 4, (4, 4)),
        (2, 4, (2, 5)),
        (7, 7, None),
        (1, 2, None),
        (5, 5, (3, 5)),
    ],
)
def test_ranges_are_whole_statements_that_nothing_leaves(
    first: int, last: int, expected: tuple[int, int] | None
) -> None:
    lines = ["void f(void) {", "  x = 1;", "  if (x) {", "    x = 2;", "  }", "  g();", "  return;", "}"]
    assert _whole_statements(lines, first, last) == expected


@pytest.mark.parametrize(
    "body",
    ["  if (x)\n    y = 1;", "  x = y +\n    y;", "  else\n    y = 1;", "  do {\n    y = 1; }\n  while (x);"],
)
def test_nothing_is_put_into_the_middle_of_a_statement(body: str) -> None:
    lines = ["void f(void) {", *body.split("\n"), "}"]
    assert _whole_statements(lines, 3, 3) is None
