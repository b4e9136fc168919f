"""Sums of variables and weights of requests in words: `READERS = the number of requests of …`."""

from seriatim.arithmetic.sums import sum_up
from seriatim.arithmetic.terms import ONE, Compound, Name, Op, Sort, Term, add, number, select, times
from seriatim.certificate.simulation import RequestFlow, RestingPoint
from seriatim.program.state import is_array
from seriatim.program.symbolic.flows import INDEX
from seriatim.program.symbolic.words import facts_in_words


def sum_in_words(points: tuple[RestingPoint, ...], flow: RequestFlow) -> str:
    """A sum as an equation; subtracted terms move to the other side."""
    counted: dict[tuple[Term, int], list[str]] = {}
    for point, weight in zip(points, flow.weights, strict=True):
        factors, constant = sum_up(weight)
        for part in (*factors, (ONE, constant)) if constant else factors:
            counted.setdefault(part, []).append(f"`{point.handler}` with `{point.code}` left to do")
    sign = -1 if counted or flow.factors[0][1] < 0 else 1
    variables = {_variable(name): sign * factor for name, factor in flow.factors}
    left = add(*(times(factor, name) for name, factor in variables.items() if factor > 0))
    right = add(*(times(-factor, name) for name, factor in variables.items() if factor < 0))
    total = sign * flow.total
    sides = (left, add(right, number(total))) if total >= 0 else (add(left, number(-total)), right)
    (one, other) = (facts_in_words(side)[0] for side in sides)
    parts = [
        f"{'' if factor == 1 else f'{factor} · '}{_count_text(what)} of {', or of '.join(where)}"
        for (what, factor), where in counted.items()
    ]
    said = f"{one} = {' + '.join(parts if other == '0' and parts else [other, *parts])}"
    return f"{said}, for every i" if any(is_array(name) for name, _ in flow.factors) else said


def _variable(name: str) -> Term:
    return select(Name(name, Sort.CELLS), INDEX) if is_array(name) else Name(name, Sort.INT)


def _count_text(what: Term) -> str:
    match what:
        case Compound(op=Op.IF, arguments=(condition, base, _)):
            return f"{_count_text(base)} with {_words(condition)}"
        case _ if what == ONE:
            return "the number of requests"
        case _:
            return f"the sum of `{_words(what)}` of requests"


def _words(term: Term) -> str:
    """A term about one request, whose locals need no label."""
    return facts_in_words(term, ("",))[0]
