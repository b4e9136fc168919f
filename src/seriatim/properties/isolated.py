"""Of a log of transactions: do they show an isolation level?"""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.properties.property import Property, about_logs, text_parameter
from seriatim.properties.statement import ShowsLevel
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class Isolated(Property):
    name = "isolated"
    verdicts = ("isolated", "not_isolated")
    subject = "the transactions"
    takes = (text_parameter("level"),)

    level: str = ""
    """The isolation level; empty for all levels."""

    def states(self) -> ShowsLevel:
        return ShowsLevel()

    def asked(self) -> str:
        return ""

    def refusal(self) -> str:
        return "The transactions do not show this isolation level"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        return source, [about_logs(self)]
