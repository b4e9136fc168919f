"""Evidence of the kind `thread-cover`: in which states how many threads can be where, and nowhere else."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_run import read_values
from seriatim.program.threads.syntax import FINISHED
from seriatim.strict_json import document, integer_from, is_integer, items, natural, record, string, wrong
from seriatim.terms.expressions import Value

KEYS = ("threads", "states")
THREAD = ("template", "place", "id", "locals")
STATE = ("globals", "crowds")

Named = tuple[tuple[str, Value], ...]
"""Values of some variables; others hold any value."""


@dataclass(frozen=True, slots=True)
class Description:
    """What is known about a thread."""

    template: str
    place: int
    id: int | None
    """None for main; not used in programs that join nobody."""
    locals: Named


Crowd = tuple[tuple[int, int | None], ...]
"""Descriptions by number, and how many threads fit each at most; None is any number."""


@dataclass(frozen=True, slots=True)
class CoveredState:
    globals: Named
    crowds: tuple[Crowd, ...]
    """At any time, the threads fit into one of them."""


@dataclass(frozen=True, slots=True)
class ThreadCoverEvidence:
    """Safe: everything that can be reached is described here, and no step fails there."""

    kind: ClassVar[Literal["thread-cover"]] = "thread-cover"
    proves: ClassVar[Literal[True]] = True

    threads: tuple[Description, ...]
    states: tuple[CoveredState, ...]


def description_fields(each: Description) -> dict[str, object]:
    return dict(zip(THREAD, (each.template, each.place, each.id, dict(each.locals)), strict=True))


def fields(evidence: ThreadCoverEvidence) -> dict[str, object]:
    threads = [description_fields(each) for each in evidence.threads]
    states = [
        dict(
            zip(
                STATE,
                (dict(each.globals), [[list(entry) for entry in crowd] for crowd in each.crowds]),
                strict=True,
            )
        )
        for each in evidence.states
    ]
    return dict(zip(KEYS, (threads, states), strict=True))


def read(body: dict[str, object]) -> ThreadCoverEvidence:
    found = document(body, "the certificate", KEYS)
    threads = found.items("threads", read_description)
    evidence = ThreadCoverEvidence(threads, found.items("states", _read_state))
    for state in evidence.states:
        for crowd in state.crowds:
            if any(number >= len(threads) for number, _ in crowd):
                raise wrong("states", "descriptions by numbers below the number of `threads`")
    return evidence


def read_description(value: object, where: str) -> Description:
    fields = record(value, where, THREAD)
    return Description(
        fields.read("template", string),
        fields.read("place", lambda each, there: integer_from(FINISHED, each, there)),
        fields.read("id", _integer_or_nothing),
        fields.read("locals", read_values),
    )


def _integer_or_nothing(value: object, where: str) -> int | None:
    if value is None or is_integer(value):
        return value
    raise wrong(where, "an integer or null")


def _read_state(value: object, where: str) -> CoveredState:
    fields = record(value, where, STATE)
    crowds = fields.items("crowds", lambda each, there: items(each, there, _read_entry))
    return CoveredState(fields.read("globals", read_values), crowds)


def _read_entry(value: object, where: str) -> tuple[int, int | None]:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(where, "a list of a number of a description and of how many threads fit it")
    number, count = value
    return natural(number, where), None if count is None else integer_from(1, count, where)
