"""A solver's formulas as people read them: no negated comparisons, and equations where two bounds meet."""

from itertools import combinations

from seriatim.arithmetic.sums import Sum, sum_up
from seriatim.arithmetic.terms import (
    Compound,
    Op,
    Sort,
    Term,
    add,
    at_most,
    both,
    conjuncts,
    either,
    equal,
    negate,
    number,
    subtract,
    times,
)


def tidy(term: Term) -> Term:
    """The same formula."""
    match term:
        case Compound(op=Op.AND, arguments=arguments):
            return _join(tuple(map(tidy, arguments)))
        case Compound(op=Op.OR, arguments=arguments):
            return negate_all(_join(tuple(map(negate_all, map(tidy, arguments)))))
        case Compound(op=Op.NOT, arguments=(inner,)):
            return negate_all(tidy(inner))
        case Compound(op=Op.AT_MOST, arguments=(left, right)):
            return _comparison(left, right)
        case Compound(op=Op.EQUAL, arguments=(left, right)) if left.sort is Sort.INT:
            return _equation(left, right)
        case _:
            return term


def negate_all(term: Term) -> Term:
    match term:
        case Compound(op=Op.AND, arguments=arguments):
            return either(*map(negate_all, arguments))
        case Compound(op=Op.OR, arguments=arguments):
            return _join(tuple(map(negate_all, arguments)))
        case Compound(op=Op.AT_MOST, arguments=(left, right)):
            return _comparison(add(right, number(1)), left)
        case _:
            return negate(term)


def _sides(difference: Sum) -> tuple[Term, Term]:
    """Returns what is added and what is subtracted, on two sides."""
    factors, total = difference
    left = [times(factor, each) for each, factor in factors if factor > 0]
    right = [times(-factor, each) for each, factor in factors if factor < 0]
    if left:
        return add(*left), add(*right, number(-total))
    return add(*left, number(total)), add(*right)


def _comparison(left: Term, right: Term) -> Term:
    return at_most(*_sides(sum_up(subtract(left, right))))


def _equation(left: Term, right: Term) -> Term:
    factors, total = sum_up(subtract(left, right))
    if factors and factors[0][1] < 0:
        factors, total = tuple((each, -factor) for each, factor in factors), -total
    return equal(*_sides((factors, total)))


def _join(parts: tuple[Term, ...]) -> Term:
    """Two comparisons that only leave one value are an equation."""
    flat = list(dict.fromkeys(each for part in parts for each in conjuncts(part)))
    bounds = {
        sum_up(subtract(*each.arguments)): each
        for each in flat
        if isinstance(each, Compound) and each.op is Op.AT_MOST
    }
    replaced: dict[Term, Term] = {}
    for (factors, total), bound in bounds.items():
        opposite = (tuple((each, -factor) for each, factor in factors), -total)
        other = bounds.get(opposite)
        if other is not None:
            replaced[bound] = replaced[other] = _equation(*_two(bound))
    return both(*_merge([replaced.get(each, each) for each in flat]))


def _merge(parts: list[Term]) -> list[Term]:
    """Alternatives that differ in one of two comparisons only, as one with their equation."""
    merged = list(dict.fromkeys(parts))
    for one, other in combinations(merged, 2):
        left, right = _alternatives(one), _alternatives(other)
        if len(left - right) == len(right - left) == 1:
            (only,), (opposite,) = left - right, right - left
            joined = _join((only, opposite))
            if isinstance(joined, Compound) and joined.op is Op.EQUAL:
                kept = [each for each in merged if each not in (one, other)]
                common = [each for each in _list_alternatives(one) if each in right]
                return _merge([*kept, either(*common, joined)])
    return merged


def _list_alternatives(term: Term) -> tuple[Term, ...]:
    return term.arguments if isinstance(term, Compound) and term.op is Op.OR else (term,)


def _alternatives(term: Term) -> frozenset[Term]:
    return (
        frozenset(_list_alternatives(term))
        if isinstance(term, Compound) and term.op is Op.OR
        else frozenset()
    )


def _two(term: Term) -> tuple[Term, Term]:
    assert isinstance(term, Compound)
    left, right = term.arguments
    return left, right
