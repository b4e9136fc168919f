"""What is surely a mistake in a program, though the program has a meaning."""

from seriatim.frontends.ser.warnings.answers import answers_are_constant
from seriatim.frontends.ser.warnings.flow import never_answered
from seriatim.frontends.ser.warnings.program import warnings

__all__ = ["answers_are_constant", "never_answered", "warnings"]
