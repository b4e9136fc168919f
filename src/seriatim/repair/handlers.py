"""Handlers as they are written: which statements use shared variables, and where one of them may wait.

What a function does counts as done where it is called.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from seriatim.frontends.ser.surface import (
    AssignElement,
    Await,
    Call,
    Definition,
    Element,
    For,
    Function,
    Lock,
    Request,
    Surface,
    SurfaceProgram,
    Unlock,
    Variable,
    walk,
)
from seriatim.program.syntax import Assign, If, Read, Return, Sequence, While, Yield, is_global, sequence


class Written:
    """A program in its surface form."""

    def __init__(self, program: SurfaceProgram) -> None:
        self.program = program
        self.functions = {each.name: each for each in program.definitions if isinstance(each, Function)}
        declared = {each.name for each in program.declarations if isinstance(each, Variable)}
        used = {part.name for part in self._all_parts() if isinstance(part, Read) and is_global(part.name)}
        given = {name for part in self._all_parts() for name, writes in accesses(part) if writes}
        self.constants = used - given - declared
        """Globals that no code assigns, including those of `const` and `enum`: they never change."""

    def _all_parts(self) -> Iterator[Surface]:
        for definition in self.program.definitions:
            yield from walk(definition.body)

    def parts(self, part: Surface) -> Iterator[Surface]:
        """All parts that are executed, also in functions, which never call themselves."""
        for inner in walk(part):
            yield inner
            if isinstance(inner, Call) and inner.name in self.functions:
                yield from self.parts(self.functions[inner.name].body)

    def globals_of(self, part: Surface) -> set[str]:
        found = {name for inner in self.parts(part) for name, _ in accesses(inner)}
        return {name for name in found if is_global(name) and name not in self.constants}

    def find_written(self, part: Surface) -> set[str]:
        found = {name for inner in self.parts(part) for name, writes in accesses(inner) if writes}
        return {name for name in found if is_global(name)}

    def yields(self, part: Surface) -> bool:
        return any(isinstance(inner, Yield | Await | Lock) for inner in self.parts(part))

    def may_wait(self, part: Surface) -> bool:
        """Whether it may wait for others: in a loop that yields, or where it says so."""
        return any(
            isinstance(inner, Await | Lock) or (isinstance(inner, While) and self.yields(inner))
            for inner in self.parts(part)
        )

    def requests(self) -> list[Request]:
        return [each for each in self.program.definitions if isinstance(each, Request)]

    def names(self) -> set[str]:
        """All names in use."""
        found = {
            each.name for each in self.program.declarations if isinstance(each, Variable)
        } | self.constants
        found |= {name for part in self._all_parts() for name, _ in accesses(part)}
        for definition in self.program.definitions:
            found |= {each.name for each in definition.parameters}
            found |= {each.name for each in definition.locals}
        return found | {part.variable.name for part in self._all_parts() if isinstance(part, For)}

    def with_bodies(self, bodies: dict[str, Surface]) -> SurfaceProgram:
        """The program with other bodies for some requests, by name."""
        definitions: list[Definition] = []
        for each in self.program.definitions:
            if isinstance(each, Request) and each.name in bodies:
                definitions.append(replace(each, body=bodies[each.name]))
            else:
                definitions.append(each)
        return replace(self.program, definitions=tuple(definitions))


def accesses(part: Surface) -> Iterator[tuple[str, bool]]:
    """The variable that a part itself reads, or writes."""
    match part:
        case Read(name=name) | Element(name=name):
            yield name, False
        case Assign(name=name) | AssignElement(name=name):
            yield name, True
        case Lock(target=target) | Unlock(target=target):
            yield target.name, True
        case _:
            return


def statements(definition: Definition) -> tuple[Surface, ...]:
    return items_of(definition.body)


def items_of(body: Surface) -> tuple[Surface, ...]:
    return body.items if isinstance(body, Sequence) else (body,)


def find_assigned(items: Iterable[Surface]) -> set[str]:
    """The variables that some of these statements write; of functions, only what they do with globals."""
    return {name for item in items for part in walk(item) for name, writes in accesses(part) if writes}


def has_return(part: Surface) -> bool:
    return any(isinstance(inner, Return) for inner in walk(part))


@dataclass(frozen=True, slots=True)
class WrittenBlock:
    """Statements one after the other, in a handler."""

    request: Request
    body: Surface
    is_tail: bool
    """Whether its value is the answer."""

    @property
    def items(self) -> tuple[Surface, ...]:
        return items_of(self.body)


def blocks(request: Request) -> Iterator[WrittenBlock]:
    """The body of a handler, and the blocks of its `if`, `while` and `for`, outer ones first."""
    pending = [WrittenBlock(request, request.body, True)]
    while pending:
        block = pending.pop(0)
        yield block
        for number, item in enumerate(block.items):
            is_last = block.is_tail and number == len(block.items) - 1
            match item:
                case If(then=then, otherwise=otherwise):
                    inner = [then] if otherwise is None else [then, otherwise]
                    has_value = is_last and otherwise is not None
                    pending += [WrittenBlock(request, each, has_value) for each in inner]
                case While(body=body) | For(body=body):
                    pending.append(WrittenBlock(request, body, False))


@dataclass(frozen=True, slots=True)
class Region:
    """Statements of a block, from one to another, inclusive."""

    block: WrittenBlock
    first: int
    last: int

    @property
    def request(self) -> Request:
        return self.block.request

    @property
    def inside(self) -> tuple[Surface, ...]:
        return self.block.items[self.first : self.last + 1]

    @property
    def before(self) -> tuple[Surface, ...]:
        """What may have been executed before: all that stands before it in the text."""
        start = self.inside[0].span
        return tuple(part for part in walk(self.request.body) if part.span < start)


def with_block(body: Surface, old: Surface, new: Surface) -> Surface:
    """A body in which another block stands in the place of one."""
    if body is old:
        return new
    match body:
        case Sequence(items=items):
            return sequence(*(with_block(item, old, new) for item in items))
        case If(condition=condition, then=then, otherwise=otherwise, span=span):
            rest = None if otherwise is None else with_block(otherwise, old, new)
            return If(condition, with_block(then, old, new), rest, span)
        case While(condition=condition, body=inner, span=span):
            return While(condition, with_block(inner, old, new), span)
        case For(variable=variable, body=inner, span=span):
            return For(variable, with_block(inner, old, new), span)
        case _:
            return body


def fresh(name: str, taken: set[str]) -> str:
    """The name, or that name with a number that makes it new."""
    candidates = (name if number == 1 else f"{name}_{number}" for number in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)
