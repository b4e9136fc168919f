"""What every property has: a name, two verdicts, parameters, a statement, and words."""

from abc import ABC, abstractmethod
from typing import ClassVar

from seriatim.program.inputs import Input
from seriatim.properties.parameters import Parameter
from seriatim.properties.statement import Statement
from seriatim.source import Diagnostic, SourceText


class Property(ABC):
    """A question about an input; subclasses are frozen data, one a module, listed in `all.py`."""

    __slots__ = ()

    name: ClassVar[str]
    """What `--property` and JSON call it."""
    verdicts: ClassVar[tuple[str, str]]
    """What the answers yes and no are called."""
    takes: ClassVar[tuple[Parameter, ...]] = ()

    @abstractmethod
    def states(self) -> Statement:
        """What has to hold."""

    @abstractmethod
    def asked(self) -> str:
        """What is compared, in a sentence for people; empty for the default question."""

    @abstractmethod
    def refusal(self) -> str:
        """What a violation shows, up to the full stop."""

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        """What cannot be asked about an input, and the text that says so: `source` is the input's."""
        return source, []


def in_words(verdict: str) -> str:
    """A verdict as people read it."""
    return verdict.replace("_", " ")


def consequence(asked: Property) -> str:
    """What follows from a violation."""
    return f"the handlers are {in_words(asked.verdicts[1])}"
