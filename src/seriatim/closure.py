"""Closure: all that a start leads to, each with what it was reached from."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def do_nothing() -> None:
    """Look at no clock: the closure is small."""


def closure(
    start: Iterable[Item],
    successors: Callable[[Item], Iterable[Item]],
    tick: Callable[[], object] = do_nothing,
) -> dict[Item, Item | None]:
    """Return the start and all that it leads to, near items first; the start comes from None.

    `tick` is called for each item: it checks a deadline, or spends an allowance.
    """
    found: dict[Item, Item | None] = dict.fromkeys(start)
    pending = list(found)
    for item in pending:  # which grows
        tick()
        for after in successors(item):
            if after not in found:
                found[after] = item
                pending.append(after)
    return found


def reached(start: Iterable[Item], edges: Iterable[tuple[Item, Item]]) -> set[Item]:
    """Return these items, and all to which edges lead from there."""
    following: dict[Item, list[Item]] = {}
    for before, after in edges:
        following.setdefault(before, []).append(after)
    return set(closure(start, lambda item: following.get(item, ())))
