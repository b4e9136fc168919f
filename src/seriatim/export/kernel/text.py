"""The texts that the kernel reads: integers, where a list is its length and then its members.

`proofs/Reader.v` reads them. In Python, a list stands for a list, and a tuple for parts one after the other.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum

VERSION = 2
"""The version of the format."""

Text = int | Sequence["Text"]


class About(IntEnum):
    SYSTEM = 0
    PROGRAM = 1


class Besides(IntEnum):
    """What is seen besides the answers."""

    NOTHING = 0
    FINAL_VALUES = 1
    REAL_TIME = 2


Seen = tuple[Text, ...]
"""One of `Besides`; then, if it is of a program, the globals whose final values are seen, or the barriers."""
ANSWERS: Seen = (Besides.NOTHING,)


def in_time(barriers: int) -> Seen:
    return (Besides.REAL_TIME, barriers)


class ClaimKind(IntEnum):
    """The kinds of evidence."""

    ATOMIC = 0
    COMMIT = 1
    RUN = 2
    TREE = 3
    NO_FAULT = 4
    FAULT_RUN = 5
    REDUCTION = 6
    TIMELESS = 7


FUEL = 20_000
"""How much the kernel explores at once: a request that runs alone, or the small steps of an atomic one."""


def integers(text: Text) -> Iterator[int]:
    """The integers of a text, in their order."""
    pending: list[Text] = [text]
    while pending:
        part = pending.pop()
        if isinstance(part, int):
            yield part
            continue
        if isinstance(part, list):
            yield len(part)
        pending.extend(reversed(part))
