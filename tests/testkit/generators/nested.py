"""Random programs of the core that go deep: blocks in blocks, code that is never executed, many handlers."""

from random import Random

from seriatim.program.syntax import (
    Assign,
    Binary,
    Connective,
    Expression,
    If,
    Logical,
    Number,
    Operator,
    Read,
    Return,
    While,
    Yield,
    sequence,
)
from testkit.generators.programs import ProgramMaker


class NestedMaker(ProgramMaker):
    """Makes programs whose statements nest up to `depth`; `dead` is how often one is never executed."""

    def __init__(self, random: Random, modulus: int = 2, odd: float = 0.2, depth: int = 4, dead: float = 0.1):
        super().__init__(random, modulus, odd)
        self.depth = depth
        self.dead = dead

    def body(self, size: int) -> Expression:
        parts = [self.statement(self.depth) for _ in range(self.random.randint(1, size))]
        return sequence(*parts, self.value(1))

    def statement(self, depth: int) -> Expression:
        kind = self.random.random()
        if depth > 0 and kind < self.dead:
            return self.never_executed(depth)
        if depth > 1 and kind < self.dead + 0.1:
            return self.waiting_loop()
        return super().statement(depth)

    def never_executed(self, depth: int) -> Expression:
        """A branch that is not taken, a loop that does not begin, or what stands behind `return`."""
        block = self.block(depth)
        forms: list[Expression] = [
            If(Number(0), block, None),
            If(Number(1), self.statement(depth - 1), block),
            While(Number(0), block),
            Logical(Connective.AND, Number(0), block),
            If(self.condition(), sequence(Return(self.value(0)), block), None),
        ]
        return self.random.choice(forms)

    def waiting_loop(self) -> Expression:
        """Waits for a value, and then takes another one; or waits in vain."""
        name = self.random.choice(("X", "Y"))
        there: Expression = Binary(Operator.EQUAL, Read(name), Number(self.random.randrange(self.modulus)))
        wait = self.random.choice(
            [Yield(), sequence(Yield(), Yield()), If(self.condition(), Yield(), Yield())]
        )
        return sequence(While(there, wait), Assign(name, Number(self.random.randrange(self.modulus))))
