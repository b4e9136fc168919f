"""Terms as one line of SMT-LIB, with the names that they have, and back."""

import re
from collections.abc import Iterator

from seriatim.arithmetic.substitution import rebuild
from seriatim.arithmetic.terms import (
    FALSE,
    TRUE,
    Apply,
    Compound,
    Constant,
    Name,
    Op,
    Quantifier,
    Sort,
    Term,
    number,
)

MAX_DEPTH = 400
"""How deeply operators may be nested."""

_SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_TOKEN = re.compile(r"\s*(?:([()])|\|([^|\\]*)\||([^\s()|]+))")
_RESERVED = {"true", "false", "and", "or", "not", "ite", "mod", "let", "forall", "exists"}
_BOOLEAN = {Op.AND, Op.OR, Op.NOT}
_FIXED: dict[Op, int] = {
    Op.NOT: 1,
    Op.EQUAL: 2,
    Op.AT_MOST: 2,
    Op.TIMES: 2,
    Op.MODULO: 2,
    Op.SELECT: 2,
    Op.STORE: 3,
    Op.IF: 3,
}
"""How many operands an operator has; others have at least two."""


def write_term(term: Term) -> str:
    """A term without quantifiers and functions."""
    match term:
        case Constant(value=bool() as value):
            return "true" if value else "false"
        case Constant(value=value):
            return str(value) if value >= 0 else f"(- {-value})"
        case Name(name=name):
            is_simple = _SIMPLE.fullmatch(name) is not None and name not in _RESERVED
            return name if is_simple else f"|{name}|"
        case Compound(op=op, arguments=arguments):
            return f"({op} {' '.join(map(write_term, arguments))})"
        case Apply() | Quantifier():
            raise ValueError("only terms without quantifiers and functions are written")


def read_term(text: str) -> Term:
    """The term that a line describes; its names are integers, or arrays if they end so: `A[]`.

    Raises `ValueError`, which says why."""
    tokens = _tokens(text)
    term = _read(next(tokens, None), tokens, 0)
    if next(tokens, None) is not None:
        raise ValueError("there is more than one term")
    return term


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """With whether each is a quoted name."""
    place = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise ValueError(f"`{text[place : place + 10]}` is not a part of a term")
        bracket, quoted, plain = found.groups()
        yield (quoted, True) if quoted is not None else (bracket or plain, False)
        place = found.end()


def _read(token: tuple[str, bool] | None, tokens: Iterator[tuple[str, bool]], depth: int) -> Term:
    match token:
        case None:
            raise ValueError("a term ends too early")
        case ("(", False):
            return _read_list(tokens, depth + 1)
        case (")", False):
            raise ValueError("there is a bracket too many")
        case (name, True):
            return Name(name, Sort.CELLS if name.endswith("[]") else Sort.INT)
        case ("true", False):
            return TRUE
        case ("false", False):
            return FALSE
        case (word, False) if word.isascii() and word.isdigit():
            return number(int(word))
        case (word, _):
            if _SIMPLE.fullmatch(word) is None or word in _RESERVED:
                raise ValueError(f"`{word}` is not a name")
            return Name(word, Sort.INT)


def _read_list(tokens: Iterator[tuple[str, bool]], depth: int) -> Term:
    if depth > MAX_DEPTH:
        raise ValueError(f"more than {MAX_DEPTH} operators are inside each other")
    operator, is_name = next(tokens, ("", True))
    operands: list[Term] = []
    while True:
        token = next(tokens, None)
        if token == (")", False):
            break
        operands.append(_read(token, tokens, depth))
    if is_name:
        raise ValueError("a list begins with no operator")
    match operator, operands:
        case "-", [Constant(value=value, sort=Sort.INT)]:
            return number(-int(value))
    if operator not in set(Op):
        raise ValueError(f"`{operator}` is not an operator")
    return _combine(Op(operator), tuple(operands))


def _combine(op: Op, operands: tuple[Term, ...]) -> Term:
    expected = _FIXED.get(op)
    if len(operands) != expected and (expected is not None or len(operands) < 2):
        raise ValueError(f"`{op}` has {len(operands)} operands")
    if op is Op.IF:
        condition, one, other = operands
        fits = condition.sort is Sort.BOOL and one.sort is Sort.INT and other.sort is Sort.INT
    elif op in (Op.SELECT, Op.STORE):
        fits = [each.sort for each in operands] == [Sort.CELLS, Sort.INT, Sort.INT][: len(operands)]
    else:
        sort = Sort.BOOL if op in _BOOLEAN else Sort.INT
        fits = all(each.sort is sort for each in operands)
        fits = fits or (op is Op.EQUAL and all(each.sort is Sort.CELLS for each in operands))
    if not fits:
        raise ValueError(f"`{op}` mixes numbers, truth values and arrays")
    if op is Op.MODULO:
        divisor = operands[1]
        if not isinstance(divisor, Constant) or int(divisor.value) <= 0:
            raise ValueError("the right side of `mod` is not a positive number")
    return rebuild(op, operands)
