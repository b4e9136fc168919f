"""Candidate facts about numbers: relations of two variables that held in all random walks.

A relation says that two variables differ by a number, or that one is at most the other; or it says what a
variable is, or its remainder. Under a condition (one that a step of the program asks for, or a remainder of a
global) only equations are tried. Two requests may never be at two points together, or never have the same
number, or not the number that one waits for while the other is somewhere. Those that do not follow from the
others after every step are dropped (`seriatim.engines.shared.houdini`).
"""

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, permutations, product

from seriatim.arithmetic.evaluation import evaluate
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    FALSE,
    Compound,
    Constant,
    Name,
    Op,
    Term,
    add,
    at_most,
    conjuncts,
    equal,
    implies,
    less,
    modulo,
    names_in,
    negate,
    number,
    parts_of,
)
from seriatim.engines.shared.houdini import Facts
from seriatim.engines.simulation.walks import Row, Walks
from seriatim.program.symbolic.invariant import View
from seriatim.program.symbolic.model import Model, Step, global_name, local_name, other_name
from seriatim.program.symbolic.moves import Policy

LEVEL = 2
FEWEST_ROWS = 3
"""The fewest rows from which facts are guessed."""
LARGEST_MODULUS = 4
MOST_GUARDS = 16


def number_facts(policy: Policy, walks: Walks) -> Facts:
    """Candidate facts for each view."""
    model = policy.model
    moduli = sorted(_moduli(model))
    shared = _find_shared_guards(model, moduli)
    found: Facts = {(): list(dict.fromkeys(_facts(walks.at(()), shared, moduli)))}
    for point in range(len(model.points)):
        rows = walks.at((point,))
        facts = _facts(rows, [*own_guards(model, point), *shared], moduli)
        known = set(found[()])
        found[(point,)] = [each for each in dict.fromkeys(facts) if each not in known] if rows else [FALSE]
    for view in combinations_with_replacement(range(len(model.points)), LEVEL):
        found[view] = list(dict.fromkeys(_facts_about_two(model, view, walks.at(view))))
    return found


# Relations


def _facts(rows: list[Row], guards: list[Term], moduli: list[int]) -> Iterator[Term]:
    """Facts about rows. Of variables that differ by a constant, the first one represents all."""
    names = list(rows[0]) if rows else []
    equations = _equations(rows, names)
    yield from equations.values()
    leaders = [name for name in names if name not in equations]
    for one, other in permutations(leaders, 2):
        if all(row[one] <= row[other] for row in rows):
            yield at_most(one, other)
            if all(row[one] < row[other] for row in rows):
                yield less(one, other)
    for name, modulus in product(leaders, moduli):
        if len({row[name] % modulus for row in rows}) == 1:
            yield equal(modulo(name, number(modulus)), number(rows[0][name] % modulus))
    for guard in guards[:MOST_GUARDS]:
        fitting = [row for row in rows if evaluate(guard, row)]
        if FEWEST_ROWS <= len(fitting) < len(rows):
            yield from (implies(guard, fact) for fact in _equations(fitting, leaders).values())


def _equations(rows: list[Row], names: list[Name]) -> dict[Name, Term]:
    """Returns what variables are, or by how much they differ from an earlier one."""
    found: dict[Name, Term] = {}
    for place, name in enumerate(names):
        if len({row[name] for row in rows}) == 1:
            found[name] = equal(name, number(rows[0][name]))
            continue
        for earlier in names[:place]:
            if earlier not in found and len({row[name] - row[earlier] for row in rows}) == 1:
                found[name] = equal(name, add(earlier, number(rows[0][name] - rows[0][earlier])))
                break
    return found


def _facts_about_two(model: Model, view: View, rows: list[Row]) -> Iterator[Term]:
    """Facts about two requests: they never have the same number; and while one rests somewhere, the other
    does not have the number that it waits for, such as a ticket."""
    if not rows:
        yield FALSE
        return
    first = [name for name in rows[0] if name.name.startswith("0.")]
    pairs = [(name, other_name(1, name.name.removeprefix("0."))) for name in first]
    awaited = [_find_awaited(model, point, place) for place, point in enumerate(view)]
    pairs += [pair for each in awaited for pair in each]
    pairs += [(one, other) for one, shared in awaited[0] for other, also in awaited[1] if shared == also]
    for one, other in pairs:
        if other in rows[0] and all(row[one] != row[other] for row in rows):
            yield negate(equal(one, other))


def _find_awaited(model: Model, point: int, place: int) -> list[tuple[Name, Name]]:
    """Locals and globals that steps from a point compare."""
    variables = {global_name(name) for name in model.variables}
    own = {other_name(0, name): other_name(place, name) for name in model.points[point].live}
    found: dict[tuple[Name, Name], None] = {}
    for guard in own_guards(model, point):
        match negate(guard) if isinstance(guard, Compound) and guard.op is Op.NOT else guard:
            case Compound(op=Op.EQUAL, arguments=(Name() as left, Name() as right)):
                for one, other in ((left, right), (right, left)):
                    if one in own and other in variables:
                        found[own[one], other] = None
    return list(found)


# Conditions


def _find_shared_guards(model: Model, moduli: list[int]) -> list[Term]:
    """Conditions about globals alone."""
    variables = {global_name(name) for name in model.variables}
    found = [
        part
        for step in _steps(model)
        for part in conjuncts(step.guard)
        if names_in(part) and names_in(part) <= variables
    ]
    found += [
        equal(modulo(name, number(modulus)), number(rest))
        for name in sorted(variables, key=lambda each: each.name)
        for modulus in moduli
        for rest in range(modulus)
    ]
    return list(dict.fromkeys(found))


def own_guards(model: Model, point: int) -> list[Term]:
    """Conditions of steps from a point."""
    names = {local_name(name): other_name(0, name) for name in model.points[point].live}
    found: dict[Term, None] = {}
    for step in model.steps(point):
        guard = substitute(step.guard, dict(names))
        parts = conjuncts(guard)
        found |= dict.fromkeys((guard, *parts) if parts else ())
    return list(found)


def _moduli(model: Model) -> set[int]:
    terms: Iterable[Term] = (
        term for step in _steps(model) for term in (step.guard, *step.globals.values(), *step.locals.values())
    )
    found: set[int] = set()
    pending = list(terms)
    while pending:
        term = pending.pop()
        match term:
            case Compound(op=Op.MODULO, arguments=(_, Constant(value=value))) if value <= LARGEST_MODULUS:
                found.add(int(value))
        pending += parts_of(term)
    return found


def _steps(model: Model) -> Iterator[Step]:
    for handler in range(len(model.routines)):
        yield from model.first_steps(handler)
    for point in range(len(model.points)):
        yield from model.steps(point)
