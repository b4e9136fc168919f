"""A run of an input: a counterexample, a run to a mistake, or else a sample and what explains it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from seriatim.budget import Deadline
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, decide
from seriatim.explain.interleaving import any_run, find_unanswered_run, interleaving
from seriatim.explain.timeline import Sample, ShownRun
from seriatim.program.inputs import Input
from seriatim.report.run_json import run_json
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import explained_by, timeline_text
from seriatim.result import Faulty, Violated
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.limits import Limits

MAX_MOMENTS = 60
"""The most lines of code in a picture."""


class NoRun(Exception):
    """There is no counterexample, and no request can begin."""

    def diagnostic(self) -> Diagnostic:
        hint = "see what `ser check` says about its requests"
        return Diagnostic("SER306", "there is no run: no request can take a step", hint=hint)


class RunKind(StrEnum):
    """What a run shows."""

    COUNTEREXAMPLE = "counterexample"
    MISTAKE = "mistake"
    SAMPLE = "sample"
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class RunView:
    run: ShownRun
    kind: RunKind
    remark: str
    """What it shows, in a sentence."""

    def text(self) -> str:
        return f"{self.remark}\n\n{timeline_text(self.run.timeline, TextLook())}"

    def data(self) -> dict[str, Any]:
        """As JSON; the keys of the run are those of `result.schema.json`."""
        return {"kind": self.kind.value, "remark": self.remark} | run_json(self.run)


def run_view(content: Input, source: SourceText, limits: Limits, deadline: Deadline) -> RunView:
    """A run of an input; raises `NoRun`."""
    seconds = None if deadline.ends is None else deadline.remaining()
    options = Options(limits, seconds, max_memory=deadline.max_bytes, wants=THE_ANSWER_ALONE)
    answer = decide(content, options, source=source).answer
    if isinstance(answer, Violated):
        remark = "A counterexample: no serial order has these answers."
        return RunView(answer.run, RunKind.COUNTEREXAMPLE, remark)
    if isinstance(answer, Faulty):
        return RunView(answer.run, RunKind.MISTAKE, f"A run that fails: {answer.diagnostic.message}.")
    sample = interleaving(content, source, MAX_MOMENTS) or any_run(content, source, limits, deadline)
    if sample is not None:
        return RunView(sample.run, RunKind.SAMPLE, _sample_text(sample))
    unfinished = find_unanswered_run(content, source, limits, deadline)
    if unfinished is None:
        raise NoRun
    return RunView(unfinished, RunKind.UNFINISHED, "No random run answered all requests.")


def _sample_text(sample: Sample) -> str:
    return f"A sample. {explained_by(sample.order)}." if sample.order else "A sample."
