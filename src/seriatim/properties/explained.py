"""The property of a log of requests: some one-at-a-time order of them gives the answers that it records."""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.properties.property import Property, about_logs, text_parameter
from seriatim.properties.statement import ExplainsLog
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class Explained(Property):
    name = "explained"
    verdicts = ("explicable", "inexplicable")
    subject = "the answers"
    takes = (text_parameter("model"),)

    model: str = ""
    """The name of the model, or of the program."""

    def states(self) -> ExplainsLog:
        return ExplainsLog()

    def asked(self) -> str:
        return ""

    def refusal(self) -> str:
        return "No one-at-a-time order gives these answers"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        return source, [about_logs(self)]
