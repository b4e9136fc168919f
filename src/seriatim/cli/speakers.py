"""Prints the results of checks: paragraphs for people, or one JSON object a line for machines."""

import sys
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seriatim.budget import Observer
from seriatim.cli.terminal import Terminal
from seriatim.deciding.answer import EVERYTHING, THE_ANSWER_ALONE, Want
from seriatim.engines.stage import Progress
from seriatim.report.verdict_text import evidence_text, headline, interleaving_text, stages_text, verdict_text
from seriatim.result import Holds, Lost, Refused, Result, Unusable
from seriatim.source import Diagnostic, Severity, SourceText

if TYPE_CHECKING:
    from seriatim.explain.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of an input, its explanation, and where its evidence is; workers return it."""

    result: Result
    explanation: "Explanation | None" = None
    """None unless it was asked for."""
    saved_as: str | None = None
    """The path of the certificate; if it was refused, of the bug bundle."""


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """Options: how to print results."""

    as_json: bool
    quiet: bool
    explain: bool
    stats: bool
    color: str

    def wants(self) -> frozenset[Want]:
        """The details that the output needs; headlines need none."""
        return THE_ANSWER_ALONE if self.quiet and not self.as_json else EVERYTHING


def word_for(verdict: str) -> str:
    """The word for a verdict in a summary of counts."""
    return {"unknown": "undecided", "error": "bad input"}.get(verdict, verdict.replace("_", " "))


@dataclass(frozen=True, slots=True)
class JsonSpeaker:
    """One JSON object a line, for machines."""

    terminal: Terminal

    def progress(self, _: SourceText) -> AbstractContextManager[Observer[Progress] | None]:
        """Shows no progress: machines do not need it."""
        return nullcontext()

    def tell(self, checked: Checked) -> None:
        import json

        from seriatim.report.result_json import result_json

        self.terminal.say(json.dumps(result_json(checked.result, checked.saved_as)) + "\n")
        tell_bug(checked, self.terminal)

    def sum_up(self, inputs: int, verdicts: Counter[str], skipped: int) -> None:
        """Prints nothing: readers can count the lines."""


class TextSpeaker:
    """Paragraphs, for people; `quiet` keeps the headlines only, `stats` adds where the time went."""

    def __init__(self, terminal: Terminal, quiet: bool, stats: bool) -> None:
        self.terminal = terminal
        self.quiet = quiet
        self.stats = stats
        self.has_begun = False
        self.complained: tuple[SourceText, frozenset[Diagnostic]] | None = None
        """The last input with errors or warnings, and which: several questions about one input have the same
        ones."""

    def progress(self, source: SourceText) -> AbstractContextManager[Observer[Progress] | None]:
        """An observer that shows progress on a terminal."""
        if self.quiet or not sys.stderr.isatty():
            return nullcontext()
        from seriatim.cli.progress import progress_line

        return progress_line(source.name, self.terminal)

    def tell(self, checked: Checked) -> None:
        result = checked.result
        if isinstance(result.answer, Unusable):
            self._complain(result.source, result.answer.diagnostics)
            return
        due = (w for w in result.warnings if w.severity is Severity.WARNING or not self.quiet)
        self._complain(result.source, due)
        self._separate(self.terminal.say)
        if self.quiet:
            self.terminal.say(headline(result, self.terminal.out))
        else:
            self._tell_all(checked)
        if self.stats and not isinstance(result.answer, Lost):
            self.terminal.say(stages_text(result))
        tell_bug(checked, self.terminal)

    def _complain(self, source: SourceText, diagnostics: Iterable[Diagnostic]) -> None:
        """Prints errors and warnings of an input, once."""
        known = self.complained
        told = known[1] if known is not None and known[0] == source else frozenset()
        due = [each for each in diagnostics if each not in told]
        if due:
            self._separate(self.terminal.warn)
            self.terminal.complain(source, *due)
            self.complained = (source, told.union(due))

    def _tell_all(self, checked: Checked) -> None:
        result, look = checked.result, self.terminal.out
        self.terminal.say(verdict_text(result, look))
        if isinstance(result.answer, Holds) and result.answer.sample is not None:
            self.terminal.say(interleaving_text(result.answer.sample, look))
        if checked.explanation is not None:
            from seriatim.report.explanation_text import explanation_text  # Most checks do not need it.

            self.terminal.say(explanation_text(checked.explanation, look))
        if result.approximations:
            from seriatim.report.translation_text import assumed_text  # Most inputs are not translated.

            self.terminal.say(assumed_text(result.approximations, look))
        self.terminal.say(evidence_text(result, checked.saved_as, checked.explanation is not None))

    def sum_up(self, inputs: int, verdicts: Counter[str], skipped: int) -> None:
        in_order = sorted(
            verdicts, key=lambda verdict: (verdict in ("unknown", "error"), "not_" in verdict, verdict)
        )
        counts = ", ".join(f"{verdicts[verdict]} {word_for(verdict)}" for verdict in in_order)
        self._separate(self.terminal.say)
        left = f"; {skipped} other file{'s' if skipped > 1 else ''} skipped" if skipped else ""
        self.terminal.say(f"{inputs} input{'s' if inputs > 1 else ''}: {counts}{left}\n")

    def _separate(self, write: Callable[[str], None]) -> None:
        """Prints a blank line between two paragraphs, to the stream of the second one."""
        if self.has_begun and not self.quiet:
            write("\n")
        self.has_begun = True


Speaker = JsonSpeaker | TextSpeaker


def speaker_for(printing: PrintOptions, terminal: Terminal) -> Speaker:
    return (
        JsonSpeaker(terminal) if printing.as_json else TextSpeaker(terminal, printing.quiet, printing.stats)
    )


def tell_bug(checked: Checked, terminal: Terminal) -> None:
    """Reports that the checker refused Seriatim's own evidence: no verdict, and a bundle to send in."""
    refused, bundle = checked.result.answer, checked.saved_as
    if not isinstance(refused, Refused):
        return
    hint = (
        "please report this, with the input and the command"
        if bundle is None
        else f"please report this, with {bundle}: it contains the input and the evidence, nothing else"
    )
    message = f"A BUG IN SERIATIM: the checker refused its evidence: {refused.complaint}"
    terminal.complain(checked.result.source, Diagnostic("SER601", message, hint=hint))
