"""The formulas of a certificate about a program, and questions to solvers about what follows from them."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from seriatim.arithmetic.smt_text import script
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import FALSE, TRUE, ZERO, Name, Term, implies, names_in, negate, written_size
from seriatim.certificate.simulation import Predicate, RequestFlow, RestingPoint
from seriatim.checking.allowance import GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation, claiming
from seriatim.checking.questions import Questions
from seriatim.program.printer import print_expression
from seriatim.program.symbolic.flows import INDEX, Flow
from seriatim.program.symbolic.invariant import Condition, Invariant, View
from seriatim.program.symbolic.model import Model, global_name, other_name, serial_name
from seriatim.program.symbolic.moves import Policy

if TYPE_CHECKING:
    from seriatim.arithmetic.solvers.named import SolverName

MAX_SIZE = 1_000_000
"""Symbols in one question."""

ABOUT = "the formulas are about this program"


def points_of(model: Model, points: tuple[RestingPoint, ...]) -> list[int]:
    """The numbers of the points that a certificate lists; raises `DoesNotFollow` if there are no such."""
    known: dict[tuple[str, str], int] = {}
    for place, point in enumerate(model.points):
        key = (model.routines[point.handler].name, print_expression(point.code))
        if key in known:
            raise DoesNotFollow("two points of this program have the same text")
        known[key] = place
    found: list[int] = []
    for each in points:
        place = known.get((each.handler, each.code), -1)
        if place < 0 or place in found:
            raise DoesNotFollow(f"`{each.handler}` never rests before `{each.code}`, or it is listed twice")
        found.append(place)
    return found


def committed_of(points: tuple[RestingPoint, ...], numbers: list[int]) -> frozenset[int]:
    return frozenset(number for each, number in zip(points, numbers, strict=True) if each.committed)


def invariant_of(
    policy: Policy,
    level: int,
    numbers: list[int],
    predicates: tuple[Predicate, ...],
    flows: tuple[RequestFlow, ...] = (),
) -> Invariant:
    """The formulas; raises `DoesNotFollow` if they are about something else."""
    known: dict[View, Term] = {}
    for predicate in predicates:
        view = tuple(numbers[place] for place in predicate.at if place < len(numbers))
        if len(view) != len(predicate.at) or len(view) > level or list(predicate.at) != sorted(predicate.at):
            raise DoesNotFollow("a formula is about points that are not in the list, or not in its order")
        if tuple(sorted(view)) in known:
            raise DoesNotFollow("there are two formulas about the same points")
        ordered, formula = _ordered(policy, view, predicate.formula)
        known[ordered] = formula
    return Invariant(policy, level, known, tuple(_flow(policy, numbers, each) for each in flows))


def _flow(policy: Policy, numbers: list[int], flow: RequestFlow) -> Flow:
    """A flow of the certificate. Requests never rest at points that it does not list; weights there are 0."""
    if len(flow.weights) != len(numbers):
        raise DoesNotFollow("a sum does not give each point in the list a weight")
    allowed = [*map(global_name, policy.model.variables), *map(serial_name, policy.variables)]
    variables = {name.name: name for name in allowed}
    strange = [name for name, _ in flow.factors if name not in variables]
    weights = dict(zip(numbers, flow.weights, strict=True))
    for point, weight in weights.items():
        own = {INDEX, *(other_name(0, name) for name in policy.names(point))}
        strange += [each.name for each in names_in(weight) if each not in own]
    if strange:
        raise DoesNotFollow(f"there is no variable `{min(strange)}` for a sum to speak of")
    factors = tuple((variables[name], factor) for name, factor in flow.factors)
    found = Flow(factors, tuple(weights.get(point, ZERO) for point in range(len(policy.model.points))))
    if found.total(policy.model) != flow.total:
        raise DoesNotFollow(f"a sum is {found.total(policy.model)} at the start, not {flow.total}")
    return found


def _ordered(policy: Policy, view: View, formula: Term) -> tuple[View, Term]:
    """Requests stand in a formula in the order of the certificate's list, here in that of points."""
    order = sorted(range(len(view)), key=lambda place: view[place])
    values: dict[Name, Term] = {}
    allowed = {*map(global_name, policy.model.variables), *map(serial_name, policy.variables)}
    for place, old in enumerate(order):
        for name in policy.names(view[old]):
            values[other_name(old, name)] = other_name(place, name)
            allowed.add(other_name(old, name))
    strange = sorted(each.name for each in names_in(formula) if each not in allowed)
    if strange:
        raise DoesNotFollow(f"there is no variable `{strange[0]}` that a formula can mention")
    return tuple(view[old] for old in order), substitute(formula, values)


def require_all(claim: str, conditions: Iterable[Condition], context: Context) -> Obligation:
    """The claim, if solvers say that all conditions follow. Raises `DoesNotFollow` if not, `GaveUp` if no
    solver knows."""
    questions = Questions(context)
    with claiming(claim):
        for what, known, follows in conditions:
            if known != FALSE and implies(known, follows) != TRUE:
                if written_size(known) + written_size(follows) > MAX_SIZE:
                    raise GaveUp(f"a question to the solver has more than {MAX_SIZE:,} symbols")
                text = script([known, negate(follows)])
                questions.require(f"this does not follow: {what}", partial(is_unsatisfiable, text, context))
    return questions.obligation(claim)


def is_unsatisfiable(text: str, context: Context, solver: "SolverName") -> bool | None:
    """Whether a script has no solution; None if the solver does not find out."""
    answer = ask(text, solver, context.allowance.deadline)
    return None if answer is SolverAnswer.UNKNOWN else answer is SolverAnswer.UNSATISFIABLE
