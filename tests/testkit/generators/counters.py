"""Random programs whose globals mostly count requests: locks, semaphores, and how they go wrong."""

from random import Random

from seriatim.program.syntax import (
    Assign,
    Binary,
    Choice,
    Expression,
    Handler,
    If,
    InitialValue,
    Number,
    Operator,
    Program,
    Read,
    While,
    Yield,
    sequence,
)

COUNTERS = ("L", "S")
DATA = ("X",)
LOCALS = ("x",)


class CounterMaker:
    """Makes programs of critical sections; `faulty` is how often one takes or gives back something else."""

    def __init__(self, random: Random, faulty: float = 0.15) -> None:
        self.random = random
        self.faulty = faulty

    def program(self, handlers: int = 2, size: int = 3) -> Program:
        initial = tuple(
            InitialValue(name, self.random.randint(1, 2)) for name in COUNTERS if self.random.random() < 0.5
        )
        self.counts_down = {value.name: value.value for value in initial}
        names = ("a", "b", "c")[:handlers]
        return Program(initial, tuple(Handler(name, self.body(size)) for name in names))

    def body(self, size: int) -> Expression:
        answers: list[Expression] = [Number(0), Read("x"), Read("X"), Read(self.random.choice(COUNTERS))]
        answer = self.random.choice(answers)
        return sequence(*(self.statement(2) for _ in range(self.random.randint(1, size))), answer)

    def block(self, depth: int) -> Expression:
        return sequence(*(self.statement(depth - 1) for _ in range(self.random.randint(1, 3))))

    def statement(self, depth: int) -> Expression:
        kind = self.random.random()
        if depth > 0 and kind < 0.45:
            return self.section(depth)
        if kind < 0.7:
            return Yield()
        if kind < 0.8:
            return Assign("x", Read(self.random.choice(DATA + COUNTERS)))
        if kind < 0.9:
            return Assign("X", self.random.choice([Number(1), Read("x"), self.modulo(Read("X"))]))
        if kind < 0.9 + self.faulty / 2:
            return self.change(self.random.choice(COUNTERS), self.random.choice([-1, 1, 2]))
        if depth > 0:
            conditions: list[Expression] = [Choice(), Read("X"), Read("x")]
            return If(self.random.choice(conditions), self.block(depth), None)
        return Yield()

    def section(self, depth: int) -> Expression:
        """Wait until there is room, take it, do something, give it back."""
        counter = self.random.choice(COUNTERS)
        step = -1 if counter in self.counts_down else 1
        amount = self.random.choice([1, 1, 1, 2]) if self.random.random() < self.faulty else 1
        back = self.random.choice([0, 1, 2]) if self.random.random() < self.faulty else amount
        bound = self.random.randint(1, 2)
        full: Expression = (
            Binary(Operator.LESS, Read(counter), Number(amount))
            if step < 0
            else Binary(Operator.GREATER_EQUAL, Read(counter), Number(bound))
        )
        take, inside = self.change(counter, step * amount), self.block(depth)
        give = self.change(counter, -step * back)
        if self.random.random() < self.faulty:
            give = Assign(counter, Number(self.counts_down.get(counter, 0)))
        if self.random.random() < 0.3:
            return If(full, Number(0), sequence(take, inside, give))
        wait = Yield() if self.random.random() < 0.7 else sequence(Yield(), Yield())
        if self.random.random() < self.faulty:
            return sequence(While(full, wait), Yield(), take, inside, give)
        return sequence(While(full, wait), take, inside, give)

    def change(self, counter: str, by: int) -> Expression:
        operator = Operator.ADD if by >= 0 else Operator.SUBTRACT
        return Assign(counter, Binary(operator, Read(counter), Number(abs(by))))

    def modulo(self, value: Expression) -> Expression:
        return Binary(Operator.MODULO, Binary(Operator.ADD, value, Number(1)), Number(2))
