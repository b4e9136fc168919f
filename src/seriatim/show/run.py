"""A run of an input: a counterexample, a run to a mistake, or else a sample and what explains it."""

from seriatim.answer import THE_ANSWER_ALONE
from seriatim.budget import Deadline
from seriatim.explain.interleaving import interleaving
from seriatim.explain.timeline import Timeline
from seriatim.frozen import frozen
from seriatim.pipeline import Options, decide
from seriatim.program.inputs import Input
from seriatim.report.look import Look
from seriatim.report.sample_text import explained_by
from seriatim.report.verdict_text import timeline_text
from seriatim.result import Faulty, Violated
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.limits import Limits

MAX_MOMENTS = 60
"""Lines of code that are worth a picture."""


class NoRun(Exception):
    """There is no counterexample, and no sample that would be worth a look."""

    def diagnostic(self) -> Diagnostic:
        hint = "see what `ser check` says, or draw a run with `ser run`"
        return Diagnostic("SER306", "there is neither a counterexample nor a short sample run", hint=hint)


@frozen
class RunView:
    shown: Timeline
    remark: str
    """What it shows, in a sentence."""

    def text(self) -> str:
        return f"{self.remark}\n\n{timeline_text(self.shown, Look())}"


def run_view(content: Input, source: SourceText, limits: Limits, deadline: Deadline) -> RunView:
    """Raises `NoRun`."""
    seconds = None if deadline.ends is None else deadline.remaining()
    options = Options(limits, seconds, max_memory=deadline.max_bytes, wants=THE_ANSWER_ALONE)
    answer = decide(content, options, source=source).answer
    if isinstance(answer, Violated):
        return RunView(answer.run.timeline, "A counterexample: no serial order has these answers.")
    if isinstance(answer, Faulty):
        return RunView(answer.run.timeline, f"A run to a mistake: {answer.diagnostic.message}.")
    sample = interleaving(content, source, MAX_MOMENTS)
    if sample is None:
        raise NoRun
    return RunView(sample.run.timeline, f"A sample. {explained_by(sample.order)}.")
