"""Evidence of the kind `action-run`: a run that breaks an asynchronous program, at given sizes."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.codec import NUMBERS, Codec
from seriatim.strict_json import integer, wrong


def _read_parameters(value: object, where: str) -> tuple[tuple[str, int], ...]:
    """In the order of the text."""
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    return tuple((name, integer(each, f"{where}.{name}")) for name, each in value.items())


@dataclass(frozen=True, slots=True)
class SizesAt:
    """Given sizes, and the integers that free choices range over."""

    parameters: Annotated[tuple[tuple[str, int], ...], Codec(_read_parameters, dict, schema=NUMBERS)]
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ActionRunEvidence:
    """A run after which an assertion fails, or that ends where `ensures` does not hold."""

    kind: ClassVar[Literal["action-run"]] = "action-run"
    proves: ClassVar[Literal[False]] = False

    sizes: SizesAt
    initial: str
    """The initial state, as `repr` of the interpreter's tuple shows it."""
    steps: tuple[tuple[str, str], ...]
    """Each executed instance, and the state that it leads to."""
    failing: str | None
    """The instance that fails then; None if `ensures` does not hold at the end."""
