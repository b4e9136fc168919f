"""Smaller thread programs that are safe only if the larger ones are: fewer variables, and longer steps.

*Variables* go with all that assigns to them and all that waits for them. Claim: if the smaller program is
safe, so is the larger one. Every run of the larger one, with these variables left out, is a run of the
smaller one: there, steps do the same to what is left, and wait for less. What goes must not fail by itself:
it divides by nothing but constants, and leaves no range. No assertion, no id and no result may need it.

*Ids* of threads go all at once: then each is 0. Claim: if the smaller program is safe, so is the larger one.
A join takes a finished thread with its id; without ids, it may take this one as well, and does the same. So
every run of the larger program is one of the smaller. What ids are computed from can go with them.

*Places* go where a thread can pass through them in one step: each step to the place becomes one step with
each step from it. Claim: this changes no verdict, if other threads need not run in between, that is if
(before) all steps to the place are right movers, or (after) all steps from it are left movers and one of
them can always be taken. Why: of a run that fails, take a thread that comes to the place and leaves it
later. In the first case its step to the place can be moved right, past all steps of others, to its next
one; in the second case its next one can be moved left. If it never leaves the place, then in the first case
its step can be left out: moved to the end, it comes after the failure. In the second case one of its next
steps can be added before the failure and moved left; a left mover disables no failure of another thread,
and if it fails itself, something fails in one step as well. Steps of the smaller program are steps of the
larger one that follow each other, so nothing else is new. A place that begins a thread stays, and so does
one with a step to itself, one from which no step leads, and one where two threads would be started or
joined in one step.
"""

from collections.abc import Iterable
from dataclasses import replace

from seriatim.program.threads.movers import Movers, Moves, always_can
from seriatim.program.threads.syntax import (
    FINISHED,
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
    Type,
    contains,
    reads,
)
from seriatim.terms.expressions import Constant, Expression, Variable, can_divide_by_zero, variables

Name = tuple[str, str]
"""(template, local), or ("", global)."""

IDS: Name = ("", "$ids")
"""Stands for the ids of all threads among what is dropped."""

Spot = tuple[str, int]
"""A template and a place of it."""

MAX_STEPS = 16
"""Into which the steps through one place may turn."""


class Stays(Exception):
    """A variable or a place cannot go; says why."""


# Variables


def drop(program: ThreadProgram, names: Iterable[Name]) -> ThreadProgram:
    """The program without these variables; raises `Stays`."""
    gone = frozenset(names)
    known = {("", name) for name in program.types} | {IDS}
    known |= {(template.name, name) for template in program.templates for name in template.types}
    for template, name in sorted(gone - known):
        raise Stays(f"there is no variable `{name}` in `{template or 'the globals'}`")
    for template, name in sorted(gone):
        if template and name in program.by_name[template].results:
            raise Stays(f"`{name}` is a result")
    templates = tuple(_Dropping(program, template, gone).template() for template in program.templates)
    return replace(
        program,
        types={name: type_ for name, type_ in program.types.items() if ("", name) not in gone},
        initial={name: value for name, value in program.initial.items() if ("", name) not in gone},
        templates=templates,
    )


class _Dropping:
    def __init__(self, program: ThreadProgram, owner: Template, gone: frozenset[Name]) -> None:
        self.program = program
        self.owner = owner
        self.gone = gone

    def is_gone(self, name: str) -> bool:
        return (self.owner.name if name in self.owner.types else "", name) in self.gone

    def needs(self, expression: Expression) -> bool:
        return any(self.is_gone(name) for name in variables(expression))

    def template(self) -> Template:
        owner = self.owner
        edges: dict[Edge, None] = {}
        for edge in owner.edges:
            kept = tuple(found for action in edge.actions if (found := self.action(action)) is not None)
            if kept or edge.source != edge.target:
                edges.setdefault(replace(edge, actions=kept))
        return replace(
            owner,
            parameters=tuple(name for name in owner.parameters if not self.is_gone(name)),
            types={name: type_ for name, type_ in owner.types.items() if not self.is_gone(name)},
            edges=tuple(edges),
        )

    def action(self, action: Action) -> Action | None:
        """Returns what is left of it."""
        match action:
            case Assign():
                return self.assign(action)
            case Havoc(target=target):
                return None if self.is_gone(target) else action
            case Assume(condition=condition):
                if not self.needs(condition):
                    return action
                self.check_harmless(condition, None)
                return None
            case Assert():
                return self.keep_action(action)
            case Fork():
                return self.fork(action)
            case Join(targets=targets):
                if any(map(self.is_gone, targets)):
                    raise Stays("a join writes it")
                return self.keep_action(replace(action, id=self.identity(action.id)))

    def assign(self, assign: Assign) -> Assign | None:
        left: list[tuple[str, Expression]] = []
        for target, value in zip(assign.targets, assign.values, strict=True):
            if self.is_gone(target):
                self.check_harmless(value, self.program.type_of(self.owner, target))
            elif self.needs(value):
                raise Stays(f"`{target}` needs it")
            else:
                left.append((target, value))
        if not left:
            return None
        return replace(assign, targets=tuple(t for t, _ in left), values=tuple(v for _, v in left))

    def keep_action(self, action: Action) -> Action:
        if any(map(self.is_gone, reads(action))):
            raise Stays("an assertion or an id needs it")
        return action

    def fork(self, fork: Fork) -> Fork:
        identity = self.identity(fork.id)
        if self.needs(identity):
            raise Stays("an id needs it")
        started = self.program.by_name[fork.template]
        kept: list[Expression] = []
        for parameter, value in zip(started.parameters, fork.arguments, strict=True):
            if (started.name, parameter) in self.gone:
                self.check_harmless(value, started.types[parameter])
            elif self.needs(value):
                raise Stays(f"the argument `{parameter}` needs it")
            else:
                kept.append(value)
        return replace(fork, id=identity, arguments=tuple(kept))

    def identity(self, expression: Expression) -> Expression:
        """An id, or 0 if ids go; one that may fail stays."""
        if IDS not in self.gone:
            return expression
        self.check_harmless(expression, None)
        return Constant(0)

    def check_harmless(self, value: Expression, target: Type | None) -> None:
        """Evaluating the value, and storing it in a variable of the type, does not fail."""
        if not is_harmless(self.program, self.owner, value, target):
            raise Stays("what assigns to it may fail")


def is_harmless(program: ThreadProgram, owner: Template, value: Expression, target: Type | None) -> bool:
    """Whether evaluating a value and storing it in a variable of a type fails nowhere."""
    if can_divide_by_zero(value):
        return False
    if not isinstance(target, Range):
        return True
    match value:
        case Constant(value=number):
            return contains(target, number)
        case Variable(name=name):
            source = program.type_of(owner, name)
            return isinstance(source, Range) and target.low <= source.low and source.high <= target.high
        case _:
            return False


# Places


def fuse(program: ThreadProgram, places: Iterable[Spot]) -> ThreadProgram:
    """The program with longer steps, without these places, one after the other; raises `Stays`."""
    for name, place in places:
        if name not in program.by_name:
            raise Stays(f"there is no template `{name}`")
        program = without_place(Movers(program), program.by_name[name], place)
    return program


def without_place(movers: Movers, template: Template, place: int) -> ThreadProgram:
    """Raises `Stays`."""
    into = tuple(edge for edge in template.edges if edge.target == place)
    out = tuple(edge for edge in template.edges if edge.source == place)
    if place in (template.entry, FINISHED) or not into or not out:
        raise Stays(f"`{template.name}` begins or ends at {place}, or is never there")
    if any(edge.target == place for edge in out):
        raise Stays(f"a step of `{template.name}` leads from {place} to itself")
    if any(touches_threads(one) and touches_threads(other) for one in into for other in out):
        raise Stays(f"two threads would be started or joined in one step through {place}")
    if len(into) * len(out) > MAX_STEPS:
        raise Stays(f"there are too many ways through {place}")
    before = all(Moves.RIGHT in movers.moves(template, edge) for edge in into)
    after = all(Moves.LEFT in movers.moves(template, edge) for edge in out) and always_can(out)
    if not before and not after:
        raise Stays(f"others may have to run while `{template.name}` is at {place}")
    edges: dict[Edge, None] = {}
    for edge in template.edges:
        if edge.target == place:
            for following in out:
                joined = in_one_step(edge, following)
                if joined.actions or joined.source != joined.target:
                    edges.setdefault(joined)
        elif edge.source != place:
            edges.setdefault(edge)
    program = movers.program
    smaller = replace(template, edges=tuple(edges))
    return program.with_templates(tuple(smaller if each is template else each for each in program.templates))


def touches_threads(edge: Edge) -> bool:
    return any(isinstance(action, Fork | Join) for action in edge.actions)


def in_one_step(one: Edge, other: Edge) -> Edge:
    text = "; ".join(each for each in (one.text, other.text) if each)
    return Edge(one.source, other.target, one.actions + other.actions, one.span, text)
