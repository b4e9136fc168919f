"""States for all sizes at once: each global is a function from index terms to terms.

A value is a function of its indices; a set or a bag is a function of its indices and of the parts of a
message, and tells how often the message is there. A queue has one function for each part of its messages,
from positions to values, and two for its ends. Each action has a function from arguments to the number of
such instances that are pending. Sums, counts and sizes are functions of their own (ghosts), which every write
keeps up to date.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from seriatim.actions.expressions import Aggregate, Between, Cell, Expression, Fold, Parameter, Size, Symbol
from seriatim.actions.printer import domain_text, expression_text
from seriatim.actions.syntax import (
    ActionProgram,
    BoolType,
    Collection,
    CollectionKind,
    Global,
    ValueType,
)
from seriatim.actions.walk import assigned_globals, subexpressions
from seriatim.arithmetic.terms import (
    ONE,
    ZERO,
    Apply,
    Name,
    Sort,
    Term,
    add,
    at_most,
    both,
    choose,
    equal,
    fresh,
    subtract,
)
from seriatim.source import Diagnostic, InputError, Span
from seriatim.terms.expressions import Apply as Operation
from seriatim.terms.expressions import Constant, Variable

Function = Callable[..., Term]
State = dict[str, Function]

ARITHMETIC = (Constant, Symbol, Parameter, Variable, Cell, Operation)
"""What a summand may consist of: its value follows from those of its cells and variables alone."""


def unsupported(
    message: str, span: Span, hint: str = "give --size to decide it at fixed sizes"
) -> InputError:
    """Makes the error for something that has no form for all sizes."""
    return InputError([Diagnostic("SER559", message, span, hint)])


def pending_name(action: str) -> str:
    return f"pending {action}"


def data_name(queue: str, part: int) -> str:
    return f"{queue} part {part}"


def head_name(queue: str) -> str:
    return f"{queue} head"


def tail_name(queue: str) -> str:
    return f"{queue} tail"


def size_name(name: str) -> str:
    return f"size of {name}"


@dataclass(frozen=True, slots=True)
class Component:
    """One of the functions that a state consists of."""

    name: str
    indices: tuple[Sort, ...]
    sort: Sort
    is_ghost: bool = False
    queue: str | None = None
    """The queue whose messages the function holds; None if it holds something else."""

    def names(self) -> tuple[Name, ...]:
        """Makes fresh names for its indices."""
        return tuple(fresh("j", sort) for sort in self.indices)


@dataclass(frozen=True, slots=True)
class Ghost:
    """A sum or a count over one index of a global, as a function of its other indices."""

    name: str
    fold: Fold
    cell: Cell
    """The cell that the summands read."""
    position: int
    """The position of the index of the cell that is summed over."""
    range: Between
    body: Expression


def sort_of(type_: ValueType) -> Sort:
    return Sort.BOOL if isinstance(type_, BoolType) else Sort.INT


def same(one: tuple[Term, ...], other: tuple[Term, ...]) -> Term:
    """Says that two places are equal."""
    return both(*(equal(a, b) for a, b in zip(one, other, strict=True)))


def length(low: Term, high: Term) -> Term:
    """Counts the integers of a range."""
    whole = add(subtract(high, low), ONE)
    return choose(at_most(ZERO, whole), whole, ZERO)


def declare(name: str, sort: Sort, *given: Term) -> Function:
    """Makes a function of its indices, and of what is given, about which nothing is known."""
    return lambda *indices: Apply(name, (*indices, *given), sort) if indices or given else Name(name, sort)


def update(function: Function, cell: tuple[Term, ...], value: Term) -> Function:
    """Changes the value of a function at one place."""

    return lambda *indices: choose(same(indices, cell), value, function(*indices))


class Signature:
    """The functions that states of a program consist of, and which of them never change."""

    def __init__(self, program: ActionProgram, expressions: Iterator[Expression]) -> None:
        self.program = program
        self.changing = assigned_globals(program)
        self.ghosts: dict[Aggregate, Ghost] = {}
        sized: set[str] = set()
        for expression in expressions:
            for each in subexpressions(expression):
                if isinstance(each, Size):
                    sized.add(each.target.name)
                elif isinstance(each, Aggregate) and each.fold is not Fold.MAX:
                    self.ghosts[each] = self._ghost(each)
        self.sums = tuple({each.name: each for each in self.ghosts.values()}.values())
        """Ghosts of the same name are the same function."""
        self.components: dict[str, Component] = {}
        for variable in program.variables:
            for component in self._components(variable, variable.name in sized):
                self.components[component.name] = component
        for ghost in self.sums:
            others = (Sort.INT,) * (len(program.variable(ghost.cell.name).ranges) - 1)
            self.components[ghost.name] = Component(ghost.name, others, Sort.INT, True)
        for action in program.actions:
            name = pending_name(action.name)
            sorts = tuple(sort_of(each.type) for each in action.arguments)
            self.components[name] = Component(name, sorts, Sort.INT)

    def _components(self, variable: Global, sized: bool) -> Iterator[Component]:
        indices, type_ = (Sort.INT,) * len(variable.ranges), variable.type
        match type_:
            case Collection(kind=CollectionKind.QUEUE, message=message):
                for part, each in enumerate(message):
                    name = data_name(variable.name, part)
                    yield Component(name, (*indices, Sort.INT), sort_of(each), queue=variable.name)
                yield Component(head_name(variable.name), indices, Sort.INT)
                yield Component(tail_name(variable.name), indices, Sort.INT)
            case Collection(kind=kind, message=message):
                sort = Sort.BOOL if kind is CollectionKind.SET else Sort.INT
                yield Component(variable.name, (*indices, *map(sort_of, message)), sort)
                if sized:
                    yield Component(size_name(variable.name), indices, Sort.INT, True)
            case _:
                yield Component(variable.name, indices, sort_of(type_))

    def _ghost(self, aggregate: Aggregate) -> Ghost:
        """Finds what is summed; refuses summands that are more than arithmetic with one cell."""
        bound, range_ = Variable(aggregate.binder.name), aggregate.binder.domain
        inside = list(subexpressions(aggregate.body))
        cells = list(dict.fromkeys(each for each in inside if isinstance(each, Cell)))
        positions = [at for cell in cells for at, index in enumerate(cell.indices) if index == bound]
        simple = len(cells) == len(positions) == 1 and all(isinstance(each, ARITHMETIC) for each in inside)
        if simple:  # the bound variable is one index of the cell, and other variables are in indices, too
            known = _variables(cells[0])
            simple = known.count(bound) == 1 and _variables(aggregate.body) == known * inside.count(cells[0])
        if not simple or not isinstance(range_, Between):
            hint = "sum over one cell of one array, or give --size to decide it at fixed sizes"
            raise unsupported("this sum has no form for all sizes", aggregate.span, hint)
        (cell,), (position,) = cells, positions
        if range_ != self.program.variable(cell.name).ranges[position]:
            hint = f"sum over the whole range of `{cell.name}`, or give --size"
            raise unsupported("this sum is over another range than that of its array", aggregate.span, hint)
        summed = expression_text(aggregate.body).replace(expression_text(cell), "this cell")
        range_name = f"{domain_text(range_)} of {cell.name}, index {position + 1}"
        name = f"{aggregate.fold} of {summed} over {range_name}"
        return Ghost(name, aggregate.fold, cell, position, range_, aggregate.body)

    def state(self, tag: str) -> State:
        """Makes a state about which nothing is known; what never changes is the same in all states."""
        found: State = {}
        constant = {each.name for each in self.program.variables} - self.changing
        for component in self.components.values():
            name = component.name if component.name in constant else f"{component.name}@{tag}"
            found[component.name] = declare(name, component.sort)
        return found


def _variables(expression: Expression) -> list[Variable]:
    return [each for each in subexpressions(expression) if isinstance(each, Variable)]
