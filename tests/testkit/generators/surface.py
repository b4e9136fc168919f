"""Random programs that use all of the surface language, as text; small enough to try all their schedules."""

from random import Random

HEAD = """const N := 2
const M := N + 1
enum Light {{ RED, GREEN }}
X in 0..N {policy} := {initial}
A[N] {bounds} := 1
L[2] := 0
S in Light := RED
"""


class SurfaceMaker:
    """Draws a program; the same seed gives the same text."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.yields = 0
        self.in_function = False
        self.has_array = False

    def program(self) -> str:
        policy = self.random.choice(["", "", "wrap", "saturate"])
        bounds = self.random.choice(["", "in 0..2", "in -1..1 wrap", "in 1..3 saturate"])
        head = HEAD.format(policy=policy, initial=self.random.randrange(3), bounds=bounds)
        self.in_function = True
        functions = [
            f"fun f(p, q) {{ {self.body(2)} }}",
            f"fun g(p in 0..2) {{ {self.declared()}{self.body(2)} }}",
        ]
        self.in_function = False
        parameters = self.random.choice(
            ["p in 0..1", "p in Light", "p in 1..N", "p in 0..1, q in RED..GREEN"]
        )
        self.yields = 0
        first = f"request main({parameters}) {{ {self.declared()}{self.body(3)} }}"
        self.yields = 1
        second = f"request other {{ {self.body(2)} }}"
        return "\n".join([head, *functions, first, second])

    def declared(self) -> str:
        kinds = ["", "b[2] := 1; ", "b[N] in 0..2 := 0; x in 0..2 saturate := 1; ", "x in 0..3 := 2; "]
        chosen = self.random.choice(kinds)
        self.has_array = "b[" in chosen
        return chosen

    def body(self, statements: int) -> str:
        found = [self.statement(2) for _ in range(self.random.randint(1, statements))]
        text = "; ".join([*found, self.value(1)])
        self.has_array = False
        return text

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.25:
            assignment = f"{self.random.choice(['X', 'x', 'x', 'p', 'S'])} := {self.value(2)}"
            is_marked = kind < 0.05 and "yield" not in assignment and "(" not in assignment
            return f"@lp {assignment}" if is_marked else assignment
        if kind < 0.45:
            return f"{self.element()} := {self.value(1)}"
        if kind < 0.6 and self.yields < 2:
            self.yields += 1
            return "yield"
        if kind < 0.8 and depth > 0:
            otherwise = f" else {{ {self.statement(depth - 1)} }}" if self.random.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {self.statement(depth - 1)} }}{otherwise}"
        if kind < 0.84 and depth > 0:
            n, most = f"n{depth}", self.random.randint(1, 2)
            return f"{n} := 0; while ({n} < {most}) {{ {n} := {n} + 1; {self.statement(depth - 1)} }}"
        if kind < 0.86 and depth > 0:
            i, values = f"i{depth}", self.random.choice(["0..1", "Light", "N..N", "0..N"])
            inner = self.statement(depth - 1).replace("[p", f"[{i}", 1)
            return f"for {i} in {values} {{ {inner} }}"
        if kind < 0.88:
            return f"return {self.value(1)}"
        if kind < 0.93:
            waits = ["await X != 1", "await S == RED", "lock(L[1])", "lock(L[X % 2])"]
            return self.random.choice([*waits, f"assert {self.condition()}"])
        return self.random.choice(["unlock(L[0])", "unlock(L[1])", self.value(2)])

    def condition(self) -> str:
        sign = self.random.choice(["==", "<", ">=", "!="])
        test = f"{self.value(1)} {sign} {self.value(0)}"
        return f"!({test}) || {self.value(0)}" if self.random.random() < 0.2 else test

    def element(self) -> str:
        name = "b" if self.has_array and self.random.random() < 0.5 else "A"
        index = self.random.choice(["0", "1", "p", "X", "x", "N - 1", "X % N", "(x := 1)", "1 - S", "p + 1"])
        return f"{name}[{index}]"

    def value(self, depth: int) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.35:
            return self.random.choice(["0", "1", "X", "x", "p", "N", "S", "GREEN"])
        if kind < 0.55:
            return f"({self.value(depth - 1)} {self.random.choice('+-*')} {self.value(depth - 1)})"
        if kind < 0.75:
            return self.element()
        if kind < 0.82:
            return self.random.choice(["?", "choose(0..2)", "choose(Light)"])
        if kind < 0.88:
            return f"{self.value(depth - 1)} % M"
        if kind < 0.9 and self.yields < 2:
            self.yields += 1
            return f"(yield; {self.value(0)})"
        if self.in_function:
            return f"-{self.value(0)}"
        if self.random.random() < 0.5:
            return f"f({self.value(0)}, {self.value(depth - 1)})"
        return f"g({self.value(depth - 1)})"
