"""Languages and other kinds of files: a value each, which says all that differs by kind of file."""

from dataclasses import dataclass
from enum import Enum, auto
from importlib import import_module
from types import ModuleType

from seriatim.source import SourceText


class Content(Enum):
    """What the files of a language are translated to."""

    REQUESTS = auto()
    THREADS = auto()
    ACTIONS = auto()


class Executed(Enum):
    """Whether files of a language are executed, once their owner allows it."""

    NEVER = "never"
    TO_DECIDE = "to decide"
    """Runs are what decides."""
    TO_COMPARE = "to compare"
    """A model decides; a database or a compiler has its say."""


@dataclass(frozen=True, slots=True)
class Language:
    """Files of one kind."""

    noun: str
    suffixes: tuple[str, ...]
    """How the names of its files end."""
    commands: tuple[str, ...] = ()
    """The commands that read such a file."""
    instead: tuple[tuple[str, str], ...] = ()
    """What to do where a command does not read it, as (command, hint); FILE stands for its name."""
    content: Content | None = None
    """None for files that are not decided, such as certificates."""
    folder: str = ""
    """The folder of its front end."""
    settings: tuple[str, ...] = ()
    """The names of the options that its front end understands, without dashes."""
    marks: tuple[bytes, ...] = ()
    """Words in small letters, one of which is in each file that is met in a folder and worth reading."""
    package: str = ""
    """The package that its front end needs besides Seriatim's own."""
    executed: Executed = Executed.NEVER

    def is_worth_reading(self, data: bytes) -> bool:
        """Whether a file in a folder is one: most Python files, for instance, have no coroutine."""
        text = data.lower()
        return not self.marks or any(mark in text for mark in self.marks)

    def frontend(self) -> ModuleType:
        """The module that reads it."""
        return import_module(f"seriatim.frontends.{self.folder}.frontend")

    def reads(self, name: str) -> bool:
        """Whether a file with this name is one."""
        return name.endswith(self.suffixes)


_EVIDENCE = ("verify", "replay", "certificate")
_ALL_OF_REQUESTS = ("check", "run", "show", "export", "history", "bench", "play", *_EVIDENCE)
SEEN_OF_SQL = ("run-seen", "model-refuses", "compared")
"""What certificates about SQL files say besides options."""

SER = Language(
    "a program with request handlers",
    (".ser",),
    (*_ALL_OF_REQUESTS, "fix", "fmt", "sequentialize", "movers"),
    content=Content.REQUESTS,
    folder="ser",
)
NETWORK = Language(
    "a network system",
    (".json",),
    _ALL_OF_REQUESTS,
    (("fix", "fix the program that it was made from"),),
    Content.REQUESTS,
    "network_json",
    marks=(b'"initial_global"',),
)
PYTHON = Language(
    "a Python service",
    (".py",),
    (*_ALL_OF_REQUESTS, "fix"),
    (("fmt", "use a formatter for Python"),),
    Content.REQUESTS,
    "python",
    ("scope", "cancel", "timeouts", "failures", "calls", "module", "python", "service", "run"),
    (b"async def",),
    executed=Executed.TO_DECIDE,
)
SQL = Language(
    "a file with SQL transactions",
    (".sql", ".spec"),
    (*_ALL_OF_REQUESTS, "fix"),
    (("fmt", "use a formatter for SQL"),),
    Content.REQUESTS,
    "sql",
    ("isolation", "scope", "on-abort", "from-log", "engine", "compare", *SEEN_OF_SQL),
    (b"transaction", b"begin", b"commit"),
    "sqlglot",
    Executed.TO_COMPARE,
)
P4 = Language(
    "a P4 program",
    (".p4",),
    _ALL_OF_REQUESTS,
    (
        ("fix", "`ser check FILE` names the @atomic blocks that are proved to be enough"),
        ("fmt", "use a formatter for P4"),
    ),
    Content.REQUESTS,
    "p4",
    ("p4-model", "scope", "entries", "include"),
)
CONC = Language(
    "a program with threads",
    (".conc",),
    ("check", "run", "show", "fmt", "bench", "play", "verify", "replay"),
    content=Content.THREADS,
    folder="conc",
)
C = Language(
    "a program with threads in C",
    (".c", ".i"),
    ("check", "fix", "run", "show", "bench", "play", "verify", "replay"),
    (("fmt", "use a formatter for C"),),
    Content.THREADS,
    "c",
    ("steps", "memory", "include", "define"),
    (b"pthread", b"threads.h", b"stdatomic.h"),
    "pycparser",
    Executed.TO_COMPARE,
)
ACTIONS = Language(
    "a protocol",
    (".actions",),
    ("check", "sequentialize", "movers", "fmt", "play", "verify"),
    content=Content.ACTIONS,
    folder="actions",
)
CERTIFICATE = Language(
    "a certificate",
    (".cert.json",),
    _EVIDENCE,
    (("check", "re-check it: ser verify FILE PROGRAM"), ("play", "open the program, then tab Proof")),
)
TRACE = Language(
    "a trace", (".itf.json",), (), (("replay", "name the certificate of the run, not its trace"),)
)
LOG = Language("a log", (".edn", ".jsonl", ".csv", ".log"), ("history", "verify"))
NET = Language("a Petri net", (".net", ".pnml", ".ndr"), ("net reach --formula QUERY", "net"))

KINDS = (CERTIFICATE, TRACE, SER, NETWORK, PYTHON, SQL, P4, CONC, C, ACTIONS, LOG, NET)
"""All kinds. The first whose suffix fits counts: certificates end like network systems."""

SOURCES = tuple(each for each in KINDS if each.content is not None)
"""What can be decided."""

SUFFIXES = tuple(suffix for each in SOURCES for suffix in each.suffixes)

FOLDER_SUFFIXES = tuple(suffix for suffix in SUFFIXES if suffix != ".spec")
"""The suffixes of the files that a folder stands for. Not .spec: specifications of programs have it, too."""


def kind_named(name: str) -> Language | None:
    """The kind of a file by its name; None for standard input and for names without a known suffix."""
    return next((each for each in KINDS if each.reads(name)), None)


def language_named(name: str) -> Language | None:
    """The language whose suffix a name has, also where the file is a certificate of a system."""
    return next((each for each in SOURCES if each.reads(name)), None)


def content_named(name: str) -> Content:
    """Returns what a source with this name is translated to."""
    language = language_named(name)
    return Content.REQUESTS if language is None or language.content is None else language.content


def language_of(source: SourceText) -> Language:
    """The language of a source: by its suffix or, on standard input, by its first character."""
    by_text = NETWORK if source.text.lstrip().startswith("{") else SER
    return language_named(source.name) or by_text
