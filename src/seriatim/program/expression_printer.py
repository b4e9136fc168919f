"""Expressions to text, on one line, as either style spells them; a language may add forms of its own.

The parser shares the table that says how tightly the operators bind.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from typing import Generic, assert_never

from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Connective,
    Expression,
    Fault,
    If,
    Inner,
    Logical,
    Node,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)


class Level(IntEnum):
    """What may stand unparenthesised where; a higher level binds tighter."""

    SEQUENCE = 0
    STATEMENT = 1
    ASSIGNMENT = 2
    OR = 3
    AND = 4
    NOT = 5
    COMPARISON = 6
    SUM = 7
    PRODUCT = 8
    PREFIX = 9
    PRIMARY = 10


LEVELS: dict[Operator | Connective, Level] = {
    Connective.OR: Level.OR,
    Connective.AND: Level.AND,
    Operator.EQUAL: Level.COMPARISON,
    Operator.UNEQUAL: Level.COMPARISON,
    Operator.LESS: Level.COMPARISON,
    Operator.LESS_EQUAL: Level.COMPARISON,
    Operator.GREATER: Level.COMPARISON,
    Operator.GREATER_EQUAL: Level.COMPARISON,
    Operator.ADD: Level.SUM,
    Operator.SUBTRACT: Level.SUM,
    Operator.MULTIPLY: Level.PRODUCT,
    Operator.MODULO: Level.PRODUCT,
}


class Style(Enum):
    BRACES = auto()
    LAYOUT = auto()


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


class Forms(ABC, Generic[Inner]):
    """The forms of a language: the nodes of the core, and perhaps others, which it prints itself."""

    @abstractmethod
    def node(self, part: Inner) -> Node[Inner] | None:
        """Return the part if it is a node of the core."""

    @abstractmethod
    def level(self, part: Inner) -> Level:
        """Tell how tightly a form binds that is no node of the core."""

    @abstractmethod
    def bare(self, part: Inner, printer: "ExpressionPrinter[Inner]") -> None:
        """Print a form that is no node of the core, without parentheses around it."""

    @abstractmethod
    def header(self, part: Inner, printer: "ExpressionPrinter[Inner]") -> Inner | None:
        """Print the header of a form that has a block on lines of its own; return that block."""


class CoreForms(Forms[Expression]):
    """Forms of the core: all of them are nodes."""

    def node(self, part: Expression) -> Expression:
        return part

    def level(self, part: Expression) -> Level:
        raise AssertionError(part)

    def bare(self, part: Expression, printer: "ExpressionPrinter[Expression]") -> None:
        raise AssertionError(part, printer)

    def header(self, part: Expression, printer: "ExpressionPrinter[Expression]") -> None:
        """Return None: `if` and `while` are nodes."""


class ExpressionPrinter(Generic[Inner]):
    """Prints expressions; `is_written` tells whether a part is printed where leaving it out would mean 0.

    It collects pieces of text, so that printing takes time linear in what is printed.
    """

    def __init__(
        self, spelling: Spelling, forms: Forms[Inner], is_written: Callable[[Inner], bool] = lambda _: True
    ) -> None:
        self.spelling = spelling
        self.forms = forms
        self.is_written = is_written
        self.pieces: list[str] = []

    def text(self) -> str:
        return "".join(self.pieces)

    def put(self, *pieces: str) -> None:
        self.pieces.extend(pieces)

    def inline(self, part: Inner, lowest: Level) -> None:
        """The part, in parentheses if it binds less tightly than a level."""
        node = self.forms.node(part)
        parenthesised = (self.forms.level(part) if node is None else self.node_level(node)) < lowest
        if parenthesised:
            self.put("(")
        if node is None:
            self.forms.bare(part, self)
        else:
            self.bare_node(node)
        if parenthesised:
            self.put(")")

    def node_level(self, node: Node[Inner]) -> Level:
        match node:
            case Sequence():
                return Level.SEQUENCE
            case Assign() | AssignCell() | Return() | If() | While():
                return Level.ASSIGNMENT
            case Logical(connective=connective):
                return LEVELS[connective]
            case Binary(operator=operator):
                return LEVELS[operator]
            case Unary(operator=Prefix.NOT):
                return self.spelling.negation_level
            case Unary():
                return Level.PREFIX
            case Number() | Choice() | Read() | Cell() | Yield() | Fault():
                return Level.PRIMARY
            case _:
                assert_never(node)

    def bare_node(self, node: Node[Inner]) -> None:  # noqa: C901 - an arm a case
        match node:
            case Number() | Choice() | Read() | Yield() | Fault():
                self.put(_leaf(node))
            case Assign(name=name, value=value):
                self.put(name, " := ")
                self.inline(value, Level.ASSIGNMENT)
            case Cell(name=name, index=index):
                self._cell(name, index)
            case AssignCell(name=name, index=index, value=value):
                self._cell(name, index)
                self.put(" := ")
                self.inline(value, Level.ASSIGNMENT)
            case Return(value=value):
                self.put("return")
                if self.is_written(value):
                    self.put(" ")
                    self.inline(value, Level.ASSIGNMENT)
            case Unary(operator=operator, operand=operand):
                self.put(self.spelling.negation if operator is Prefix.NOT else "-")
                self.inline(operand, self.node_level(node))
            case Binary(operator=operator, left=left, right=right):
                self._infix(operator.value, LEVELS[operator], left, right)
            case Logical(connective=connective, left=left, right=right):
                self._infix(self.spelling.connectives[connective], LEVELS[connective], left, right)
            case If():
                self._inline_conditional(node)
            case While(condition=condition, body=body):
                self._inline_construct("while", condition, body)
            case Sequence(items=items):
                self._inline_sequence(items)
            case _:
                assert_never(node)

    def find_chained(self, otherwise: Inner | None) -> If[Inner] | None:
        """The conditional that follows an `else` at once."""
        node = None if otherwise is None else self.forms.node(otherwise)
        return node if isinstance(node, If) else None

    def _cell(self, name: str, index: Inner) -> None:
        self.put(name.removesuffix("[]"), "[")
        self.inline(index, Level.SUM)
        self.put("]")

    def _infix(self, operator: str, level: Level, left: Inner, right: Inner) -> None:
        tighter = Level(level + 1)
        self.inline(left, tighter if level is Level.COMPARISON else level)
        self.put(" ", operator, " ")
        self.inline(right, tighter)

    def _inline_sequence(self, items: tuple[Inner, ...]) -> None:
        for index, item in enumerate(items):
            if index > 0:
                self.put("; ")
            self.inline(item, Level.STATEMENT)

    def _inline_conditional(self, conditional: If[Inner]) -> None:
        self._inline_construct("if", conditional.condition, conditional.then)
        otherwise = conditional.otherwise
        while (further := self.find_chained(otherwise)) is not None:
            self.put(" ")
            self._inline_construct("else if", further.condition, further.then)
            otherwise = further.otherwise
        if otherwise is not None:
            self.put(" else")
            self.inline_block(otherwise)

    def _inline_construct(self, words: str, condition: Inner, body: Inner) -> None:
        """Always in braces: within a line, no other style exists."""
        self.put(words, " (")
        self.inline(condition, Level.SEQUENCE)
        self.put(")")
        self.inline_block(body)

    def inline_block(self, body: Inner) -> None:
        self.put(" { ")
        if self.is_written(body):
            self.inline(body, Level.SEQUENCE)
            self.put(" ")
        self.put("}")


def _leaf(leaf: Number | Choice | Read | Yield | Fault) -> str:
    match leaf:
        case Number(value=value):
            return str(value)
        case Choice():
            return "?"
        case Read(name=name):
            return name
        case Yield():
            return "yield"
        case Fault(code=code, message=message):
            return f"fault({code}, {message})"
        case _:
            assert_never(leaf)
