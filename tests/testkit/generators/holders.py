"""Random programs in which globals, locals and answers hold indices. Many have a symmetry that permutes these
values; what breaks one is in some: literals, compared constants, orders, arithmetic, scans, unset locals."""

from random import Random

HOLDERS = ("OWNER", "LAST")


class HolderMaker:
    """A program over `count` indices, of which `count` itself is none."""

    def __init__(self, random: Random, count: int = 3, odd: float | None = None) -> None:
        self.random = random
        self.count = count
        self.odd = random.choice((0.0, 0.0, 0.1, 0.4)) if odd is None else odd
        self.globals = HOLDERS[: random.choice((1, 1, 2))]
        self.has_array = random.random() < 0.6
        self.has_flag = random.random() < 0.5

    def program(self) -> str:
        random = self.random
        lines = [f"const N := {self.count}"]
        for name in self.globals:
            first = random.randrange(self.count) if random.random() < 0.15 else "N"
            lines.append(f"{name} in 0..N := {first}")
        if self.has_array:
            lines.append("A[N] in 0..1 := 0")
        has_lock = random.random() < 0.3
        for number in range(random.choice((1, 2, 2))):
            lines += self.handler(f"f{'ab'[number]}", has_lock, random.random() < 0.75)
        if random.random() < 0.4:
            lines += ["request who:", f"    return {random.choice(self.globals)}"]
        return "\n".join(lines) + "\n"

    def handler(self, name: str, has_lock: bool, has_index: bool) -> list[str]:
        random = self.random
        head = f"request {name}(me in 0..N - 1):" if has_index else f"request {name}:"
        held = ["h", *(["me"] if has_index else [])]
        start = "N" if random.random() > self.odd else "h"  # a local that is not set is 0
        lines = ["x := 0", f"h := {start}"]
        body = [line for _ in range(random.randint(2, 4)) for line in self.step(held)]
        if has_lock and random.random() < 0.8:
            body = ["lock(L)", *body, "unlock(L)"]
        answer = random.choice(("0", "x", *held, *self.globals))
        return [head, *(f"    {line}" for line in (*lines, *body)), f"    return {answer}"]

    def step(self, held: list[str]) -> list[str]:
        random = self.random
        match random.randrange(9):
            case 0 | 1:
                return ["yield"]
            case 2 | 3:
                return [f"{random.choice(self.globals)} := {self.index(held)}"]
            case 4:
                return [f"h := {self.index(held)}"]
            case 5 | 6:
                return [f"if {self.condition(held)}:", *(f"    {line}" for line in self.step(held))]
            case 7 if self.has_flag:
                return [random.choice(("F := 1 - F", "x := F", "F := 0"))]
            case _ if self.has_array:
                return ["if h != N:", f"    {random.choice(('A[h] := 1 - A[h]', 'x := A[h]', 'A[h] := x'))}"]
            case _:
                return ["x := 1 - x"]

    def index(self, held: list[str]) -> str:
        random = self.random
        if random.random() < self.odd / 2:
            return random.choice((str(random.randrange(self.count)), f"({held[0]} + 1) % N", "x"))
        return random.choice((*held, *self.globals, "N", "choose(0..N - 1)"))

    def condition(self, held: list[str]) -> str:
        random = self.random
        one = random.choice((*held, *self.globals))
        if random.random() < self.odd / 2:
            literal = random.randrange(self.count)
            return random.choice(
                (f"{one} == {literal}", f"{one} < {random.choice(held)}", f"{one} < {literal}")
            )
        choices = [
            f"{one} == {random.choice((*held, *self.globals))}",
            f"{one} != N",
            f"{one} < N",
            "x == 0",
            "?",
        ]
        if self.has_array:
            choices.append("A[0] + A[1] + A[2] < 2" if self.count == 3 else "A[0] == 0")
        return random.choice(choices)


def holding_program(random: Random, count: int = 3) -> str:
    return HolderMaker(random, count).program()
