"""Freedom from data races: do no two threads access a variable at the same time, one of them writing?"""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.properties.property import Property, about_threads
from seriatim.properties.statement import NeverRaces
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class RaceFreedom(Property):
    name = "race-free"
    verdicts = ("race_free", "not_race_free")

    def states(self) -> NeverRaces:
        return NeverRaces()

    def asked(self) -> str:
        return (
            "Looked for: data races, which are two accesses to a variable that threads can make at the same "
            "time, one of them a write, and not both atomic."
        )

    def refusal(self) -> str:
        return "Two threads access a variable at the same time, and one of them writes"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        return source, [about_threads(self)]


RACE_FREEDOM = RaceFreedom()
