"""Presburger sets by isl: differences, inclusions, and what a set looks like as constraints.

isl cannot be interrupted, but it counts its operations and stops at a given number of them. Work that stops
there starts over with twice as many, or with as many as the time left seems to allow; so it takes at most
about twice as long as it needs, and the deadline is heeded. islpy is imported when the first set is made, not
when this module is imported.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation, combination, total
from seriatim.budget import Deadline

if TYPE_CHECKING:
    import islpy

FIRST_OPERATIONS = 1_000_000
"""Well below a second."""

Result = TypeVar("Result")


class NotInstalled(Exception):
    """islpy is not there: it comes with an extra of this package."""


class NaturalSets:
    """Sets of vectors of natural numbers, all of one dimension, and a deadline for what is done with them."""

    def __init__(self, dimension: int, deadline: Deadline) -> None:
        try:
            import islpy
        except ImportError:
            raise NotInstalled from None
        self._isl = islpy
        self._context = islpy.Context()
        self._deadline = deadline
        self.dimension = dimension
        self._names = [f"x{index}" for index in range(dimension)]

    def all(self) -> "islpy.Set":
        return self._read((), [f"{name} >= 0" for name in self._names])

    def linear(self, base: Sequence[int], periods: Sequence[Sequence[int]]) -> "islpy.Set":
        """All sums of the base and of periods."""
        factors = [f"k{index}" for index in range(len(periods))]
        conditions = [f"{factor} >= 0" for factor in factors]
        for index, name in enumerate(self._names):
            multiples = (f" + {period[index]} {k}" for k, period in zip(factors, periods, strict=True))
            conditions.append(f"{name} = {base[index]}{''.join(multiples)}")
        return self._read(factors, conditions)

    def _read(self, bound: Sequence[str], conditions: Sequence[str]) -> "islpy.Set":
        quantifier = f"exists {', '.join(bound)} : " if bound else ""
        body = f" : {quantifier}{' and '.join(conditions)}" if conditions else ""
        return self._isl.Set.read_from_str(self._context, f"{{ [{', '.join(self._names)}]{body} }}")

    def difference(self, left: "islpy.Set", right: Iterable["islpy.Set"]) -> "islpy.Set":
        """Subtracts all others from the one."""
        for part in right:
            left = self._within_deadline(partial(_minus, left, part))
        return left

    def is_empty(self, given: "islpy.Set") -> bool:
        return self._within_deadline(given.is_empty)

    def conjunctions(self, given: "islpy.Set") -> tuple[Conjunction, ...]:
        """Conjunctions of which at least one holds if and only if a vector is in the set."""
        explicit = self._within_deadline(lambda: given.compute_divs().remove_redundancies())
        return tuple(self._conjunction(part) for part in explicit.get_basic_sets())

    def _conjunction(self, part: "islpy.BasicSet") -> Conjunction:
        kinds = self._isl.dim_type
        values = [total([index]) for index in range(self.dimension)]
        """Of the variables and of isl's divisions, over variables and natural quotients."""
        quotients: list[tuple[Form, int]] = []
        space = part.get_local_space()
        for number in range(space.dim(kinds.div)):
            division = space.get_div(number)
            divisor = division.get_denominator_val().to_python()
            assert isinstance(divisor, int)

            def scale(value: "islpy.Val", divisor: int = divisor) -> int:
                return _integer(value.mul(self._isl.Val.int_from_si(self._context, divisor)))

            coefficients = [
                *(scale(division.get_coefficient_val(kinds.in_, i)) for i in range(self.dimension)),
                *(scale(division.get_coefficient_val(kinds.div, i)) for i in range(number)),
            ]
            numerator = combination(
                zip(coefficients, values, strict=True), scale(division.get_constant_val())
            )
            values.append(_quotient(numerator, divisor, self.dimension, quotients))
        constraints: list[Constraint] = []
        for found in part.get_constraints():
            coefficients = [
                *(_integer(found.get_coefficient_val(kinds.set, i)) for i in range(self.dimension)),
                *(_integer(found.get_coefficient_val(kinds.div, i)) for i in range(space.dim(kinds.div))),
            ]
            form = combination(zip(coefficients, values, strict=True), _integer(found.get_constant_val()))
            relation = Relation.IS_ZERO if found.is_equality() else Relation.IS_NATURAL
            if relation is Relation.IS_ZERO or not _is_natural(form):
                constraints.append(Constraint(form, relation))
        return Conjunction(self.dimension, tuple(quotients), tuple(dict.fromkeys(constraints)))

    def _within_deadline(self, work: Callable[[], Result]) -> Result:
        operations = FIRST_OPERATIONS
        while True:
            self._deadline.check()
            self._context.reset_operations()
            self._context.set_max_operations(operations)
            began = monotonic()
            try:
                return work()
            except self._isl.Error as error:
                if "maximal number of operations" not in str(error):
                    raise
                allowed = operations * self._deadline.remaining() / max(monotonic() - began, 1e-3)
                operations = int(max(FIRST_OPERATIONS, min(2 * operations, allowed)))
            finally:
                self._context.set_max_operations(0)


def _minus(left: "islpy.Set", right: "islpy.Set") -> "islpy.Set":
    return left.subtract(right).coalesce()


def _integer(value: "islpy.Val") -> int:
    number = value.to_python()
    assert isinstance(number, int)
    return number


def _quotient(numerator: Form, divisor: int, dimension: int, quotients: list[tuple[Form, int]]) -> Form:
    """⌊numerator / divisor⌋ as a form. Multiples of the divisor are taken out of the numerator, so that only
    natural coefficients are left to be divided."""
    whole = [(c // divisor, Form(((v, 1),))) for v, c in numerator.terms]
    rest = Form(
        tuple((v, c % divisor) for v, c in numerator.terms if c % divisor), numerator.constant % divisor
    )
    shift = combination(whole, numerator.constant // divisor)
    if not rest.terms:
        return shift
    quotients.append((rest, divisor))
    return combination([(1, shift), (1, total([dimension + len(quotients) - 1]))])


def _is_natural(form: Form) -> bool:
    """Whether the form is natural whatever its variables are."""
    return form.constant >= 0 and all(coefficient > 0 for _, coefficient in form.terms)
