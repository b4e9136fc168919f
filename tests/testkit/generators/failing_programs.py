"""Random programs that may fail: values in ranges, with and without locks; and what enumeration says."""

from random import Random

from seriatim.frontends.ser.parser import parse
from seriatim.program.semantics import Configuration, faults
from seriatim.program.syntax import Program
from testkit.oracles.brute_force import Interpreted, TooLarge

HEAD = "X in 0..{high} := {initial}\nY in -1..1 := 0\nA[2] in 0..2 := 0\n"


class FailingMaker:
    """Handlers that test, change and guard a few variables with narrow ranges."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def text(self) -> str:
        head = HEAD.format(high=self.random.randint(1, 2), initial=self.random.randint(0, 1))
        names = "abc"[: self.random.randint(1, 3)]
        return head + "\n".join(f"request {name} {{ {self.body()} }}" for name in names)

    def body(self) -> str:
        statements = [self.statement() for _ in range(self.random.randint(1, 4))]
        if self.random.random() < 0.3:
            statements = ["lock(L)", *statements, "unlock(L)"]
        if self.random.random() < 0.2:
            statements.insert(
                self.random.randrange(len(statements) + 1), f"if ({self.test()}) {{ return 0 }}"
            )
        return "; ".join((*statements, self.random.choice(("X", "Y", "x", "0"))))

    def statement(self, depth: int = 2) -> str:
        kind = self.random.choice(
            ("yield", "change", "change", "read", "if", "await", "assert") if depth else ("yield", "change")
        )
        if kind == "yield":
            return "yield"
        if kind == "read":
            return "x := " + self.random.choice(("X", "Y", "A[X % 2]"))
        if kind == "await":
            return f"await {self.test()}"
        if kind == "assert":
            return f"assert {self.test()}"
        if kind == "if":
            return f"if ({self.test()}) {{ {self.statement(depth - 1)}; {self.statement(depth - 1)} }}"
        changes = (
            "X := X + 1",
            "X := X - 1",
            "Y := Y + 1",
            "Y := -Y",
            "X := x",
            "A[x % 2] := X",
            "A[Y] := 1",
            "Y := 0",
        )
        return self.random.choice(changes)

    def test(self) -> str:
        tests = ("X == 0", "X < 1", "Y == 1", "Y <= 0", "x == X", "A[0] == 0", "?")
        return self.random.choice(tests)


def failing_program(seed: int) -> Program:
    return parse(FailingMaker(Random(seed)).text())


def fewest_to_fail(program: Program, requests: int, max_states: int = 20_000) -> int | None:
    """With how few requests a step can fail, up to so many; straight from the reference semantics.

    Raises `TooLarge` if there are more states.
    """
    rules = Interpreted(program)
    start: tuple[int, tuple[int, ...]] = (rules.rules.initial, ())
    bucket = {start}
    for count in range(requests + 1):
        pending = list(bucket)
        while pending:
            global_, flying = pending.pop()
            for place, local in enumerate(flying):
                if faults(Configuration(*rules.locals.items[local], rules.globals.items[global_]), 2_000):
                    return count
                others = flying[:place] + flying[place + 1 :]
                following = [
                    (after, tuple(sorted((*others, to)))) for to, after in rules.steps(local, global_)
                ]
                following += [(global_, others) for _ in rules.responses(local)]
                for state in following:
                    if state not in bucket:
                        bucket.add(state)
                        pending.append(state)
                        if len(bucket) > max_states:
                            raise TooLarge
        bucket = {
            (global_, tuple(sorted((*flying, fresh))))
            for global_, flying in bucket
            for _, fresh in rules.rules.req
        }
    return None
