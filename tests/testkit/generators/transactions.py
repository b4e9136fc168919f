"""Random transactions in the surface language: each protects what it does to an array, or nearly so."""

from random import Random

HEAD = """const N := 2
enum Phase { IDLE, BUSY }
A[N] in 0..2 wrap := 0
L[N] := 0
P in Phase := IDLE
V in 0..2 wrap := 0
fun bump(i in 0..1) { A[i] := A[i] + 1 }
fun copy(i, j) { x := A[i]; yield; A[j] := x; x }
"""


class TransactionMaker:
    """Draws a program as text; `faulty` is how often something about a protection is wrong."""

    def __init__(self, random: Random, faulty: float = 0.2) -> None:
        self.random = random
        self.faulty = faulty

    def program(self, requests: int = 2, size: int = 3) -> str:
        return HEAD + "\n".join(self.request(f"r{number}", size) for number in range(requests)) + "\n"

    def request(self, name: str, size: int) -> str:
        parameters = self.random.choice(["", "", "(k in 0..1)", "(k in Phase)", "(k in 0..N - 1, v in 0..1)"])
        chosen = "" if parameters else self.random.choice(["k := 0; ", "k := choose(0..1); ", "k := ?; "])
        body = "; ".join(self.statement(2) for _ in range(self.random.randint(1, size)))
        return f"request {name}{parameters} {{ {chosen}{self.protected(body)} }}"

    def is_wrong(self) -> bool:
        return self.random.random() < self.faulty

    def protected(self, body: str) -> str:
        answer = self.random.choice(["x", "A[k]", "0", "V", "x == 1"])
        place = self.random.choice(["k", "0"])
        early = "yield; " if self.is_wrong() else ""
        match self.random.randrange(5):
            case 0:
                freed = "" if self.is_wrong() else f"unlock(L[{'0' if self.is_wrong() else place}]); "
                return f"lock(L[{place}]); {body}; {freed}{answer}"
            case 1:
                return f"await P == IDLE; {early}P := BUSY; {body}; P := IDLE; {answer}"
            case 2:
                test = "V == n" if not self.is_wrong() else "V >= n"
                return (
                    f"n := V; x := A[k]; yield; if ({test}) {{ V := V + 1; {self.write()}; 1 }} else {{ 0 }}"
                )
            case 3:
                return f"while (P == BUSY) {{ yield }}; {early}P := BUSY; {body}; {early}P := IDLE; x"
            case _:
                return f"{body}; {answer}"

    def write(self) -> str:
        value = self.random.choice(["x + 1", "x", "1 - x", "A[1 - k] + 1", "k", "bump(k)"])
        return f"A[{self.random.choice(['k', '0', '1 - k'])}] := {value}"

    def statement(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.3:
            return self.write()
        if kind < 0.5:
            return (
                f"x := {self.random.choice(['A[k]', 'A[1 - k]', 'A[0] + A[1]', 'copy(k, 1 - k)', 'x % N'])}"
            )
        if kind < 0.75:
            return "yield"
        if kind < 0.8:
            return "bump(k)"
        if depth > 0:
            condition = self.random.choice(["x == 0", "A[k] < 2", "?", "P == BUSY && x", "choose(0..2) == k"])
            return (
                f"if ({condition}) {{ {self.statement(depth - 1)} }} else {{ {self.statement(depth - 1)} }}"
            )
        return "x := 0"
