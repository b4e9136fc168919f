"""Linearizability: does a specification allow every run, in an order that respects real time?"""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.program.specification import Specification
from seriatim.properties.fitting import strangers
from seriatim.properties.property import BARRIERS, PENDING, SPECIFICATION, Property
from seriatim.properties.statement import Outcomes, Time
from seriatim.properties.strict import time_words
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class Linearizability(Property):
    name = "linearizable"
    verdicts = ("linearizable", "not_linearizable")
    takes = (SPECIFICATION, BARRIERS, PENDING)

    specification: Specification
    barriers: int = 1
    """How many barriers of real time an order has to respect."""
    pending: bool = False
    """Whether runs may end with requests in flight."""

    def states(self) -> Outcomes:
        return Outcomes(Time(self.barriers, self.pending), self.specification)

    def asked(self) -> str:
        runs = "; requests may be in flight at the end" if self.pending else ""
        return f"Compared with a specification: the answers{time_words(self.barriers)}{runs}."

    def refusal(self) -> str:
        order = "order that respects time" if self.barriers else "order"
        return f"With these answers, no {order} fits the specification"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        return self.specification.source, list(strangers(self.specification, content))
