"""A run of an input: a counterexample, a run to a mistake, or else a sample and what explains it."""

from dataclasses import dataclass

from seriatim.budget import Deadline
from seriatim.explain.interleaving import interleaving
from seriatim.explain.timeline import Timeline, faulty_timeline, timeline
from seriatim.pipeline import Options, decide
from seriatim.program.inputs import Input
from seriatim.report.look import Look
from seriatim.report.sample_text import explained_by
from seriatim.report.verdict_text import timeline_text
from seriatim.source import Diagnostic, SourceText
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from seriatim.verdict import Faulty, Violated

MAX_MOMENTS = 60
"""Lines of code that are worth a picture."""


class NoRun(Exception):
    """There is no counterexample, and no sample that would be worth a look."""

    def diagnostic(self) -> Diagnostic:
        hint = "see what `ser check` says, or draw a run with `ser run`"
        return Diagnostic("SER306", "there is neither a counterexample nor a handy sample", hint=hint)


@dataclass(frozen=True, slots=True)
class RunView:
    shown: Timeline
    remark: str
    """What it shows, in a sentence."""

    def text(self) -> str:
        return f"{self.remark}\n\n{timeline_text(self.shown, Look())}"


def run_view(content: Input, source: SourceText, limits: Limits, deadline: Deadline) -> RunView:
    """Raises `NoRun`."""
    seconds = None if deadline.ends is None else deadline.remaining()
    decision = decide(content, Options(limits, seconds, max_memory=deadline.max_bytes))
    verdict, origin = decision.verdict, decision.unfolding
    if isinstance(verdict, Violated):
        shown = timeline(verdict.run, origin, source)
        return RunView(shown, "A counterexample: no serial order has these answers.")
    if isinstance(verdict, Faulty) and isinstance(origin, ProgramUnfolding):
        shown = faulty_timeline(verdict.faulty, origin, source)
        return RunView(shown, f"A run to a mistake: {verdict.diagnostic().message}.")
    sample = interleaving(origin, source, MAX_MOMENTS)
    if sample is None:
        raise NoRun
    return RunView(timeline(sample.run, sample.origin, source), f"A sample. {explained_by(sample.order)}.")
