"""Evidence of the kind `thread-cover`: in which states how many threads can be where, and nowhere else."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_predicates import Place
from seriatim.certificate.thread_run import Named
from seriatim.codec import Natural, Positive, codec_of
from seriatim.strict_json import wrong


@dataclass(frozen=True, slots=True)
class Description:
    """What is known about a thread."""

    template: str
    place: Place
    id: int | None
    """None for main; not used in programs that join nobody."""
    locals: Named
    """Those that are left out hold any value."""


Crowd = tuple[tuple[Natural, Positive | None], ...]
"""Descriptions by number, and how many threads fit each at most; None is any number."""


@dataclass(frozen=True, slots=True)
class CoveredState:
    """Values of globals, and which threads there can be."""

    globals: Named
    """Those that are left out hold any value."""
    crowds: tuple[Crowd, ...]
    """At any time, the threads fit into one of them."""


@dataclass(frozen=True, slots=True)
class ThreadCoverEvidence:
    """Safe: everything that can be reached is described here, and no step fails there."""

    kind: ClassVar[Literal["thread-cover"]] = "thread-cover"
    proves: ClassVar[Literal[True]] = True

    threads: tuple[Description, ...]
    states: tuple[CoveredState, ...]


def read(body: dict[str, object]) -> ThreadCoverEvidence:
    evidence: ThreadCoverEvidence = codec_of(ThreadCoverEvidence).read(body, "")
    for state in evidence.states:
        expect_numbers((number for crowd in state.crowds for number, _ in crowd), evidence.threads)
    return evidence


def expect_numbers(numbers: Iterable[int], threads: tuple[Description, ...]) -> None:
    """Raises `InputError` if a number is not that of a description."""
    if any(number >= len(threads) for number in numbers):
        raise wrong("states", "descriptions by numbers below the number of `threads`")
