"""Numbers for the states, requests and responses of an input, as the kernel uses them.

This is the part of an export that has to be believed: that the kernel's input is the user's. All the rest is
evidence, which the kernel checks.
"""

from typing import Protocol, TypeVar, assert_never

from seriatim.checking.numbering import Numbering
from seriatim.checking.reference import SystemReference
from seriatim.export.kernel.full_reference import FullReference, FullState
from seriatim.export.kernel.text import ANSWERS, FUEL, VERSION, About, Besides, Seen, Text
from seriatim.export.kernel.written import (
    AnyOf,
    Claimed,
    Fit,
    GetCell,
    SetCell,
    Sugar,
    Take,
    TakeCell,
    Wait,
    Written,
    variables,
)
from seriatim.frontends.ser.surface import Policy
from seriatim.program.network_system import NetworkSystem
from seriatim.program.semantics import Store, lookup
from seriatim.program.state import GlobalState
from seriatim.program.syntax import (
    Assign,
    AssignCell,
    Binary,
    Cell,
    Choice,
    Connective,
    Fault,
    If,
    Logical,
    Number,
    Operator,
    Prefix,
    Program,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
    global_names,
    is_global,
)

State = TypeVar("State", contravariant=True)


class Names(Protocol[State]):
    """The numbers of an input's parts; those of local and global states are given out as they are needed."""

    def request(self, name: str) -> Text: ...

    def response(self, request: str, name: str) -> Text: ...

    def global_(self, state: GlobalState) -> Text: ...

    def local(self, state: State) -> Text: ...


class SystemNames:
    """Everything has its number in the network system."""

    def __init__(self, system: NetworkSystem) -> None:
        self.system = system
        self.reference = SystemReference(system)
        self._requests = {name: number for number, name in enumerate(system.requests)}
        self._responses = {name: number for number, name in enumerate(system.responses)}
        self._globals: dict[GlobalState, int] = {name: number for number, name in enumerate(system.globals)}

    def request(self, name: str) -> int:
        return self._requests[name]

    def response(self, request: str, name: str) -> int:  # noqa: ARG002 - the observer's are others
        return self._responses[name]

    def global_(self, state: GlobalState) -> int:
        return self._globals[state]

    def local(self, state: int) -> int:
        return state

    def input(self) -> Text:
        """The network system itself."""
        following: dict[tuple[int, int], list[Text]] = {}
        for local, before, target, after in self.system.delta:
            following.setdefault((local, before), []).append((target, after))
        delta: list[Text] = list(following.items())
        return (self.system.initial, list(self.system.req), list(self.system.resp), delta)

    def claim(self, kind: int, evidence: Text, seen: Seen = ANSWERS) -> Text:
        """A claim about the input, by this evidence."""
        return (VERSION, About.SYSTEM, seen[0], self.input(), *seen[1:], kind, evidence)


class ProgramNames:
    """Handlers and variables by number; local states are expressions with the values of all locals."""

    def __init__(self, program: Program, written: tuple[Written, ...] | None = None) -> None:
        self.program = program
        self.written = written
        """What the kernel reads instead of the core."""
        self.reference = FullReference(program, written)
        self.globals = global_names(program)
        codes = self.reference.codes
        self.locals = tuple(sorted({n for code in codes for n in variables(code) if not is_global(n)}))
        self.expressions = Expressions(self.globals, self.locals)
        self._requests = {handler.name: number for number, handler in enumerate(program.handlers)}
        self._globals: Numbering[GlobalState] = Numbering()
        self._locals: Numbering[tuple[Written, Store]] = Numbering()
        self._handlers: list[Text] = [self.expressions.number(code) for code in codes]

    def request(self, name: str) -> int:
        return self._requests[name]

    def response(self, request: str, name: str) -> int:  # noqa: ARG002 - the observer's are others
        return int(name)

    def global_(self, state: GlobalState) -> int:
        return self._globals.number(state)

    def local(self, state: FullState) -> int:
        self.expressions.number(state.code)
        return self._locals.number((state.code, state.own))

    def input(self) -> Text:
        """The expressions that occur, and the program itself."""
        return (self.expressions.table, values(self.reference.initial), len(self.locals), self._handlers)

    def claim(self, kind: int, evidence: Text, seen: Seen = ANSWERS) -> Text:
        """A claim about the input, by this evidence."""
        locals_: list[Text] = [(self.expressions.number(e), self.stored(store)) for e, store in self._locals]
        globals_: list[Text] = [values(state) for state in self._globals]
        return (*self.heading(seen), kind, FUEL, locals_, globals_, evidence)

    def heading(self, seen: Seen = ANSWERS) -> tuple[Text, ...]:
        """Returns what a claim is about; one by the kind `atomic` has nothing more."""
        return (VERSION, About.PROGRAM, seen[0], self.input(), *seen[1:])

    def final_values(self, names: tuple[str, ...]) -> Seen:
        return (Besides.FINAL_VALUES, [self.globals.index(name) for name in names])

    def stored(self, store: Store) -> list[Text]:
        return [lookup(store, name) for name in self.locals]


def values(state: GlobalState) -> list[Text]:
    assert not isinstance(state, str), "the global states of programs have values"
    return [value for _, value in state]


Operation = Assign[Written] | Unary[Written] | Binary[Written] | Logical[Written]
Control = If[Written] | While[Written] | Return[Written] | Sequence[Written]

OPERATORS = tuple(Operator)
"""Operators by number, in the order of `proofs/Reader.v`."""

POLICIES = (Policy.REFUSE, Policy.WRAP, Policy.SATURATE)
"""Policies by number, in the order of `proofs/Reader.v`."""


class Expressions:
    """A table of expressions, each after its parts."""

    def __init__(self, globals_: tuple[str, ...], locals_: tuple[str, ...]) -> None:
        self.table: list[Text] = []
        self._globals = {name: number for number, name in enumerate(globals_)}
        self._locals = {name: number for number, name in enumerate(locals_)}
        self._numbers: dict[Written, int] = {}
        self._entries: dict[Text, int] = {}

    def number(self, expression: Written) -> int:
        """The place of an expression in the table."""
        number = self._numbers.get(expression)
        if number is None:
            number = self._numbers[expression] = self._add(self._entry(expression))
        return number

    def _add(self, entry: Text) -> int:
        if entry not in self._entries:
            self._entries[entry] = len(self.table)
            self.table.append(entry)
        return self._entries[entry]

    def _entry(self, expression: Written) -> Text:
        """The number of its kind, as in `proofs/Reader.v`, and its parts."""
        match expression:
            case Number(value=value):
                return (0, value)
            case Choice():
                return (1,)
            case Yield():
                return (13,)
            case Fault():
                return (16,)
            case Read(name=name):
                return (3, self._globals[name]) if is_global(name) else (2, self._locals[name])
            case If() | While() | Return() | Sequence():
                return self._control(expression)
            case Cell() | AssignCell():
                raise AssertionError("what unfolds has finitely many cells")
            case GetCell() | SetCell() | Fit() | Take() | TakeCell() | Wait() | Claimed() | AnyOf():
                return self._sugar(expression)
            case _:
                return self._operation(expression)

    def _sugar(self, expression: Sugar) -> Text:
        match expression:
            case GetCell(cells=cells, index=index):
                return (17, self._array(cells), self.number(index))
            case SetCell(cells=cells, index=index, value=value):
                return (18, self._array(cells), self.number(index), self.number(value))
            case Fit(low=low, high=high, policy=policy, value=value):
                return (19, low, high, POLICIES.index(policy), self.number(value))
            case Take(name=name):
                return (20, self._variable(name))
            case TakeCell(cells=cells, index=index):
                return (21, self._array(cells), self.number(index))
            case Wait(condition=condition):
                return (22, self.number(condition))
            case Claimed(condition=condition):
                return (23, self.number(condition))
            case AnyOf(low=low, high=high):
                return (24, low, high)
            case _:
                assert_never(expression)

    def _variable(self, name: str) -> Text:
        return (1, self._globals[name]) if is_global(name) else (0, self._locals[name])

    def _array(self, cells: tuple[str, ...]) -> Text:
        return (len(cells), *map(self._variable, cells))

    def _operation(self, expression: Operation) -> Text:
        match expression:
            case Assign(name=name, value=value):
                written = (5, self._globals[name]) if is_global(name) else (4, self._locals[name])
                return (*written, self.number(value))
            case Unary(operator=prefix, operand=operand):
                return (6 if prefix is Prefix.NOT else 7, self.number(operand))
            case Binary(operator=operator, left=left, right=right):
                return (8, OPERATORS.index(operator), self.number(left), self.number(right))
            case Logical(connective=connective, left=left, right=right):
                return (9 if connective is Connective.AND else 10, self.number(left), self.number(right))
            case _:
                assert_never(expression)

    def _control(self, expression: Control) -> Text:
        match expression:
            case If(condition=condition, then=then, otherwise=otherwise):
                other = self.number(Number(0) if otherwise is None else otherwise)
                return (11, self.number(condition), self.number(then), other)
            case While(condition=condition, body=body):
                return (12, self.number(condition), self.number(body))
            case Return(value=value):
                return (14, self.number(value))
            case Sequence(items=items):
                return self._sequence(items)
            case _:
                assert_never(expression)

    def _sequence(self, items: tuple[Written, ...]) -> Text:
        """a; (b; (c; …)), as the kernel nests sequences."""
        rest = self.number(items[-1])
        for item in reversed(items[1:-1]):
            rest = self._add((15, self.number(item), rest))
        return (15, self.number(items[0]), rest)
