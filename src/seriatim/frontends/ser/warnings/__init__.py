"""What is surely a mistake in a program, though the program has a meaning."""

from seriatim.frontends.ser.warnings.answers import constant_handlers, is_interruptible_writer
from seriatim.frontends.ser.warnings.flow import never_answered
from seriatim.frontends.ser.warnings.program import warnings

__all__ = ["constant_handlers", "is_interruptible_writer", "never_answered", "warnings"]
