"""Front ends: each one translates the texts of one language to an input."""

from enum import StrEnum
from typing import Protocol

from seriatim.frozen import frozen
from seriatim.program.inputs import Decidable
from seriatim.source import SourceText, Span


class ApproximationKind(StrEnum):
    """How what is decided may differ from what the source does."""

    SCOPE = "scope"
    """Values are bounded; to leave the bounds is a fault."""
    INTERLEAVING = "interleaving"
    """There are more interleavings than in reality, and no more serial runs."""
    ENVIRONMENT = "environment"
    """The surroundings may answer more than they do in reality, also when a request runs alone."""
    ASSUMPTION = "assumption"
    """Something is taken for granted."""


@frozen
class Approximation:
    """A difference between a source and its translation."""

    kind: ApproximationKind
    sentence: str
    span: Span | None = None


@frozen
class Translation:
    """What a source stands for."""

    content: Decidable
    approximations: tuple[Approximation, ...] = ()
    exact: bool = True
    """Whether no approximation can cause a false alarm: every run of the content is one of the source."""


class Frontend(Protocol):
    """A language that can be read."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of its files end."""

    def translate(self, source: SourceText) -> Translation:
        """Raises `InputError` with everything that is wrong with the source."""
