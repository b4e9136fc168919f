"""What to do with a file that a command does not read."""

from collections.abc import Callable
from pathlib import PurePath
from typing import TypeVar

from seriatim.frontends.languages import CERTIFICATE, KINDS, NETWORK, TRACE, Language, kind_named
from seriatim.source import Diagnostic, InputError, SourceText

Content = TypeVar("Content")


def only_for(command: str, parse: Callable[[SourceText], Content]) -> Callable[[SourceText], Content]:
    """The same reader, but it refuses files that the command does not read; then it raises `InputError`."""

    def read(source: SourceText) -> Content:
        refuse_unread(source.name, command)
        return parse(source)

    return read


def refuse_unread(name: str, command: str) -> None:
    """Raises `InputError` if a command does not read files with this name, and says which command does."""
    kind = kind_named(name)
    if kind is None:
        suffix = PurePath(name).suffix
        if suffix and not name.startswith("<"):
            known = " ".join(each for one in KINDS if command in one.commands for each in one.suffixes)
            message = f"`ser {command}` does not read files that end in {suffix}"
            raise InputError([Diagnostic("SER240", message, hint=f"it reads {known}")])
    elif kind is CERTIFICATE and command in kind.commands:
        message = "this is a certificate, and the second file has to be the program that it is about"
        raise InputError([Diagnostic("SER240", message, hint=f"ser {command} {name} PROGRAM")])
    elif command not in kind.commands:
        message = f"this is {kind.noun}, which `ser {command}` does not read"
        raise InputError([Diagnostic("SER240", message, hint=_way_out(kind, name, command))])


def _way_out(kind: Language, name: str, command: str) -> str:
    hint = dict(kind.instead).get(command)
    if hint is not None:
        return hint.replace("FILE", name)
    if not kind.commands:
        return "it is for other tools"
    return f"`ser {kind.commands[0]} {name}{' PROGRAM' if kind is CERTIFICATE else ''}` reads it"


def refuse_program(name: str, command: str) -> None:
    """Raises `InputError` where a certificate is expected, and the name is that of a program."""
    kind = kind_named(name)
    if kind is not None and kind not in (CERTIFICATE, TRACE) and NETWORK.suffixes != kind.suffixes:
        message = f"this is {kind.noun}, and the first file has to be a certificate"
        hint = f"ser {command} CERTIFICATE {name}; `ser check {name} --certificate PATH` saves one"
        raise InputError([Diagnostic("SER240", message, hint=hint)])
