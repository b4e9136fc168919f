"""Specifications: which completions may follow which, as an automaton or as a program that runs serially."""

from collections.abc import Callable
from dataclasses import dataclass, field

from seriatim.program.syntax import NOWHERE, Program
from seriatim.source import Diagnostic, SourceText, Span


@dataclass(frozen=True, slots=True)
class SpecifiedStep:
    """A step from one state to another, by a request with this answer."""

    source: str
    target: str
    request: str
    response: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    """The place of the completion in the text."""


@dataclass(frozen=True, slots=True)
class SpecificationAutomaton:
    """A specification as an automaton; all states are final."""

    initial: str
    steps: tuple[SpecifiedStep, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    def states(self) -> tuple[str, ...]:
        """The states in the order of the text, the initial one first."""
        named = (state for step in self.steps for state in (step.source, step.target))
        return tuple(dict.fromkeys((self.initial, *named)))


@dataclass(frozen=True, slots=True)
class Specification:
    """What is allowed, and the text that says so: certificates contain it."""

    text: str
    meaning: SpecificationAutomaton | Program = field(compare=False, repr=False)
    name: str = field(default="specification", compare=False)
    """The name in messages."""

    @property
    def source(self) -> SourceText:
        return SourceText(self.name, self.text)


SpecificationReader = Callable[[SourceText], Specification]
"""A function that reads a specification from text; raises `InputError` with all mistakes."""
