"""Safety: does no step fail, whatever the others do?"""

from dataclasses import dataclass

from seriatim.properties.property import Property
from seriatim.properties.statement import NeverFails

OF_THREADS = "Looked for: failed assertions, values outside their ranges, divisions by 0."
"""The sentence about the question for programs with threads."""


@dataclass(frozen=True, slots=True)
class Safety(Property):
    name = "safe"
    verdicts = ("safe", "unsafe")

    def states(self) -> NeverFails:
        return NeverFails()

    def asked(self) -> str:
        return "Looked for: failed assertions, values outside their ranges, indices without an element."

    def refusal(self) -> str:
        return "A step fails"


SAFETY = Safety()
