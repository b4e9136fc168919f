"""Where requests could commit: choices of points, the latest first."""

from collections.abc import Iterator
from itertools import combinations, islice, product

from seriatim.program.symbolic.execution import Rests
from seriatim.program.symbolic.model import Model

MOST_CHOICES = 400
"""The most choices for all handlers together."""
MOST_PER_HANDLER = 12


def policies(model: Model) -> list[frozenset[int]]:
    """Sets of points at which requests have committed; requests leave them only by answering."""
    choices = [
        list(islice(_of_handler(model, handler), MOST_PER_HANDLER)) for handler in range(len(model.routines))
    ]
    found = islice(product(*choices), MOST_CHOICES)
    sets = [frozenset().union(*chosen) for chosen in found]
    return sorted(dict.fromkeys(sets), key=len)


def _of_handler(model: Model, handler: int) -> Iterator[frozenset[int]]:
    yield frozenset()
    points = [place for place, point in enumerate(model.points) if point.handler == handler]
    later = [reachable for reachable in (_from(model, point) for point in points) if reachable is not None]
    later.sort(key=len)
    yield from later
    for one, other in combinations(later, 2):
        if not (one <= other or other <= one):
            yield one | other


def _from(model: Model, point: int) -> frozenset[int] | None:
    """A point and those to which it leads; None if a request may begin again."""
    found = {point}
    pending = [point]
    while pending:
        for step in model.steps(pending.pop()):
            if step.target is None and isinstance(step.end, Rests):
                return None
            if step.target is not None and step.target not in found:
                found.add(step.target)
                pending.append(step.target)
    return frozenset(found)
