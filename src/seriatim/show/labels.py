"""Labels of states in tables and pictures."""

import re

from seriatim.explain.names import visible
from seriatim.program.network_system import LocalState
from seriatim.program.syntax import is_generated


def valuation(values: tuple[tuple[str, int], ...]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values)


def count_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


_GENERATED = re.compile(r"#\w|\w@\w|\bfault\(")
"""Variables that exist only in the core language."""

MAX_CODE_LINES = 12
"""How many lines of the remaining code a picture shows."""


def local_lines(local: LocalState) -> tuple[str, ...]:
    """A local state in a picture: where it waits, its values, what is left to do, one statement a line.

    Code with generated variables is left out, because it would not help readers.
    """
    if local.code is None or local.line is None:
        return (visible(local.name),)
    own = tuple((name, value) for name, value in local.values if not is_generated(name))
    kept = tuple(str(value) for name, value in local.values if is_generated(name))
    values = ", ".join(filter(None, [valuation(own), f"kept {', '.join(kept)}" if kept else ""]))
    values = f" [{values}]" if values else ""
    if _GENERATED.search(local.code):
        return (f"line {local.line}{values}",)
    code = local.code.replace("; ", ";\n").split("\n")
    more = ("…",) if len(code) > MAX_CODE_LINES else ()
    return (f"line {local.line}{values}", *code[:MAX_CODE_LINES], *more)
