"""Checks by others: a real cluster of this machine, workers that lie or die, lanes, shards."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from click.testing import CliRunner, Result

from seriatim.cli import worker_checks
from seriatim.cli.main import main
from seriatim.cli.one_check import CheckTask, answer_text
from seriatim.cluster.address import LocalWorkers
from seriatim.cluster.client import Cluster, join_cluster
from seriatim.result import Lost
from seriatim.workers import LocalCrew
from testkit.running.ser_processes import FOR_EVER, HUNGRY, START, hands
from testkit.samples import IS_DEEP, deep

pytestmark = pytest.mark.xdist_group("cluster")

EXAMPLES = Path(__file__).parents[3] / "examples"
RACING = "request flip { x := N; yield; N := 1 - x; x }\n"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with join_cluster(LocalWorkers(2)) as found:
        yield found


@pytest.fixture(scope="module")
def address(cluster: Cluster) -> str:
    return str(cluster.client.scheduler_info()["address"])


def ser(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def objects(result: Result) -> list[dict[str, Any]]:
    """Without times."""
    found = [json.loads(line) for line in result.stdout.splitlines()]
    return [{key: value for key, value in each.items() if key not in ("seconds", "stages")} for each in found]


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    """Some of every kind, and some that are broken."""
    folder = tmp_path / "inputs"
    folder.mkdir()
    chosen = sorted(EXAMPLES.glob("*.ser"))[:: 1 if IS_DEEP else 5]
    for path in (
        *chosen,
        *sorted(EXAMPLES.glob("threads/*.conc"))[:3],
        *sorted(EXAMPLES.glob("sql/*.sql"))[:2],
    ):
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
    (folder / "broken.ser").write_text("request flip { x := \n")
    (folder / "faulty.ser").write_text("global X: 0..1\nrequest up { X := X + 1; X }\n")
    return folder


def test_a_cluster_changes_no_byte(inputs: Path, tmp_path: Path, address: str) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    here = ser("check", inputs, "--json", "--isolation", "repeatable-read", "--certificate", one)
    there = ser(
        "check",
        inputs,
        "--json",
        "--isolation",
        "repeatable-read",
        "--certificate",
        two,
        "--cluster",
        address,
    )
    assert there.exit_code == here.exit_code
    moved = json.loads(json.dumps(objects(here)).replace(str(one), str(two)))
    assert objects(there) == moved
    assert {path.name: path.read_bytes() for path in one.iterdir()} == {
        path.name: path.read_bytes() for path in two.iterdir()
    }


def test_texts_are_the_same_too(inputs: Path, address: str) -> None:
    here = ser("check", inputs, "--isolation", "repeatable-read", "--property", "safe", "--explain")
    there = ser(
        "check",
        inputs,
        "--isolation",
        "repeatable-read",
        "--property",
        "safe",
        "--explain",
        "--cluster",
        address,
    )
    assert there.stdout == here.stdout
    assert there.stderr == here.stderr


class Lying:
    """Somebody who answers something else."""

    def __init__(self, answer: str | Lost) -> None:
        self.answer = answer

    def perform(
        self, work: object, tasks: Iterable[CheckTask], seconds: float
    ) -> Generator[tuple[int, str | Lost], None, None]:
        assert work is answer_text
        assert seconds > 0
        for position, _ in enumerate(tasks):
            yield position, self.answer


def checked_by(crew: object, file: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    from contextlib import nullcontext

    monkeypatch.setattr(worker_checks, "crew_for", lambda *_: nullcontext(crew))
    result = ser("check", file, "--json", "--cluster", "local:1")
    assert result.exit_code == 3
    found: dict[str, Any] = json.loads(result.stdout)
    assert found["verdict"] == "unknown"
    return found


@pytest.fixture
def racing(tmp_path: Path) -> Path:
    path = tmp_path / "racing.ser"
    path.write_text(RACING)
    return path


def test_a_worker_that_proves_another_program_is_not_believed(
    racing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    racing.write_text(RACING.replace("yield; ", ""))
    proved = json.loads(ser("check", racing, "--json").stdout)
    racing.write_text(RACING)
    lie = json.dumps(proved | {"source": RACING})
    found = checked_by(Lying(lie), racing, monkeypatch)
    assert "its evidence is refused" in found["reason"]


@pytest.mark.parametrize("lie", ["", "[]", '{"version": 1}', "null"])
def test_a_worker_that_sends_nonsense_is_not_believed(
    racing: Path, monkeypatch: pytest.MonkeyPatch, lie: str
) -> None:
    assert "a worker has sent a result, but" in checked_by(Lying(lie), racing, monkeypatch)["reason"]


def test_a_worker_that_answers_another_question_is_not_believed(
    racing: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = ser("check", racing, "--json", "--property", "conflict-serializable").stdout
    found = checked_by(Lying(other), racing, monkeypatch)
    assert "it is about something else" in found["reason"]


def test_a_lost_worker_costs_the_verdict_alone(racing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = checked_by(Lying(Lost("its workers died")), racing, monkeypatch)
    assert found["reason"] == "its workers died"


def test_processes_that_are_killed_at_random_lose_nothing(tmp_path: Path, address: str) -> None:
    count = 80 if IS_DEEP else 16
    for number in range(count):
        (tmp_path / f"input_{number:03}.ser").write_text(RACING.replace("flip", f"flip{number}"))
    is_done = Event()

    def kill() -> None:
        for _ in range(count // 4):  # Some inputs are lost, most are not, however slow the machine is.
            if is_done.wait(0.4):
                return
            for process in sorted(hands())[:1]:
                os.kill(process, signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    try:
        result = ser("check", tmp_path, "--json", "--cluster", address)
    finally:
        is_done.set()
        killer.join()
    found = objects(result)
    assert [Path(each["file"]).name for each in found] == sorted(each.name for each in tmp_path.iterdir())
    verdicts = [each["verdict"] for each in found]
    assert set(verdicts) <= {"not_serializable", "unknown"}
    assert verdicts.count("not_serializable") > count // 2


@deep
def test_no_process_is_left_when_workers_end() -> None:
    before = hands()
    with join_cluster(LocalWorkers(1)) as own:
        assert dict(own.perform(str.upper, ["four"], 20.0)) == {0: "FOUR"}
        assert hands() - before
    patience = time.monotonic() + 60
    while hands() - before and time.monotonic() < patience:
        time.sleep(0.05)
    assert not hands() - before


@deep
@pytest.mark.parametrize("lanes", ["search:2,commit", *(["all"] if IS_DEEP else [])])
def test_lanes_come_to_the_same_verdict(lanes: str) -> None:
    for name, verdict in [("lost_update", "not_serializable"), ("spin_lock", "serializable")]:
        found = ser("check", EXAMPLES / f"{name}.ser", "--json", "--lanes", lanes, "--jobs", "2")
        assert json.loads(found.stdout)["verdict"] == verdict


@deep
def test_lanes_that_do_not_exist_are_told() -> None:
    result = ser("check", EXAMPLES / "lost_update.ser", "--lanes", "search,magic")
    assert result.exit_code == 2
    assert "'magic' is not a method; there are auto, atomic, search" in result.stderr


@deep
def test_if_no_lane_has_a_verdict_the_answer_is_unknown(racing: Path) -> None:
    found = json.loads(ser("check", racing, "--json", "--lanes", "commit", "--timeout", "20").stdout)
    assert found["verdict"] == "unknown"


def test_shards_are_a_partition(inputs: Path) -> None:
    whole = ser("check", inputs, "--json", "--isolation", "serializable")
    parts = [
        ser("check", inputs, "--json", "--isolation", "serializable", "--shard", f"{i}/3") for i in (1, 2, 3)
    ]
    lines = [each for part in parts for each in objects(part)]
    assert sorted(lines, key=lambda each: each["file"]) == sorted(
        objects(whole), key=lambda each: each["file"]
    )


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", "1/0"])
def test_what_is_no_shard_is_told(racing: Path, shard: str) -> None:
    result = ser("check", racing, "--shard", shard)
    assert result.exit_code == 2
    assert "write the second of five as 2/5" in result.stderr


def test_an_address_that_is_none_is_told(racing: Path) -> None:
    result = ser("check", racing, "--cluster", "nowhere")
    assert result.exit_code == 2
    assert "is not the address of a cluster" in result.stderr


def test_a_cluster_is_not_asked_what_is_known(
    racing: Path, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERIATIM_NO_CACHE")
    first = ser("check", racing, "--json", "--cluster", address, "--cache", tmp_path / "cache")

    def nobody(_: object, __: object, tasks: Iterable[CheckTask], ___: float) -> Iterator[tuple[int, str]]:
        assert list(tasks) == []
        yield from ()

    monkeypatch.setattr(Cluster, "perform", nobody)
    second = ser("check", racing, "--json", "--cluster", address, "--cache", tmp_path / "cache")
    assert objects(second) == objects(first)


@deep
def test_local_crews_answer_with_text() -> None:
    assert dict(LocalCrew(1).perform(str.upper, ["four"], 20.0)) == {0: "FOUR"}


@deep
def test_fixes_are_the_same_on_a_cluster(address: str) -> None:
    file = EXAMPLES / "lost_update.ser"
    asked = ("fix", file, "--json", "--candidates", "5")
    here, there = ser(*asked), ser(*asked, "--cluster", address)
    assert json.loads(there.stdout) == json.loads(here.stdout)


@deep
def test_an_interrupt_stops_workers_without_a_word_of_theirs(tmp_path: Path) -> None:
    hungry = tmp_path / "hungry.ser"
    hungry.write_text(HUNGRY)
    before = hands()
    with subprocess.Popen(
        [*START, "check", hungry, "--cluster", "local:1", "--timeout", "300", *FOR_EVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        patience = time.monotonic() + 60
        while not hands() - before and time.monotonic() < patience:
            time.sleep(0.1)
        time.sleep(1.0)
        os.killpg(running.pid, signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert (out, err) == ("", "ser: interrupted\n")
    patience = time.monotonic() + 60
    while hands() - before and time.monotonic() < patience:
        time.sleep(0.05)
    assert not hands() - before
