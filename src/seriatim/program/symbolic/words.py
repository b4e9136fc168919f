"""Formulas about requests in words: `the serial X` is the value that X has if requests run one at a time."""

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
    conjuncts,
    negate,
)


def facts_in_words(formula: Term, labels: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Describes a formula, fact by fact; a label tells locals of several requests apart."""
    return tuple(_words(each, labels) for each in conjuncts(formula))


def _words(term: Term, labels: tuple[str, ...]) -> str:
    match term:
        case Constant(value=bool() as value):
            return "true" if value else "false"
        case Constant(value=value):
            return str(value)
        case Name(name=name):
            return _name(name, labels)
        case Compound(op=op, arguments=arguments):
            return _compound(op, arguments, labels)
        case Apply() | Quantifier():
            raise AssertionError("formulas about requests have none")
        case _:
            assert_never(term)


def _compound(  # noqa: C901 - an arm a case
    op: Op, arguments: tuple[Term, ...], labels: tuple[str, ...]
) -> str:
    said = [_words(each, labels) for each in arguments]
    match op:
        case Op.AND:
            return f"({' and '.join(said)})"
        case Op.OR:
            return _alternatives(arguments, said, labels)
        case Op.NOT:
            match arguments:
                case (Compound(op=Op.EQUAL, arguments=(left, right)),):
                    return f"{_words(left, labels)} ≠ {_words(right, labels)}"
                case _:
                    return f"not {said[0]}"
        case Op.EQUAL:
            return f"{said[0]} = {said[1]}"
        case Op.AT_MOST:
            return _comparison(arguments, said, labels)
        case Op.ADD:
            return " + ".join(said).replace("+ -", "- ")
        case Op.TIMES:
            return f"{said[0]} · {said[1]}"
        case Op.MODULO:
            divided = said[0] if isinstance(arguments[0], Name) else f"({said[0]})"
            return f"{divided} % {said[1]}"
        case Op.SELECT:
            return f"{said[0]}[{said[1]}]"
        case Op.STORE:
            raise AssertionError("formulas about requests have none")
        case Op.IF:
            if said[1:] == ["1", "0"]:
                return f"({said[0]})"
            return f"({said[1]} if {said[0]}, else {said[2]})"
        case _:
            assert_never(op)


def _alternatives(arguments: tuple[Term, ...], said: list[str], labels: tuple[str, ...]) -> str:
    """`not a or b` is b while a."""
    while_ = [each for each in arguments if isinstance(each, Compound) and each.op is Op.NOT]
    if len(while_) != len(arguments) - 1:
        return " or ".join(said)
    fact = next(text for each, text in zip(arguments, said, strict=True) if each not in while_)
    return f"{fact} while {' and '.join(_words(negate(each), labels) for each in while_)}"


def _comparison(arguments: tuple[Term, ...], said: list[str], labels: tuple[str, ...]) -> str:
    if isinstance(arguments[0], Constant):
        return f"{said[1]} ≥ {said[0]}"
    smaller = _without_one(arguments[0])
    if smaller is not None:
        return f"{_words(smaller, labels)} < {said[1]}"
    return f"{said[0]} ≤ {said[1]}"


def _without_one(term: Term) -> Term | None:
    """The term t of a sum t + 1; None for other terms."""
    match term:
        case Compound(op=Op.ADD, arguments=(*parts, Constant(value=1))):
            return add(*parts)
        case _:
            return None


def _name(name: str, labels: tuple[str, ...]) -> str:
    whose, dot, what = name.partition(".")
    if not dot:
        return name
    if whose == "g":
        return what.removesuffix("[]")
    if whose == "s":
        return f"the serial {what.removesuffix('[]')}"
    label = labels[int(whose)] if whose.isdigit() else ""
    if what == "=":
        return f"{label}answer" if label else "its answer"
    return f"{label}{what.removeprefix('@')}"
