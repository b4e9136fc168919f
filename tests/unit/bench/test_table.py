"""The table and the sentences about it."""

from dataclasses import replace

from seriatim.bench.result import Outcome, Stage
from seriatim.bench.score import grade
from seriatim.bench.table import complaints, short_names, summary, table_text
from seriatim.report.text_look import TextLook
from testkit.inputs.bench_results import reference, result

KNOWN = reference(("a.ser", True, 1.0), ("b.ser", True, None), ("c.ser", None, 3.0))
GRADED = [
    grade(found, [KNOWN])
    for found in (
        result("x/a.ser"),
        replace(result("x/b.ser", Outcome.NOT_SERIALIZABLE, 0.25), requests=3),
        result("x/c.ser", Outcome.UNKNOWN, 9.0, "the time limit is reached"),
        result("x/d.ser", Outcome.ERROR, 0.0, "1:1: no"),
    )
]


def test_checks_are_a_table_of_columns_that_have_content() -> None:
    assert table_text(Stage.CHECK, GRADED, KNOWN, TextLook()) == (
        "file   verdict                  seconds  requests   before  times\n"
        "a.ser  serializable               0.500              1.000    2.0\n"
        "b.ser  WRONG: not serializable    0.250         3  timeout\n"
        "c.ser  undecided                  9.000              3.000\n"
        "d.ser  bad input                  0.000\n"
    )


def test_compilations_have_sizes() -> None:
    found = replace(
        result("a.ser", Outcome.COMPILED, 1.5),
        pairs=1234,
        steps=999,
        level=2,
        closure_seconds=1.0,
        peak_bytes=64_000_000,
    )
    assert table_text(Stage.COMPILE, [grade(found, [])], None, TextLook()) == (
        "file   verdict   pairs  steps  level  closure  seconds  peak MB\n"
        "a.ser  compiled  1,234    999      2    1.000    1.500       64\n"
    )


def test_wrong_verdicts_are_red() -> None:
    lines = table_text(Stage.CHECK, GRADED, KNOWN, TextLook(color=True)).splitlines()
    assert "\033[1;31m" in lines[2]
    assert "\033" not in lines[1]


def test_the_summary_counts_grades() -> None:
    assert summary(GRADED) == "4 inputs: 1 solved, 1 undecided, 1 bad input, 1 wrong; 9.75 s of CPU time\n"


def test_complaints_begin_with_wrong_verdicts() -> None:
    assert complaints(GRADED, TextLook()).splitlines() == [
        "x/b.ser: WRONG VERDICT: decided not serializable, but known.tsv says serializable",
        "x/d.ser: bad input: 1:1: no",
        "x/c.ser: undecided: the time limit is reached",
    ]


def test_names_keep_their_folders_where_they_would_be_ambiguous() -> None:
    assert short_names(["x/a.ser", "y/b.ser"]) == ["a.ser", "b.ser"]
    assert short_names(["x/a.ser", "y/a.ser"]) == ["x/a.ser", "y/a.ser"]
