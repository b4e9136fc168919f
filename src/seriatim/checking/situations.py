"""Cases of what is known about how many requests wait in some ways, and how they follow each other in runs.

A case is a node and a list of numbers: how many requests wait in each of some ways, as far as the case says.
Nodes are global states, or whatever else a run goes through one after the other.

*Forwards*: an edge can be taken in a case if it leads from the node of the case, and if the numbers allow it.
It leads to the first case in the list that *fits*: the one at the next node whose numbers, as far as there
are any, are those after the edge. Claim: if the first node with nobody in flight fits a case, and there is
always one to which an edge leads, then every run is a path of cases. For what a case says is true at the
first moment, and remains so from edge to edge; an edge that is really taken can be taken in its case.

*Backwards* it is the same for complete runs, from their ends: the last node with nobody in flight has to fit
a case; an edge that leads to a case undoes what it gives, and comes from the first case that fits.

Cases may come from anywhere: whatever can follow one, or precede it, has to fit one.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

from seriatim.certificate.counting import Direction
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import DoesNotFollow

Known = tuple[int | None, ...]
"""For each way of waiting, how many requests wait like that; None if unknown."""

Node = TypeVar("Node", bound=Hashable)
Edge = TypeVar("Edge")


class Cases(Generic[Node]):
    """The cases of a list, looked at in one direction."""

    def __init__(
        self, cases: Sequence[tuple[Node, Known]], ways: int, direction: Direction, allowance: Allowance
    ) -> None:
        """Raises `DoesNotFollow` if a case does not have a number, or None, for each way of waiting."""
        self.cases = cases
        self.is_forward = direction == "forward"
        self.nobody: Known = (0,) * ways
        self.allowance = allowance
        self.at: dict[Node, list[int]] = {}
        """The indices of the cases at each node."""
        for index, (node, numbers) in enumerate(cases):
            if len(numbers) != ways:
                raise DoesNotFollow("has a case with a number too many, or too few")
            self.at.setdefault(node, []).append(index)

    def first(self, node: Node, known: Known) -> int:
        """The first case at a node that fits. Raises `DoesNotFollow` if none does."""
        for index in self.at.get(node, ()):
            self.allowance.spend(1 + len(known) // 10)
            if fits(self.cases[index][1], known):
                return index
        raise DoesNotFollow("has no case for something that can happen")

    def empty(self, node: Node) -> list[int]:
        """The cases at a node that fit nobody in flight."""
        return [index for index in self.at.get(node, ()) if fits(self.cases[index][1], self.nobody)]

    def edges(
        self, edges: Iterable[tuple[Node, Node, Edge]], moved: Callable[[Edge, Known], Known | None]
    ) -> Iterator[tuple[int, Edge, int]]:
        """(case before, edge, case after), for each case and each edge that can be taken there: `moved` says
        what is known at its other end. Raises `DoesNotFollow` if no case fits that."""
        leaving: dict[Node, list[tuple[Node, Edge]]] = {}
        for source, target, edge in edges:
            here, there = (source, target) if self.is_forward else (target, source)
            leaving.setdefault(here, []).append((there, edge))
        for index, (node, numbers) in enumerate(self.cases):
            for there, edge in leaving.get(node, ()):
                known = moved(edge, numbers)
                if known is not None:
                    other = self.first(there, known)
                    yield (index, edge, other) if self.is_forward else (other, edge, index)


def moved(known: Known, less: int | None, more: int | None) -> Known | None:
    """The numbers after a request changes its way of waiting; None if no request waits in the first way."""
    changed = list(known)
    for way, change in ((less, -1), (more, 1)):
        if way is not None and (number := changed[way]) is not None:
            if number + change < 0:
                return None
            changed[way] = number + change
    return tuple(changed)


def fits(numbers: Known, known: Known) -> bool:
    """Whether what a case says is known, and the same."""
    return all(own is None or own == number for own, number in zip(numbers, known, strict=True))
