"""A suite: which measurements are still to be made, and how to make them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from seriatim.bench.measure import measure
from seriatim.bench.result import BenchTask, Outcome, Result, Stage, make_unmeasured
from seriatim.bench.worker_measurements import believe, measurement_text
from seriatim.memory import peak_bytes
from seriatim.result import Lost
from seriatim.workers import Crew, in_workers


def still_valid(tasks: Sequence[BenchTask], earlier: Sequence[Result]) -> dict[int, Result]:
    """The earlier results that answer a task, by its position: same text, same stage, same limits."""
    by_file = {result.file: result for result in earlier}
    return {
        position: result
        for position, task in enumerate(tasks)
        if (result := by_file.get(task.source.name)) is not None and result.answers(task)
    }


def run(tasks: Sequence[BenchTask], jobs: int) -> Iterator[tuple[int, Result]]:
    """The results with the positions of their tasks, as they come.

    In this process, if it may be: that is how long a user waits who checks many files at once. Peak memory
    needs a process of its own, and so does everything that is to run beside something else.
    """
    if jobs > 1 or any(task.stage is Stage.COMPILE for task in tasks):
        yield from measure_in_workers(tasks, jobs)
    else:
        for position, task in enumerate(tasks):
            yield position, measure(task)


def run_on(crew: Crew, tasks: Sequence[BenchTask]) -> Iterator[tuple[int, Result]]:
    """The same by others, whose verdicts are re-checked here. Peak memory is not measured: the processes of
    workers do many tasks."""
    for position, answer in crew.perform(measurement_text, tasks, _seconds(tasks)):
        yield position, believe(tasks[position], answer)


def _seconds(tasks: Sequence[BenchTask]) -> float:
    """For each: deciding and checking once more, at most the time allowed for either."""
    return 2 * max((task.timeout for task in tasks), default=0.0)


def measure_in_workers(tasks: Sequence[BenchTask], jobs: int) -> Iterator[tuple[int, Result]]:
    """The same in processes of their own, a fresh one for each, with its peak memory."""
    for position, found in in_workers(measure_with_peak, tasks, jobs, _seconds(tasks), is_fresh=True):
        match found:
            case Lost(reason=reason):
                yield position, make_unmeasured(tasks[position], Outcome.UNKNOWN, reason)
            case Result():
                yield position, found


def measure_with_peak(task: BenchTask) -> Result:
    return replace(measure(task), peak_bytes=peak_bytes())
