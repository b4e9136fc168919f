"""Requests in flight: what they have left to do, and which ones can be in flight together."""

from dataclasses import dataclass
from typing import Literal

from seriatim.strict_json import record, string, values

Level = Literal[1, 2]
"""How finely the checker examines what can be in flight together: single requests or pairs."""

LEVELS: tuple[Level, ...] = (1, 2)
SIGNS: tuple[Literal[1, -1], ...] = (1, -1)
INVARIANT = ("variable", "sign")
WAITING = ("handler", "code", "values")


@dataclass(frozen=True, slots=True, order=True)
class Invariant:
    """sign · (variable − its initial value) is the sum of a weight over all requests in flight."""

    variable: str
    sign: Literal[1, -1]


@dataclass(frozen=True, slots=True)
class Waiting:
    """The requests in flight with this much left to do."""

    handler: str
    code: str
    """The remaining code, or the name of the network system's local state."""
    values: tuple[tuple[str, int], ...]
    """Values of local variables."""


def invariants_fields(invariants: tuple[Invariant, ...]) -> list[dict[str, object]]:
    return [dict(zip(INVARIANT, (i.variable, i.sign), strict=True)) for i in invariants]


def waiting_fields(waiting: tuple[Waiting, ...]) -> list[dict[str, object]]:
    return [dict(zip(WAITING, (w.handler, w.code, dict(w.values)), strict=True)) for w in waiting]


def read_invariant(value: object, where: str) -> Invariant:
    fields = record(value, where, INVARIANT)
    return Invariant(variable=fields.read("variable", string), sign=fields.one_of("sign", SIGNS))


def read_waiting(value: object, where: str) -> Waiting:
    fields = record(value, where, WAITING)
    return Waiting(
        handler=fields.read("handler", string),
        code=fields.read("code", string),
        values=fields.read("values", values),
    )
