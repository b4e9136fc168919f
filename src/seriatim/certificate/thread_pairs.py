"""Evidence of the kind `thread-pairs`: which threads can be there together, in each global state."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_cover import (
    Description,
    Named,
    description_fields,
    read_description,
)
from seriatim.certificate.thread_run import read_values
from seriatim.strict_json import document, natural, record, wrong

KEYS = ("threads", "states")
STATE = ("globals", "rows")


@dataclass(frozen=True, slots=True)
class PairedState:
    globals: Named
    rows: tuple[tuple[int, tuple[int, ...]], ...]
    """A description, by number, that a thread may fit, and those that others may fit beside it."""


@dataclass(frozen=True, slots=True)
class ThreadPairsEvidence:
    """Safe: each thread, and each two threads, that can be there are listed, and no step fails there."""

    kind: ClassVar[Literal["thread-pairs"]] = "thread-pairs"
    proves: ClassVar[Literal[True]] = True

    threads: tuple[Description, ...]
    states: tuple[PairedState, ...]


def fields(evidence: ThreadPairsEvidence) -> dict[str, object]:
    threads = [description_fields(each) for each in evidence.threads]
    states = [
        dict(zip(STATE, (dict(each.globals), [[one, list(row)] for one, row in each.rows]), strict=True))
        for each in evidence.states
    ]
    return dict(zip(KEYS, (threads, states), strict=True))


def read(body: dict[str, object]) -> ThreadPairsEvidence:
    found = document(body, "the certificate", KEYS)
    threads = found.items("threads", read_description)
    evidence = ThreadPairsEvidence(threads, found.items("states", _read_state))
    for state in evidence.states:
        if any(number >= len(threads) for one, row in state.rows for number in (one, *row)):
            raise wrong("states", "descriptions by numbers below the number of `threads`")
    return evidence


def _read_state(value: object, where: str) -> PairedState:
    fields = record(value, where, STATE)
    return PairedState(fields.read("globals", read_values), fields.items("rows", _read_row))


def _read_row(value: object, where: str) -> tuple[int, tuple[int, ...]]:
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list):
        raise wrong(where, "a list of a number of a description and of the numbers of those beside it")
    return natural(value[0], where), tuple(natural(each, where) for each in value[1])
