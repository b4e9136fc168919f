"""Reads files with asynchronous programs, or with request handlers that it converts to one."""

from dataclasses import dataclass

from seriatim.actions.meaning import Failed
from seriatim.actions.syntax import ActionProgram
from seriatim.budget import Deadline
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.all import read_input
from seriatim.frontends.kinds import only_for
from seriatim.frontends.languages import SER, language_named
from seriatim.frontends.reading import BadInput, InputFile, load
from seriatim.program.syntax import Program
from seriatim.sequencing.handlers import convert_handlers
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.systems.limits import LimitReached, Limits


@dataclass(frozen=True, slots=True)
class ActionFile:
    source: SourceText
    program: ActionProgram
    converted: bool
    """Whether it was converted from request handlers."""


def load_actions(file: InputFile, deadline: Deadline, command: str) -> ActionFile:
    """Reads a program with actions; converts handlers (.ser). Raises `BadInput`."""
    if language_named(file.name) is not SER:
        return ActionFile(*load(file, only_for(command, parse)), converted=False)
    source, content = load(file, read_input)
    if not isinstance(content, Program):
        hint = "write .actions programs, or .ser programs with handlers"
        raise BadInput(source, [Diagnostic("SER560", "only programs have actions", hint=hint)])
    try:
        return ActionFile(source, convert_handlers(content, Limits(), deadline), converted=True)
    except InputError as error:
        raise BadInput(source, error.diagnostics) from None
    except LimitReached as reached:
        hint = "ser check decides it for any number of requests"
        raise BadInput(source, [Diagnostic("SER560", f"as actions, {reached.message}", hint=hint)]) from None


def unreadable(failed: Failed) -> Diagnostic:
    """The error for a condition outside of actions that reads something that does not exist."""
    hint = "guard it, such as `1 <= i <= N => …`"
    return Diagnostic(
        "SER562", f"{failed.reason}, in a condition that is not part of an action", failed.span, hint
    )
