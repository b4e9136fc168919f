"""Results as text: what is written is what is read, and nothing else is."""

import csv
import io
import json
from dataclasses import replace

import pytest

from seriatim.bench.result import CSV_COLUMNS, Outcome, Stage, csv_text, json_line, read_json_line
from seriatim.systems.limits import Limits
from testkit.inputs.bench_results import ATOMIC, RACE, result, task


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_result_survives_being_written_and_read(outcome: Outcome) -> None:
    full = replace(
        result("ä b.ser", outcome, 0.25, "because"), method="search", requests=3, peak_bytes=10**8, level=2
    )
    assert read_json_line(json_line(full)) == full


def test_a_line_of_json_has_the_version_and_every_field() -> None:
    assert list(json.loads(json_line(result()))) == ["version", *CSV_COLUMNS]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("", "Expecting value"),
        ("[]", "not an object of version 1"),
        ('{"version": 2}', "not an object of version 1"),
        (
            json_line(result()).replace('"seconds": 0.5', '"seconds": "fast"'),
            "`seconds` is of the wrong kind",
        ),
        (json_line(result()).replace('"seconds": 0.5', '"seconds": true'), "`seconds` is of the wrong kind"),
        (json_line(result()).replace('"seconds": 0.5', '"seconds": NaN'), "NaN is not a figure"),
        (json_line(result()).replace('"file"', '"fail"'), "`file` is missing"),
        (json_line(result()).replace('"serializable"', '"perhaps"'), "'perhaps' is not a valid Outcome"),
        (json_line(result()).replace('"check"', '"chess"'), "'chess' is not a valid Stage"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_line_that_is_no_result_is_refused_with_a_reason(line: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        read_json_line(line)


def test_csv_has_a_header_and_a_row_for_each_result_with_nothing_where_there_is_no_figure() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text([result("a,b.ser"), result("c.ser", seconds=1 / 3)]))))
    assert [row["file"] for row in rows] == ["a,b.ser", "c.ser"]
    assert [row["seconds"] for row in rows] == ["0.5", "0.333333"]
    assert rows[0]["requests"] == ""
    assert rows[0]["outcome"] == "serializable"


def test_a_result_answers_the_task_with_the_same_text_stage_and_limits_only() -> None:
    found = result("a.ser")
    assert found.answers(task("a.ser", ATOMIC))
    assert not found.answers(task("b.ser", ATOMIC))
    assert not found.answers(task("a.ser", RACE))
    assert not found.answers(task("a.ser", ATOMIC, Stage.COMPILE))
    assert not found.answers(task("a.ser", ATOMIC, timeout=1.0))
    assert not found.answers(replace(task("a.ser", ATOMIC), limits=Limits(max_states=7)))
