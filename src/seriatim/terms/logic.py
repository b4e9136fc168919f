"""Terms of logic made with the operators of expressions.

Terms are total and are simplified when they are made, so that what can fail has to be found before.
"""

from collections.abc import Callable, Iterable, Mapping

from seriatim.arithmetic import terms
from seriatim.arithmetic.terms import Constant, Sort, Term
from seriatim.terms.operators import NoTerm, Op


def constant(value: int | bool) -> Term:
    return Constant(value, Sort.BOOL if isinstance(value, bool) else Sort.INT)


def make(op: Op, operands: Iterable[Term]) -> Term:
    """Makes a term of logic; raises `NoTerm`."""
    return MAKE[op](*operands)


def _no_quotient(_: Term, __: Term) -> Term:
    raise NoTerm("logic has no quotients")


def _remainder(dividend: Term, divisor: Term) -> Term:
    if isinstance(divisor, Constant) and divisor.value > 0:
        return terms.modulo(dividend, divisor)
    raise NoTerm("a remainder by something else than a positive number")


MAKE: Mapping[Op, Callable[..., Term]] = {
    "neg": lambda term: terms.times(-1, term),
    "!": terms.negate,
    "?": terms.choose,
    "min": lambda left, right: terms.choose(terms.at_most(left, right), left, right),
    "max": lambda left, right: terms.choose(terms.at_most(left, right), right, left),
    "+": terms.add,
    "-": terms.subtract,
    "*": terms.product,
    "/": _no_quotient,
    "%": _remainder,
    "==": terms.equal,
    "!=": lambda left, right: terms.negate(terms.equal(left, right)),
    "<": terms.less,
    "<=": terms.at_most,
    ">": lambda left, right: terms.less(right, left),
    ">=": lambda left, right: terms.at_most(right, left),
    "&&": terms.both,
    "||": terms.either,
    "==>": terms.implies,
}
