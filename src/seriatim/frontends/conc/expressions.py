"""Expressions of the thread language: tokens to expressions with their types."""

from dataclasses import dataclass
from typing import NoReturn

from seriatim.frontends.conc.lexer import Kind, Token
from seriatim.program.threads.syntax import Booleans, Integers, Type, is_boolean
from seriatim.source import Diagnostic, InputError, Span, quote, warning
from seriatim.terms.expressions import Constant, Expression, Variable, apply
from seriatim.terms.operators import COMPARISONS, IMPLICATION, INFIX, TABLE, Op

MAX_DEPTH = 100
"""How deeply blocks and expressions may be nested."""


@dataclass(frozen=True, slots=True)
class Typed:
    """An expression, whether its value is a truth value, and where it stands."""

    expression: Expression
    boolean: bool
    span: Span


class Expressions:
    """A place in a list of tokens, what is declared there, and what was found wrong before it."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.wrong: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []
        self.globals: dict[str, Type] = {}
        self.locals: dict[str, Type] = {}

    # Tokens

    @property
    def here(self) -> Token:
        return self.tokens[self.position]

    @property
    def last(self) -> Token:
        return self.tokens[self.position - 1]

    def at_end(self) -> bool:
        return self.here.kind is Kind.END

    def next(self) -> Token:
        token = self.here
        if token.kind is not Kind.END:
            self.position += 1
        return token

    def at(self, text: str) -> bool:
        return self.here.text == text and self.here.kind in (Kind.KEYWORD, Kind.SYMBOL)

    def skip(self, text: str) -> bool:
        if not self.at(text):
            return False
        self.position += 1
        return True

    def take(self, text: str) -> Token:
        if not self.at(text):
            found = "the end" if self.at_end() else quote(self.here.text)
            span = self.last.span.after() if text == ";" and self.position else self.here.span
            hint = HINTS.get((text, self.here.text), f"write `{text}` here")
            raise InputError(
                [*self.wrong, Diagnostic("SER071", f"expected `{text}`, found {found}", span, hint)]
            )
        return self.next()

    def name(self, what: str) -> Token:
        if self.here.kind is Kind.KEYWORD:
            self.stop(f"{quote(self.here.text)} is a word of the language, not a name", "use another name")
        if self.here.kind is not Kind.NAME:
            self.stop(f"expected the name of {what}", "names consist of letters, digits and `_`")
        return self.next()

    def report(self, code: str, message: str, span: Span, hint: str) -> None:
        self.wrong.append(Diagnostic(code, message, span, hint))

    def stop(self, message: str, hint: str) -> NoReturn:
        raise InputError([*self.wrong, Diagnostic("SER071", message, self.here.span, hint)])

    def check_depth(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            message = f"blocks or expressions are nested more than {MAX_DEPTH} deep"
            raise InputError([Diagnostic("SER079", message, self.here.span, "simplify the program")])

    # Types

    def wrong_type(self, span: Span, wanted: str) -> None:
        hint = "compare it, such as `x != 0`" if wanted == "bool" else "use a number, or `b ? 1 : 0`"
        self.report("SER072", f"expected a value of type {wanted}", span, hint)

    def expect_type(self, typed: Typed, boolean: bool) -> None:
        if typed.boolean != boolean:
            self.wrong_type(typed.span, "bool" if boolean else "int")

    def boolean(self) -> Expression:
        typed = self.expression()
        self.expect_type(typed, boolean=True)
        return typed.expression

    def integer(self) -> Expression:
        typed = self.expression()
        self.expect_type(typed, boolean=False)
        return typed.expression

    def resolve(self, token: Token, boolean: bool) -> Type:
        """The type of a variable; one that nobody has declared is a local."""
        name = token.text
        if name in self.locals:
            return self.locals[name]
        if name in self.globals:
            return self.globals[name]
        self.locals[name] = Booleans() if boolean else Integers()
        kind = "bool" if boolean else "int"
        hint = f"declare it: `local {name}: {kind};` in the thread, or `global {name}: {kind};`"
        message = f"{quote(name)} is not declared, so each thread has its own"
        self.warnings.append(warning("SER721", message, token.span, hint))
        return self.locals[name]

    # Expressions

    def expression(self, depth: int = 0) -> Typed:
        self.check_depth(depth)
        condition = self.binary(IMPLICATION, depth)
        if not self.skip("?"):
            return condition
        self.expect_type(condition, boolean=True)
        then = self.expression(depth + 1)
        self.take(":")
        otherwise = self.expression(depth + 1)
        self.expect_type(otherwise, then.boolean)
        chosen = apply("?", condition.expression, then.expression, otherwise.expression)
        return Typed(chosen, then.boolean, condition.span.to(otherwise.span))

    def binary(self, level: int, depth: int) -> Typed:
        """Reads operators from a level on."""
        left = self.atom_or_sign(depth)
        while self.here.kind is Kind.SYMBOL:
            operator = INFIX.get(self.here.text)
            if operator is None or TABLE[operator].level < level:
                break
            binds = TABLE[operator].level
            self.next()
            self.check_depth(depth)
            right = self.binary(binds if operator == "==>" else binds + 1, depth + 1)
            left = self.combine(operator, left, right)
            if operator in COMPARISONS and self.here.text in COMPARISONS:
                self.stop("comparisons are chained", "write `a < b && b < c`")
        return left

    def combine(self, operator: Op, left: Typed, right: Typed) -> Typed:
        takes = TABLE[operator].takes
        wanted = left.boolean if takes is None else takes is bool
        self.expect_type(left, wanted)
        self.expect_type(right, wanted)
        combined = apply(operator, left.expression, right.expression)
        return Typed(combined, TABLE[operator].gives is bool, left.span.to(right.span))

    def atom_or_sign(self, depth: int = 0) -> Typed:
        self.check_depth(depth)
        start = self.here.span
        if self.skip("!"):
            operand = self.atom_or_sign(depth + 1)
            self.expect_type(operand, boolean=True)
            return Typed(apply("!", operand.expression), True, start.to(operand.span))
        if self.skip("-"):
            operand = self.atom_or_sign(depth + 1)
            self.expect_type(operand, boolean=False)
            negative: Expression = apply("neg", operand.expression)
            if isinstance(operand.expression, Constant):
                negative = Constant(-operand.expression.value)
            return Typed(negative, False, start.to(operand.span))
        if self.skip("("):
            inner = self.expression(depth + 1)
            end = self.take(")").span
            return Typed(inner.expression, inner.boolean, start.to(end))
        return self.atom()

    def atom(self) -> Typed:
        token = self.here
        if token.kind is Kind.NUMBER:
            self.next()
            return Typed(Constant(int(token.text)), False, token.span)
        if self.at("true") or self.at("false"):
            self.next()
            return Typed(Constant(token.text == "true"), True, token.span)
        if token.kind is Kind.NAME:
            self.next()
            return Typed(Variable(token.text), is_boolean(self.resolve(token, boolean=False)), token.span)
        found = "the end" if self.at_end() else quote(token.text)
        return self.stop(
            f"expected an expression, found {found}", HINTS.get(("", token.text), "such as `x + 1`")
        )


HINTS = {
    (":=", "="): "`:=` assigns and `==` compares",
    (")", "="): "`:=` assigns and `==` compares",
    (";", "="): "`:=` assigns and `==` compares",
    (":=", "("): "there are no functions; a thread is started by `fork`",
    ("", "*"): "`*` alone is a free choice, as in `if (*)`; elsewhere use `havoc`",
}
"""By what was expected and what was found."""
