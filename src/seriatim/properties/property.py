"""The base class of properties: name, verdicts, parameters, statement, words, JSON."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from seriatim.program.inputs import Input
from seriatim.properties.statement import Observed, Statement
from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.strict_json import boolean, error, integer_up_to, items, string

if TYPE_CHECKING:
    from seriatim.program.specification import Specification, SpecificationReader

MAX_BARRIERS = 16
"""The largest number of barriers. Counting intervals needs a bound, and readers cannot follow more."""


@dataclass(frozen=True, slots=True)
class QuestionParameter:
    key: str
    """The key in JSON."""
    option: str
    """The option on the command line, without dashes."""
    attribute: str
    """The attribute of the property."""
    write: Callable[[Any], object]
    read: "Callable[[object, str, SpecificationReader], object]"
    """Reads a value from JSON; gets its place for messages. Raises `InputError`."""
    schema: Any = field(hash=False, compare=False)
    """The JSON Schema of its value."""
    is_optional: bool = False
    """Whether JSON omits it when it is empty."""


def _write_observed(observed: Observed) -> object:
    return observed if observed == "all" else list(observed)


def _read_observed(value: object, where: str, _: "SpecificationReader") -> Observed:
    return "all" if value == "all" else items(value, where, string)


def _write_specification(specification: "Specification") -> str:
    return specification.text


def _read_specification(value: object, where: str, read: "SpecificationReader") -> "Specification":
    text = string(value, where)
    try:
        return read(SourceText("specification", text))
    except InputError as wrong:
        raise error("SER405", f"`{where}` is not a specification: {wrong}") from None


def _read_barriers(value: object, where: str, _: "SpecificationReader") -> int:
    return integer_up_to(MAX_BARRIERS, value, where)


def _read_pending(value: object, where: str, _: "SpecificationReader") -> bool:
    return boolean(value, where)


TEXT = {"type": "string"}
OBSERVE = QuestionParameter(
    "observe",
    "observe",
    "observed",
    _write_observed,
    _read_observed,
    {"anyOf": [{"const": "all"}, {"type": "array", "items": TEXT}]},
    is_optional=True,
)
SPECIFICATION = QuestionParameter(
    "specification", "spec", "specification", _write_specification, _read_specification, TEXT
)
BARRIERS = QuestionParameter(
    "barriers",
    "barriers",
    "barriers",
    int,
    _read_barriers,
    {"type": "integer", "minimum": 0, "maximum": MAX_BARRIERS},
)
PENDING = QuestionParameter("pending", "pending", "pending", bool, _read_pending, {"type": "boolean"})


def text_parameter(name: str) -> QuestionParameter:
    """A parameter that is a text, and may be empty."""
    return QuestionParameter(
        name, name, name, str, lambda value, where, _: string(value, where), TEXT, is_optional=True
    )


class Property(ABC):
    """A question about an input; subclasses are frozen data, one a module, listed in `all.py`."""

    __slots__ = ()

    name: ClassVar[str]
    """The name for `--property` and in JSON."""
    verdicts: ClassVar[tuple[str, str]]
    """The names of the answers yes and no."""
    takes: ClassVar[tuple[QuestionParameter, ...]] = ()
    subject: ClassVar[str] = "the handlers"
    """What a verdict is about."""

    @abstractmethod
    def states(self) -> Statement:
        """The statement that has to hold."""

    @abstractmethod
    def asked(self) -> str:
        """Says what is compared, in a sentence for people; empty for the default question."""

    @abstractmethod
    def refusal(self) -> str:
        """Says what a violation shows, up to the full stop."""

    def misfits(self, content: Input, source: SourceText) -> tuple[SourceText, list[Diagnostic]]:  # noqa: ARG002
        """Why this cannot be asked about an input, and the text at fault; `source` is the input's text."""
        return source, []


def about_threads(asked: Property) -> Diagnostic:
    """A question about threads is asked about something else."""
    message = f"`{asked.name}` is about programs with threads"
    return Diagnostic("SER214", message, hint="use --property safe, or leave --property out")


def about_logs(asked: Property) -> Diagnostic:
    """A question about logs is asked about a program."""
    message = f"`{asked.name}` is about logs"
    return Diagnostic("SER214", message, hint="use ser history PROGRAM LOG")


def in_words(verdict: str) -> str:
    """A verdict as people read it."""
    return verdict.replace("_", " ")


THE_HANDLERS = "the handlers"


def consequence(asked: Property, about: str = THE_HANDLERS) -> str:
    """Says what follows from a violation."""
    return f"{about} are {in_words(asked.verdicts[1])}"


def property_fields(asked: Property) -> object:
    """A property as JSON: the name alone if it has no parameters to write."""
    values = ((parameter, getattr(asked, parameter.attribute)) for parameter in asked.takes)
    parameters = {
        parameter.key: parameter.write(value)
        for parameter, value in values
        if value or not parameter.is_optional
    }
    return {"property": asked.name, **parameters} if parameters else asked.name
