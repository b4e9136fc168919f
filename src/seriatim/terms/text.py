"""Expressions as text, with as few parentheses as operators allow; languages differ in a few words."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from seriatim.terms.expressions import Apply, Constant, Variable
from seriatim.terms.operators import ATOM, COMPARISON, CONDITIONAL, IMPLICATION, SIGN, TABLE, Op

Part = TypeVar("Part")

OPEN = -1
"""The level of what extends as far to the right as possible, such as a quantifier."""


@dataclass(frozen=True, slots=True)
class Writer(Generic[Part]):
    """How a language writes expressions."""

    other: Callable[[Part], tuple[str, int]]
    """Writes what only this language has; with its level."""
    words: Mapping[Op, str]
    """Operators that are written differently here."""
    negation: tuple[str, int]
    """The sign or word before what is negated, and its level."""
    conditional: str
    """A conditional, with the condition at 0, and what is chosen at 1 and 2."""
    last: int
    """The loosest level of the last part of a conditional."""

    def text(self, expression: Constant | Variable | Apply[Part] | Part, around: int = OPEN) -> str:
        """An expression, in parentheses if it binds more loosely than its place allows."""
        text, level = self.text_and_level(expression)
        return f"({text})" if level < around else text

    def text_and_level(self, expression: Constant | Variable | Apply[Part] | Part) -> tuple[str, int]:
        match expression:
            case Constant(value=bool() as value):
                return str(value).lower(), ATOM
            case Constant(value=value):
                return str(value), ATOM if value >= 0 else SIGN
            case Variable(name=name):
                return name, ATOM
            case Apply(op="neg", arguments=(operand,)):
                return f"-{self.text(operand, ATOM)}", SIGN
            case Apply(op="!", arguments=(operand,)):
                word, level = self.negation
                return f"{word}{self.text(operand, level)}", level
            case Apply(op="?", arguments=(condition, one, other)):
                parts = (self.text(condition, IMPLICATION), self.text(one, IMPLICATION))
                return self.conditional.format(*parts, self.text(other, self.last)), CONDITIONAL
            case Apply(op=op, arguments=(left, right)):
                return self._binary(op, left, right)
            case _:
                return self.other(cast(Part, expression))

    def _binary(self, op: Op, left: Part, right: Part) -> tuple[str, int]:
        level = TABLE[op].level
        if level == ATOM:
            return f"{op}({self.text(left)}, {self.text(right)})", ATOM
        left_around = level + (level in (IMPLICATION, COMPARISON))
        right_around = level + (level != IMPLICATION)
        word = self.words.get(op, op)
        return f"{self.text(left, left_around)} {word} {self.text(right, right_around)}", level
