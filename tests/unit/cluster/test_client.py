"""Tasks on a real cluster of this machine: answers, deaths, cancellations."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seriatim.cluster import client
from seriatim.cluster.address import LocalWorkers, Scheduler, SchedulerFile
from seriatim.cluster.client import Cluster, join_cluster, without_version
from seriatim.result import Lost
from seriatim.source import InputError
from testkit.running.cluster_works import (
    die_of_twos,
    die_once,
    double,
    print_and_double,
    raise_error,
    sleep_first,
    sleep_long,
)
from testkit.samples import deep

pytestmark = [pytest.mark.xdist_group("cluster"), deep]

TESTS = str(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = TESTS  # Workers import what they are told to do.
    try:
        with join_cluster(LocalWorkers(2)) as found:
            yield found
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def test_answers_come_with_the_positions_of_their_tasks(cluster: Cluster) -> None:
    found = dict(cluster.perform(double, range(100), 10.0))
    assert found == {number: str(2 * number) for number in range(100)}


def test_answers_come_as_they_are_ready(cluster: Cluster) -> None:
    positions = [position for position, _ in cluster.perform(sleep_first, range(4), 10.0)]
    assert positions[0] != 0
    assert sorted(positions) == [0, 1, 2, 3]


def test_tasks_are_read_as_they_are_handed_out(cluster: Cluster) -> None:
    read = 0

    def tasks() -> Iterator[int]:
        nonlocal read
        for number in range(1000):
            read += 1
            yield number

    answers = cluster.perform(double, tasks(), 10.0)
    next(answers)
    assert read < 20
    answers.close()


def test_what_a_library_prints_is_no_answer(cluster: Cluster) -> None:
    assert dict(cluster.perform(print_and_double, [4], 10.0)) == {0: "8"}


def test_a_process_that_dies_costs_its_own_task_alone(cluster: Cluster) -> None:
    found = dict(cluster.perform(die_of_twos, [1, 2, 3], 10.0))
    assert found == {0: "1", 1: Lost("the worker ended without a result, with exit code 3"), 2: "3"}


def test_a_task_whose_process_dies_is_tried_again(cluster: Cluster, tmp_path: Path) -> None:
    assert dict(cluster.perform(die_once, [str(tmp_path)], 10.0)) == {0: "done"}


def test_what_a_task_raises_is_told(cluster: Cluster) -> None:
    ((_, answer),) = cluster.perform(raise_error, [7], 10.0)
    assert isinstance(answer, Lost)
    assert "the worker ended without a result" in answer.reason


def test_who_stops_listening_stops_the_work(cluster: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "process"
    answers = cluster.perform(sleep_long, ["", str(file)], 400.0)
    assert next(answers) == (0, "awake")
    patience = time.monotonic() + 60
    while not (file.exists() and file.read_text("utf-8")) and time.monotonic() < patience:
        time.sleep(0.05)
    process = Path("/proc") / file.read_text("utf-8")
    assert process.exists()
    answers.close()
    while process.exists() and time.monotonic() < patience:
        time.sleep(0.05)
    assert not process.exists()


def test_a_cluster_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "SECONDS_TO_JOIN", 0.3)
    with pytest.raises(InputError) as raised, join_cluster(Scheduler("tcp://127.0.0.1:9")):
        pass
    (told,) = raised.value.diagnostics
    assert told.code == "SER218"
    assert "cannot join the cluster" in told.message


def test_a_missing_scheduler_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised, join_cluster(SchedulerFile(tmp_path / "none.json")):
        pass
    assert "there is no file" in raised.value.diagnostics[0].message


def test_workers_of_another_version_are_refused(cluster: Cluster) -> None:
    with pytest.raises(InputError) as raised:
        client.compare_versions(cluster.client, "9.9")
    (told,) = raised.value.diagnostics
    assert told.code == "SER219"
    assert "2 of 2 workers do not fit" in told.message


def test_answers_of_another_version_are_not_read() -> None:
    assert without_version("9.9\n{}", "9.9") == "{}"
    assert without_version("9.8\n{}", "9.9") == Lost("the worker has seriatim 9.8, this is 9.9")
