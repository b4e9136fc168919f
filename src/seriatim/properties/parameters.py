"""Parameters of properties: how the command line and JSON call them, and how JSON writes them."""

from collections.abc import Callable
from typing import Any

from seriatim.frozen import frozen
from seriatim.program.specification import Specification, SpecificationReader
from seriatim.properties.statement import Observed
from seriatim.source import InputError, SourceText
from seriatim.strict_json import boolean, error, integer_up_to, items, string

MAX_BARRIERS = 16
"""Nobody can tell more of them apart, and counting intervals needs a bound."""


@frozen
class Parameter:
    key: str
    """In JSON."""
    option: str
    """On the command line, without dashes."""
    attribute: str
    """Of the property."""
    write: Callable[[Any], object]
    read: Callable[[object, str, SpecificationReader], object]
    """Reads a value that stands at some place of a text; raises `InputError`."""
    is_optional: bool = False
    """Whether JSON leaves it out when it is empty."""


def _write_observed(observed: Observed) -> object:
    return observed if observed == "all" else list(observed)


def _read_observed(value: object, where: str, _: SpecificationReader) -> Observed:
    return "all" if value == "all" else items(value, where, string)


def _write_specification(specification: Specification) -> str:
    return specification.text


def _read_specification(value: object, where: str, read: SpecificationReader) -> Specification:
    text = string(value, where)
    try:
        return read(SourceText("specification", text))
    except InputError as wrong:
        raise error("SER405", f"`{where}` is no specification: {wrong}") from None


def _read_barriers(value: object, where: str, _: SpecificationReader) -> int:
    return integer_up_to(MAX_BARRIERS, value, where)


def _read_pending(value: object, where: str, _: SpecificationReader) -> bool:
    return boolean(value, where)


OBSERVE = Parameter("observe", "observe", "observed", _write_observed, _read_observed, is_optional=True)
SPECIFICATION = Parameter("specification", "spec", "specification", _write_specification, _read_specification)
BARRIERS = Parameter("barriers", "barriers", "barriers", int, _read_barriers)
PENDING = Parameter("pending", "pending", "pending", bool, _read_pending)
