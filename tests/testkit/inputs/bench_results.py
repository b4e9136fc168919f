"""For tests of `ser bench`: results with figures that are made up."""

from dataclasses import replace

from seriatim.bench.reference import Reference, ReferenceEntry
from seriatim.bench.result import BenchTask, Outcome, Result, Stage, make_unmeasured
from seriatim.source import SourceText
from seriatim.systems.limits import Limits

ATOMIC = "request get { X }\n"
RACE = "request incr { x := X; yield; X := (x + 1) % 3 }\n"


def task(
    name: str = "a.ser", text: str = ATOMIC, stage: Stage = Stage.CHECK, timeout: float = 20.0
) -> BenchTask:
    return BenchTask(SourceText(name, text), stage, timeout, Limits(), max_memory=None)


def result(
    file: str = "a.ser",
    outcome: Outcome = Outcome.SERIALIZABLE,
    seconds: float = 0.5,
    reason: str | None = None,
) -> Result:
    return replace(make_unmeasured(task(file), outcome, reason), seconds=seconds)


def reference(*entries: tuple[str, bool | None, float | None], name: str = "known.tsv") -> Reference:
    return Reference(name, tuple(ReferenceEntry(*entry) for entry in entries), has_times=True)
