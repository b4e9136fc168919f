"""Random programs for agreement tests: small, but with effects and yields in odd places."""

from random import Random

from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Connective,
    Expression,
    Handler,
    If,
    InitialValue,
    Logical,
    Number,
    Operator,
    Prefix,
    Program,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    sequence,
)

GLOBALS = ("X", "Y")
LOCALS = ("x", "y")


class ProgramMaker:
    """Makes programs whose variables stay within 0..`modulus` - 1, so that every system is finite."""

    def __init__(self, random: Random, modulus: int = 3, odd: float = 0.2) -> None:
        self.random = random
        self.modulus = modulus
        self.odd = odd
        """How often an operand or a condition has effects."""

    def program(self, handlers: int = 2, size: int = 4) -> Program:
        initial = tuple(
            InitialValue(name, self.random.randrange(self.modulus))
            for name in GLOBALS
            if self.random.random() < 0.3
        )
        names = "abcdefgh"[:handlers]
        return Program(initial, tuple(Handler(name, self.body(size)) for name in names))

    def body(self, size: int) -> Expression:
        parts = [self.statement(2) for _ in range(self.random.randint(1, size))]
        return sequence(*parts, self.value(1))

    def statement(self, depth: int) -> Expression:
        kind = self.random.random()
        if depth == 0 or kind < 0.45:
            return Assign(self.random.choice(GLOBALS + LOCALS), self.bounded(self.value(1)))
        if kind < 0.65:
            return Yield()
        if kind < 0.85:
            otherwise = self.block(depth) if self.random.random() < 0.6 else None
            return If(self.condition(), self.block(depth), otherwise)
        if kind < 0.95:
            return While(self.condition(), self.block(depth))
        if kind < 0.98:
            return Return(self.value(1))
        return self.value(2)

    def block(self, depth: int) -> Expression:
        return sequence(*(self.statement(depth - 1) for _ in range(self.random.randint(1, 2))))

    def condition(self) -> Expression:
        if self.random.random() < 0.2:
            return Choice()
        if self.random.random() < 0.15:
            connective = self.random.choice(list(Connective))
            return Logical(connective, self.condition(), self.condition())
        if self.random.random() < 0.1:
            return Unary(Prefix.NOT, self.condition())
        operator = self.random.choice(
            [Operator.EQUAL, Operator.UNEQUAL, Operator.LESS, Operator.GREATER_EQUAL]
        )
        return Binary(operator, self.value(1), self.value(0))

    def value(self, depth: int) -> Expression:
        if self.random.random() < self.odd:
            odd: list[Expression] = [
                Yield(),
                Choice(),
                Assign(self.random.choice(GLOBALS + LOCALS), Number(self.random.randrange(self.modulus))),
                If(Choice(), Yield(), Number(1)),
                Sequence((Yield(), Read(self.random.choice(GLOBALS)))),
                Return(Number(1)) if self.random.random() < 0.2 else Number(2),
            ]
            return self.random.choice(odd)
        if depth > 0 and self.random.random() < 0.4:
            operator = self.random.choice(
                [Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.EQUAL]
            )
            return Binary(operator, self.value(depth - 1), self.value(depth - 1))
        if self.random.random() < 0.4:
            return Number(self.random.randrange(self.modulus))
        return Read(self.random.choice(GLOBALS + LOCALS))

    def bounded(self, value: Expression) -> Expression:
        return Binary(Operator.MODULO, value, Number(self.modulus))
