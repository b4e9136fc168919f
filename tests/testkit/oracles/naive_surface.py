"""The surface language, interpreted as it is written: arrays are lists, calls are calls.

Independent of `seriatim.frontends.ser.desugar` and of the core on purpose. A request is a generator that
hands over at each `yield`; all schedules and choices of a few requests are tried, each from scratch.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, product

from seriatim.frontends.ser.surface import (
    Assert,
    AssignElement,
    Await,
    Call,
    Choose,
    Constant,
    Definition,
    Element,
    Enumeration,
    For,
    Function,
    Interval,
    Lock,
    Marked,
    NamedRange,
    Policy,
    Range,
    Request,
    Surface,
    SurfaceProgram,
    Unlock,
    Variable,
)
from seriatim.program.semantics import apply
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Choice,
    Connective,
    Fault,
    If,
    Logical,
    Number,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    is_global,
)
from seriatim.program.syntax import Cell as CoreCell

PAUSE, WAIT = 0, -1
"""What a request says when it hands over, and when it does so because it waits; other numbers are how many
values it chooses from."""

Running = Generator[int, int, int]
Outcome = tuple[tuple[str, str], ...]


class Mistake(Exception):
    """A value outside its range, or an index without an element."""


class WaitsOn(Exception):
    """A request that waits was asked to go on too early. Whatever can follow, follows without that, too."""


class Returned(Exception):
    def __init__(self, value: int) -> None:
        super().__init__()
        self.value = value


@dataclass(slots=True)
class Cell:
    """A variable: its elements, one if it is no array, and the values that it may have."""

    elements: list[int]
    low: int | None = None
    high: int | None = None
    policy: Policy = Policy.REFUSE

    def at(self, index: int) -> int:
        if not 0 <= index < len(self.elements):
            raise Mistake
        return index

    def store(self, index: int, value: int) -> int:
        index = self.at(index)
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            match self.policy:
                case Policy.REFUSE:
                    raise Mistake
                case Policy.WRAP:
                    while value > self.high:
                        value -= self.high - self.low + 1
                    while value < self.low:
                        value += self.high - self.low + 1
                case Policy.SATURATE:
                    value = self.high if value > self.high else self.low
        self.elements[index] = value
        return value


Cells = dict[str, Cell]


@dataclass(slots=True)
class World:
    """A program, ready to run."""

    program: SurfaceProgram
    constants: dict[str, int] = field(default_factory=dict)
    enumerations: dict[str, tuple[str, ...]] = field(default_factory=dict)
    globals: Cells = field(default_factory=dict)

    def __post_init__(self) -> None:
        for declaration in self.program.declarations:
            match declaration:
                case Constant(name=name, value=value):
                    self.constants[name] = self.number(value)
                case Enumeration(name=name, members=members):
                    self.constants |= {member.name: place for place, member in enumerate(members)}
                    if name is not None:
                        self.enumerations[name] = tuple(member.name for member in members)
                case Variable(name=name):
                    self.globals[name] = self.cell(declaration)

    def number(self, expression: Surface) -> int:
        """A constant."""
        return result(self.evaluate(expression, {}))

    def bounds(self, values: Range) -> tuple[int, int]:
        match values:
            case NamedRange(name=name):
                return 0, len(self.enumerations[name]) - 1
            case Interval(low=low, high=high):
                return self.number(low), self.number(high)

    def cell(self, variable: Variable) -> Cell:
        size = 1 if variable.size is None else self.number(variable.size)
        low, high = (None, None) if variable.values is None else self.bounds(variable.values)
        return Cell([self.number(variable.initial)] * size, low, high, variable.policy)

    def labels(self) -> dict[str, tuple[Request, tuple[int, ...]]]:
        """All requests, by name."""
        found: dict[str, tuple[Request, tuple[int, ...]]] = {}
        for request in self.program.definitions:
            if isinstance(request, Request):
                ranges = [each.values for each in request.parameters if each.values is not None]
                for arguments in product(*(range(low, high + 1) for low, high in map(self.bounds, ranges))):
                    shown = ", ".join(
                        self.enumerations[values.name][argument]
                        if isinstance(values, NamedRange)
                        else str(argument)
                        for values, argument in zip(ranges, arguments, strict=True)
                    )
                    found[f"{request.name}({shown})" if ranges else request.name] = request, arguments
        return found

    def run(self, definition: Definition, arguments: tuple[int, ...]) -> Running:
        """A request, or a call."""
        cells: Cells = {}
        for parameter, value in zip(definition.parameters, arguments, strict=True):
            low, high = (None, None) if parameter.values is None else self.bounds(parameter.values)
            cells[parameter.name] = Cell([0], low, high)
            cells[parameter.name].store(0, value)
        for variable in definition.locals:
            cells[variable.name] = self.cell(variable)
        try:
            return (yield from self.evaluate(definition.body, cells))
        except Returned as returned:
            return returned.value

    def variable(self, name: str, cells: Cells) -> Cell:
        return (self.globals if is_global(name) else cells).setdefault(name, Cell([0]))

    def place(self, target: Read | Element, cells: Cells) -> Generator[int, int, tuple[Cell, int]]:
        index = 0 if isinstance(target, Read) else (yield from self.evaluate(target.index, cells))
        return self.variable(target.name, cells), index

    def evaluate(self, expression: Surface, cells: Cells) -> Running:  # noqa: C901 - an arm a case
        match expression:
            case Number(value=value):
                return value
            case CoreCell() | AssignCell():
                raise AssertionError("these are no surface expressions")
            case Choice():
                return (yield 2)
            case Choose(values=values):
                low, high = self.bounds(values)
                return low + (yield high - low + 1) if high > low else low
            case Yield():
                yield PAUSE
                return 0
            case Read(name=name):
                if name in self.constants:
                    return self.constants[name]
                return self.variable(name, cells).elements[0]
            case Element(name=name, index=index):
                at = yield from self.evaluate(index, cells)
                cell = self.variable(name, cells)
                return cell.elements[cell.at(at)]
            case Assign(name=name, value=value):
                new = yield from self.evaluate(value, cells)
                return self.variable(name, cells).store(0, new)
            case AssignElement(name=name, index=index, value=value):
                at = yield from self.evaluate(index, cells)
                new = yield from self.evaluate(value, cells)
                return self.variable(name, cells).store(at, new)
            case Unary(operator=operator, operand=operand):
                only = yield from self.evaluate(operand, cells)
                return -only if operator is Prefix.MINUS else int(not only)
            case Binary(operator=operator, left=left, right=right):
                first = yield from self.evaluate(left, cells)
                second = yield from self.evaluate(right, cells)
                return apply(operator, first, second)
            case Logical(connective=connective, left=left, right=right):
                first = yield from self.evaluate(left, cells)
                if bool(first) is (connective is Connective.OR):
                    return int(bool(first))
                return int(bool((yield from self.evaluate(right, cells))))
            case If(condition=condition, then=then, otherwise=otherwise):
                if (yield from self.evaluate(condition, cells)):
                    return (yield from self.evaluate(then, cells))
                return 0 if otherwise is None else (yield from self.evaluate(otherwise, cells))
            case While(condition=condition, body=body):
                while (yield from self.evaluate(condition, cells)):
                    yield from self.evaluate(body, cells)
                return 0
            case For(variable=variable, body=body):
                assert variable.values is not None
                low, high = self.bounds(variable.values)
                for value in range(low, high + 1):
                    cells[variable.name] = Cell([value])
                    yield from self.evaluate(body, cells)
                return 0
            case Await(condition=condition):
                while not (yield from self.evaluate(condition, cells)):
                    yield WAIT
                return 0
            case Assert(condition=condition):
                if not (yield from self.evaluate(condition, cells)):
                    raise Mistake
                return 0
            case Lock(target=target):
                cell, at = yield from self.place(target, cells)
                while cell.elements[cell.at(at)]:
                    yield WAIT
                return cell.store(at, 1)
            case Unlock(target=target):
                cell, at = yield from self.place(target, cells)
                return cell.store(at, 0)
            case Return(value=value):
                raise Returned((yield from self.evaluate(value, cells)))
            case Sequence(items=items):
                last = 0
                for item in items:
                    last = yield from self.evaluate(item, cells)
                return last
            case Call(name=name, arguments=arguments):
                given: list[int] = []
                for argument in arguments:
                    given += [(yield from self.evaluate(argument, cells))]
                function = next(
                    each
                    for each in self.program.definitions
                    if isinstance(each, Function) and each.name == name
                )
                return (yield from self.run(function, tuple(given)))
            case Marked(statement=statement):
                return (yield from self.evaluate(statement, cells))
            case Fault():
                raise Mistake


def result(running: Running) -> int:
    """The value of what neither pauses nor chooses."""
    try:
        next(running)
    except StopIteration as stop:
        return int(stop.value)
    raise AssertionError("a constant that pauses")


def attempts(act: Callable[[Callable[[int], int]], None], limit: int) -> bool:
    """Calls `act` with all ways to decide; it asks with how many ways there are. False if there are too
    many."""
    script: list[tuple[int, int]] = []
    for _ in range(limit):
        position = 0

        def decide(ways: int) -> int:
            nonlocal position
            if position == len(script):
                script.append((0, ways))
            chosen, known = script[position]
            assert known == ways, "the same decisions lead to the same questions"
            position += 1
            return chosen

        act(decide)
        while script and script[-1][0] + 1 == script[-1][1]:
            script.pop()
        if not script:
            return True
        chosen, ways = script[-1]
        script[-1] = (chosen + 1, ways)
    return False


class TooMany(Exception):
    """There are more schedules than the caller wants to try."""


def outcomes(program: SurfaceProgram, requests: int, limit: int = 20_000) -> tuple[set[Outcome], bool]:
    """What up to so many requests can answer, and whether any of them can make a mistake."""
    found: set[Outcome] = {()}
    mistakes: list[Mistake] = []
    names = list(World(program).labels())
    for number in range(1, requests + 1):
        for chosen in combinations_with_replacement(names, number):

            def act(decide: Callable[[int], int], chosen: tuple[str, ...] = chosen) -> None:
                try:
                    found.add(complete(program, chosen, decide))
                except Mistake as mistake:
                    mistakes.append(mistake)
                except WaitsOn:
                    pass

            if not attempts(act, limit):
                raise TooMany
    return found, bool(mistakes)


def complete(program: SurfaceProgram, names: tuple[str, ...], decide: Callable[[int], int]) -> Outcome:
    """One complete run."""
    world = World(program)
    labels = world.labels()
    flying = [(name, world.run(*labels[name])) for name in names]
    answers: list[tuple[str, str]] = []
    waiting: set[Running] = set()
    while flying:
        at = decide(len(flying)) if len(flying) > 1 else 0
        name, running = flying[at]
        answer = step(running, decide, waiting)
        if answer is not None:
            answers.append((name, str(answer)))
            flying.pop(at)
    return tuple(sorted(answers))


def step(running: Running, decide: Callable[[int], int], waiting: set[Running]) -> int | None:
    """Runs a request to its next pause, or to its answer."""
    try:
        said = next(running)
        if said == WAIT and running in waiting:
            raise WaitsOn
        waiting.discard(running)
        while said > PAUSE:
            said = running.send(decide(said))
    except StopIteration as stop:
        return int(stop.value)
    if said == WAIT:
        waiting.add(running)
    return None
