"""What is surely a mistake in a program, though the program has a meaning."""

from seriatim.language.warnings.answers import answers_are_constant
from seriatim.language.warnings.flow import never_answered
from seriatim.language.warnings.program import warnings

__all__ = ["answers_are_constant", "never_answered", "warnings"]
