"""`ser bench`: exit codes, what is on the disk, and going on after an interruption."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from seriatim.bench.result import CSV_COLUMNS, BenchTask
from seriatim.bench.result import Result as Measured
from seriatim.bench.suite import run
from seriatim.cli.main import main
from testkit.inputs.bench_results import ATOMIC, RACE
from testkit.inputs.undecided_programs import GROWING

UNBOUNDED = GROWING
TINY = ("--max-states", "50", "--max-value", "50", "--timeout", "5")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "a.ser").write_text(ATOMIC, "utf-8")
    (folder / "b.ser").write_text(RACE, "utf-8")
    return folder


def ser_bench(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["bench", *map(str, arguments)], prog_name="ser")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def expected(folder: Path, a: str, b: str) -> Path:
    path = folder / "expected.tsv"
    path.write_text(f"file\tserializable\told_ms\na.ser\t{a}\t100\nb.ser\t{b}\ttimeout\n", "utf-8")
    return path


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text("utf-8").splitlines()]


def test_a_suite_without_errors_exits_0_and_is_a_table(suite: Path) -> None:
    result = ser_bench(suite, "--expected", expected(suite, "yes", "no"))
    assert result.exit_code == 0
    assert "a.ser  serializable" in result.output
    assert "b.ser  not serializable" in result.output
    assert "2 inputs: 2 solved; " in result.output


def test_a_wrong_verdict_is_loud_and_exits_1(suite: Path) -> None:
    result = ser_bench(suite, "--expected", expected(suite, "yes", "yes"))
    assert result.exit_code == 1
    assert "WRONG: not serializable" in result.stdout
    assert "2 inputs: 1 solved, 1 wrong; " in result.stdout
    assert "b.ser: WRONG VERDICT: decided not serializable, but " in result.stderr


def test_a_verdict_that_an_earlier_result_contradicts_is_wrong(suite: Path, tmp_path: Path) -> None:
    ser_bench(suite, "--output", tmp_path / "out")
    earlier = tmp_path / "out" / "results.jsonl"
    earlier.write_text(earlier.read_text("utf-8").replace('"not_serializable"', '"serializable"'), "utf-8")
    assert ser_bench(suite, "--against", earlier).exit_code == 1


def test_a_wrong_verdict_matters_more_than_bad_input(suite: Path) -> None:
    (suite / "c.ser").write_text("request {", "utf-8")
    known = expected(suite, "no", "no")
    assert ser_bench(suite, "--expected", known).exit_code == 1
    assert ser_bench(suite).exit_code == 2


def test_undecided_inputs_exit_3_and_can_be_kept(suite: Path, tmp_path: Path) -> None:
    (suite / "c.ser").write_text(UNBOUNDED, "utf-8")
    kept = tmp_path / "kept"
    result = ser_bench(suite, "--keep-undecided", kept, *TINY)
    assert result.exit_code == 3
    assert "c.ser: undecided: " in result.stderr
    assert [path.name for path in kept.iterdir()] == ["c.ser"]
    assert (kept / "c.ser").read_text("utf-8") == UNBOUNDED


def test_undecided_inputs_of_the_same_name_are_both_kept(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.ser").write_text(f"{UNBOUNDED}// {name}\n", "utf-8")
    kept = tmp_path / "kept"
    ser_bench(tmp_path / "one", tmp_path / "two", "--keep-undecided", kept, *TINY)
    assert sorted(path.name for path in kept.iterdir()) == ["c.ser", "c_2.ser"]


def test_the_output_folder_has_lines_a_table_and_pictures(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    result = ser_bench(suite, "--against", expected(suite, "yes", "no"), "--output", out)
    assert result.exit_code == 0
    assert "timeout" in result.stdout
    assert sorted(path.name for path in out.iterdir()) == [
        "cactus.svg",
        "results.csv",
        "results.jsonl",
        "scatter.svg",
    ]
    assert [Path(str(line["file"])).name for line in lines(out)] == ["a.ser", "b.ser"]
    assert (out / "results.csv").read_text("utf-8").splitlines()[0] == ",".join(CSV_COLUMNS)
    for picture in ("cactus.svg", "scatter.svg"):
        assert ElementTree.parse(out / picture).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_pictures_are_written_as_png_on_demand(suite: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="what draws PNG is an extra")
    out = tmp_path / "out"
    ser_bench(suite, "--against", expected(suite, "yes", "no"), "--output", out, "--png")
    for picture in ("cactus.png", "scatter.png"):
        assert (out / picture).read_bytes().startswith(b"\x89PNG")


def test_png_needs_a_folder(suite: Path) -> None:
    assert ser_bench(suite, "--png").exit_code == 2


def test_an_interrupted_suite_keeps_what_is_measured_and_goes_on_from_there(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    asked: list[list[str]] = []

    def interrupted(tasks: Sequence[BenchTask], jobs: int) -> Iterator[tuple[int, Measured]]:
        asked.append([Path(task.source.name).name for task in tasks])
        yield from run(tasks[:1], jobs)
        raise KeyboardInterrupt

    def noted(tasks: Sequence[BenchTask], jobs: int) -> Iterator[tuple[int, Measured]]:
        asked.append([Path(task.source.name).name for task in tasks])
        return run(tasks, jobs)

    monkeypatch.setattr("seriatim.cli.bench.run", interrupted)
    result = ser_bench(suite, "--output", out)
    assert result.exit_code == 130
    assert "1 of 2 are measured; continue with --resume" in result.stderr
    (first,) = lines(out)
    with (out / "results.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"version": 1, "fi')  # Somebody pulled the plug.

    monkeypatch.setattr("seriatim.cli.bench.run", noted)
    result = ser_bench(suite, "--output", out, "--resume")
    assert result.exit_code == 0
    assert asked == [["a.ser", "b.ser"], ["b.ser"]]
    assert lines(out)[0] == first
    assert [line["outcome"] for line in lines(out)] == ["serializable", "not_serializable"]


def test_resuming_measures_again_what_has_changed(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ser_bench(suite, "--output", out)
    (suite / "b.ser").write_text(ATOMIC, "utf-8")
    before = lines(out)
    ser_bench(suite, "--output", out, "--resume")
    after = lines(out)
    assert after[0] == before[0]
    assert after[1]["outcome"] == "serializable"


def test_without_resume_everything_is_measured_again(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.jsonl").write_text("rubbish\n", "utf-8")
    assert ser_bench(suite, "--output", out).exit_code == 0
    assert len(lines(out)) == 2


def test_compiling_in_two_workers_gives_sizes_in_the_order_of_the_suite(suite: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = ser_bench(suite, "--stage", "compile", "--jobs", "2", "--output", out)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0].split() == (
        ["file", "verdict", "pairs", "steps", "level", "closure", "seconds", "peak", "MB"]
    )
    assert [Path(str(line["file"])).name for line in lines(out)] == ["a.ser", "b.ser"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "--resume needs the --output folder"),
        (["--jobs", "0"], "0 is not in the range"),
        (["--expected", "missing.tsv"], "SER201"),
        (["--expected", "a.ser"], "SER501"),
        (["--against", "verdicts.tsv"], "no column that ends in _ms"),
        (["--output", "a.ser"], "SER207"),
        (["missing.ser"], "SER201"),
    ],
)
def test_bad_input_exits_2_and_says_why(
    arguments: list[str], message: str, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(suite)
    (suite / "verdicts.tsv").write_text("file\tserializable\na.ser\tyes\n", "utf-8")
    result = ser_bench("a.ser", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_folder_with_a_broken_result_cannot_be_resumed(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "results.jsonl").write_text("rubbish\n", "utf-8")
    result = ser_bench(suite, "--output", tmp_path, "--resume")
    assert result.exit_code == 2
    assert "results.jsonl:1:1: error[SER501]" in result.stderr
