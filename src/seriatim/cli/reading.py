"""Reading the one input that a command is about: bad input ends the command, with its diagnostics."""

import json
from collections.abc import Callable
from typing import TypeVar

import click

from seriatim.cli.exit_codes import ExitCode
from seriatim.cli.files import InputFile, read
from seriatim.cli.terminal import Terminal
from seriatim.report.verdict_json import error_json
from seriatim.source import InputError, SourceText

Content = TypeVar("Content")


def parsed(
    context: click.Context,
    terminal: Terminal,
    file: InputFile,
    parse: Callable[[SourceText], Content],
    as_json: bool = False,
) -> Content:
    """What the text of a file stands for; if it is bad, says so and exits."""
    source, problem = read(file)
    try:
        if problem is not None:
            raise InputError([problem])
        return parse(source)
    except InputError as error:
        if as_json:
            terminal.say(json.dumps(error_json(source.name, error.diagnostics)) + "\n")
        else:
            for diagnostic in error.diagnostics:
                terminal.complain(diagnostic, source)
        context.exit(ExitCode.BAD_INPUT)
