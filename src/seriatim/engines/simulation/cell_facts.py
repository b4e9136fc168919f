"""Candidate facts about arrays with a cell for each integer, besides those about locks.

Variables may be what they are in the serial state; numbers of a request may compare with cells that it uses.

A number that a request has read is at most what the cell has now, or equal to it as long as a condition holds
that some step of the handler asks for. Those that do not follow from the others after every step are dropped
(`seriatim.engines.shared.houdini`).
"""

from collections.abc import Iterator

from seriatim.arithmetic.terms import Sort, Term, at_most, conjuncts, equal, implies, names_in, select
from seriatim.engines.shared.houdini import Facts
from seriatim.engines.shared.lock_facts import index_locals, lock_facts
from seriatim.engines.simulation.candidates import own_guards
from seriatim.program.symbolic.model import Model, global_name, other_name, serial_name
from seriatim.program.symbolic.moves import Policy

MOST_GUARDS = 6


def cell_facts(policy: Policy) -> Facts:
    """Candidate facts for each view."""
    found = lock_facts(policy.model)
    found[()] += [equal(global_name(name), serial_name(name)) for name in policy.variables]
    for point in range(len(policy.model.points)):
        found[(point,)] += list(_propose_comparisons(policy, point))
    return found


def _guards(model: Model, point: int) -> list[Term]:
    """Returns what steps of the handler ask for, from any point on, as far as the request knows it
    already."""
    here = model.points[point]
    known = {*map(global_name, model.variables), *(other_name(0, name) for name in here.live)}
    asked = dict.fromkeys(
        part
        for number, each in enumerate(model.points)
        if each.handler == here.handler
        for guard in own_guards(model, number)
        for part in conjuncts(guard)
    )
    return [part for part in asked if names_in(part) <= known][:MOST_GUARDS]


def _propose_comparisons(policy: Policy, point: int) -> Iterator[Term]:
    model = policy.model
    arrays = [name for name in map(global_name, model.variables) if name.sort is Sort.CELLS]
    cells = [select(array, other_name(0, index)) for array in arrays for index in index_locals(model, point)]
    guards = _guards(model, point)
    for name in model.points[point].live:
        for cell in cells:
            yield at_most(other_name(0, name), cell)
            yield from (implies(guard, equal(other_name(0, name), cell)) for guard in guards)
