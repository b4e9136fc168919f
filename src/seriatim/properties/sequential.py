"""Sequential: one order of pending actions covers every run of an asynchronous program, and none fails."""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.properties.property import Property
from seriatim.properties.statement import CoveredByOrder
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class Sequential(Property):
    name = "sequential"
    verdicts = ("sequential", "broken")

    def states(self) -> CoveredByOrder:
        return CoveredByOrder()

    def asked(self) -> str:
        return "Looked for: failed assertions, and runs that end where `ensures` does not hold."

    def refusal(self) -> str:
        return "A run breaks what the program asserts or ensures"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        message = "`sequential` is about asynchronous programs (.actions)"
        return source, [Diagnostic("SER214", message, hint="ser sequentialize converts handlers to actions")]


SEQUENTIAL = Sequential()
