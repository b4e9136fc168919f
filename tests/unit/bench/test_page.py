"""The tables of docs/performance.md: what is read is what was written, and a command writes each of them."""

import re
from dataclasses import replace

import pytest

from bench_results import result
from families import FAMILIES
from family_table import SIZES, known, row, written
from page import ALL, PAGE, SECTIONS, marks, renewed, section
from seriatim.bench.result import Outcome


def test_rows_of_the_page_stay_as_they_are() -> None:
    table = section(PAGE.read_text("utf-8"), "families")
    rows = known(table)
    assert rows
    assert rows.keys() <= {(name, size) for name, sizes in SIZES.items() for size in sizes}
    assert written(rows) == table


@pytest.mark.parametrize("name", ALL)
def test_a_command_writes_every_table(name: str) -> None:
    page = PAGE.read_text("utf-8")
    assert renewed(page, name, section(page, name)) == page
    assert name == "families" or name in SECTIONS


def test_every_table_of_figures_stands_in_a_section() -> None:
    """Those about threads, SQL, logs and the server of the page name commands of their own."""
    own = r"^## (?:Programs with threads|SQL transactions|Logs|The server of the page)\n.*?(?=^## |\Z)"
    page = re.sub(own, "", PAGE.read_text("utf-8"), flags=re.M | re.S)
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
