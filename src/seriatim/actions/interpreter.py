"""The reference interpreter: what an action can do in a global state, at given sizes.

An action is executed as one atomic step. It *fails* if one of its paths breaks an `assert`, uses an index
that is out of range, or looks at the first message of an empty queue. Each other path that no `await`,
`receive` or `havoc` stops leads to a global state and a multiset of created instances. If no path does,
the action is blocked.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, assert_never

from seriatim.actions.expressions import Cell, Domain, Integers, Target
from seriatim.actions.meaning import Environment, Failed, Meanings
from seriatim.actions.syntax import (
    MAIN,
    Action,
    ActionProgram,
    Assert,
    Assign,
    Async,
    Await,
    Block,
    Collection,
    CollectionKind,
    Either,
    For,
    Havoc,
    If,
    Receive,
    Send,
    Skip,
    Statement,
    Take,
)
from seriatim.actions.values import GlobalState, Instance, Layout, Message, Sizes

Instances = tuple[Instance, ...]
"""A multiset of instances, as a sorted tuple."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one path: the global state, and the instances that it has created."""

    state: GlobalState
    created: Instances


@dataclass(frozen=True, slots=True)
class Execution:
    """The failure of some path, if one fails, and the outcomes of the others; blocked if there are none."""

    failure: Failed | None
    outcomes: tuple[Outcome, ...]

    @property
    def fails(self) -> bool:
        return self.failure is not None


class _Path:
    """A prefix of an execution."""

    __slots__ = ("created", "locals", "state")

    def __init__(self, state: GlobalState, locals_: Mapping[str, Any], created: Instances) -> None:
        self.state = state
        self.locals = locals_
        self.created = created

    def at(self, state: GlobalState) -> "_Path":
        return _Path(state, self.locals, self.created)

    def bind(self, name: str, value: Any) -> "_Path":
        return _Path(self.state, {**self.locals, name: value}, self.created)

    def key(self) -> tuple[object, ...]:
        return self.state, tuple(sorted(self.locals.items())), self.created


class Interpreter:
    """Executes actions of a program at given sizes."""

    def __init__(self, program: ActionProgram, sizes: Sizes) -> None:
        self.program = program
        self.layout = Layout(program, sizes)
        self.meanings = Meanings(self.layout)
        self._pending: Mapping[Instance, int] | None = None
        self._failure: Failed | None = None
        self._known: dict[tuple[bool, GlobalState, Instance], Execution] = {}

    # --- whole actions ------------------------------------------------------------------------------------

    def execute(self, state: GlobalState, instance: Instance) -> Execution:
        """Executes an instance of an action in every possible way."""
        key = False, state, instance
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._run(self.program.action(instance[0]), state, instance, None)
        return found

    def execute_abstractly(
        self, state: GlobalState, instance: Instance, pending: Mapping[Instance, int]
    ) -> Execution:
        """Executes the abstraction that the proof gives, which may depend on what is pending."""
        proof = self.program.proof
        abstraction = None if proof is None else proof.abstraction(instance[0])
        if abstraction is None:
            return self.execute(state, instance)
        return self._run(abstraction, state, instance, pending)

    def _run(
        self, action: Action, state: GlobalState, instance: Instance, pending: Mapping[Instance, int] | None
    ) -> Execution:
        names = (argument.name for argument in action.arguments)
        self._pending, self._failure = pending, None
        ends = self._block(action.body, [_Path(state, dict(zip(names, instance[1], strict=True)), ())])
        outcomes = tuple(dict.fromkeys(Outcome(path.state, path.created) for path in ends))
        return Execution(self._failure, outcomes)

    # --- states -------------------------------------------------------------------------------------------

    def initial_states(self) -> Iterator[GlobalState]:
        """All states that the declarations and `initially` allow; unset integers range over the window."""
        environment = Environment((), {})
        choices: list[list[object]] = []
        for variable in self.program.variables:
            shape = self.layout.shapes[variable.name]
            if isinstance(variable.type, Collection):
                values: tuple[object, ...] = ((),)
            elif variable.initial is not None:
                values = (self.meanings.of(variable.initial)(environment),)
            else:
                values = self.layout.values(variable.type)
            whole = product(values, repeat=shape.count)
            choices.append([each if variable.ranges else each[0] for each in whole])
        conditions = [self.meanings.of(fact.condition) for fact in self.program.initially]
        for state in product(*choices):
            here = Environment(state, {})
            if all(condition(here) for condition in conditions):
                yield state

    def holds(
        self,
        condition: Any,
        state: GlobalState,
        old: GlobalState,
        pending: Instances,
        locals_: Mapping[str, Any],
    ) -> bool:
        """Whether a condition of a proof holds; raises `Failed` if it reads a missing element or message."""
        return bool(self.meanings.of(condition)(Environment(state, locals_, Counter(pending), old)))

    # --- statements ---------------------------------------------------------------------------------------

    def _block(self, block: Block, paths: list[_Path]) -> list[_Path]:
        for statement in block:
            found: list[_Path] = []
            for path in paths:
                try:
                    found += self._statement(statement, path)
                except Failed as failure:  # the other paths go on
                    self._failure = self._failure or failure
            paths = list({path.key(): path for path in found}.values()) if len(found) > 1 else found
        return paths

    def _statement(self, statement: Statement, path: _Path) -> list[_Path]:
        env = Environment(path.state, path.locals, self._pending)
        match statement:
            case Assign(target=target, value=value):
                return [self._assign(path, env, target, self.meanings.of(value)(env))]
            case Await(condition=condition):
                return [path] if self.meanings.of(condition)(env) else []
            case Assert(condition=condition, span=span):
                if not self.meanings.of(condition)(env):
                    raise Failed("an assertion does not hold", span)
                return [path]
            case Async(action=action, arguments=arguments):
                instance = action, self.meanings.tuple_of(arguments)(env)
                return [_Path(path.state, path.locals, tuple(sorted((*path.created, instance))))]
            case If(condition=condition, then=then, otherwise=otherwise):
                return self._block(then if self.meanings.of(condition)(env) else otherwise, [path])
            case Either(blocks=blocks):
                return [after for block in blocks for after in self._block(block, [path])]
            case For():
                return self._for(statement, path, env)
            case Skip():
                return [path]
            case Send() | Receive() | Take():
                return self._transfer(statement, path, env)
            case Havoc():
                return self._havoc(statement, path, env)
            case _:
                assert_never(statement)

    def _for(self, statement: For, path: _Path, env: Environment) -> list[_Path]:
        paths = [path]
        for value in self.meanings.domain(statement.range)(env):
            inside = [each.bind(statement.name, value) for each in paths]
            paths = self._block(statement.body, inside)
        return [_drop_loop_locals(after, path.locals) for after in paths]

    def _assign(self, path: _Path, env: Environment, target: Cell | str, value: Any) -> _Path:
        if isinstance(target, str):
            return path.bind(target, value)
        return path.at(self._store(env, target, value))

    def _store(self, env: Environment, target: Cell | Target, value: object) -> GlobalState:
        """Puts a value into a cell."""
        number, state = self.layout.numbers[target.name], env.state
        if target.indices:
            position = self.layout.shapes[target.name].position(self.meanings.tuple_of(target.indices)(env))
            if position is None:
                raise Failed(f"an index of {target.name} is out of range", target.span)
            whole: Any = state[number]
            value = (*whole[:position], value, *whole[position + 1 :])
        return (*state[:number], value, *state[number + 1 :])

    def _transfer(self, statement: Send | Receive | Take, path: _Path, env: Environment) -> list[_Path]:
        target = statement.target
        type_ = self.program.variable(target.name).type
        assert isinstance(type_, Collection)
        messages: tuple[Message, ...] = self.meanings.contents(target)(env)
        match statement:
            case Send(message=message):
                sent = self.meanings.tuple_of(message)(env)
                return [path.at(self._store(env, target, add_message(messages, sent, type_.kind)))]
            case Take(message=message):
                taken = self.meanings.tuple_of(message)(env)
                if taken not in messages:
                    return []
                return [path.at(self._store(env, target, remove_message(messages, taken)))]
            case Receive(names=names):
                found = messages[:1] if type_.kind is CollectionKind.QUEUE else tuple(dict.fromkeys(messages))
                after: list[_Path] = []
                for received in found:
                    there = path.at(self._store(env, target, remove_message(messages, received)))
                    for name, part in zip(names, received, strict=True):
                        there = there.bind(name, part)
                    after.append(there)
                return after
            case _:
                assert_never(statement)

    def _havoc(self, statement: Havoc, path: _Path, env: Environment) -> list[_Path]:
        condition = None if statement.condition is None else self.meanings.of(statement.condition)
        found: list[_Path] = []
        for value in self._choices(statement.domain, env):
            after = self._assign(path, env, statement.target, value)
            if condition is None or condition(Environment(after.state, after.locals, self._pending)):
                found.append(after)
        return found

    def _choices(self, domain: Domain, env: Environment) -> Any:
        return self.layout.window() if isinstance(domain, Integers) else self.meanings.domain(domain)(env)


def add_message(messages: tuple[Message, ...], sent: Message, kind: CollectionKind) -> tuple[Message, ...]:
    """Adds a message to the contents of a set, bag or queue."""
    match kind:
        case CollectionKind.SET:
            return messages if sent in messages else tuple(sorted((*messages, sent)))
        case CollectionKind.BAG:
            return tuple(sorted((*messages, sent)))
        case CollectionKind.QUEUE:
            return (*messages, sent)
        case _:
            assert_never(kind)


def remove_message(messages: tuple[Message, ...], taken: Message) -> tuple[Message, ...]:
    """Removes the first copy of a message."""
    at = messages.index(taken)
    return (*messages[:at], *messages[at + 1 :])


def _drop_loop_locals(path: _Path, names: Mapping[str, Any]) -> _Path:
    """Drops the locals that a loop has introduced."""
    return _Path(path.state, {name: path.locals[name] for name in names}, path.created)


START: Instances = ((MAIN, ()),)
"""The pending instances at the start: `main` alone."""
