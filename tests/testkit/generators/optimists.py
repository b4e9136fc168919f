"""Random optimistic handlers: they look, pause, look again, and act if nothing has changed; or nearly so."""

from random import Random


class OptimistMaker:
    """Draws a program as text; `faulty` is how often a comparison is missing or a write comes too early."""

    def __init__(self, random: Random, faulty: float = 0.3) -> None:
        self.random = random
        self.faulty = faulty

    def program(self, handlers: int = 2) -> str:
        return "\n".join(self.handler(f"h{number}") for number in range(handlers))

    def handler(self, name: str) -> str:
        random = self.random
        names = random.sample(["X", "Y"], random.choice([1, 1, 2]))
        looks = "; ".join(f"{each.lower()} := {each}" for each in names)
        compared = [each for each in names if random.random() >= self.faulty / 2]
        same = " && ".join(f"{each} == {each.lower()}" for each in compared) or "1 == 1"
        writes = "; ".join(f"{each} := {self.value(names)}" for each in random.choices(names, k=1))
        early = (
            f"{random.choice(names)} := {self.value(names)}; " if random.random() < self.faulty / 3 else ""
        )
        answer = random.choice([self.value(names), *names, "0"])
        match random.randrange(4):
            case 0:
                again = random.choice(["yield", "0", "d := 0"])
                body = f"while (d == 0) {{ {looks}; {early}yield; if ({same}) {{ {writes}; d := 1 }}"
                return f"request {name} {{ {body} else {{ {again} }} }}; {answer} }}"
            case 1:
                acts = f"if ({same}) {{ {writes}; {answer} }} else {{ 9 }}"
                return f"request {name} {{ {looks}; {early}yield; {acts} }}"
            case 2:
                return f"request {name} {{ {looks}; yield; {looks}; {writes}; {answer} }}"
            case _:
                return f"request {name} {{ {looks}; {writes}; {answer} }}"

    def value(self, names: list[str]) -> str:
        each = self.random.choice(names).lower()
        return self.random.choice([each, f"1 - {each}", "1", f"({each} + 1) % 3"])
