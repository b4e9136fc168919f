"""The obvious value of a term where names have values; quantifiers range over a few integers."""

from collections.abc import Callable, Mapping
from itertools import product

from seriatim.arithmetic.terms import Apply, Compound, Constant, Name, Op, Quantifier, Sort, Term

WINDOW = range(-2, 6)


Function = Callable[..., int | bool]
Names = Mapping[str, int | bool | Function]
"""What names and functions stand for."""


_OPERATIONS: dict[Op, Function] = {
    Op.NOT: lambda a: not a,
    Op.ADD: lambda *terms: sum(terms),
    Op.TIMES: lambda a, b: a * b,
    Op.EQUAL: lambda a, b: a == b,
    Op.AT_MOST: lambda a, b: a <= b,
}


def value(term: Term, names: Names) -> int | bool:
    match term:
        case Constant(value=found):
            return found
        case Name(name=name):
            known = names[name]
            assert isinstance(known, int)
            return known
        case Quantifier(for_all=universal, variables=variables, body=body):
            domains = [WINDOW if each.sort is Sort.INT else (False, True) for each in variables]
            cases = (
                bool(value(body, {**names, **dict(zip((v.name for v in variables), chosen, strict=True))}))
                for chosen in product(*domains)
            )
            return all(cases) if universal else any(cases)
        case Compound(op=Op.AND, arguments=parts):
            return all(value(each, names) for each in parts)
        case Compound(op=Op.OR, arguments=parts):
            return any(value(each, names) for each in parts)
        case Compound(op=Op.IF, arguments=(condition, one, other)):
            return value(one if value(condition, names) else other, names)
        case Compound(op=op, arguments=parts):
            return _OPERATIONS[op](*(value(each, names) for each in parts))
        case Apply(function=function, arguments=arguments):
            known = names[function]
            assert callable(known)
            return known(*(value(each, names) for each in arguments))
