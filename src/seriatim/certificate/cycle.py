"""Evidence of the kind `cycle`: a run, and a cycle of conflicts in it."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.turns import Turn, read_turn, turns_fields
from seriatim.strict_json import document, one_of, positive, record, string, wrong

Access = Literal["read", "write"]

ACCESSES: tuple[Access, ...] = ("read", "write")
KEYS = ("turns", "conflicts")
CONFLICT = ("first", "second", "variable", "accesses")


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two turns of different requests that access the same variable, at least one of them writing it."""

    first: int
    second: int
    """The two turns, counted from 1; the first comes before the second."""
    variable: str
    """A global of the program, or `state` in a network system."""
    accesses: tuple[Access, Access]
    """How each turn accesses it."""


@dataclass(frozen=True, slots=True)
class CycleEvidence:
    """Not conflict-serializable: a run, complete or not, and a cycle of conflicts in it. The second turn of
    each conflict and the first one of the next are turns of the same request, and so on round to the
    first."""

    kind: ClassVar[Literal["cycle"]] = "cycle"
    proves: ClassVar[Literal[False]] = False

    turns: tuple[Turn, ...]
    conflicts: tuple[Conflict, ...]


def fields(evidence: CycleEvidence) -> dict[str, object]:
    conflicts = [_conflict_fields(conflict) for conflict in evidence.conflicts]
    return {"turns": turns_fields(evidence.turns), "conflicts": conflicts}


def _conflict_fields(conflict: Conflict) -> dict[str, object]:
    fields = (conflict.first, conflict.second, conflict.variable, list(conflict.accesses))
    return dict(zip(CONFLICT, fields, strict=True))


def read(body: dict[str, object]) -> CycleEvidence:
    found = document(body, "the certificate", KEYS)
    return CycleEvidence(
        turns=found.items("turns", read_turn),
        conflicts=found.items("conflicts", _conflict),
    )


def _conflict(value: object, where: str) -> Conflict:
    fields = record(value, where, CONFLICT)
    accesses = fields.items("accesses", _access)
    if len(accesses) != 2:
        raise wrong(f"{where}.accesses", "a list of two, one for each turn")
    return Conflict(
        first=fields.read("first", positive),
        second=fields.read("second", positive),
        variable=fields.read("variable", string),
        accesses=(accesses[0], accesses[1]),
    )


def _access(value: object, where: str) -> Access:
    return one_of(value, where, ACCESSES)
