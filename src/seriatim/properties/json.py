"""Questions as JSON: the name of a property, or an object with its name and its parameters."""

from typing import assert_never

from seriatim.program.specification import Specification, SpecificationReader
from seriatim.properties.question import (
    MAX_BARRIERS,
    ConflictSerializability,
    Linearizability,
    Observed,
    PropertyName,
    Question,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
    property_name,
)
from seriatim.source import InputError, SourceText
from seriatim.strict_json import (
    boolean,
    error,
    integer_up_to,
    items,
    members,
    one_of,
    require,
    string,
)

PROPERTIES: dict[PropertyName, tuple[str, ...]] = {
    "serializable": ("observe",),
    "conflict-serializable": (),
    "strict": ("barriers",),
    "linearizable": ("specification", "barriers", "pending"),
    "static-linearizable": ("specification",),
}
"""The parameters of each property."""


def question_fields(question: Question) -> object:
    """The name alone, if there is nothing more to say."""
    parameters = _parameters(question)
    name = property_name(question)
    return {"property": name, **parameters} if parameters else name


def _parameters(question: Question) -> dict[str, object]:
    match question:
        case Serializability(observed=observed):
            return {"observe": observed if observed == "all" else list(observed)} if observed else {}
        case ConflictSerializability():
            return {}
        case StrictSerializability(barriers=barriers):
            return {"barriers": barriers}
        case Linearizability(specification=specification, barriers=barriers, pending=pending):
            return {"specification": specification.text, "barriers": barriers, "pending": pending}
        case StaticLinearizability(specification=specification):
            return {"specification": specification.text}
        case _:
            assert_never(question)


def read_question(value: object, read_specification: SpecificationReader) -> Question:
    if value in ("serializable", "conflict-serializable"):
        return Serializability() if value == "serializable" else ConflictSerializability()
    if not isinstance(value, dict):
        raise error("SER405", "`question` is not the name of a property, nor an object that has one")
    require(value, "`question`", ("property",))
    name = one_of(value["property"], "question.property", tuple(PROPERTIES))
    fields = members(value, "`question`", ("property", *PROPERTIES[name]))
    match name:
        case "serializable":
            return Serializability(_observed(fields["observe"]))
        case "conflict-serializable":
            return ConflictSerializability()
        case "strict":
            return StrictSerializability(_barriers(fields))
        case "linearizable":
            pending = boolean(fields["pending"], "question.pending")
            return Linearizability(_specification(fields, read_specification), _barriers(fields), pending)
        case "static-linearizable":
            return StaticLinearizability(_specification(fields, read_specification))
        case _:
            assert_never(name)


def _observed(value: object) -> Observed:
    return "all" if value == "all" else items(value, "question.observe", string)


def _barriers(fields: dict[str, object]) -> int:
    return integer_up_to(MAX_BARRIERS, fields["barriers"], "question.barriers")


def _specification(fields: dict[str, object], read_specification: SpecificationReader) -> Specification:
    text = string(fields["specification"], "question.specification")
    try:
        return read_specification(SourceText("specification", text))
    except InputError as wrong:
        raise error("SER405", f"`question.specification` is no specification: {wrong}") from None
