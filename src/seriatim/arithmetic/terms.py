"""First-order terms over integers and truth values, with uninterpreted functions and quantifiers, as data.

Terms of the sort `CELLS` are arrays, which `store` changes at one integer. What is selected from a changed
one is a case distinction over what it was before.

Every bound variable has a name of its own (`fresh`), so substitution cannot capture. The functions that make
terms simplify what is obvious; they never change what a term means.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import count
from typing import assert_never

from seriatim.arithmetic.interning import Interned, intern


class Sort(StrEnum):
    INT = "Int"
    BOOL = "Bool"
    CELLS = "(Array Int Int)"
    """A number for each integer."""


class Op(StrEnum):
    ADD = "+"
    TIMES = "*"
    MODULO = "mod"
    EQUAL = "="
    AT_MOST = "<="
    AND = "and"
    OR = "or"
    NOT = "not"
    IF = "ite"
    SELECT = "select"
    STORE = "store"


class Constant(Interned):
    __slots__ = __match_args__ = ("value", "sort")
    value: int | bool
    sort: Sort

    def __new__(cls, value: int | bool, sort: Sort) -> "Constant":
        return intern(cls, value, sort)


class Name(Interned):
    """A constant without a known value, or a bound variable."""

    __slots__ = __match_args__ = ("name", "sort")
    name: str
    sort: Sort

    def __new__(cls, name: str, sort: Sort) -> "Name":
        return intern(cls, name, sort)


class Apply(Interned):
    """An uninterpreted function of integers."""

    __slots__ = __match_args__ = ("function", "arguments", "sort")
    function: str
    arguments: tuple["Term", ...]
    sort: Sort

    def __new__(cls, function: str, arguments: tuple["Term", ...], sort: Sort) -> "Apply":
        return intern(cls, function, arguments, sort)


class Compound(Interned):
    __slots__ = __match_args__ = ("op", "arguments", "sort")
    op: Op
    arguments: tuple["Term", ...]
    sort: Sort

    def __new__(cls, op: Op, arguments: tuple["Term", ...], sort: Sort) -> "Compound":
        return intern(cls, op, arguments, sort)


class Quantifier(Interned):
    __slots__ = __match_args__ = ("for_all", "variables", "body")
    for_all: bool
    variables: tuple[Name, ...]
    body: "Term"

    def __new__(cls, for_all: bool, variables: tuple[Name, ...], body: "Term") -> "Quantifier":
        return intern(cls, for_all, variables, body)

    @property
    def sort(self) -> Sort:
        return Sort.BOOL


Term = Constant | Name | Apply | Compound | Quantifier

TRUE, FALSE = Constant(True, Sort.BOOL), Constant(False, Sort.BOOL)
_NUMBERS = count()


def fresh(hint: str, sort: Sort = Sort.INT) -> Name:
    """A name that nothing else has."""
    return Name(f"{hint}!{next(_NUMBERS)}", sort)


def number(value: int) -> Constant:
    return Constant(value, Sort.INT)


ZERO, ONE = number(0), number(1)


def add(*terms: Term) -> Term:
    """Constants together and at the end, so that `x + 1 - 1` is `x`."""
    parts: list[Term] = []
    total = 0
    for term in terms:
        inside = term.arguments if isinstance(term, Compound) and term.op is Op.ADD else (term,)
        for part in inside:
            if isinstance(part, Constant):
                total += int(part.value)
            elif (opposite := times(-1, part)) in parts:
                parts.remove(opposite)
            else:
                parts.append(part)
    if total or not parts:
        parts.append(number(total))
    return parts[0] if len(parts) == 1 else Compound(Op.ADD, tuple(parts), Sort.INT)


def times(factor: int, term: Term) -> Term:
    match term:
        case Constant(value=value):
            return number(factor * int(value))
        case Compound(op=Op.ADD, arguments=arguments):
            return add(*(times(factor, each) for each in arguments))
        case Compound(op=Op.TIMES, arguments=(Constant(value=value), inner)):
            return times(factor * int(value), inner)
        case _ if factor == 1:
            return term
        case _ if factor == 0:
            return ZERO
        case _:
            return Compound(Op.TIMES, (number(factor), term), Sort.INT)


def product(left: Term, right: Term) -> Term:
    if isinstance(left, Constant):
        return times(int(left.value), right)
    if isinstance(right, Constant):
        return times(int(right.value), left)
    return Compound(Op.TIMES, (left, right), Sort.INT)


def modulo(left: Term, right: Term) -> Term:
    """The remainder, from 0 to one less than the right side, which is positive."""
    match left, right:
        case Constant(value=value), Constant(value=divisor):
            return number(int(value) % int(divisor))
        case _:
            return Compound(Op.MODULO, (left, right), Sort.INT)


def subtract(left: Term, right: Term) -> Term:
    return add(left, times(-1, right))


def equal(left: Term, right: Term) -> Term:
    if left == right:
        return TRUE
    if left.sort is Sort.CELLS:
        return _equal_cells(left, right)
    if left.sort is Sort.BOOL:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Constant):
                return other if one.value else negate(other)
        return Compound(Op.EQUAL, (left, right), Sort.BOOL)
    difference = subtract(left, right)
    if isinstance(difference, Constant):
        return FALSE if difference.value else TRUE
    return Compound(Op.EQUAL, (left, right), Sort.BOOL)


def _equal_cells(left: Term, right: Term) -> Term:
    """Two arrays that have come from the same one are equal if they are so wherever either was changed."""
    (one, changed), (other, also_changed) = _origin(left), _origin(right)
    if one != other:
        return Compound(Op.EQUAL, (left, right), Sort.BOOL)
    return both(*(equal(select(left, each), select(right, each)) for each in (*changed, *also_changed)))


def _origin(cells: Term) -> tuple[Term, list[Term]]:
    """Before all changes, and where these are."""
    changed: list[Term] = []
    while isinstance(cells, Compound) and cells.op is Op.STORE:
        cells, index, _ = cells.arguments
        changed.append(index)
    return cells, changed


def same_cells(value: int) -> Constant:
    """An array whose cells all have this value."""
    return Constant(value, Sort.CELLS)


def select(cells: Term, index: Term) -> Term:
    match cells:
        case Constant(value=value):
            return number(int(value))
        case Compound(op=Op.STORE, arguments=(before, changed, value)):
            return choose(equal(index, changed), value, select(before, index))
        case _:
            return Compound(Op.SELECT, (cells, index), Sort.INT)


def store(cells: Term, index: Term, value: Term) -> Term:
    return Compound(Op.STORE, (cells, index, value), Sort.CELLS)


def at_most(left: Term, right: Term) -> Term:
    difference = subtract(right, left)
    if isinstance(difference, Constant):
        return TRUE if int(difference.value) >= 0 else FALSE
    return Compound(Op.AT_MOST, (left, right), Sort.BOOL)


def less(left: Term, right: Term) -> Term:
    return at_most(add(left, ONE), right)


def between(low: Term, term: Term, high: Term) -> Term:
    return both(at_most(low, term), at_most(term, high))


def negate(term: Term) -> Term:
    match term:
        case Constant(value=value):
            return FALSE if value else TRUE
        case Compound(op=Op.NOT, arguments=(inner,)):
            return inner
        case _:
            return Compound(Op.NOT, (term,), Sort.BOOL)


def both(*terms: Term) -> Term:
    return _join(Op.AND, terms, TRUE, FALSE)


def either(*terms: Term) -> Term:
    return _join(Op.OR, terms, FALSE, TRUE)


def _join(op: Op, terms: Iterable[Term], neutral: Constant, final: Constant) -> Term:
    parts: dict[Term, None] = {}
    for term in terms:
        inside = term.arguments if isinstance(term, Compound) and term.op is op else (term,)
        for part in inside:
            if part == final:
                return final
            if part != neutral:
                parts[part] = None
    if any(negate(part) in parts for part in parts):
        return final
    if not parts:
        return neutral
    return next(iter(parts)) if len(parts) == 1 else Compound(op, tuple(parts), Sort.BOOL)


def conjuncts(term: Term) -> tuple[Term, ...]:
    if term == TRUE:
        return ()
    return term.arguments if isinstance(term, Compound) and term.op is Op.AND else (term,)


def implies(hypothesis: Term, goal: Term) -> Term:
    known = frozenset(conjuncts(hypothesis))
    rest = both(*(part for part in conjuncts(goal) if part not in known))
    if rest == TRUE or hypothesis == FALSE:
        return TRUE
    if isinstance(rest, Constant):
        return negate(hypothesis)
    return either(negate(hypothesis), rest)


def choose(condition: Term, one: Term, other: Term) -> Term:
    """`one` where the condition holds, else `other`."""
    if isinstance(condition, Constant):
        return one if condition.value else other
    if one == other:
        return one
    if one.sort is Sort.BOOL:
        return both(implies(condition, one), either(condition, other))
    return Compound(Op.IF, (condition, one, other), one.sort)


def bracket(condition: Term) -> Term:
    """1 where the condition holds, else 0."""
    return choose(condition, ONE, ZERO)


def quantify(for_all: bool, variables: Iterable[Name], body: Term) -> Term:
    used = names_in(body)
    kept = tuple(each for each in variables if each in used)
    if not kept or isinstance(body, Constant):
        return body
    if isinstance(body, Quantifier) and body.for_all is for_all:
        return Quantifier(for_all, (*kept, *body.variables), body.body)
    return Quantifier(for_all, kept, body)


def for_all(variables: Iterable[Name], body: Term) -> Term:
    return quantify(True, variables, body)


def exists(variables: Iterable[Name], body: Term) -> Term:
    return quantify(False, variables, body)


def parts_of(term: Term) -> tuple[Term, ...]:
    match term:
        case Constant() | Name():
            return ()
        case Apply(arguments=arguments) | Compound(arguments=arguments):
            return arguments
        case Quantifier(body=body):
            return (body,)
        case _:
            assert_never(term)


def names_in(term: Term) -> frozenset[Name]:
    """All names in a term, bound ones included."""
    return frozenset(each for each in _inside(term) if isinstance(each, Name))


def _inside(term: Term) -> Iterator[Term]:
    """The term and all its parts, each once."""
    seen: set[int] = set()
    stack = [term]
    while stack:
        each = stack.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        stack += parts_of(each)


def functions_in(term: Term) -> frozenset[str]:
    """The uninterpreted functions in a term."""
    return frozenset(each.function for each in _inside(term) if isinstance(each, Apply))


def written_size(term: Term) -> int:
    """How many symbols a term has when it is written out; parts that it shares count each time."""
    known: dict[int, int] = {}

    def size(each: Term) -> int:
        found = known.get(id(each))
        if found is None:
            found = known[id(each)] = 1 + sum(map(size, parts_of(each)))
        return found

    return size(term)
