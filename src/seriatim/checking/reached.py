"""Reachability along edges, in any number of steps."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)


def reached(start: Iterable[Place], edges: Iterable[tuple[Place, Place]]) -> set[Place]:
    """These places, and all to which edges lead from there."""
    following: dict[Place, set[Place]] = {}
    for before, after in edges:
        following.setdefault(before, set()).add(after)
    found = set(start)
    pending = list(found)
    while pending:
        new = following.get(pending.pop(), set()) - found
        found |= new
        pending.extend(new)
    return found
