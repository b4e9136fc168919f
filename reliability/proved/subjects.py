"""What the kernel is measured on: files with their certificates; programs also as network systems."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate
from seriatim.deciding.pipeline import Options, decide
from seriatim.export.kernel.as_written import as_written
from seriatim.export.kernel.claim import WrittenProgram
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Holds, Violated
from seriatim.source import SourceText
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import LimitReached, Limits

SECONDS = 10.0
SUFFIXES = (".ser", ".json")


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    content: Input
    certificate: Certificate
    written: WrittenProgram = None
    """What the kernel reads, if not the core."""


def subjects(
    paths: list[Path], as_systems: bool, question: Property = SERIALIZABILITY
) -> Iterator[Subject | str]:
    """A subject, or the name of a file about which there is no certificate."""
    for path in paths:
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            if file.suffix in SUFFIXES:
                yield subject(file, as_systems, question)


def subject(file: Path, as_system: bool, question: Property) -> Subject | str:
    source = SourceText(str(file), file.read_text("utf-8"))
    content = read_input(source)
    if as_system and not isinstance(content, NetworkSystem):
        try:
            content = network_system(content, Limits(), Deadline(SECONDS))
        except (LimitReached, OutOfBudget):
            return file.name
    answer = decide(content, Options(timeout=SECONDS, question=question)).answer
    if isinstance(answer, Holds | Violated):
        return Subject(file.name, content, answer.certificate, as_written(source, content))
    return file.name
