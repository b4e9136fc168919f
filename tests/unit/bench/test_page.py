"""The table of docs/performance.md: rows that are read are the rows that are written."""

from dataclasses import replace

import pytest

from bench_results import result
from families import FAMILIES
from page import BEGIN, END, PAGE, SIZES, known, renewed, row
from seriatim.bench.result import Outcome


def test_rows_of_the_page_stay_as_they_are() -> None:
    page = PAGE.read_text("utf-8")
    rows = {(name, size): line for name, size, line in known(page)}
    assert rows
    assert rows.keys() <= {(name, size) for name, sizes in SIZES.items() for size in sizes}
    assert renewed(page, rows) == page


def test_a_row_has_times_and_counts() -> None:
    measured = replace(
        result(seconds=2.04), method="commit", recheck_seconds=0.5, peak_bytes=50_000_000, searched=1_200
    )
    line = row(FAMILIES["locks"], 1_000, measured)
    assert line == "| locks 1,000 | commit | 2.0 | 0.5 | 50 | 1,200 | 0 | 0 |\n"
    page = renewed(f"before\n\n{BEGIN}\n{END}\n\nafter\n", {("locks", 1_000): line})
    assert known(page) == [("locks", 1_000, line)]
    assert page.startswith("before\n")
    assert page.endswith("after\n")


def test_a_wrong_verdict_is_no_row() -> None:
    with pytest.raises(AssertionError):
        row(FAMILIES["locks"], 2, result(outcome=Outcome.NOT_SERIALIZABLE))
