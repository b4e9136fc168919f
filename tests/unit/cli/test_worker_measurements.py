"""`ser bench` by others, and in shards."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from seriatim.bench.result import BenchTask, Outcome, Stage
from seriatim.bench.worker_measurements import believe, measurement_text
from seriatim.cli.main import main
from seriatim.cluster.address import LocalWorkers
from seriatim.cluster.client import join_cluster
from seriatim.result import Lost
from seriatim.source import SourceText
from seriatim.systems.limits import Limits
from testkit.samples import deep

RACING = "request flip { x := N; yield; N := 1 - x; x }\n"
ATOMIC = "request flip { x := N; N := 1 - x; x }\n"


def ser(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def task(text: str = RACING, name: str = "racing.ser") -> BenchTask:
    return BenchTask(SourceText(name, text), Stage.CHECK, 10.0, Limits(), None)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    for number in range(5):
        (folder / f"racing_{number}.ser").write_text(RACING)
        (folder / f"atomic_{number}.ser").write_text(ATOMIC)
    return folder


def outcomes(folder: Path) -> dict[str, str]:
    lines = (folder / "results.jsonl").read_text("utf-8").splitlines()
    return {Path(each["file"]).name: each["outcome"] for each in map(json.loads, lines)}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with join_cluster(LocalWorkers(1)) as cluster:
        yield str(cluster.client.scheduler_info()["address"])


@pytest.mark.xdist_group("cluster")
def test_a_cluster_measures_the_same_outcomes(suite: Path, tmp_path: Path, address: str) -> None:
    here = ser("bench", suite, "--output", tmp_path / "here")
    there = ser("bench", suite, "--output", tmp_path / "there", "--cluster", address)
    assert here.exit_code == there.exit_code == 0
    assert outcomes(tmp_path / "there") == outcomes(tmp_path / "here")


@deep
def test_shards_merge_to_the_whole(suite: Path, tmp_path: Path) -> None:
    ser("bench", suite, "--output", tmp_path / "whole")
    for number in (1, 2, 3):
        assert (
            ser("bench", suite, "--shard", f"{number}/3", "--output", tmp_path / f"part{number}").exit_code
            == 0
        )
    parts = [tmp_path / f"part{number}" for number in (1, 2, 3)]
    assert sum(len(outcomes(part)) for part in parts) == 10
    merged = ser("bench", "merge", *parts, "--output", tmp_path / "all")
    assert merged.exit_code == 0
    assert outcomes(tmp_path / "all") == outcomes(tmp_path / "whole")
    assert (tmp_path / "all" / "cactus.svg").exists()
    assert "10" in merged.stdout


def test_a_folder_without_a_result_is_told(tmp_path: Path) -> None:
    result = ser("bench", "merge", tmp_path, "--output", tmp_path / "all")
    assert result.exit_code == 2
    assert "SER502" in result.stderr
    assert "there is no result in" in result.stderr


def test_results_that_contradict_each_other_are_told(suite: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        ser("bench", suite, "--output", tmp_path / name)
    lines = tmp_path / "two" / "results.jsonl"
    lines.write_text(lines.read_text("utf-8").replace('"not_serializable"', '"serializable"'), "utf-8")
    result = ser("bench", "merge", tmp_path / "one", tmp_path / "two", "--output", tmp_path / "all")
    assert result.exit_code == 2
    assert "two results contradict each other about" in result.stderr


@deep
def test_stages_that_differ_do_not_merge(suite: Path, tmp_path: Path) -> None:
    ser("bench", suite, "--output", tmp_path / "one")
    ser("bench", suite, "--stage", "compile", "--output", tmp_path / "two")
    result = ser("bench", "merge", tmp_path / "one", tmp_path / "two", "--output", tmp_path / "all")
    assert result.exit_code == 2
    assert "different stages" in result.stderr


def test_what_a_worker_measures_is_believed() -> None:
    found = believe(task(), measurement_text(task()))
    assert found.outcome is Outcome.NOT_SERIALIZABLE
    assert believe(task(), Lost("gone")).reason == "gone"


def edited(**changes: Any) -> str:
    found = json.loads(measurement_text(task()))
    measured = json.loads(found["measured"]) | changes
    return json.dumps(found | {"measured": json.dumps(measured)})


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [
        ("", Outcome.UNKNOWN, "something else than a measurement"),
        ("{}", Outcome.UNKNOWN, "something else than a measurement"),
        ("[]", Outcome.UNKNOWN, "something else than a measurement"),
        (edited(file="other.ser"), Outcome.UNKNOWN, "measured something else"),
        (edited(outcome="serializable"), Outcome.REFUSED, "it is"),
        (measurement_text(task(ATOMIC)), Outcome.UNKNOWN, "measured something else"),
        (
            json.dumps({**json.loads(measurement_text(task())), "certificate": None}),
            Outcome.REFUSED,
            "without evidence",
        ),
        (
            json.dumps({**json.loads(measurement_text(task())), "certificate": "{}"}),
            Outcome.REFUSED,
            "not a certificate",
        ),
        (
            json.dumps(
                {
                    **json.loads(edited(outcome="serializable")),
                    "certificate": json.loads(measurement_text(task(ATOMIC)))["certificate"],
                }
            ),
            Outcome.REFUSED,
            "input",
        ),
    ],
)
def test_what_a_worker_makes_up_is_not_believed(answer: str, outcome: Outcome, reason: str) -> None:
    found = believe(task(), answer)
    assert found.outcome is outcome
    assert reason in (found.reason or "")
