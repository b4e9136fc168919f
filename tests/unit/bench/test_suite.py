"""Suites: the same outcomes in other processes, with memory; what need not be measured again."""

from seriatim.bench.result import Outcome, Stage
from seriatim.bench.suite import measure_in_workers, run, still_valid
from testkit.inputs.bench_results import ATOMIC, RACE, task


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


def test_only_compiling_and_several_jobs_need_other_processes() -> None:
    assert [found.peak_bytes for _, found in run([task()], jobs=1)] == [None]
    assert all(found.peak_bytes for _, found in run([task(stage=Stage.COMPILE)], jobs=1))


def test_earlier_results_stay_valid_for_unchanged_tasks() -> None:
    earlier = [found for _, found in run([task("a.ser"), task("b.ser", RACE)], jobs=1)]
    again = [task("b.ser", RACE), task("a.ser", RACE), task("c.ser")]
    assert still_valid(again, earlier) == {0: earlier[1]}
