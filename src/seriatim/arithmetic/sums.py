"""Terms as sums: factors of terms that are no sums themselves, and a number."""

from seriatim.arithmetic.terms import Compound, Constant, Name, Op, Term

Sum = tuple[tuple[tuple[Term, int], ...], int]
"""Factors of terms, and a number."""


def sum_up(term: Term) -> Sum:
    factors: dict[Term, int] = {}
    total = 0
    for part in term.arguments if isinstance(term, Compound) and term.op is Op.ADD else (term,):
        match part:
            case Constant(value=value):
                total += int(value)
            case Compound(op=Op.TIMES, arguments=(Constant(value=factor), inner)):
                factors[inner] = factors.get(inner, 0) + int(factor)
            case _:
                factors[part] = factors.get(part, 0) + 1
    kept = sorted(
        ((each, factor) for each, factor in factors.items() if factor), key=lambda pair: _key(pair[0])
    )
    return tuple(kept), total


def _key(term: Term) -> tuple[int, str]:
    """Globals before locals before copies, then by name."""
    name = term.name if isinstance(term, Name) else repr(term)
    return (0 if name.startswith("g.") else 2 if name.startswith("s.") else 1), name
