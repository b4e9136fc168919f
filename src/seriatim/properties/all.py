"""All questions, a line each; and properties as JSON: a name, or an object with a name and parameters."""

from seriatim.program.specification import SpecificationReader
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.deadlock_free import DeadlockFreedom
from seriatim.properties.explained import Explained
from seriatim.properties.isolated import Isolated
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.memory_safe import MemorySafety
from seriatim.properties.property import SPECIFICATION, Property
from seriatim.properties.race_free import RaceFreedom
from seriatim.properties.safe import Safety
from seriatim.properties.sequential import Sequential
from seriatim.properties.serializable import Serializability
from seriatim.properties.static_linearizable import StaticLinearizability
from seriatim.properties.strict import StrictSerializability
from seriatim.strict_json import error, members, one_of, require

ALL: tuple[type[Property], ...] = (
    Serializability,
    ConflictSerializability,
    StrictSerializability,
    Linearizability,
    StaticLinearizability,
    Safety,
    DeadlockFreedom,
    RaceFreedom,
    MemorySafety,
    Sequential,
)

PROPERTIES = {each.name: each for each in ALL}
"""All properties of programs, by name."""

OF_LOGS: tuple[type[Property], ...] = (Explained, Isolated)
"""What `ser history` asks."""

QUESTIONS = PROPERTIES | {each.name: each for each in OF_LOGS}
"""All that can be asked, by name."""

WITHOUT_SPECIFICATION = {name: each for name, each in PROPERTIES.items() if SPECIFICATION not in each.takes}
"""The properties that need no specification, so that a name alone asks for them."""


def read_property(value: object, read_specification: SpecificationReader) -> Property:
    if isinstance(value, str):
        named = QUESTIONS.get(value)
        if named is not None and all(parameter.is_optional for parameter in named.takes):
            return named()
    if not isinstance(value, dict):
        raise error("SER405", "`question` is not the name of a property, nor an object that has one")
    require(value, "`question`", ("property",))
    asked = QUESTIONS[one_of(value["property"], "question.property", tuple(QUESTIONS))]
    fields = members(value, "`question`", ("property", *(parameter.key for parameter in asked.takes)))
    return asked(
        **{
            parameter.attribute: parameter.read(
                fields[parameter.key], f"question.{parameter.key}", read_specification
            )
            for parameter in asked.takes
        }
    )
