"""Random programs of short transactions: reads and writes with yields between them, some of them under
locks."""

from random import Random

from seriatim.frontends.ser.parser import parse
from seriatim.program.syntax import Program

VARIABLES = ("X", "Y", "Z")


def random_locked_steps(random: Random) -> Program:
    return parse("\n".join(f"request {name} {{ {transaction(random)}; x }}" for name in names(random)))


def names(random: Random) -> tuple[str, ...]:
    return ("a", "b", "c")[: random.randint(1, 3)]


def observed_steps(random: Random) -> str:
    """Where it takes others to tell what a request did: who answers a constant, and who only reads. Some have
    the step marked in which they may take effect."""
    marks = random.random() < 0.5
    variables = VARIABLES[: random.randint(1, 2)]
    handlers = [
        f"request {name} {{ {transaction(random, variables, marks)}; {random.choice(('x', '0', '0'))} }}"
        for name in names(random)[:2]
    ]
    return "\n".join([*handlers, f"request look {{ {random.choice(variables)} }}"])


def transaction(random: Random, variables: tuple[str, ...] = VARIABLES, has_mark: bool = False) -> str:
    """Up to three steps; a lock is taken at the start or on the way, and given back in the end, or too
    early."""
    steps = [step(random, variables) for _ in range(random.randint(1, 3))]
    at = random.randrange(len(steps)) if has_mark else None
    if at is not None and "yield" not in steps[at]:  # Who pauses takes several steps, not one.
        steps[at] = f"@lp {steps[at]}"
    if random.random() < 0.6:
        lock = random.choice(("L", "L", "M"))
        start = random.choice((0, 0, 0, random.randrange(len(steps))))
        steps[start] = f"while ({lock} == 1) {{ yield }}; {lock} := 1; {steps[start]}"
        end = len(steps) if random.random() < 0.8 else random.randint(start + 1, len(steps))
        steps.insert(end, f"{lock} := 0")
    return "; yield; ".join(steps)


def step(random: Random, variables: tuple[str, ...]) -> str:
    variable, other = random.choice(variables), random.choice(variables)
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
