"""What `#if` decides: integer expressions of constants, after macros are replaced.

They are computed in 64 bits, as compilers do: signed, or unsigned where an operand is. What overflows as a
signed number is refused.
"""

from collections.abc import Callable

from seriatim.frontends.c.constants import character_value, integer_value
from seriatim.frontends.c.macros import Tokens, wrong
from seriatim.frontends.c.tokens import Token

Number = tuple[int, bool]
"""A value, and whether it is unsigned."""

_SIZE = 1 << 64
_HIGH = (1 << 63) - 1

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

_TRUTHS = ("||", "&&", "==", "!=", "<", ">", "<=", ">=")
_SHIFTS = ("<<", ">>")


class Condition:
    """Evaluates one condition; names that are left stand for 0."""

    def __init__(self, tokens: Tokens, names: dict[str, str], directive: Token, file: str) -> None:
        self.tokens = tokens
        self.names = names
        """Constants of the standard library."""
        self.directive = directive
        self.file = file
        self.place = 0

    def holds(self) -> bool:
        value, _ = self.choice()
        if self.place != len(self.tokens):
            self.refuse()
        return value != 0

    def next(self) -> str:
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def refuse(self) -> Number:
        return wrong("a condition of this form", self.directive, self.file)

    def fitted(self, value: int, is_unsigned: bool) -> Number:
        if is_unsigned:
            return value % _SIZE, True
        return (value, False) if -_HIGH - 1 <= value <= _HIGH else self.refuse()

    def choice(self) -> Number:
        condition, _ = self.level(0)
        if self.next() != "?":
            return condition, _
        self.place += 1
        then = self.choice()
        if self.next() != ":":
            self.refuse()
        self.place += 1
        otherwise = self.choice()
        return self.fitted((then if condition else otherwise)[0], then[1] or otherwise[1])

    def level(self, level: int) -> Number:
        if level == len(_LEVELS):
            return self.unary()
        value = self.level(level + 1)
        while self.next() in _LEVELS[level]:
            operator = self.next()
            self.place += 1
            value = self.combined(operator, value, self.level(level + 1))
        return value

    def combined(self, operator: str, one: Number, other: Number) -> Number:
        if (operator in ("/", "%") and other[0] == 0) or (operator in _SHIFTS and other[0] < 0):
            return self.refuse()
        work = next(each[operator] for each in _LEVELS if operator in each)
        is_unsigned = one[1] if operator in _SHIFTS else one[1] or other[1]
        if is_unsigned:
            one, other = (one[0] % _SIZE, True), (other[0] % _SIZE, True)
        value = work(one[0], other[0])
        return (value, False) if operator in _TRUTHS else self.fitted(value, is_unsigned)

    def unary(self) -> Number:
        if self.place == len(self.tokens):
            return self.refuse()
        token = self.tokens[self.place]
        self.place += 1
        match token.text:
            case "!":
                return int(not self.unary()[0]), False
            case "-":
                value, is_unsigned = self.unary()
                return self.fitted(-value, is_unsigned)
            case "+":
                return self.unary()
            case "~":
                value, is_unsigned = self.unary()
                return self.fitted(~value, is_unsigned)
            case "(":
                found = self.choice()
                if self.next() != ")":
                    self.refuse()
                self.place += 1
                return found
        return self.constant(token)

    def constant(self, token: Token) -> Number:
        text = self.names.get(token.text, "0") if token.kind == "name" else token.text
        if token.kind == "name" and self.next() == "(":  # Such as __has_include.
            return self.refuse()
        if token.kind == "character":
            value = character_value(text)
            return self.refuse() if value is None else (value, False)
        value = integer_value(text)
        if value is None:
            return self.refuse()
        is_unsigned = "u" in text[len(text.rstrip("uUlL")) :].lower()
        is_hexadecimal = text.startswith("0")
        return self.fitted(value, is_unsigned or (is_hexadecimal and value > _HIGH))
