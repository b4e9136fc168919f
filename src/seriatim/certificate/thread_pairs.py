"""Evidence of the kind `thread-pairs`: which threads can be there together, in each global state."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_cover import Description, expect_numbers
from seriatim.certificate.thread_run import Named
from seriatim.codec import Natural, codec_of


@dataclass(frozen=True, slots=True)
class PairedState:
    """Values of globals, and which threads can be there together."""

    globals: Named
    """Those that are left out hold any value."""
    rows: tuple[tuple[Natural, tuple[Natural, ...]], ...]
    """A description, by number, that a thread may fit, and those that others may fit beside it."""


@dataclass(frozen=True, slots=True)
class ThreadPairsEvidence:
    """Safe: each thread, and each two threads, that can be there are listed, and no step fails there."""

    kind: ClassVar[Literal["thread-pairs"]] = "thread-pairs"
    proves: ClassVar[Literal[True]] = True

    threads: tuple[Description, ...]
    states: tuple[PairedState, ...]


def read(body: dict[str, object]) -> ThreadPairsEvidence:
    evidence: ThreadPairsEvidence = codec_of(ThreadPairsEvidence).read(body, "")
    for state in evidence.states:
        expect_numbers((number for one, row in state.rows for number in (one, *row)), evidence.threads)
    return evidence
