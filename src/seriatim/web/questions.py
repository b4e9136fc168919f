"""The questions of the page as data, read strictly from JSON; and the limits for an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from seriatim.explain.exploring import MAX_MOVES
from seriatim.frontends.protocol import Settings
from seriatim.frontends.ser.specification import read_specification
from seriatim.history.built_in import BUILT_IN
from seriatim.properties.all import read_property
from seriatim.properties.property import Property
from seriatim.source import SourceText
from seriatim.strict_json import Record, boolean, document, error, integer_from, items, natural, string, wrong

MODELS = tuple(BUILT_IN)
"""What can explain a log."""

MAX_NAME = 200
MAX_TEXT = 200_000
"""Characters of a program; far more than anybody types."""
MAX_CERTIFICATE = 8_000_000

SETTINGS = ("isolation", "cancel", "steps", "model")
"""The settings that a page may use; none of them names a file or a server. A model is built in: it explains
a log."""


@dataclass(frozen=True, slots=True)
class Room:
    """The limits for an answer: time, states, memory."""

    seconds: int = 30
    max_states: int = 300_000
    max_memory: int | None = 1 << 30
    """Bytes of the process that answers; None means no limit."""
    may_run: bool = False
    """Whether a question may ask to execute its source."""


@dataclass(frozen=True, slots=True)
class Check:
    source: SourceText
    property: Property | None
    """The property to check; None is the default for the kind of source."""
    settings: Settings
    seconds: int
    max_states: int
    run: bool = False
    """Whether the person at the page allows to execute the source."""


@dataclass(frozen=True, slots=True)
class Verify:
    source: SourceText
    certificate: SourceText


@dataclass(frozen=True, slots=True)
class Fix:
    source: SourceText
    settings: Settings
    run: bool = False


@dataclass(frozen=True, slots=True)
class Draw:
    """The network system, the serial automaton and the net, as pictures."""

    source: SourceText
    settings: Settings


@dataclass(frozen=True, slots=True)
class Explore:
    source: SourceText
    settings: Settings
    moves: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Format:
    source: SourceText


Question = Check | Verify | Fix | Draw | Explore | Format


@dataclass(frozen=True, slots=True)
class _Form:
    """The members of a question: those that have to be there, and the defaults of the others."""

    required: tuple[str, ...]
    defaults: Mapping[str, object] = field(default_factory=dict)

    def record(self, value: object) -> Record:
        if not isinstance(value, dict):
            raise error("SER405", "the question is not an object")
        keys = (*self.required, *self.defaults)
        return document({**self.defaults, **value}, "the question", keys)


_SOURCE = ("name", "text")
_FORMS: dict[str, _Form] = {
    "check": _Form(
        _SOURCE, {"property": None, "settings": {}, "seconds": None, "max_states": None, "run": False}
    ),
    "verify": _Form((*_SOURCE, "certificate")),
    "fix": _Form(_SOURCE, {"settings": {}, "run": False}),
    "draw": _Form(_SOURCE, {"settings": {}}),
    "explore": _Form(_SOURCE, {"settings": {}, "moves": []}),
    "format": _Form(_SOURCE),
}

KINDS = tuple(_FORMS)
"""The kinds of questions, by name."""


def read_question(kind: str, value: object, room: Room) -> Question:
    """Reads a question. Raises `InputError` if it has the wrong form, or exceeds the limits."""
    fields = _FORMS[kind].record(value)
    name = fields.read("name", _up_to(MAX_NAME))
    if not name.isprintable() or "/" in name or "\\" in name:
        raise wrong("name", "the name of a file without a folder")
    source = SourceText(name, fields.read("text", _up_to(MAX_TEXT)))
    match kind:
        case "verify":
            text = fields.read("certificate", _up_to(MAX_CERTIFICATE))
            return Verify(source, SourceText("certificate", text))
        case "fix":
            return Fix(source, fields.read("settings", _settings), fields.read("run", _may_run(room)))
        case "format":
            return Format(source)
        case "draw":
            return Draw(source, fields.read("settings", _settings))
        case "explore":
            return Explore(source, fields.read("settings", _settings), fields.read("moves", _moves))
        case _:
            return Check(
                source,
                fields.read("property", _property),
                fields.read("settings", _settings),
                fields.read("seconds", _read_bounded(room.seconds)),
                fields.read("max_states", _read_bounded(room.max_states)),
                fields.read("run", _may_run(room)),
            )


def _up_to(most: int) -> Callable[[object, str], str]:
    def read(value: object, where: str) -> str:
        text = string(value, where)
        if len(text) > most:
            raise error("SER405", f"`{where}` is longer than {most:,} characters")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise wrong(where, "text: it contains half a character") from None
        return text

    return read


def _read_bounded(most: int) -> Callable[[object, str], int]:
    """A positive number, cut to a bound; the bound by default."""

    def read(value: object, where: str) -> int:
        return most if value is None else min(most, integer_from(1, value, where))

    return read


def _may_run(room: Room) -> Callable[[object, str], bool]:
    """Whether to execute the source; an error where nothing is executed."""

    def read(value: object, where: str) -> bool:
        wanted = boolean(value, where)
        if wanted and not room.may_run:
            raise error("SER976", "nothing is executed here")
        return wanted

    return read


def _moves(value: object, where: str) -> tuple[int, ...]:
    found = items(value, where, natural)
    if len(found) > MAX_MOVES:
        raise error("SER405", f"`{where}` has more than {MAX_MOVES} members")
    return found


def _settings(value: object, where: str) -> Settings:
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    for name, text in value.items():
        if name not in SETTINGS:
            raise wrong(where, f"an object whose keys are among {', '.join(SETTINGS)}")
        if name == "model" and text not in MODELS:
            raise wrong(f"{where}.model", f"one of {', '.join(MODELS)}")
    return {name: string(text, f"{where}.{name}") for name, text in value.items()}


def _property(value: object, _: str) -> Property | None:
    return None if value is None else read_property(value, read_specification)
