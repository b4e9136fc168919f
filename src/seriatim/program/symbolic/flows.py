"""Sums of globals and numbers of requests at points that no step changes.

A *flow* gives variables factors and points weights. Its sum is that of all variables, each times its factor,
and of the weights of all requests where they rest. Requests that have not begun or have answered weigh
nothing, so at the start the sum is what the initial values make of it: the *total*.

Claim: if no step changes the sum, it is the total in every reachable configuration; and as no weight is
negative, variables and *some* of the requests together come to the total at most, whatever others do. Only
this is known in a view of some requests: never that they come to exactly the total.
"""

from collections.abc import Mapping

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import Constant, Name, Term, add, at_most, equal, number, times
from seriatim.frozen import frozen
from seriatim.program.symbolic.model import Model, global_name, serial_name
from seriatim.program.symbolic.moves import Move, Resting


@frozen
class Flow:
    factors: tuple[tuple[Name, int], ...]
    """Of globals `g.X` and of their copies in the serial state `s.X`."""
    weights: tuple[int, ...]
    """Of each point, not negative."""

    def total(self, model: Model) -> int:
        """At the start, where nobody has begun."""
        initial = {name: model.initial[name] for name in model.variables}
        found = self._with(initial, initial)
        assert isinstance(found, Constant), "every global has an initial value"
        return int(found.value)

    def at_most_total(self, model: Model, requests: tuple[Resting, ...]) -> Term:
        """What is known where at least these requests rest."""
        return at_most(add(self._of_variables, number(self._weight(requests))), number(self.total(model)))

    def is_kept(self, mover: Resting | None, move: Move) -> Term:
        """That a step does not change the sum."""
        before = add(self._of_variables, number(self._weight(() if mover is None else (mover,))))
        weight = self._weight(() if move.after is None else (move.after,))
        after = add(self._with(move.globals, move.serial), number(weight))
        return equal(before, after)

    @property
    def _of_variables(self) -> Term:
        return add(*(times(factor, name) for name, factor in self.factors))

    def _with(self, globals_: Mapping[str, Term], serial: Mapping[str, Term]) -> Term:
        values: dict[Name, Term] = {global_name(name): value for name, value in globals_.items()}
        values |= {serial_name(name): value for name, value in serial.items()}
        return substitute(self._of_variables, values)

    def _weight(self, requests: tuple[Resting, ...]) -> int:
        return sum(self.weights[each.point] for each in requests)
