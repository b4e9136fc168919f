"""What users see of a check: paragraphs for people, or an object a line for machines."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from seriatim.budget import Observer
from seriatim.cli.progress import progress_line
from seriatim.cli.terminal import Recording, Terminal
from seriatim.engines.stage import Progress
from seriatim.explain.interleaving import sample_of
from seriatim.pipeline import Options
from seriatim.report.sample_text import interleaving_text
from seriatim.report.translation_text import assumed_text
from seriatim.report.verdict_json import decision_json, error_json, lost_json
from seriatim.report.verdict_text import (
    evidence_text,
    headline,
    lost_text,
    stages_text,
    verdict_text,
)
from seriatim.source import Diagnostic, Severity, SourceText
from seriatim.verdict import Decision, Holds
from seriatim.workers import Lost


def word_for(verdict: str) -> str:
    """What a verdict is called where verdicts are counted."""
    return {"unknown": "undecided", "error": "bad input"}.get(verdict, verdict.replace("_", " "))


@dataclass(frozen=True, slots=True)
class JsonSpeaker:
    """An object a line, for machines."""

    terminal: Terminal

    def progress(self, _: SourceText) -> AbstractContextManager[Observer[Progress] | None]:
        """Machines do not watch."""
        return nullcontext()

    def tell(self, decision: Decision, source: SourceText, saved_as: str | None) -> None:
        self.terminal.say(json.dumps(decision_json(decision, source, saved_as)) + "\n")

    def tell_errors(self, source: SourceText, diagnostics: Sequence[Diagnostic]) -> None:
        self.terminal.say(json.dumps(error_json(source.name, diagnostics)) + "\n")

    def tell_loss(self, lost: Lost, source: SourceText) -> None:
        self.terminal.say(json.dumps(lost_json(lost, source.name)) + "\n")

    def repeat(self, recording: Recording) -> None:
        recording.repeat(self.terminal)

    def sum_up(self, verdicts: Counter[str]) -> None:
        """Whoever reads the lines can count them."""


@dataclass(slots=True)
class TextSpeaker:
    """Paragraphs, for people; `quiet` keeps the headlines only, `stats` adds where the time went."""

    terminal: Terminal
    quiet: bool
    stats: bool
    explained_within: Options | None
    """If verdicts are to be explained: how far to look for that."""
    has_begun: bool = False

    def progress(self, source: SourceText) -> AbstractContextManager[Observer[Progress] | None]:
        """How far a decision is, unless it is made in a process of its own."""
        if self.quiet or isinstance(self.terminal, Recording):
            return nullcontext()
        return progress_line(source.name, self.terminal)

    def tell(self, decision: Decision, source: SourceText, saved_as: str | None) -> None:
        warnings = [w for w in decision.warnings if w.severity is Severity.WARNING or not self.quiet]
        if warnings:
            self._separate(self.terminal.warn)
            self.terminal.complain(source, *warnings)
        self._separate(self.terminal.say)
        look = self.terminal.out
        if self.quiet:
            self.terminal.say(headline(decision, source.name, look))
        else:
            self.terminal.say(verdict_text(decision, source, look))
            if isinstance(decision.verdict, Holds):
                self.terminal.say(interleaving_text(sample_of(decision, source), source, look))
            if self.explained_within is not None:
                from seriatim.report.explanation import explanation_text  # Most checks do without.

                self.terminal.say(explanation_text(decision, source, self.explained_within, look))
            if decision.translation is not None:
                self.terminal.say(assumed_text(decision.translation, look))
            is_explained = self.explained_within is not None
            self.terminal.say(evidence_text(decision, source, saved_as, is_explained))
        if self.stats:
            self.terminal.say(stages_text(decision))

    def tell_errors(self, source: SourceText, diagnostics: Sequence[Diagnostic]) -> None:
        self._separate(self.terminal.warn)
        self.terminal.complain(source, *diagnostics)

    def tell_loss(self, lost: Lost, source: SourceText) -> None:
        self._separate(self.terminal.say)
        self.terminal.say(lost_text(lost, source.name, self.terminal.out, self.quiet))

    def repeat(self, recording: Recording) -> None:
        self._separate(self.terminal.warn if recording.is_complaint() else self.terminal.say)
        recording.repeat(self.terminal)

    def sum_up(self, verdicts: Counter[str]) -> None:
        in_order = sorted(
            verdicts, key=lambda verdict: (verdict in ("unknown", "error"), "not_" in verdict, verdict)
        )
        counts = ", ".join(f"{verdicts[verdict]} {word_for(verdict)}" for verdict in in_order)
        self._separate(self.terminal.say)
        self.terminal.say(f"{verdicts.total()} inputs: {counts}\n")

    def _separate(self, write: Callable[[str], None]) -> None:
        """A blank line between two paragraphs, to where the second one goes."""
        if self.has_begun and not self.quiet:
            write("\n")
        self.has_begun = True


Speaker = JsonSpeaker | TextSpeaker
