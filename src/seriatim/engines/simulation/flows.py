"""Looks for sums of variables and numbers of requests that no step changes, by linear algebra.

Each step gives equations for factors and weights. What it does to variables is a sum of constants and of
terms that are not known; those have to cancel out, and the constant is made up for by the weights of the
points that the request leaves and comes to. Solutions in which no weight is negative are a cone; its rays are
tried. A step that sets a variable of two values, such as a lock, may be taken to change it. Nothing here is
trusted: whether no step changes a sum, `seriatim.engines.shared.houdini` and the checker find out.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from seriatim.arithmetic.cones import Row, nonnegative, null_space, small_integers
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import Compound, Constant, Name, Op, Sort, Term, conjuncts, names_in, subtract
from seriatim.engines.simulation.tidying import summed
from seriatim.program.state import is_array
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.model import global_name, serial_name
from seriatim.program.symbolic.moves import Move, Policy

MAX_FLOWS = 12
MAX_ROWS = 2_000

Change = tuple[int | None, Move]
"""The point that the request leaves, None if it begins; and what it does."""


def find_flows(policy: Policy) -> tuple[Flow, ...]:
    """At first those that need nothing about variables of two values."""
    search = _Search(policy)
    found = {flow: None for flips in (False, True) for flow in search.flows(flips)}
    return tuple(found)[:MAX_FLOWS]


class _Search:
    def __init__(self, policy: Policy) -> None:
        model = policy.model
        self.names = [global_name(name) for name in model.variables if not is_array(name)]
        self.names += [serial_name(name) for name in policy.variables if not is_array(name)]
        self.width = len(self.names) + len(model.points)
        self.changes: list[Change] = [
            (None, move) for handler in range(len(model.routines)) for move in policy.begin(handler).moves
        ]
        self.changes += [
            (point, move) for point in range(len(model.points)) for move in policy.go_on(point).moves
        ]
        initial: dict[Name, Term] = {global_name(name): model.initial[name] for name in model.variables}
        initial |= {serial_name(name): model.initial[name] for name in model.variables}
        self.pairs = self._of_two_values(initial)

    def _of_two_values(self, initial: Mapping[Name, Term]) -> dict[Name, frozenset[int]]:
        """Variables that have two values, if they are given constants only."""
        found: dict[Name, frozenset[int]] = {}
        for name in self.names:
            given = {_after(move)[name] for _, move in self.changes} - {name} | {initial[name]}
            values = frozenset(int(each.value) for each in given if isinstance(each, Constant))
            if len(values) == len(given) == 2:
                found[name] = values
        return found

    def flows(self, flips: bool) -> Iterator[Flow]:
        rows = [row for point, move in self.changes for row in self._rows(point, move, flips)]
        unique = list(dict.fromkeys(map(tuple, rows)))
        if len(unique) > MAX_ROWS:
            return
        weights = list(range(len(self.names), self.width))
        for ray in nonnegative(null_space(list(map(list, unique)), self.width), weights):
            numbers = small_integers(ray)
            factors = tuple(
                (name, factor) for name, factor in zip(self.names, numbers, strict=False) if factor
            )
            if factors:
                yield Flow(factors, tuple(numbers[len(self.names) :]))

    def _rows(self, point: int | None, move: Move, flips: bool) -> Iterator[Row]:
        """An equation for the constants, and one for each term that has to cancel out."""
        constants = [Fraction(0)] * self.width
        others: dict[Term, Row] = {}
        for column, name in enumerate(self.names):
            factors, constant = summed(self._change(name, move, flips))
            constants[column] += constant
            for term, factor in factors:
                others.setdefault(term, [Fraction(0)] * self.width)[column] += factor
        if point is not None:
            constants[len(self.names) + point] -= 1
        if move.after is not None:
            constants[len(self.names) + move.after.point] += 1
        yield constants
        yield from others.values()

    def _change(self, name: Name, move: Move, flips: bool) -> Term:
        after = _after(move)[name]
        known = _equations(move.condition)
        difference = substitute(subtract(after, name), known)
        if flips and name not in known and isinstance(after, Constant) and name in self.pairs:
            (before,) = self.pairs[name] - {int(after.value)}
            return Constant(int(after.value) - before, Sort.INT)
        return difference


def _after(move: Move) -> dict[Name, Term]:
    found: dict[Name, Term] = {global_name(name): value for name, value in move.globals.items()}
    return found | {serial_name(name): value for name, value in move.serial.items()}


def _equations(condition: Term) -> dict[Name, Term]:
    """What a condition says that names are."""
    found: dict[Name, Term] = {}
    for part in conjuncts(condition):
        match part:
            case Compound(op=Op.EQUAL, arguments=(left, right)) if left.sort is Sort.INT:
                left, right = substitute(left, found), substitute(right, found)
                for one, other in ((left, right), (right, left)):
                    if isinstance(one, Name) and one not in names_in(other):
                        found = {name: substitute(value, {one: other}) for name, value in found.items()}
                        found[one] = other
                        break
    return found
