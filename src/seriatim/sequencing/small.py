"""Small sizes at which a program is executed before it is proved for all sizes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.actions.configurations import TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import ActionProgram, Collection, Proof
from seriatim.actions.values import Layout, Sizes
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.finite import FiniteReport, Prefix, check_at, execute_order

MAX_INITIAL = 3_000
MAX_SMALL = 30_000
MAX_SIZE = 8


@dataclass(frozen=True, slots=True)
class Small:
    """A program at small sizes: its interpreter, and the report about the order."""

    interpreter: Interpreter
    report: FiniteReport

    @property
    def sizes(self) -> Sizes:
        return self.interpreter.layout.sizes


@dataclass(frozen=True, slots=True)
class Execution:
    """A program at small sizes, and what the order reaches there."""

    interpreter: Interpreter
    prefixes: tuple[Prefix, ...]


def initial_count(program: ActionProgram, sizes: Sizes) -> int:
    """An upper bound on the number of initial states."""
    layout, total = Layout(program, sizes), 1
    for variable in program.variables:
        if variable.initial is None and not isinstance(variable.type, Collection):
            total *= len(layout.values(variable.type)) ** layout.shapes[variable.name].count
    return total


def small_sizes(program: ActionProgram, value: int) -> Sizes:
    """Sizes with all parameters at a value, or at their least value if that is larger; free integers reach as
    far as is cheap."""
    parameters = {size.name: max(size.least, value) for size in program.sizes}
    high = max([1, *parameters.values()])
    while high > 1 and initial_count(program, Sizes(parameters, 0, high)) > MAX_INITIAL:
        high -= 1
    return Sizes(parameters, 0, high)


def explore(program: ActionProgram, proof: Proof, deadline: Deadline, terminating: bool) -> Iterator[Small]:
    """Explores the program at sizes 2, 3 and 1, skipping those with too many configurations; then at larger
    sizes, until each ordered action has been executed."""
    missing = set(proof.actions)
    for value in (2, 3, 1, *range(4, MAX_SIZE + 1)) if program.sizes else (1,):
        if value > 3 and not missing:
            return
        interpreter = Interpreter(program, small_sizes(program, value))
        try:
            small = Small(interpreter, check_at(interpreter, proof, MAX_SMALL, deadline, terminating))
        except TooLarge:
            if value > 3:
                return
            continue
        missing -= small.report.chosen
        yield small


def explore_further(
    program: ActionProgram, proof: Proof, deadline: Deadline, terminating: bool
) -> Iterator[Small]:
    """Explores the program at the sizes after those of `explore`, one after the other, and those at which one
    parameter is larger than the others; as far as is cheap."""
    for value in range(4, MAX_SIZE + 1) if program.sizes else ():
        even, small = small_sizes(program, value), small_sizes(program, 2)
        named = [each.name for each in program.sizes] if len(program.sizes) > 1 else []
        odd = [replace(small, parameters={**small.parameters, name: value}) for name in named]
        for sizes in (even, *odd):
            if initial_count(program, sizes) > MAX_INITIAL:
                continue
            interpreter = Interpreter(program, sizes)
            try:
                yield Small(interpreter, check_at(interpreter, proof, MAX_SMALL, deadline, terminating))
            except TooLarge:
                continue


def executions(program: ActionProgram, proof: Proof, deadline: Deadline) -> Iterator[Execution]:
    """Executes the order at a few more sizes, at which no two parameters are equal, as far as is cheap. What
    is true where all sizes are equal is often true only there."""
    parameters = [size.name for size in program.sizes]
    for shift in range(len(parameters)) if len(parameters) > 1 else ():
        turned = [*parameters[shift:], *parameters[:shift]]
        given = {size.name: max(size.least, 1 + turned.index(size.name)) for size in program.sizes}
        sizes = Sizes(given, 0, 1)
        if initial_count(program, sizes) > MAX_INITIAL:
            continue
        interpreter = Interpreter(program, sizes)
        try:
            yield Execution(interpreter, execute_order(interpreter, proof, MAX_SMALL, deadline))
        except TooLarge:
            continue
