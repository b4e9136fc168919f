"""Sums of globals and weights of requests at points that no step changes.

A *flow* gives variables factors and points weights. Its sum is that of all variables, each times its factor,
and of the weights of all requests where they rest. A weight is a term over what is known of one request there
(`0.x`), and never over variables. Requests that have not begun or have answered weigh nothing, so at the
start the sum is what the initial values make of it: the *total*.

Claim: if no step changes the sum, it is the total in every reachable configuration; and as no weight is
negative, variables and *some* of the requests together come to the total at most, whatever others do. Only
this is known in a view of some requests: never that they come to exactly the total.

A factor of an array counts its cell at `i`, which weights may mention. Such a flow is one for each integer i,
with the same total, as all cells of an array begin with the same value. (docs/theory/simulation.md)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    ZERO,
    Constant,
    Name,
    Sort,
    Term,
    add,
    at_most,
    both,
    equal,
    names_in,
    number,
    select,
    times,
)
from seriatim.program.symbolic.model import Model, global_name, other_name, serial_name
from seriatim.program.symbolic.moves import Move, Resting

INDEX = Name("i", Sort.INT)
"""The index of the cell that a sum is about: any integer."""


@dataclass(frozen=True, slots=True)
class Flow:
    factors: tuple[tuple[Name, int], ...]
    """The factors of globals `g.X` and of their copies in the serial state `s.X`."""
    weights: tuple[Term, ...]
    """The weight of each point, over `0.x` and `i`; not negative."""

    @property
    def has_numbers_only(self) -> bool:
        """Whether all weights are numbers, independent of the request's values."""
        return all(isinstance(weight, Constant) for weight in self.weights)

    def total(self, model: Model) -> int:
        """The sum at the start, where no request has begun."""
        initial = {name: model.initial[name] for name in model.variables}
        found = self._with(initial, initial)
        assert isinstance(found, Constant), "every global has an initial value"
        return int(found.value)

    def at_most_total(self, model: Model, requests: tuple[Resting, ...]) -> Term:
        """Returns what is known if at least these requests rest; for arrays, about the cells of the
        requests."""
        known = at_most(add(self._of_variables, self._weight(requests)), number(self.total(model)))
        if INDEX not in names_in(known):
            return known
        return both(*(substitute(known, {INDEX: index}) for index in self._indices(requests)))

    def is_kept(self, mover: Resting | None, move: Move) -> Term:
        """The condition that a step does not change the sum."""
        before = add(self._of_variables, self._weight(() if mover is None else (mover,)))
        weight = self._weight(() if move.after is None else (move.after,))
        return equal(before, add(self._with(move.globals, move.serial), weight))

    def is_not_negative(self, request: Resting) -> Term:
        return at_most(ZERO, self._weight((request,)))

    @property
    def _of_variables(self) -> Term:
        return add(
            *(
                times(factor, select(name, INDEX) if name.sort is Sort.CELLS else name)
                for name, factor in self.factors
            )
        )

    def _with(self, globals_: Mapping[str, Term], serial: Mapping[str, Term]) -> Term:
        values: dict[Name, Term] = {global_name(name): value for name, value in globals_.items()}
        values |= {serial_name(name): value for name, value in serial.items()}
        return substitute(self._of_variables, values)

    def _weight(self, requests: tuple[Resting, ...]) -> Term:
        return add(*(substitute(self.weights[each.point], _own(each)) for each in requests))

    def _indices(self, requests: tuple[Resting, ...]) -> Iterator[Term]:
        """The indices that the weights of these requests depend on."""
        found: dict[Term, None] = {}
        for each in requests:
            used = names_in(self.weights[each.point])
            found |= {value: None for name, value in _own(each).items() if name in used}
        yield from found


def _own(request: Resting) -> dict[Name, Term]:
    return {other_name(0, name): value for name, value in request.values.items()}
