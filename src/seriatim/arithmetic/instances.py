"""Quantifiers replaced by instances: what follows from finitely many of them follows from all.

The assertions are brought into negation normal form, existential variables become functions of the
universal ones around them (Skolem), and each universal quantifier is replaced by its instances at ground
index terms, and at both truth values. If the result has no model, neither have the assertions. Otherwise
nothing is known.
"""

from collections.abc import Sequence
from itertools import count, product

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    FALSE,
    TRUE,
    Apply,
    Compound,
    Name,
    Op,
    Quantifier,
    Sort,
    Term,
    both,
    either,
    for_all,
    negate,
    number,
    parts_of,
)

MAX_TERMS = 40
MAX_INSTANCES = 60_000
ROUNDS = 2


class TooManyInstances(Exception):
    """More instances than a solver could use."""


class _Normalizer:
    def __init__(self) -> None:
        self._numbers = count()

    def normal(self, term: Term, positive: bool, outer: tuple[Name, ...]) -> Term:
        match term:
            case Compound(op=Op.NOT, arguments=(inner,)):
                return self.normal(inner, not positive, outer)
            case Compound(op=Op.AND | Op.OR as op, arguments=arguments):
                parts = [self.normal(each, positive, outer) for each in arguments]
                return both(*parts) if (op is Op.AND) is positive else either(*parts)
            case Compound(op=Op.EQUAL, arguments=(left, right)) if left.sort is Sort.BOOL:
                same = either(both(left, right), both(negate(left), negate(right)))
                return self.normal(same, positive, outer)
            case Quantifier(for_all=universal, variables=variables, body=body):
                if universal is positive:
                    return for_all(variables, self.normal(body, positive, (*outer, *variables)))
                skolem = {each: self._skolem(each, outer) for each in variables}
                return self.normal(substitute(body, skolem), positive, outer)
            case _:
                return term if positive else negate(term)

    def _skolem(self, variable: Name, outer: tuple[Name, ...]) -> Term:
        name = f"skolem !{next(self._numbers)}"  # no name of a program has a space
        return Apply(name, outer, variable.sort) if outer else Name(name, variable.sort)


def _ground_terms(terms: Sequence[Term]) -> list[Term]:
    """Integer arguments of functions, and sides of equations with bound variables, that are ground."""
    found: dict[Term, None] = {}
    seen: set[int] = set()

    def visit(term: Term, bound: frozenset[Name]) -> None:
        if id(term) in seen and not bound:
            return
        seen.add(id(term))
        match term:
            case Quantifier(variables=variables, body=body):
                visit(body, bound | set(variables))
                return
            case Apply(arguments=arguments):
                for each in arguments:
                    if each.sort is Sort.INT and not _mentions(each, bound):
                        found[each] = None
            case Compound(op=Op.EQUAL | Op.AT_MOST, arguments=(left, right)) if left.sort is Sort.INT:
                for one, other in ((left, right), (right, left)):
                    if isinstance(one, Name) and one in bound and not _mentions(other, bound):
                        found[other] = None
            case _:
                pass
        for part in parts_of(term):
            visit(part, bound)

    for term in terms:
        visit(term, frozenset())
    return [*found][:MAX_TERMS]


def _mentions(term: Term, names: frozenset[Name]) -> bool:
    return term in names or any(_mentions(part, names) for part in parts_of(term))


class _Instantiation:
    def __init__(self, pool: Sequence[Term]) -> None:
        self._pool = pool
        self._made = 0

    def of(self, term: Term) -> Term:
        match term:
            case Quantifier(variables=variables, body=body):
                parts: list[Term] = []
                pools = [self._pool if each.sort is Sort.INT else (FALSE, TRUE) for each in variables]
                for values in product(*pools):
                    self._made += 1
                    if self._made > MAX_INSTANCES:
                        raise TooManyInstances
                    parts.append(self.of(substitute(body, dict(zip(variables, values, strict=True)))))
                return both(*parts)
            case Compound(op=Op.AND, arguments=arguments):
                return both(*map(self.of, arguments))
            case Compound(op=Op.OR, arguments=arguments):
                return either(*map(self.of, arguments))
            case _:
                return term


def instantiate(assertions: Sequence[Term]) -> list[list[Term]]:
    """Quantifier-free consequences, more of them each time; none if there would be too many."""
    normalizer = _Normalizer()
    normal = [normalizer.normal(each, True, ()) for each in assertions]
    pool: list[Term] = _ground_terms(normal) or [number(0)]
    rounds: list[list[Term]] = []
    for _ in range(ROUNDS):
        try:
            instances = _Instantiation(pool)
            made = [instances.of(each) for each in normal]
        except TooManyInstances:
            break
        rounds.append(made)
        larger = _ground_terms(made)
        if len(larger) <= len(pool):
            break
        pool = larger
    return rounds
