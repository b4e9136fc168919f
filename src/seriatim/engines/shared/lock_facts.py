"""Facts about locks that may hold: which values they have at a point, and that requests exclude each other.

Those that do not follow from the others after every step are dropped by `seriatim.engines.shared.houdini`.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, combinations_with_replacement

from seriatim.arithmetic.terms import (
    FALSE,
    Compound,
    Constant,
    Name,
    Op,
    Sort,
    Term,
    equal,
    names_in,
    negate,
    parts_of,
    select,
)
from seriatim.engines.shared.houdini import Facts
from seriatim.program.symbolic.model import Model, Step, global_name, other_name

LEVEL = 2
MOST_VALUES = 3
"""A variable that is assigned more values than this is not a lock."""


def lock_facts(model: Model) -> Facts:
    """Candidate facts for each view."""
    found: Facts = {(): []}
    values = _values(model)
    indices = [index_locals(model, point) for point in range(len(model.points))]
    for point in range(len(model.points)):
        found[(point,)] = [
            *_find_held(values, indices[point]),
            *_different(indices[point], indices[point], 0, 0),
        ]
    for one, other in combinations_with_replacement(range(len(model.points)), LEVEL):
        found[(one, other)] = [FALSE, *_different(indices[one], indices[other], 0, 1)]
    return found


def _find_held(values: Mapping[str, tuple[Term, ...]], indices: tuple[str, ...]) -> Iterator[Term]:
    for name, known in values.items():
        variable = global_name(name)
        for value in known:
            if variable.sort is Sort.INT:
                yield equal(variable, value)
            else:
                yield from (equal(select(variable, other_name(0, index)), value) for index in indices)


def _different(
    ones: tuple[str, ...], others: tuple[str, ...], place: int, other_place: int
) -> Iterator[Term]:
    pairs = (
        combinations(ones, 2) if place == other_place else ((one, other) for one in ones for other in others)
    )
    for one, other in pairs:
        yield negate(equal(other_name(place, one), other_name(other_place, other)))


def _values(model: Model) -> dict[str, tuple[Term, ...]]:
    """The numbers that steps assign to variables, if they are few."""
    found: dict[str, dict[Term, None]] = {}
    for step in _steps(model):
        for name, value in step.globals.items():
            found.setdefault(name, {}).update(dict.fromkeys(_numbers(value)))
    return {name: tuple(values) for name, values in found.items() if 0 < len(values) <= MOST_VALUES}


def _numbers(value: Term) -> Iterator[Term]:
    match value:
        case Constant(sort=Sort.INT):
            yield value
        case Compound(op=Op.STORE, arguments=(cells, _, stored)):
            yield from _numbers(cells)
            yield from _numbers(stored)
        case Compound(op=Op.IF, arguments=(_, one, other)):
            yield from _numbers(one)
            yield from _numbers(other)
        case _:
            return


def _steps(model: Model) -> Iterator[Step]:
    for handler in range(len(model.routines)):
        yield from model.first_steps(handler)
    for point in range(len(model.points)):
        yield from model.steps(point)


def index_locals(model: Model, point: int) -> tuple[str, ...]:
    """The live locals that steps of the handler use as an index."""
    here = model.points[point]
    used: set[str] = set()
    for number, each in enumerate(model.points):
        if each.handler == here.handler:
            for step in model.steps(number):
                for term in (step.guard, *step.globals.values(), *step.locals.values()):
                    used |= {name.name.removeprefix("l.") for name in _names_in_indices(term)}
    return tuple(name for name in here.live if name in used)


def _names_in_indices(term: Term) -> frozenset[Name]:
    found: set[Name] = set()
    seen: set[int] = set()
    pending = [term]
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, Compound) and each.op in (Op.SELECT, Op.STORE):
            found |= names_in(each.arguments[1])
        pending += parts_of(each)
    return frozenset(found)
