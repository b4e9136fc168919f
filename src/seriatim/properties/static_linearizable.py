"""Static linearizability: does a specification allow every run, in the order of points in the code?"""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.program.specification import Specification
from seriatim.properties.fitting import strangers
from seriatim.properties.property import SPECIFICATION, Property
from seriatim.properties.statement import OrderOfPoints
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class StaticLinearizability(Property):
    name = "static-linearizable"
    verdicts = ("static_linearizable", "not_static_linearizable")
    takes = (SPECIFICATION,)

    specification: Specification

    def states(self) -> OrderOfPoints:
        return OrderOfPoints(self.specification)

    def asked(self) -> str:
        return "Compared with a specification: the answers, in the order of points in the code."

    def refusal(self) -> str:
        return "With these answers, no order that respects time fits the specification"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        return self.specification.source, list(strangers(self.specification, content))
