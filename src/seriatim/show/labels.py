"""What states are called in tables and pictures."""

from seriatim.explain.names import visible
from seriatim.program.network_system import LocalState


def valuation(values: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values)


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


MAX_CODE_LINES = 12
"""How much of the remaining code a picture shows."""


def local_lines(local: LocalState) -> tuple[str, ...]:
    """A local state in a picture: where it waits, its values, what is left to do, one statement a line."""
    if local.code is None or local.line is None:
        return (visible(local.name),)
    values = f" [{valuation(local.values)}]" if local.values else ""
    code = local.code.replace("; ", ";\n").split("\n")
    more = ("…",) if len(code) > MAX_CODE_LINES else ()
    return (f"line {local.line}{values}", *code[:MAX_CODE_LINES], *more)
