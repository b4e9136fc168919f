"""Data races as failures: a program that fails if and only if two accesses of another one can race.

Two accesses to an ordinary variable *conflict* if different threads make them, one of them writes, and not
both are atomic. A *race* is a configuration from which two threads can both make conflicting accesses in
their next steps. A program that is free of races under sequential consistency has no other runs on a real
machine, if its atomic operations are sequentially consistent.

In the *watched* program, a thread may stop for ever just before an ordinary access to `x`, which it announces
in `$watched.x`; an access to `x` fails if a conflicting one is announced.

Claim: the watched program has a failing run if and only if the program has a race. If thread 1 can make an
ordinary access and thread 2 a conflicting one, let thread 1 announce its own and thread 2 go on: that fails.
Conversely, thread 1 announces an access that it can make next. What it needs are values of its own locals,
because a step with an ordinary access touches nothing else that is shared; these stay, so it can still make
it when thread 2 fails. One of two accesses that race is ordinary, so atomic ones need not be announced. One
variable is watched in a run: which one is guessed at the beginning.

Variables that nobody writes while there are several threads do not race, nor do those that all threads access
under one common lock (`seriatim.program.threads.movers`): they are not watched.

A failed assertion, a bad index or a division by 0 ends a program, so what follows it is no race: in the
watched program, a thread stops there. Others could have gone on before, so that loses nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.program.threads.movers import Movers
from seriatim.program.threads.symbolic import conjunction, divisors
from seriatim.program.threads.syntax import (
    Action,
    Assert,
    Assign,
    Assume,
    Edge,
    Fork,
    Havoc,
    Integers,
    Join,
    Range,
    Template,
    ThreadProgram,
    expressions,
    writes,
)
from seriatim.source import Span
from seriatim.terms.expressions import (
    FALSE,
    TRUE,
    Apply,
    Constant,
    Expression,
    Variable,
    apply,
    fold,
    negation,
)

CHOSEN = "$watched"
"""Which variable is watched, by its number."""
RACED = "$raced"
"""A local: whether the step has met an announced access."""
READ, WRITE = Constant(1), Constant(2)
NOBODY = Constant(0)


def says(name: str) -> str:
    """Says what a failure of the watched program means."""
    return f"a data race on `{name}`: two threads access it at the same time, and one of them writes"


def racing(program: ThreadProgram) -> tuple[str, ...]:
    """Variables whose accesses may race, as far as locks alone do not exclude it."""
    guards = Movers(program).guards
    return tuple(
        name for name in program.types if name in program.ordinary and guards.get(name) == frozenset()
    )


def watch(program: ThreadProgram) -> ThreadProgram:
    """The watched program."""
    names = racing(program)
    watching = _Watching(program, names)
    types = dict(program.types)
    if len(names) > 1:
        types[CHOSEN] = Range(0, len(names) - 1)
    types |= {announced(name): Range(0, 2) for name in names}
    initial = program.initial | {announced(name): 0 for name in names}
    return replace(
        program, types=types, initial=initial, templates=tuple(map(watching.template, program.templates))
    )


def announced(name: str) -> str:
    """The variable in which accesses are announced."""
    return f"{CHOSEN}.{name}"


@dataclass(frozen=True, slots=True)
class _Access:
    action: int
    """Its number in the step."""
    name: str
    writes: bool
    when: Expression
    """The condition under which it happens, just before the action."""


class _Watching:
    def __init__(self, program: ThreadProgram, names: tuple[str, ...]) -> None:
        self.program = program
        self.numbers = {name: number for number, name in enumerate(names)}
        self.movers = Movers(program)

    def template(self, template: Template) -> Template:
        stopped = max(template.places, default=0) + 1
        edges: list[Edge] = []
        for edge in template.edges:
            accesses = [] if self.movers.is_alone(template, edge) else list(self.accesses(template, edge))
            edges.append(replace(edge, actions=tuple(self.checked(edge, accesses))))
            if not edge.atomic:
                edges.extend(self.announcing(edge, access, stopped) for access in accesses)
        types = {**template.types, RACED: Integers()}
        return replace(template, types=types, edges=tuple(edges))

    def accesses(self, template: Template, edge: Edge) -> Iterator[_Access]:
        for number, action in enumerate(edge.actions):
            if isinstance(action, Havoc):  # It only forgets a value.
                continue
            written = frozenset(writes(action))
            read: dict[str, Expression] = {}
            for each in expressions(action):
                read = either(read, evaluated(each))
            for name in sorted((written | read.keys()) & self.numbers.keys(), key=self.numbers.__getitem__):
                if name in template.types:
                    continue
                if name in written:
                    yield _Access(number, name, True, TRUE)
                when = fold(read.get(name, FALSE))
                if when != FALSE:
                    yield _Access(number, name, False, when)

    def is_chosen(self, name: str) -> tuple[Expression, ...]:
        if len(self.numbers) < 2:
            return ()
        return (apply("==", Variable(CHOSEN), Constant(self.numbers[name])),)

    def checked(self, edge: Edge, accesses: list[_Access]) -> Iterator[Action]:
        """The actions of a step, each access after a look at what is announced; a step that something
        prevents after an access is not taken, so it fails at its end."""
        waits_later = max((n for n, each in enumerate(edge.actions) if may_wait(each)), default=-1)
        late = [access for access in accesses if access.action < waits_later]
        if late:
            yield Assign((RACED,), (NOBODY,), edge.span)
        for number, action in enumerate(edge.actions):
            for access in accesses:
                if access.action == number:
                    met = self.meets(access)
                    if access in late:
                        flag = apply("?", met, Constant(self.numbers[access.name] + 1), Variable(RACED))
                        yield Assign((RACED,), (flag,), edge.span)
                    else:
                        yield Assert(negation(met), place_of(action, edge), says(access.name))
            yield from tamed(action, edge.span)
        for name in dict.fromkeys(access.name for access in late):
            raced = apply("==", Variable(RACED), Constant(self.numbers[name] + 1))
            yield Assert(negation(raced), edge.span, says(name))

    def meets(self, access: _Access) -> Expression:
        """Whether a conflicting access is announced."""
        held = Variable(announced(access.name))
        conflict = apply("!=", held, NOBODY) if access.writes else apply("==", held, WRITE)
        return conjunction((*self.is_chosen(access.name), conflict, access.when))

    def announcing(self, edge: Edge, access: _Access, stopped: int) -> Edge:
        """The thread is about to make the access, and stops."""
        before = [each for action in edge.actions[: access.action] for each in tamed(action, edge.span)]
        shared = {name for action in before for name in writes(action)} & self.program.types.keys()
        assert not shared, "an ordinary access is the only one to something shared in its step"
        assert not any(isinstance(each, Fork | Join) for each in before), "it starts and joins nobody"
        held, kind = announced(access.name), WRITE if access.writes else READ
        span = place_of(edge.actions[access.action], edge)
        free = apply("==", Variable(held), NOBODY)
        conditions = [Assume(each, span) for each in (*self.is_chosen(access.name), access.when, free)]
        told = f"is about to {'write' if access.writes else 'read'} {access.name}"
        actions = (*before, *conditions, Assign((held,), (kind,), span))
        return Edge(edge.source, stopped, actions, edge.span, told)


def place_of(action: Action, edge: Edge) -> Span:
    return action.span if action.span.line else edge.span


def may_wait(action: Action) -> bool:
    return isinstance(action, Assume | Assert | Join) or any(
        True for each in expressions(action) for _ in divisors(each, ())
    )


def tamed(action: Action, span: Span) -> Iterator[Action]:
    """The action; where it would fail, the step cannot be taken. Limits of what is looked at stay."""
    for each in expressions(action):
        for condition in divisors(each, ()):
            yield Assume(condition, span)
    if isinstance(action, Assert) and not action.is_limit:
        yield Assume(action.condition, action.span)
    else:
        yield action


Reads = dict[str, Expression]
"""Variables, and the conditions under which they are read; none that is never read."""


def either(one: Reads, other: Reads) -> Reads:
    """Returns what is read if both parts are evaluated."""
    both = {name: apply("||", one[name], other[name]) for name in one.keys() & other.keys()}
    return {**one, **other, **both}


def evaluated(expression: Expression) -> Reads:
    """The conditions under which evaluating an expression reads each variable."""
    match expression:
        case Variable(name=name):
            return {name: TRUE}
        case Constant():
            return {}
        case Apply(op="?", arguments=(condition, then, otherwise)):
            chosen = either(
                _where(condition, evaluated(then)), _where(negation(condition), evaluated(otherwise))
            )
            return either(evaluated(condition), chosen)
        case Apply(op="&&" | "||" | "==>" as operator, arguments=(left, right)):
            goes_on = negation(left) if operator == "||" else left
            return either(evaluated(left), _where(goes_on, evaluated(right)))
        case Apply(arguments=arguments):
            found: Reads = {}
            for each in arguments:
                found = either(found, evaluated(each))
            return found


def _where(condition: Expression, inner: Reads) -> Reads:
    return {name: conjunction((condition, each)) for name, each in inner.items()}
