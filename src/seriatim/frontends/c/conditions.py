"""What `#if` decides: integer expressions of constants, after macros are replaced."""

from collections.abc import Callable

from seriatim.frontends.c.constants import character_value, integer_value
from seriatim.frontends.c.macros import Tokens, wrong
from seriatim.frontends.c.tokens import Token

_LEVELS: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"<<": lambda a, b: a << min(b, 64), ">>": lambda a, b: a >> min(b, 64)},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {
        "*": lambda a, b: a * b,
        "/": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
        "%": lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1),
    },
)
"""Operators by how tightly they bind."""


class Condition:
    """Evaluates one condition; names that are left stand for 0."""

    def __init__(self, tokens: Tokens, names: dict[str, str], directive: Token, file: str) -> None:
        self.tokens = tokens
        self.names = names
        """Constants of the standard library."""
        self.directive = directive
        self.file = file
        self.place = 0
        self.is_unsigned = False

    def holds(self) -> bool:
        value = self.choice()
        if self.is_unsigned and any(each.text in ("-", "~") for each in self.tokens):
            self.refuse()  # What is below 0 would become large.
        if self.place != len(self.tokens):
            self.refuse()
        return value != 0

    def next(self) -> str:
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def refuse(self) -> int:
        return wrong("a condition of this form", self.directive, self.file)

    def choice(self) -> int:
        condition = self.level(0)
        if self.next() != "?":
            return condition
        self.place += 1
        then = self.choice()
        if self.next() != ":":
            self.refuse()
        self.place += 1
        otherwise = self.choice()
        return then if condition else otherwise

    def level(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.unary()
        value = self.level(level + 1)
        while self.next() in _LEVELS[level]:
            operator = self.next()
            self.place += 1
            other = self.level(level + 1)
            if (operator in ("/", "%") and other == 0) or (operator in ("<<", ">>") and other < 0):
                self.refuse()
            value = _LEVELS[level][operator](value, other)
        return value

    def unary(self) -> int:
        if self.place == len(self.tokens):
            return self.refuse()
        token = self.tokens[self.place]
        self.place += 1
        match token.text:
            case "!":
                return int(not self.unary())
            case "-":
                return -self.unary()
            case "+":
                return self.unary()
            case "~":
                return ~self.unary()
            case "(":
                value = self.choice()
                if self.next() != ")":
                    self.refuse()
                self.place += 1
                return value
        return self.constant(token)

    def constant(self, token: Token) -> int:
        text = self.names.get(token.text, "0") if token.kind == "name" else token.text
        if token.kind == "name" and self.next() == "(":  # Such as __has_include.
            return self.refuse()
        is_number = token.kind != "character"
        self.is_unsigned = self.is_unsigned or (is_number and "u" in text[len(text.rstrip("uUlL")) :].lower())
        value = integer_value(text) if is_number else character_value(text)
        return self.refuse() if value is None else value
