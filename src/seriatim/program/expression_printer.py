"""Expressions to text, on one line, as either style spells them; what is printed parses to an equal one."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

from seriatim.frontends.ser.lexer import MARK
from seriatim.frontends.ser.surface import (
    AssignElement,
    Await,
    Call,
    Choose,
    Element,
    Interval,
    Lock,
    Marked,
    NamedRange,
    Range,
    Sugar,
    Surface,
    Unlock,
)
from seriatim.program.precedence import LEVELS, Level
from seriatim.program.recursion import deep_recursion
from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Connective,
    Fault,
    If,
    Logical,
    Number,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)


class Style(Enum):
    BRACES = auto()
    LAYOUT = auto()


def print_expression(expression: Surface) -> str:
    """The expression on one line, in the style of braces."""
    printer = ExpressionPrinter(SPELLINGS[Style.BRACES])
    with deep_recursion():
        printer.inline(expression, Level.SEQUENCE)
    return printer.text()


@dataclass(frozen=True, slots=True)
class Spelling:
    """What differs between the styles."""

    block_opening: str
    block_closing: str
    separator: str
    before_condition: str
    after_condition: str
    else_follows_closing: bool
    else_if: str
    connectives: dict[Connective, str]
    negation: str
    negation_level: Level


SPELLINGS = {
    Style.BRACES: Spelling(
        block_opening=" {",
        block_closing="}",
        separator=";",
        before_condition=" (",
        after_condition=")",
        else_follows_closing=True,
        else_if="else if",
        connectives={Connective.AND: "&&", Connective.OR: "||"},
        negation="!",
        negation_level=Level.PREFIX,
    ),
    Style.LAYOUT: Spelling(
        block_opening=":",
        block_closing="",
        separator="",
        before_condition=" ",
        after_condition="",
        else_follows_closing=False,
        else_if="elif",
        connectives={Connective.AND: "and", Connective.OR: "or"},
        negation="not ",
        negation_level=Level.NOT,
    ),
}


class ExpressionPrinter:
    """Collects pieces of text, so that printing takes time linear in what is printed."""

    def __init__(self, spelling: Spelling) -> None:
        self._spelling = spelling
        self._pieces: list[str] = []

    def text(self) -> str:
        return "".join(self._pieces)

    def put(self, *pieces: str) -> None:
        self._pieces.extend(pieces)

    def is_written(self, expression: Surface) -> bool:  # noqa: ARG002 - a formatter knows the text
        """Whether an expression is to be printed where leaving it out would mean 0."""
        return True

    def inline(self, expression: Surface, lowest: Level) -> None:
        """The expression, in parentheses if it binds less tightly than a level."""
        parenthesised = self._level(expression) < lowest
        if parenthesised:
            self.put("(")
        self._bare(expression)
        if parenthesised:
            self.put(")")

    def _level(self, expression: Surface) -> Level:
        match expression:
            case Sequence():
                return Level.SEQUENCE
            case Marked():
                return Level.STATEMENT
            case Assign() | AssignElement() | Return() | Await() | If() | While():
                return Level.ASSIGNMENT
            case Logical(connective=connective):
                return LEVELS[connective]
            case Binary(operator=operator):
                return LEVELS[operator]
            case Unary(operator=Prefix.NOT):
                return self._spelling.negation_level
            case Unary():
                return Level.PREFIX
            case Number() | Choice() | Read() | Yield() | Fault():
                return Level.PRIMARY
            case Element() | Choose() | Lock() | Unlock() | Call():
                return Level.PRIMARY
            case _:
                assert_never(expression)

    def _bare(self, expression: Surface) -> None:
        match expression:
            case Number(value=value):
                self.put(str(value))
            case Choice():
                self.put("?")
            case Read(name=name):
                self.put(name)
            case Yield():
                self.put("yield")
            case Assign(name=name, value=value):
                self.put(name, " := ")
                self.inline(value, Level.ASSIGNMENT)
            case Return(value=value):
                self.put("return")
                if self.is_written(value):
                    self.put(" ")
                    self.inline(value, Level.ASSIGNMENT)
            case Unary(operator=operator, operand=operand):
                self.put(self._spelling.negation if operator is Prefix.NOT else "-")
                self.inline(operand, self._level(expression))
            case Binary(operator=operator, left=left, right=right):
                self._infix(operator.value, LEVELS[operator], left, right)
            case Logical(connective=connective, left=left, right=right):
                self._infix(self._spelling.connectives[connective], LEVELS[connective], left, right)
            case If():
                self._inline_conditional(expression)
            case While(condition=condition, body=body):
                self._inline_construct("while", condition, body)
            case Sequence(items=items):
                for index, item in enumerate(items):
                    if index > 0:
                        self.put("; ")
                    self.inline(item, Level.STATEMENT)
            case Fault(code=code, message=message):
                self.put(f"fault({code}, {message})")
            case _:
                self._sugar(expression)

    def _sugar(self, expression: Sugar) -> None:
        match expression:
            case Element(name=name, index=index):
                self._element(name, index)
            case AssignElement(name=name, index=index, value=value):
                self._element(name, index)
                self.put(" := ")
                self.inline(value, Level.ASSIGNMENT)
            case Choose(values=values):
                self.put("choose(")
                self.range(values)
                self.put(")")
            case Await(condition=condition):
                self.put("await ")
                # After a name, `-` would subtract.
                begins_with_sign = isinstance(_first_operand(condition), Unary)
                self.inline(condition, Level.PRIMARY if begins_with_sign else Level.OR)
            case Marked(statement=statement):
                self.put(f"{MARK} ")
                self.inline(statement, Level.ASSIGNMENT)
            case Lock(target=target) | Unlock(target=target):
                self.put("lock(" if isinstance(expression, Lock) else "unlock(")
                self.inline(target, Level.PRIMARY)
                self.put(")")
            case Call(name=name, arguments=arguments):
                self.put(name, "(")
                for place, argument in enumerate(arguments):
                    self.put(", " if place > 0 else "")
                    self.inline(argument, Level.OR)
                self.put(")")
            case _:
                assert_never(expression)

    def _element(self, name: str, index: Surface) -> None:
        self.put(name, "[")
        self.inline(index, Level.OR)
        self.put("]")

    def range(self, values: Range) -> None:
        match values:
            case NamedRange(name=name):
                self.put(name)
            case Interval(low=low, high=high):
                self.inline(low, Level.SUM)
                self.put("..")
                self.inline(high, Level.SUM)
            case _:
                assert_never(values)

    def _infix(self, operator: str, level: Level, left: Surface, right: Surface) -> None:
        tighter = Level(level + 1)
        self.inline(left, tighter if level is Level.COMPARISON else level)
        self.put(" ", operator, " ")
        self.inline(right, tighter)

    def _inline_conditional(self, conditional: If[Surface]) -> None:
        self._inline_construct("if", conditional.condition, conditional.then)
        otherwise = conditional.otherwise
        while isinstance(otherwise, If):
            self.put(" ")
            self._inline_construct("else if", otherwise.condition, otherwise.then)
            otherwise = otherwise.otherwise
        if otherwise is not None:
            self.put(" else")
            self._inline_block(otherwise)

    def _inline_construct(self, words: str, condition: Surface, body: Surface) -> None:
        """Always in braces: within a line, no other style exists."""
        self.put(words, " (")
        self.inline(condition, Level.SEQUENCE)
        self.put(")")
        self._inline_block(body)

    def _inline_block(self, body: Surface) -> None:
        self.put(" { ")
        if self.is_written(body):
            self.inline(body, Level.SEQUENCE)
            self.put(" ")
        self.put("}")


def _first_operand(expression: Surface) -> Surface:
    """What an expression begins with, unless that stands in parentheses."""
    while isinstance(expression, Binary | Logical):
        expression = expression.left
    return expression
