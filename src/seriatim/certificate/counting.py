"""Parts of evidence that counts steps: situations, which distinguish steps, and cuts."""

from dataclasses import dataclass
from typing import Literal

from seriatim.certificate.in_flight import Waiting, read_waiting, waiting_fields
from seriatim.program.state import GlobalState
from seriatim.strict_json import global_state, natural_or_nothing, positive, record, state_fields

Direction = Literal["forward", "backward"]
CutKind = Literal["siphon", "trap"]

DIRECTIONS: tuple[Direction, ...] = ("forward", "backward")
CUT_KINDS: tuple[CutKind, ...] = ("siphon", "trap")
SITUATIONS = ("direction", "waiting", "cases")
SITUATION = ("global", "numbers")
CUT = ("kind", "globals", "situations", "waiting")


@dataclass(frozen=True, slots=True)
class Situation:
    """A global state, and how many requests wait in some ways."""

    state: GlobalState
    numbers: tuple[int | None, ...]
    """How many requests wait in each way of `Situations.waiting`; None for any number."""


@dataclass(frozen=True, slots=True)
class Situations:
    """The situations that can occur in complete runs, explored from their beginnings or from their ends."""

    direction: Direction
    waiting: tuple[Waiting, ...]
    cases: tuple[Situation, ...]


@dataclass(frozen=True, slots=True)
class CutPlaces:
    """A set Q of global states or situations and of requests in flight, and what to make of it.

    A siphon cut says: nothing is taken from Q, or something enters Q from outside. A trap cut says: Q is
    empty all the time, or not empty at the end, or something leaves it.
    """

    kind: CutKind
    globals: tuple[GlobalState, ...]
    situations: tuple[int, ...]
    """Numbers of situations, counted from 1."""
    waiting: tuple[Waiting, ...]


def situations_fields(situations: Situations | None) -> dict[str, object] | None:
    if situations is None:
        return None
    cases = [dict(zip(SITUATION, (state_fields(c.state), c.numbers), strict=True)) for c in situations.cases]
    fields = (situations.direction, waiting_fields(situations.waiting), cases)
    return dict(zip(SITUATIONS, fields, strict=True))


def cut_fields(cut: CutPlaces) -> dict[str, object]:
    globals_ = [state_fields(state) for state in cut.globals]
    fields = (cut.kind, globals_, cut.situations, waiting_fields(cut.waiting))
    return dict(zip(CUT, fields, strict=True))


def read_situations(value: object, where: str) -> Situations | None:
    if value is None:
        return None
    fields = record(value, where, SITUATIONS)
    return Situations(
        direction=fields.one_of("direction", DIRECTIONS),
        waiting=fields.items("waiting", read_waiting),
        cases=fields.items("cases", _situation),
    )


def _situation(value: object, where: str) -> Situation:
    fields = record(value, where, SITUATION)
    return Situation(
        state=fields.read("global", global_state),
        numbers=fields.items("numbers", natural_or_nothing),
    )


def read_cut(value: object, where: str) -> CutPlaces:
    fields = record(value, where, CUT)
    return CutPlaces(
        kind=fields.one_of("kind", CUT_KINDS),
        globals=fields.items("globals", global_state),
        situations=fields.items("situations", positive),
        waiting=fields.items("waiting", read_waiting),
    )
