"""The branches of actions, from their bodies: guard, update, what is created, what is chosen.

A path through a body takes one side of each `if` and one block of each `either`. Its branch has a guard
(every `await`, `receive` and condition on the way), a state afterwards, created instances, and choices.
The gate says that nothing fails on the way: for all earlier choices, where the guard so far holds, the
assertion holds. A path has the same number and the same choices wherever the action is executed, so "the
same branch with the same choices" makes sense in two states.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from seriatim.actions.expressions import Booleans, Cell, Expression, Target
from seriatim.actions.syntax import (
    Action,
    Assert,
    Assign,
    Async,
    Await,
    Block,
    Collection,
    CollectionKind,
    Either,
    EnumType,
    For,
    Havoc,
    If,
    Receive,
    Send,
    Skip,
    Statement,
    Take,
)
from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Name,
    Sort,
    Term,
    add,
    between,
    both,
    bracket,
    choose,
    for_all,
    implies,
    less,
    negate,
    number,
    subtract,
)
from seriatim.checking.sequentialization.draws import Draw
from seriatim.checking.sequentialization.evaluation import Access, Evaluation, Scene
from seriatim.checking.sequentialization.events import Event, add_event
from seriatim.checking.sequentialization.symbolic import (
    State,
    data_name,
    head_name,
    pending_name,
    size_name,
    sort_of,
    tail_name,
    unsupported,
    update,
)

MAX_PATHS = 64


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that a path chooses, with the local that it becomes or the cell that it is stored in."""

    name: Name
    local: str | None
    component: str | None = None
    place: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Conjunct:
    """A part of a gate, with what to call it."""

    label: str
    term: Term
    line: int = 0
    exact: bool = True
    """Whether the action fails wherever this does not hold."""


class Path:
    """A prefix of an execution."""

    def __init__(self, state: State, variables: dict[str, Term], tag: str) -> None:
        self.state = state
        self.variables = variables
        self.tag = tag
        self.guard: tuple[Term, ...] = ()
        self.needs: tuple[Conjunct, ...] = ()
        """The conditions under which nothing fails on the path."""
        self.passed: tuple[Term, ...] = ()
        """What has held on the way with these choices: without it, the path would have failed."""
        self.choices: tuple[Choice, ...] = ()
        self.created: tuple[Event, ...] = ()
        self.transfers: tuple[Event, ...] = ()
        self.draws: tuple[Draw, ...] = ()

    def copy(self) -> "Path":
        other = copy(self)
        other.state, other.variables = dict(self.state), dict(self.variables)
        return other

    def condition(self) -> Term:
        """Says that the path can be taken with these choices."""
        return both(*self.guard, *(each for draw in self.draws for each in draw.conditions))

    def known(self) -> tuple[Term, ...]:
        """Lists what is known where the path is taken."""
        drawn = (each for draw in self.draws for each in (*draw.conditions, *draw.facts))
        return (*self.guard, *drawn)

    def possible(self, also: Term = TRUE) -> Term:
        """Says that the path can be taken and something more holds, whatever it draws out of bags."""
        for draw in self.draws:
            if any(draw.is_in(each) for each in (*self.guard, also)):
                message = "what comes after this loop depends on the messages that it takes"
                raise unsupported(message, draw.span)
        return both(*self.guard, *(draw.possible for draw in self.draws), also)

    def require(self, condition: Term, line: int, exact: bool = True) -> None:
        """Adds a need: where the guard so far holds, the condition holds, whatever was chosen."""
        if exact:
            self.passed = (*self.passed, condition)
        renamed = {each.name: Name(f"{each.name.name}'", each.name.sort) for each in self.choices}
        if self.draws and condition != TRUE:
            self.possible(condition)
        closed = for_all(renamed.values(), substitute(implies(self.possible(), condition), renamed))
        if closed != TRUE and all(known.term != closed for known in self.needs):
            self.needs = (*self.needs, Conjunct(f"no failure in line {line}", closed, line, exact))

    def wait(self, condition: Term) -> None:
        self.guard = (*self.guard, condition)


@dataclass(frozen=True, slots=True)
class Branches:
    """What an action can do in a state."""

    gate: tuple[Conjunct, ...]
    paths: tuple[Path, ...]


class Accesses:
    """The components of a state that are read and written, with the places."""

    def __init__(self) -> None:
        self.reads: list[Access] = []
        self.writes: list[Access] = []


class Statements(ABC):
    """Executes bodies symbolically; `loops` adds statements that consist of blocks."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.program = evaluation.program
        self._loop: Accesses | None = None
        """The accesses of one iteration, if it stands for all iterations of a loop."""

    def execute(self, action: Action, state: State, arguments: tuple[Term, ...], tag: str) -> Branches:
        names = (argument.name for argument in action.arguments)
        start = Path(dict(state), dict(zip(names, arguments, strict=True)), tag)
        paths = self._block(action.body, [start])
        gate: dict[Term, Conjunct] = {}
        for path in paths:
            for need in path.needs:
                gate.setdefault(need.term, need)
        executed = Event(action.name, arguments, -1)
        for path in paths:
            for event in (*path.created, executed):
                name = pending_name(event.subject)
                path.state[name] = add_event(path.state[name], event)
        return Branches(tuple(gate.values()), tuple(paths))

    # --- statements ---------------------------------------------------------------------------------------

    def _block(self, block: Block, paths: list[Path]) -> list[Path]:
        for statement in block:
            paths = [after for path in paths for after in self._statement(statement, path)]
            if len(paths) > MAX_PATHS:
                raise unsupported(f"this action has more than {MAX_PATHS} paths", statement.span)
        return paths

    def evaluate(self, expression: Expression, path: Path, line: int) -> Term:
        return self._all((expression,), path, line)[0]

    def _all(self, expressions: tuple[Expression, ...], path: Path, line: int) -> tuple[Term, ...]:
        return self._needing(lambda scene: self.evaluation.all_of(expressions, scene), path, line)

    def _place(self, target: Cell | Target, path: Path) -> tuple[Term, ...]:
        find = partial(self.evaluation.place, target.name, target.indices)
        return self._needing(find, path, target.span.line)

    def _needing(self, find: Callable[[Scene], tuple[Term, ...]], path: Path, line: int) -> tuple[Term, ...]:
        """Evaluates something on a path, and requires what evaluation needs."""
        scene = Scene(path.state, path.variables)
        scene.needs, scene.reads = [], None if self._loop is None else self._loop.reads
        found = find(scene)
        for need, exact in scene.needs:
            path.require(need, line, exact)
        return found

    def read(self, path: Path, component: str, place: tuple[Term, ...]) -> Term:
        if self._loop is not None:
            self._loop.reads.append((component, place))
        return path.state[component](*place)

    @abstractmethod
    def _compound(self, statement: For | If | Either, path: Path) -> list[Path]:
        """The paths through a statement that consists of blocks."""

    def _statement(self, statement: Statement, path: Path) -> list[Path]:
        line = statement.span.line
        match statement:
            case Assign(target=target, value=value):
                self._assign(target, self.evaluate(value, path, line), path)
            case Await(condition=condition):
                path.wait(self.evaluate(condition, path, line))
            case Assert(condition=condition):
                path.require(self.evaluate(condition, path, line), line)
            case Async(action=action, arguments=arguments):
                event = Event(action, self._all(arguments, path, line), 1)
                path.created = (*path.created, event)
            case Send() | Take() | Receive():
                self._transfer(statement, path)
            case Havoc():
                self._havoc(statement, path)
            case For() | If() | Either():
                return self._compound(statement, path)
            case Skip():
                pass
            case _:
                assert_never(statement)
        return [path]

    def write(self, path: Path, component: str, place: tuple[Term, ...], value: Term) -> None:
        if self._loop is not None:
            self._loop.writes.append((component, place))
        if not component.startswith("size of "):
            self._keep_ghosts(path, component, place, value)
        path.state[component] = update(path.state[component], place, value)

    def _keep_ghosts(self, path: Path, variable: str, place: tuple[Term, ...], value: Term) -> None:
        for ghost in self.evaluation.signature.sums:
            if ghost.cell.name != variable:
                continue
            others = tuple(each for at, each in enumerate(place) if at != ghost.position)
            if self._loop is not None:  # the sum is unknown afterwards
                self._loop.writes.append((ghost.name, others))
                continue
            before = path.state[variable](*place)
            change = subtract(self.evaluation.summand(ghost, value), self.evaluation.summand(ghost, before))
            inside = self.evaluation.in_range(place[ghost.position], ghost.range, Scene(path.state, {}))
            total = path.state[ghost.name](*others)
            new = add(total, choose(inside, change, ZERO))
            path.state[ghost.name] = update(path.state[ghost.name], others, new)

    def _assign(self, target: Cell | str, value: Term, path: Path) -> None:
        if isinstance(target, str):
            path.variables[target] = value
        else:
            self.write(path, target.name, self._place(target, path), value)

    # --- messages -----------------------------------------------------------------------------------------

    def _transfer(self, statement: Send | Take | Receive, path: Path) -> None:
        target, line = statement.target, statement.span.line
        type_ = self.program.variable(target.name).type
        assert isinstance(type_, Collection)
        place = self._place(target, path)
        if type_.kind is CollectionKind.QUEUE:
            self._queue(statement, place, path)
            return
        match statement:
            case Send(message=message):
                self._put(target.name, place, self._all(message, path, line), path)
            case Take(message=message):
                self._remove(target.name, place, self._all(message, path, line), path)
            case Receive(names=names):
                self._no_choice_in_loop(statement)
                for local, part in zip(names, type_.message, strict=True):
                    path.variables[local] = name = self._next_choice(path, sort_of(part))
                    path.choices = (*path.choices, Choice(name, local))
                    if isinstance(part, EnumType):
                        path.wait(between(ZERO, name, number(len(part.members) - 1)))
                chosen = tuple(each.name for each in path.choices[-len(names) :])
                self._remove(target.name, place, chosen, path)
            case _:
                assert_never(statement)

    def _put(self, name: str, place: tuple[Term, ...], message: tuple[Term, ...], path: Path) -> None:
        cell = (*place, *message)
        before = self.read(path, name, cell)
        is_set = before.sort is Sort.BOOL
        self._resize(name, place, negate(before) if is_set else TRUE, 1, path)
        self.write(path, name, cell, TRUE if is_set else add(before, ONE))

    def _remove(self, name: str, place: tuple[Term, ...], message: tuple[Term, ...], path: Path) -> None:
        cell = (*place, *message)
        before = self.read(path, name, cell)
        is_set = before.sort is Sort.BOOL
        path.wait(before if is_set else less(ZERO, before))
        self._resize(name, place, TRUE, -1, path)
        self.write(path, name, cell, FALSE if is_set else subtract(before, ONE))

    def _resize(self, name: str, place: tuple[Term, ...], condition: Term, amount: int, path: Path) -> None:
        path.transfers = (*path.transfers, Event(name, place, amount, condition))
        size = size_name(name)
        if size in path.state:
            before = self.read(path, size, place)
            change = bracket(condition) if amount > 0 else number(amount)
            self.write(path, size, place, add(before, change))

    def _queue(self, statement: Send | Take | Receive, place: tuple[Term, ...], path: Path) -> None:
        name, line = statement.target.name, statement.span.line
        head, tail = self.read(path, head_name(name), place), self.read(path, tail_name(name), place)
        match statement:
            case Send(message=message):
                for part, value in enumerate(self._all(message, path, line)):
                    self.write(path, data_name(name, part), (*place, tail), value)
                self.write(path, tail_name(name), place, add(tail, ONE))
                path.transfers = (*path.transfers, Event(name, place, 1))
            case Receive(names=names):
                path.wait(less(head, tail))
                for part, local in enumerate(names):
                    path.variables[local] = self.read(path, data_name(name, part), (*place, head))
                self.write(path, head_name(name), place, add(head, ONE))
                path.transfers = (*path.transfers, Event(name, place, -1))
            case Take():
                raise unsupported("a queue gives its oldest message only", statement.span)
            case _:
                assert_never(statement)

    # --- choices ------------------------------------------------------------------------------------------

    def _no_choice_in_loop(self, statement: Statement) -> None:
        if self._loop is not None:
            message = "each iteration of this loop chooses, which has no form for all sizes"
            raise unsupported(message, statement.span)

    def _next_choice(self, path: Path, sort: Sort) -> Name:
        return Name(f"{path.tag}.{len(path.choices)}", sort)

    def _havoc(self, statement: Havoc, path: Path) -> None:
        self._no_choice_in_loop(statement)
        target, domain, line = statement.target, statement.domain, statement.span.line
        name = self._next_choice(path, Sort.BOOL if isinstance(domain, Booleans) else Sort.INT)
        (inside,) = self._needing(lambda scene: (self.evaluation.in_domain(name, domain, scene),), path, line)
        if isinstance(target, str):
            path.choices = (*path.choices, Choice(name, target))
            path.variables[target] = name
        else:
            place = self._place(target, path)
            path.choices = (*path.choices, Choice(name, None, target.name, place))
            self.write(path, target.name, place, name)
        path.wait(inside)
        if statement.condition is not None:
            path.wait(self.evaluate(statement.condition, path, line))
