"""Smaller subjects with the same contradiction: delta debugging on the syntax tree.

A candidate is the subject with one thing left out or made simpler: a handler, a declaration, a statement, an
expression replaced by a part of itself or by a number; or a transition of a network system. What the parser
refuses is no candidate. Each round takes the first candidate that still shows the contradiction; where none
does, the subject is minimal: any one of these changes makes the contradiction go away. Every candidate has
fewer nodes or a smaller number, so rounds come to an end.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from time import monotonic
from typing import Any, TypeVar

from differential.subject import Subject
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse_surface
from seriatim.frontends.ser.surface import Declaration, Definition, Member, Parameter, Range, SurfaceProgram
from seriatim.frontends.ser.surface_printer import print_surface
from seriatim.program.expression_printer import Style
from seriatim.program.network_system import NetworkSystem
from seriatim.program.syntax import Number, Read, Sequence, sequence
from seriatim.program.system_printer import write_system
from seriatim.source import InputError, Span

Tree = TypeVar("Tree")

NO_EXPRESSION = SurfaceProgram | Declaration | Definition | Range | Member | Parameter | Span


def shrunk(subject: Subject, shows: Callable[[Subject], bool], seconds: float) -> Subject:
    """The smallest subject that is found in this time and still `shows` what matters."""
    ends = monotonic() + seconds
    tried = {subject.text}
    current = subject
    while True:
        for candidate in candidates(current):
            if monotonic() > ends:
                return current
            if candidate.text not in tried and is_input(candidate):
                tried.add(candidate.text)
                if shows(candidate):
                    current = candidate
                    break
        else:
            return current


def is_input(subject: Subject) -> bool:
    try:
        return bool(subject.content)
    except InputError:
        return False


def candidates(subject: Subject) -> Iterator[Subject]:
    if subject.is_system:
        for system in smaller_systems(read_system(subject.text)):
            yield replace(subject, text=write_system(system))
    else:
        for program in simpler(parse_surface(subject.text)):
            yield replace(subject, text=print_surface(program, Style.BRACES))


# --- network systems ----------------------------------------------------------------------------------------


def smaller_systems(system: NetworkSystem) -> Iterator[NetworkSystem]:
    """With fewer entries; states that nobody names any more are gone once the system is written."""
    yield from (replace(system, req=req) for req in fewer(system.req))
    yield from (replace(system, delta=delta) for delta in fewer(system.delta))
    yield from (replace(system, resp=resp) for resp in fewer(system.resp))


def fewer(items: tuple[Tree, ...]) -> Iterator[tuple[Tree, ...]]:
    """Without a half, a quarter, …, one of them."""
    length = len(items)
    while length > 0:
        for start in range(0, len(items), length):
            yield items[:start] + items[start + length :]
        length //= 2


# --- programs -----------------------------------------------------------------------------------------------


def simpler(tree: Any) -> Iterator[Any]:
    """The tree with one thing left out or made smaller."""
    match tree:
        case Number(value=value):
            smaller = dict.fromkeys([0, 1, value // 2, value - 1])
            yield from (Number(number) for number in smaller if 0 <= number < value)
        case Sequence(items=items):
            yield from (sequence(*rest) for rest in fewer(items) if rest)
            yield from (sequence(*changed) for changed in one_simpler(items))
        case tuple():
            yield from fewer(tree)
            yield from one_simpler(tree)
        case _ if is_dataclass(tree):
            if is_expression(tree):
                yield from instead(tree)
            yield from in_one_field(tree)


def is_expression(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, NO_EXPRESSION)


def one_simpler(items: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    for index, item in enumerate(items):
        for changed in simpler(item):
            yield (*items[:index], changed, *items[index + 1 :])


def instead(expression: Any) -> Iterator[Any]:
    """A part of an expression in its place, or a number."""
    for field in fields(expression):
        part = getattr(expression, field.name)
        yield from filter(is_expression, part if isinstance(part, tuple) else (part,))
    yield Number(0)
    if not isinstance(expression, Read):
        yield Number(1)


def in_one_field(tree: Any) -> Iterator[Any]:
    for field in fields(tree):
        value = getattr(tree, field.name)
        if field.name in OPTIONAL and value is not None:
            yield replace(tree, **{field.name: None})
        for changed in simpler(value):
            yield replace(tree, **{field.name: changed})


OPTIONAL = {"otherwise", "size", "values"}
"""Fields that may be empty; where one may not, the parser says so."""
