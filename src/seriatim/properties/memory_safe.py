"""Safety of memory: is memory used only while it is there, and within its bounds?"""

from dataclasses import dataclass

from seriatim.program.inputs import Input
from seriatim.properties.property import Property, about_threads
from seriatim.properties.statement import UsesMemoryWell
from seriatim.source import Diagnostic, SourceText


@dataclass(frozen=True, slots=True)
class MemorySafety(Property):
    name = "memory-safe"
    verdicts = ("memory_safe", "not_memory_safe")

    def states(self) -> UsesMemoryWell:
        return UsesMemoryWell()

    def asked(self) -> str:
        return (
            "Looked for: memory that is used after it was freed, or freed twice, pointers that point "
            "nowhere, and indices outside their arrays."
        )

    def refusal(self) -> str:
        return "Memory is used that is not there"

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        return source, [about_threads(self)]


MEMORY_SAFETY = MemorySafety()
