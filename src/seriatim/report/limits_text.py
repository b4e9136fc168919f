"""A limit that was reached, as a diagnostic: which flag raises it, which variable grows, and where."""

from seriatim.network.limits import Growth, LimitReached
from seriatim.source import Diagnostic


def limit_diagnostic(reached: LimitReached, growth: Growth | None = None) -> Diagnostic:
    """`growth` is for a limit that does not know by itself what grows."""
    if reached.flag == "--max-value":
        code, message = "SER302", f"a variable goes beyond {reached.limit:,}"
    else:
        code, message = "SER301", f"there are more than {reached.limit:,} states"
    growth = reached.growth or growth
    if growth is None:
        return Diagnostic(code, message, hint=f"raise {reached.flag}")
    return Diagnostic(
        code,
        f"{message}: `{growth.variable}` keeps growing{_places(growth.lines)}",
        hint=f"bound `{growth.variable}` in the program, or raise {reached.flag}",
    )


def _places(lines: tuple[int, ...]) -> str:
    if not lines:
        return ""
    word = "line" if len(lines) == 1 else "lines"
    return f" ({word} {', '.join(map(str, lines))})"


def timeout_diagnostic(seconds: float) -> Diagnostic:
    return Diagnostic("SER303", f"not done after {seconds:g} seconds", hint="allow more with --timeout")
