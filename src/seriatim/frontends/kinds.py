"""Kinds of files, which commands read each, and what to do with a file that a command does not read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from seriatim.frontends.all import ACTION_SUFFIX, CONC, NETWORK, P4, PYTHON, SER, SQL, C, Language
from seriatim.source import Diagnostic, InputError, SourceText

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Kind:
    """Files of one kind."""

    noun: str
    suffixes: tuple[str, ...]
    commands: tuple[str, ...]
    """The commands that read such a file."""
    instead: tuple[tuple[str, str], ...] = ()
    """What to do where a command does not read it, as (command, hint); FILE stands for its name."""


def _kind(language: Language, noun: str, commands: str, **instead: str) -> Kind:
    return Kind(noun, language.suffixes, tuple(commands.split()), tuple(instead.items()))


_EVIDENCE = "verify replay certificate"
_SYSTEM = f"check run show export history bench play {_EVIDENCE}"

LOG = Kind("a log", (".edn", ".jsonl", ".csv", ".log"), ("history", "verify"))
CERTIFICATE = Kind(
    "a certificate",
    (".cert.json",),
    ("verify", "replay", "certificate"),
    (("check", "re-check it: ser verify FILE PROGRAM"), ("play", "open the program, then tab Proof")),
)
NET = Kind("a Petri net", (".net", ".pnml", ".ndr"), ("net reach --formula QUERY", "net"))
TRACE = Kind("a trace", (".itf.json",), (), (("replay", "name the certificate of the run, not its trace"),))

KINDS = (
    CERTIFICATE,  # Before network systems, whose suffix is a part of these.
    TRACE,
    _kind(SER, "a program with request handlers", f"{_SYSTEM} fix fmt sequentialize movers"),
    _kind(NETWORK, "a network system", _SYSTEM, fix="fix the program that it was made from"),
    _kind(
        PYTHON,
        "a Python service",
        f"{_SYSTEM} fix",
        fmt="use a formatter for Python",
    ),
    _kind(
        SQL,
        "a file with SQL transactions",
        _SYSTEM,
        fix="`ser check FILE` names changes that are proved to be enough",
        fmt="use a formatter for SQL",
    ),
    _kind(
        P4,
        "a P4 program",
        _SYSTEM,
        fix="`ser check FILE` names the @atomic blocks that are proved to be enough",
        fmt="use a formatter for P4",
    ),
    _kind(CONC, "a program with threads", "check run show fmt bench play verify replay"),
    _kind(
        C,
        "a program with threads in C",
        "check run show bench play verify replay",
        fmt="use a formatter for C",
    ),
    Kind("a protocol", (ACTION_SUFFIX,), ("check", "sequentialize", "movers", "fmt", "verify")),
    LOG,
    NET,
)

SOURCES = tuple(kind for kind in KINDS if "play" in kind.commands)


def kind_named(name: str) -> Kind | None:
    """The kind of a file by its name; None for standard input and for names without a known suffix."""
    return next((kind for kind in KINDS if name.endswith(kind.suffixes)), None)


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


def _way_out(kind: Kind, name: str, command: str) -> str:
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
