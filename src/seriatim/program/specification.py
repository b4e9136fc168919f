"""Specifications: which completions may follow which, as an automaton or as a program that runs serially."""

from collections.abc import Callable

from seriatim.frozen import field, frozen
from seriatim.program.syntax import NOWHERE, Program
from seriatim.source import Diagnostic, SourceText, Span


@frozen
class SpecifiedStep:
    """From a state to another one, by a request that is answered so."""

    source: str
    target: str
    request: str
    response: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    """Of the completion."""


@frozen
class SpecificationAutomaton:
    """All states are final."""

    initial: str
    steps: tuple[SpecifiedStep, ...]
    warnings: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)

    def states(self) -> tuple[str, ...]:
        """In the order in which the text names them, the initial one first."""
        named = (state for step in self.steps for state in (step.source, step.target))
        return tuple(dict.fromkeys((self.initial, *named)))


@frozen
class Specification:
    """What is allowed, and the text that says so: certificates contain it."""

    text: str
    meaning: SpecificationAutomaton | Program = field(compare=False, repr=False)
    name: str = field(default="specification", compare=False)
    """What messages call it."""

    @property
    def source(self) -> SourceText:
        return SourceText(self.name, self.text)


SpecificationReader = Callable[[SourceText], Specification]
"""What a text specifies; raises `InputError` with everything that is wrong with it."""
