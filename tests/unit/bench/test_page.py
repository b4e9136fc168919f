"""The tables of docs/performance.md and docs/comparison.md: a command writes them and reads them back."""

import re
import shutil
from dataclasses import replace

import pytest

from families import FAMILIES
from family_table import SIZES, known, row, written
from page import ALL, BESIDE_OTHERS, SECTIONS, marks, page_of, renewed, section
from peers import by_spin, ours
from seriatim.bench.result import Outcome
from testkit.inputs.bench_results import result


def test_rows_of_the_page_stay_as_they_are() -> None:
    table = section(page_of("families").read_text("utf-8"), "families")
    rows = known(table)
    assert rows
    assert rows.keys() <= {(name, size) for name, sizes in SIZES.items() for size in sizes}
    assert written(rows) == table


@pytest.mark.parametrize("name", [*ALL, *BESIDE_OTHERS])
def test_a_command_writes_every_table(name: str) -> None:
    page = page_of(name).read_text("utf-8")
    assert renewed(page, name, section(page, name)) == page
    assert name == "families" or name in SECTIONS


def test_every_table_of_figures_stands_in_a_section() -> None:
    """Those about services, threads, nets, SQL, logs and the page's server name commands of their own."""
    names = "Services|Programs with threads|Petri nets|SQL transactions|Logs|The server of the page"
    own = rf"^## (?:{names})\n.*?(?=^## |\Z)"
    page = re.sub(own, "", page_of("families").read_text("utf-8"), flags=re.M | re.S)
    for name in ALL:
        page = renewed(page, name, "")
    assert not re.search(r"^\|", page, re.MULTILINE)


def test_a_row_has_times_and_counts() -> None:
    measured = replace(
        result(seconds=2.04), method="commit", recheck_seconds=0.5, peak_bytes=50_000_000, searched=1_200
    )
    line = row(FAMILIES["locks"], 1_000, measured)
    assert line == "| locks 1,000 | commit | 2.0 | 0.5 | 50 | 1,200 | 0 | 0 |\n"
    begin, end = marks("families")
    page = renewed(f"before\n\n{begin}\n{end}\n\nafter\n", "families", written({("locks", 1_000): line}))
    assert known(section(page, "families")) == {("locks", 1_000): line}
    assert page.startswith("before\n")
    assert page.endswith("after\n")


def test_a_wrong_verdict_is_no_row() -> None:
    with pytest.raises(AssertionError):
        row(FAMILIES["locks"], 2, result(outcome=Outcome.NOT_SERIALIZABLE))


# Other tools beside ours


@pytest.mark.skipif(shutil.which("spin") is None or shutil.which("gcc") is None, reason="needs spin and gcc")
@pytest.mark.parametrize(
    ("name", "requests", "answer"),
    [
        ("lost_update", 2, "a run in which the assertion fails"),
        ("spin_lock", 3, "no assertion fails"),
        ("spin_lock", 5, "no assertion fails"),
    ],
)
def test_models_for_spin_say_what_our_programs_say(name: str, requests: int, answer: str) -> None:
    assert answer in by_spin(name, requests)


@pytest.mark.parametrize("name", ["lost_update", "spin_lock"])
def test_rows_of_ours_say_what_the_examples_say(name: str) -> None:
    assert ("| any | serializable" in ours(name)) == (name == "spin_lock")
