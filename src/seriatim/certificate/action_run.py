"""Evidence of the kind `action-run`: a run that breaks an asynchronous program, at given sizes."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.strict_json import document, is_integer, items, string, wrong


@dataclass(frozen=True, slots=True)
class SizesAt:
    """Given sizes, and the integers that free choices range over."""

    parameters: tuple[tuple[str, int], ...]
    low: int
    high: int

    def fields(self) -> dict[str, object]:
        return {"parameters": dict(self.parameters), "low": self.low, "high": self.high}


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


KEYS = ("sizes", "initial", "steps", "failing")


def fields(evidence: ActionRunEvidence) -> dict[str, object]:
    return {
        "sizes": evidence.sizes.fields(),
        "initial": evidence.initial,
        "steps": [list(step) for step in evidence.steps],
        "failing": evidence.failing,
    }


def read(body: dict[str, object]) -> ActionRunEvidence:
    found = document(body, "the certificate", KEYS)
    return ActionRunEvidence(
        found.read("sizes", read_sizes),
        found.read("initial", string),
        found.items("steps", _step),
        found.read("failing", lambda value, where: None if value is None else string(value, where)),
    )


def _step(value: object, where: str) -> tuple[str, str]:
    parts = items(value, where, string)
    if len(parts) != 2:
        raise wrong(where, "an instance and a state")
    return parts[0], parts[1]


def read_sizes(value: object, where: str) -> SizesAt:
    found = document(value, where, ("parameters", "low", "high"))
    return SizesAt(
        found.read("parameters", _parameters), found.read("low", _integer), found.read("high", _integer)
    )


def _parameters(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    return tuple((name, _integer(each, f"{where}.{name}")) for name, each in value.items())


def _integer(value: object, where: str) -> int:
    if not is_integer(value):
        raise wrong(where, "an integer")
    return value
