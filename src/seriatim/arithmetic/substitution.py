"""Terms with other terms in place of names, simplified on the way.

No bound name is captured: each has a name of its own (`seriatim.arithmetic.terms.fresh`).
"""

from collections.abc import Mapping
from typing import assert_never

from seriatim.arithmetic.terms import (
    Apply,
    Compound,
    Constant,
    Name,
    Op,
    Quantifier,
    Term,
    add,
    at_most,
    both,
    choose,
    either,
    equal,
    modulo,
    negate,
    product,
    quantify,
    select,
    store,
)


def substitute(term: Term, values: Mapping[Name, Term]) -> Term:
    """The term with other terms in place of names; it is simplified on the way."""
    if not values:
        return term
    known: dict[int, Term] = {}

    def replace_term(each: Term) -> Term:
        found = known.get(id(each))
        if found is None:
            found = known[id(each)] = _rebuilt(each, replace_term, values)
        return found

    return replace_term(term)


def _rebuilt(term: Term, replaced: object, values: Mapping[Name, Term]) -> Term:
    assert callable(replaced)
    match term:
        case Constant():
            return term
        case Name():
            return values.get(term, term)
        case Apply(function=function, arguments=arguments, sort=sort):
            return Apply(function, tuple(replaced(each) for each in arguments), sort)
        case Compound(op=op, arguments=arguments):
            return rebuild(op, tuple(replaced(each) for each in arguments))
        case Quantifier(for_all=universal, variables=variables, body=body):
            return quantify(universal, variables, replaced(body))
        case _:
            assert_never(term)


def rebuild(op: Op, arguments: tuple[Term, ...]) -> Term:
    """A compound term of simplified parts."""
    match op:
        case Op.ADD:
            return add(*arguments)
        case Op.TIMES:
            return product(*arguments)
        case Op.MODULO:
            return modulo(*arguments)
        case Op.EQUAL:
            return equal(*arguments)
        case Op.AT_MOST:
            return at_most(*arguments)
        case Op.AND:
            return both(*arguments)
        case Op.OR:
            return either(*arguments)
        case Op.NOT:
            return negate(*arguments)
        case Op.IF:
            return choose(*arguments)
        case Op.SELECT:
            return select(*arguments)
        case Op.STORE:
            return store(*arguments)
        case _:
            assert_never(op)
