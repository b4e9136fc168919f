"""What became of an input, for reports about several of them: a decision, or why there is none."""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.report.verdict_json import verdict_name
from seriatim.source import Diagnostic, SourceText
from seriatim.verdict import Decision
from seriatim.workers import Lost


@dataclass(frozen=True, slots=True)
class Decided:
    source: SourceText
    content: Input
    decision: Decision

    @property
    def name(self) -> str:
        """Of the verdict, as JSON has it."""
        return verdict_name(self.decision)


@dataclass(frozen=True, slots=True)
class Unusable:
    """An input that could not be read, or whose result could not be saved."""

    source: SourceText
    diagnostics: tuple[Diagnostic, ...]

    @property
    def name(self) -> str:
        return "error"


@dataclass(frozen=True, slots=True)
class Abandoned:
    """An input whose process was lost."""

    source: SourceText
    lost: Lost

    @property
    def name(self) -> str:
        return "unknown"


Outcome = Decided | Unusable | Abandoned
