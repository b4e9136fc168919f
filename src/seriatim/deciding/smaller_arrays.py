"""If a program is undecided, finds a smaller size of its arrays that can be decided.

A verdict about smaller arrays is not a verdict about larger ones. It only shows what to expect.
"""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.budget import Deadline
from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.desugar import desugar
from seriatim.frontends.ser.parser import parse_surface
from seriatim.frontends.ser.surface import Constant, Declaration, Surface, SurfaceProgram, Variable
from seriatim.program.syntax import Number, Program, Read
from seriatim.properties.property import in_words
from seriatim.result import Holds, Result, Undecided, Violated, verdict_name
from seriatim.source import Findings, InputError


def with_decided_size(result: Result, answer: Undecided, options: Options, deadline: Deadline) -> Result:
    """Adds the largest array size that can be decided to an undecided result."""
    if not result.source.name.endswith(".ser"):
        return result
    decided: tuple[int, Result] | None = None
    for size, program in smaller_programs(result.source.text):
        if deadline.remaining() == 0:
            break
        quick = replace(options, timeout=min(options.timeout or 60.0, deadline.remaining() / 2))
        found = decide(program, replace(quick, wants=THE_ANSWER_ALONE))
        if not isinstance(found.answer, Holds | Violated):
            break
        decided = size, found
    if decided is None:
        return result
    size, found = decided
    known = f"with arrays of size {size} instead, the handlers are {in_words(verdict_name(found))}"
    return replace(result, answer=replace(answer, reason=f"{answer.reason}; {known}"))


def smaller_programs(text: str) -> Iterator[tuple[int, Program]]:
    """The program with smaller arrays, from size 1 on; sizes for which it is not valid are left out."""
    surface = parse_surface(text)
    written = [
        size
        for each in surface.declarations
        if isinstance(each, Variable) and (size := _size(each.size, surface)) is not None
    ]
    for size in range(1, max(written, default=1)):
        smaller = replace(
            surface, declarations=tuple(_shrunk(each, surface, size) for each in surface.declarations)
        )
        try:
            yield size, desugar(smaller, Findings())
        except InputError:
            continue


def _size(size: Surface | None, surface: SurfaceProgram) -> int | None:
    """The size of an array, written as a number or as the name of a constant."""
    match size:
        case Number(value=value):
            return value
        case Read(name=name):
            constants = (each for each in surface.declarations if isinstance(each, Constant))
            values = (each.value for each in constants if each.name == name)
            return next((value.value for value in values if isinstance(value, Number)), None)
        case _:
            return None


def _shrunk(declaration: Declaration, surface: SurfaceProgram, size: int) -> Declaration:
    """The declaration with a smaller size, where it is an array or the constant size of one."""
    match declaration:
        case Constant(name=name, value=Number(value=value)) if value > size and name in _sizes(surface):
            return replace(declaration, value=Number(size, declaration.value.span))
        case Variable(size=Number(value=value)) if value > size:
            return replace(declaration, size=Number(size, declaration.span))
        case _:
            return declaration


def _sizes(surface: SurfaceProgram) -> set[str]:
    """The constants that are sizes of arrays."""
    variables = (each for each in surface.declarations if isinstance(each, Variable))
    return {each.size.name for each in variables if isinstance(each.size, Read)}
