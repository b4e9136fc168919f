"""Programs whose values have no bound: how to recognize them, and how to say what a proof covers."""

from seriatim.engines.shared.finiteness import is_visibly_finite
from seriatim.program.recursion import deep_recursion
from seriatim.program.symbolic.execution import TooManyPaths
from seriatim.program.symbolic.model import from_program
from seriatim.program.syntax import Program

MOST_HANDLERS = 40


def is_unbounded(program: Program) -> bool:
    """Whether the text does not show that there are finitely many states."""
    if len(program.unbounded_handlers or program.handlers) > MOST_HANDLERS:
        return False
    try:
        with deep_recursion():
            return not is_visibly_finite(from_program(program))
    except TooManyPaths:
        return False


def how_many(program: Program) -> str:
    """Says what a proof for all integers covers, in words."""
    indices = dict.fromkeys(f"any number of {plural(each.index)}" for each in program.open_arrays)
    *parts, last = ("any number of requests", "any integers", *indices)
    return f"For {', '.join(parts)} and {last}"


def plural(noun: str) -> str:
    """The plural of an English noun, for most nouns."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"
