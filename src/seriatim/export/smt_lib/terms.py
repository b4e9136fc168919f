"""Terms of SMT-LIB 2 as text, and what may stand in its comments."""

from collections.abc import Iterable

from seriatim.text_width import printable

Term = str


def number(value: int) -> Term:
    return str(value) if value >= 0 else f"(- {-value})"


def application(function: str, arguments: Iterable[Term]) -> Term:
    return f"({' '.join((function, *arguments))})"


def conjunction(parts: Iterable[Term]) -> Term:
    return _join("and", tuple(parts), "true")


def disjunction(parts: Iterable[Term]) -> Term:
    return _join("or", tuple(parts), "false")


def addition(parts: Iterable[Term]) -> Term:
    return _join("+", tuple(parts), "0")


def _join(function: str, parts: tuple[Term, ...], of_none: Term) -> Term:
    """SMT-LIB's associative functions take two arguments or more."""
    if not parts:
        return of_none
    return parts[0] if len(parts) == 1 else application(function, parts)


def multiple(factor: int, term: Term) -> Term:
    if factor == 1:
        return term
    return f"(- {term})" if factor == -1 else f"(* {number(factor)} {term})"


def linear(parts: Iterable[tuple[int, Term]], constant: int = 0) -> Term:
    """A constant plus multiples of terms."""
    terms = [multiple(factor, term) for factor, term in parts if factor != 0]
    return addition([*terms, number(constant)] if constant != 0 else terms)


def is_none(terms: Iterable[Term]) -> Term:
    """Natural numbers that are all 0."""
    return f"(= {addition(terms)} 0)"


def comment(text: str) -> str:
    """A line that solvers pass over, in ASCII, whatever the names of an input contain."""
    shown = printable(text).encode("ascii", "backslashreplace").decode("ascii")
    return f"; {shown}".rstrip()
