"""Measurements in other processes: the same outcomes, with memory, and nothing that a worker does hurts."""

from multiprocessing.connection import Connection

import pytest

from bench_results import ATOMIC, RACE, dies, sleeps, task
from seriatim.bench import workers
from seriatim.bench.result import Outcome, Stage
from seriatim.bench.suite import run, still_valid
from seriatim.bench.workers import measure_in_workers
from seriatim.memory import peak_bytes


def test_workers_come_to_the_same_outcomes_and_know_their_memory() -> None:
    texts = [ATOMIC, RACE, "request {"]
    found = dict(measure_in_workers([task(f"{n}.ser", text) for n, text in enumerate(texts)], jobs=2))
    assert [found[n].outcome for n in range(3)] == [
        Outcome.SERIALIZABLE,
        Outcome.NOT_SERIALIZABLE,
        Outcome.ERROR,
    ]
    assert [found[n].file for n in range(3)] == ["0.ser", "1.ser", "2.ser"]
    for each in found.values():
        assert each.peak_bytes is not None
        assert 5_000_000 < each.peak_bytes < 500_000_000


def test_a_worker_that_dies_leaves_an_undecided_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "work", dies)
    ((position, found),) = measure_in_workers([task()], jobs=2)
    assert (position, found.outcome) == (0, Outcome.UNKNOWN)
    assert found.reason == "the worker ended without a result, with exit code -9"


def test_a_worker_that_does_not_stop_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "work", sleeps)
    monkeypatch.setattr(workers, "GRACE", 0.1)
    ((_, found),) = measure_in_workers([task(timeout=0.1)], jobs=1)
    assert found.outcome is Outcome.UNKNOWN
    assert found.reason == "did not stop in time; was stopped"


def test_workers_are_stopped_when_nobody_wants_their_results(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = []
    honest = workers.stop

    def note(connection: Connection, worker: workers.Running) -> None:
        honest(connection, worker)
        stopped.append(worker.index)

    monkeypatch.setattr(workers, "stop", note)
    results = measure_in_workers([task(), task(), task()], jobs=3)
    next(results)
    results.close()
    assert sorted(stopped) == [0, 1, 2]


def test_only_compiling_and_several_jobs_need_other_processes() -> None:
    assert [found.peak_bytes for _, found in run([task()], jobs=1)] == [None]
    assert all(found.peak_bytes for _, found in run([task(stage=Stage.COMPILE)], jobs=1))


def test_earlier_results_stay_valid_for_unchanged_tasks() -> None:
    earlier = [found for _, found in run([task("a.ser"), task("b.ser", RACE)], jobs=1)]
    again = [task("b.ser", RACE), task("a.ser", RACE), task("c.ser")]
    assert still_valid(again, earlier) == {0: earlier[1]}


def test_the_peak_of_a_process_is_at_least_what_it_has() -> None:
    peak = peak_bytes()
    assert peak is not None
    block = bytearray(peak)
    larger = peak_bytes()
    assert larger is not None
    assert larger > peak
    assert len(block) == peak
