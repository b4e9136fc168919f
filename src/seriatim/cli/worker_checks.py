"""Checks in other processes, here or on a cluster; and lanes, which race for one answer.

Results are told in the order of the inputs, each one as soon as those before it are told, no matter which
process decides. What other machines send is re-checked here (`seriatim.cli.one_check.decider_from`).
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

from seriatim.cli.cluster_options import Lane
from seriatim.cli.one_check import CheckTask, answer_text, check_one, decider_from
from seriatim.cli.progress import counting
from seriatim.cli.speakers import Checked, Speaker
from seriatim.cluster.client import join_cluster
from seriatim.result import Faulty, Holds, Lost, Result, Violated
from seriatim.workers import Crew, LocalCrew, in_workers

if TYPE_CHECKING:
    from seriatim.cluster.address import Address


def crew_for(cluster: "Address | None", lanes: int) -> AbstractContextManager[Crew]:
    """The workers of a cluster, or one worker for each lane on this machine."""
    if cluster is None:
        return nullcontext(LocalCrew(lanes))
    return join_cluster(cluster)


def told(found: Iterable[Checked], speaker: Speaker) -> Iterator[Checked]:
    for checked in found:
        speaker.tell(checked)
        yield checked


def restore_order(found: Iterable[tuple[int, Checked]]) -> Iterator[Checked]:
    """Puts items in order of their positions; yields each one as soon as all earlier ones are there."""
    early: dict[int, Checked] = {}
    position = 0
    for index, checked in found:
        early[index] = checked
        while position in early:
            yield early.pop(position)
            position += 1


def check_in_workers(tasks: Sequence[CheckTask], jobs: int, timeout: float) -> Iterator[Checked]:
    """Checks inputs, several at a time on this machine."""

    def found() -> Iterator[tuple[int, Checked]]:
        for index, checked in in_workers(check_one, tasks, jobs, timeout):
            if isinstance(checked, Lost):
                source, _ = tasks[index].found
                checked = Checked(Result(source, tasks[index].options.question, checked))
            yield index, checked

    yield from restore_order(found())


def check_by(
    crew: Crew, tasks: Iterable[CheckTask], count: int, timeout: float, speaker: Speaker
) -> Iterator[Checked]:
    """Has inputs decided by others, and re-checks what they say. What an earlier run has decided, nobody has
    to decide again."""
    handed_out: dict[int, CheckTask] = {}
    known: list[tuple[int, Checked]] = []

    def unknown() -> Iterator[CheckTask]:
        for position, task in enumerate(tasks):
            if task.cache is not None and task.cache.has(task.key()):
                known.append((position, check_one(task)))
            else:
                handed_out[len(positions)] = task
                positions.append(position)
                yield task

    positions: list[int] = []

    def found() -> Iterator[tuple[int, Checked]]:
        with closing(crew.perform(answer_text, unknown(), timeout)) as answers:
            for index, answer in answers:
                task = handed_out.pop(index)
                yield positions[index], check_one(task, decide=decider_from(answer))
                yield from known
                known.clear()
        yield from known

    shown = counting(found(), count, "checking", lambda item: item[1].result.source.name)
    yield from told(restore_order(shown), speaker)


def race(task: CheckTask, lanes: Sequence[Lane], crew: Crew, timeout: float) -> Checked:
    """The first verdict of any lane that passes the re-check here; otherwise the answer of the first lane.

    Lanes that do not fit the input have no answer, like those that give up.
    """
    if task.cache is not None and task.cache.has(task.key()):
        return check_one(task)
    tasks = [replace(task, options=lane.options(task.options)) for lane in lanes]
    answers: dict[int, Checked] = {}
    with closing(crew.perform(answer_text, tasks, timeout)) as arriving:
        for index, answer in arriving:
            checked = check_one(task, decide=decider_from(answer))
            answers[index] = checked
            if isinstance(checked.result.answer, Holds | Violated | Faulty):
                return checked
    return answers[min(answers)]
