"""Random programs of short transactions: reads and writes with yields between them, some of them under
locks."""

from random import Random

from seriatim.language.parser import parse
from seriatim.language.syntax import Program

VARIABLES = ("X", "Y", "Z")


def random_locked_steps(random: Random) -> Program:
    handlers = "\n".join(
        f"request {name} {{ {transaction(random)} }}" for name in ("a", "b", "c")[: random.randint(1, 3)]
    )
    return parse(handlers)


def transaction(random: Random) -> str:
    """Up to three steps; a lock is taken at the start or on the way, and given back in the end, or too
    early."""
    steps = [step(random) for _ in range(random.randint(1, 3))]
    if random.random() < 0.6:
        lock = random.choice(("L", "L", "M"))
        at = random.choice((0, 0, 0, random.randrange(len(steps))))
        steps[at] = f"while ({lock} == 1) {{ yield }}; {lock} := 1; {steps[at]}"
        end = len(steps) if random.random() < 0.8 else random.randint(at + 1, len(steps))
        steps.insert(end, f"{lock} := 0")
    return "; yield; ".join(steps) + "; x"


def step(random: Random) -> str:
    variable, other = random.choice(VARIABLES), random.choice(VARIABLES)
    return random.choice(
        (
            f"x := {variable}",
            f"x := {variable}",
            f"{variable} := 1 - x",
            f"{variable} := x",
            f"{variable} := 1 - {variable}",
            f"{variable} := {other}",
            f"if ({variable} == 0) {{ {other} := 1 }}",
            f"while ({variable} == 1) {{ yield }}",
        )
    )
