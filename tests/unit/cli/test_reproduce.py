"""`ser reproduce` measures each input in each configuration once, and writes the paper's tables."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.all import read_input
from seriatim.reproduction.measure import PaperResult, features
from seriatim.reproduction.reference import paper_rows
from seriatim.reproduction.slicing import slicing_picture
from seriatim.reproduction.tables import overview_table, semilinear_table, summary_table
from seriatim.source import SourceText
from testkit.samples import deep

LOCKED = "request main { while (L == 1) { yield }; L := 1; yield; L := 0; 1 }\n"
RACING = "request main { X := 1; yield; y := X; X := 0; y }\n"


@deep
@pytest.mark.xdist_group("reproduce")
def test_everything_is_measured_once_and_a_second_run_only_reads(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "a1.ser").write_text(LOCKED)
    (programs / "a2.ser").write_text(RACING)
    out = tmp_path / "out"
    arguments = ["reproduce", str(programs), "--timeout", "10", "--out", str(out)]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 0, first.output
    lines = (out / "measurements.jsonl").read_text().splitlines()
    assert len(lines) == 2 * 9
    verdicts = {(row["file"][-6:], row["verdict"]) for row in map(json.loads, lines)}
    assert verdicts == {("a1.ser", "serializable"), ("a2.ser", "not_serializable")}
    tables = (out / "tables.md").read_text()
    assert "| a1 | ✓ |" in tables
    assert "| a2 | ✗ |" in tables
    assert {path.name for path in out.iterdir()} == {
        "measurements.jsonl",
        "measurements.csv",
        "tables.md",
        "figure14.svg",
        "figure15.svg",
        "figure16.svg",
    }
    (out / "measurements.jsonl").write_text("".join(f"{line}\n" for line in lines[:-1]) + lines[-1][:20])
    again = CliRunner().invoke(main, arguments)
    assert again.exit_code == 0
    assert (out / "measurements.jsonl").read_text().splitlines()[:-1] == lines[:-1], "kept as they were"


def test_the_picture_of_slicing_has_three_passes() -> None:
    """Forwards, backwards, and forwards again."""
    drawn = slicing_picture()
    for name in ("pass 1, forwards", "pass 2, backwards", "pass 3, forwards", "stays"):
        assert name in drawn


def test_a_folder_without_inputs_is_bad_input(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["reproduce", str(tmp_path), "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "SER203" in result.output


def test_features_are_read_off_the_syntax_tree() -> None:
    content = read_input(
        SourceText("x", "request a { if (? == 1) { X := X + 1 }; yield; 0 } request b { 1 }")
    )
    assert features(content) == ["if", "?", "arithmetic", "yield", "several requests"]
    assert features(read_input(SourceText("x", "request a { while (!X) { yield }; 0 }"))) == [
        "while",
        "yield",
    ]


def result(name: str, configuration: str, verdict: str, seconds: float, components: int) -> PaperResult:
    return PaperResult(
        f"{name}.ser", "", configuration, 20, verdict, certificate_seconds=seconds, total_seconds=2 * seconds,
        components=components, periods=1.5, max_periods=2,
    )  # fmt: skip


def test_averages_and_medians_are_over_what_is_solved() -> None:
    found = [
        result("a1", "BRGS", "serializable", 0.1, 1),
        result("a3", "BRGS", "serializable", 0.3, 1),
        result("a4", "BRGS", "unknown", 20, 1),
    ]
    assert "| serializable | 2 | 200 | 400 | 200 | 400 |" in summary_table(found)
    assert "| not serializable | 0 | – | – | – | – |" in summary_table(found)
    assert "| a4 | open |" in overview_table(found)


def test_a_verdict_that_is_not_the_papers_is_marked() -> None:
    assert "✗ (paper: not so)" in overview_table([result("a1", "BRGS", "not_serializable", 1, 1)])
    assert "✗ (paper: not so)" in overview_table([result("a1_bolts", "BRGS", "not_serializable", 1, 1)])


def test_sizes_of_sets_are_compared_over_common_inputs_only() -> None:
    common = [result("a1", each, "serializable", 1, 4) for each in ("BRGS", "B-GS", "BR-S", "BRG-")]
    table = semilinear_table([*common, result("a3", "BRGS", "serializable", 1, 1_000)])
    assert "| `BRGS` | 4.00 | 4 | 1.50 | 2 |" in table
    assert "Over 1 inputs." in table


def test_the_papers_rows_are_its_47_inputs() -> None:
    rows = paper_rows()
    assert len(rows) == 47
    assert sum(row.is_serializable for row in rows.values()) == 27
    assert {name for name, row in rows.items() if row.total_ms is None} == {"e2", "g2"}
