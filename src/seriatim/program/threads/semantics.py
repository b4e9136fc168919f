"""What a thread program does: the reference semantics, by the rules of the paper's Figure 3.
 A configuration is the globals and the threads, the first of which is main. A step is one edge of one
thread. Whatever is not determined is an argument: the values that `havoc` and new threads' locals get, and
which thread a join takes. So a step is a function, and a run can be replayed. New threads get fresh locals
at every fork.
 Where the value of a variable is arbitrary, it may be left out of the configuration: a variable without a
value stands for one that holds any value. Reading it raises `Unchosen`, and the caller
chooses a value and executes the step again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from seriatim.program.threads.syntax import (
    NOWHERE,
    Action,
    Assert,
    Assign,
    Assume,
    Edge,
    Fork,
    Havoc,
    Join,
    Range,
    Template,
    ThreadProgram,
    contains,
    results_fit,
)
from seriatim.source import Span
from seriatim.terms.expressions import Unknown, Value, evaluate
from seriatim.terms.operators import DividesByZero

Values = dict[str, Value]
"""Of variables; one that is missing holds any value."""


@dataclass(frozen=True, slots=True)
class Failure:
    """How a step fails."""

    code: str
    message: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Spawned:
    """A thread that a step starts."""

    template: str
    id: int
    arguments: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Partner:
    """A finished thread that a join takes."""

    template: str
    id: int | None
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a step comes to: new values, and the thread that it starts, or a failure."""

    values: Values
    """Of globals and the thread's locals."""
    spawned: Spawned | None
    joined: bool


class Blocked(Exception):
    """The step cannot be taken there."""


class Failed(Exception):
    """The step fails."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class NeedsPartner(Exception):
    """The step comes to a join, and no thread was given that it could take."""


class Origin(Enum):
    """Since when a variable holds any value."""

    BEFORE = "before"
    """Before the step."""
    HAVOC = "havoc"
    """Since an action of the step."""
    RESULT = "result"
    """It is a result of the thread that is joined."""


@dataclass(frozen=True, slots=True)
class Unknowable:
    """A variable without a value that a step reads."""

    origin: Origin
    name: str
    action: int = 0
    """The number of the action that made the value arbitrary, if one did."""


class Unchosen(Exception):
    """A step reads a variable without a value."""

    def __init__(self, unknown: Unknowable) -> None:
        super().__init__(unknown.name)
        self.unknown = unknown


def run_edge(
    program: ThreadProgram,
    template: Template,
    edge: Edge,
    values: Mapping[str, Value],
    partner: Partner | None = None,
    havocs: Mapping[int, Value] | None = None,
) -> Effect:
    """Executes a step in an environment of globals and locals; `havocs` has values by the numbers of actions.
     Raises `Blocked`, `Failed`, `NeedsPartner`, or `Unchosen` where a variable without a value is read. A
    variable that the step havocs without being told a value ends without one.
    """
    execution = ThreadExecution(program, template, dict(values), partner, havocs or {})
    for number, action in enumerate(edge.actions):
        try:
            execution.act(number, action)
        except Unknown as unknown:
            raise Unchosen(execution.unknown(unknown.name)) from None
    return Effect(execution.values, execution.spawned, execution.joined)


class ThreadExecution:
    """A step under way."""

    def __init__(
        self,
        program: ThreadProgram,
        template: Template,
        values: Values,
        partner: Partner | None,
        havocs: Mapping[int, Value],
    ) -> None:
        self.program = program
        self.template = template
        self.values = values
        self.partner = partner
        self.havocs = havocs
        self.havocked: dict[str, int] = {}
        """The variables that the step has havocked, and the numbers of the actions that did."""
        self.spawned: Spawned | None = None
        self.joined = False

    def unknown(self, name: str) -> Unknowable:
        if name in self.havocked:
            return Unknowable(Origin.HAVOC, name, self.havocked[name])
        return Unknowable(Origin.BEFORE, name)

    def act(self, number: int, action: Action) -> None:
        try:
            match action:
                case Assign(targets=targets, values=expressions):
                    computed = [evaluate(each, self.values) for each in expressions]
                    for target, value in zip(targets, computed, strict=True):
                        self.store(target, value, action.span)
                case Havoc(target=target):
                    self.havoc(number, target)
                case Assume(condition=condition):
                    if not evaluate(condition, self.values):
                        raise Blocked
                case Assert(condition=condition):
                    if not evaluate(condition, self.values):
                        raise Failed(Failure("SER811", action.says, action.span))
                case Fork():
                    self.fork(action)
                case Join():
                    self.join(action)
                case _:
                    assert_never(action)
        except DividesByZero:
            raise Failed(Failure("SER812", "division by 0", action.span)) from None

    def havoc(self, number: int, name: str) -> None:
        self.havocked[name] = number
        if number in self.havocs:
            self.values[name] = self.havocs[number]
        else:
            self.values.pop(name, None)

    def store(self, name: str, value: Value, span: Span) -> None:
        type_ = self.program.type_of(self.template, name)
        self.check_range(name, type_, value, span)
        self.values[name] = value

    def check_range(self, name: str, type_: object, value: Value, span: Span) -> None:
        if isinstance(type_, Range) and not contains(type_, value):
            message = f"`{name}` becomes {value}, outside its range {type_.low}..{type_.high}"
            raise Failed(Failure("SER801", message, span))

    def check_alone(self) -> None:
        assert self.spawned is None, "a step starts or joins one thread"
        assert not self.joined, "a step starts or joins one thread"

    def fork(self, fork: Fork) -> None:
        self.check_alone()
        identity = evaluate(fork.id, self.values)
        started = self.program.by_name[fork.template]
        arguments = [evaluate(each, self.values) for each in fork.arguments]
        for parameter, value in zip(started.parameters, arguments, strict=True):
            self.check_range(parameter, started.types[parameter], value, fork.span)
        named = tuple(zip(started.parameters, arguments, strict=True))
        self.spawned = Spawned(fork.template, identity, named)

    def join(self, join: Join) -> None:
        self.check_alone()
        identity = evaluate(join.id, self.values)
        if self.partner is None:
            raise NeedsPartner
        finished = self.program.by_name[self.partner.template]
        fits = results_fit(self.program, self.template, join, finished)
        if not fits or self.partner.id is None or self.partner.id != identity:
            raise Blocked
        self.joined = True
        if not join.targets:
            return
        for target, result in zip(join.targets, finished.results, strict=True):
            if result not in self.partner.values:
                raise Unchosen(Unknowable(Origin.RESULT, result))
            self.store(target, self.partner.values[result], join.span)
