"""Goals: conjunctions of linear constraints on the numbers of tokens, to be reached or shown unreachable."""

from collections.abc import Mapping, Sequence

from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation, combination, total


def must_be_empty(goal: Conjunction) -> frozenset[int]:
    """Places that hold no token in any marking of the goal, as far as a single constraint says so."""
    empty: set[int] = set()
    for constraint in goal.constraints:
        coefficients = [coefficient for _, coefficient in constraint.form.terms]
        is_at_most_zero = all(c < 0 for c in coefficients) or (
            constraint.relation is Relation.IS_ZERO and all(c > 0 for c in coefficients)
        )
        if constraint.form.constant == 0 and is_at_most_zero:
            empty.update(variable for variable, _ in constraint.form.terms if variable < goal.dimension)
    return frozenset(empty)


def restrict(goal: Conjunction, places: Sequence[int]) -> Conjunction:
    """The goal as one about these places, in this order; others hold no tokens."""
    numbers: dict[int, Form] = {place: total([index]) for index, place in enumerate(places)}
    return rewritten(goal, numbers, len(places))


def rewritten(goal: Conjunction, values: Mapping[int, Form], dimension: int) -> Conjunction:
    """The goal over other variables: what each of its own is in terms of them, or 0 if that is not given."""
    known = dict(values)
    for index in range(len(goal.quotients)):
        known[goal.dimension + index] = total([dimension + index])
    zero = total(())

    def over(form: Form) -> Form:
        return combination(((c, known.get(variable, zero)) for variable, c in form.terms), form.constant)

    return Conjunction(
        dimension,
        tuple((over(form), divisor) for form, divisor in goal.quotients),
        tuple(Constraint(over(constraint.form), constraint.relation) for constraint in goal.constraints),
    )
