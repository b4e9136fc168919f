"""Serializability: does every complete run have the outcome of a serial one?"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.properties.derived import array_of
from seriatim.properties.property import OBSERVE, Property
from seriatim.properties.statement import FinalValues, Observed, Outcomes
from seriatim.source import Diagnostic, SourceText, quote


@dataclass(frozen=True, slots=True)
class Serializability(Property):
    name = "serializable"
    verdicts = ("serializable", "not_serializable")
    takes = (OBSERVE,)

    observed: Observed = ()
    """Globals whose final values count as well."""

    def states(self) -> Outcomes:
        return Outcomes(FinalValues(self.observed) if self.observed else None)

    def asked(self) -> str:
        if not self.observed:
            return ""
        names = "all globals" if self.observed == "all" else ", ".join(self.observed)
        return f"Observed: the answers, and the final values of {names}."

    def refusal(self) -> str:
        seen = "answers and final values" if self.observed else "answers"
        return f"No one-at-a-time order gives these {seen}"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:
        names = () if self.observed == "all" else self.observed
        return source, list(_unknown_variables(names, content))


SERIALIZABILITY = Serializability()
"""The default question."""


def _unknown_variables(names: tuple[str, ...], content: Input) -> Iterator[Diagnostic]:
    if not names:
        return
    variables = content.variables
    known = dict.fromkeys(array_of(name) or name for name in variables)
    for name in names:
        if name not in known and name not in variables:
            hint = (
                f"its globals are {', '.join(known)}"
                if known
                else "it has none; --observe all compares its final state"
            )
            yield Diagnostic("SER228", f"--observe: the input has no global {quote(name)}", hint=hint)
