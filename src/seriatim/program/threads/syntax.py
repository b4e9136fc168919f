"""Thread programs: templates as graphs whose edges are steps, whatever language they were written in.
 A template starts at its entry and ends at `FINISHED`. An edge is one step: its actions run in order,
without another thread in between, and only if all of them can. An assertion that does not hold, a division
by 0, and a value outside the range of its variable are failures: they end the step, and the program, at
once.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, assert_never

from seriatim.source import Diagnostic, Span
from seriatim.terms.expressions import Expression, Value, variables

FINISHED = -1
"""The place of a thread that has ended and can be joined."""

# Types


@dataclass(frozen=True, slots=True)
class Integers:
    """All integers."""


@dataclass(frozen=True, slots=True)
class Booleans:
    """true and false."""


@dataclass(frozen=True, slots=True)
class Range:
    """The integers from `low` to `high`, both included."""

    low: int
    high: int


Type = Integers | Booleans | Range


def is_boolean(type_: Type) -> bool:
    return isinstance(type_, Booleans)


def sort(type_: Type) -> str:
    """The sort of a type in SMT-LIB."""
    return "Bool" if is_boolean(type_) else "Int"


def contains(type_: Type, value: Value) -> bool:
    """Whether a variable of the type can hold a value of the right kind."""
    return not isinstance(type_, Range) or type_.low <= value <= type_.high


def some_value(type_: Type) -> Value:
    """Some value of a type, for variables whose value does not matter."""
    match type_:
        case Integers():
            return 0
        case Booleans():
            return False
        case Range(low=low, high=high):
            return min(max(low, 0), high)
        case _:
            assert_never(type_)


# Actions

NOWHERE = Span(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Assign:
    """Assigns to several variables at once: all values are computed before the first variable changes."""

    targets: tuple[str, ...]
    values: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Havoc:
    """The variable gets any value of its type."""

    target: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Assume:
    """The step can be taken only if the condition holds."""

    condition: Expression
    span: Span = field(default=NOWHERE, compare=False)
    is_given: bool = field(default=False, compare=False)
    """Whether runs that come to it and in which it does not hold are of no interest: nobody waits there."""


@dataclass(frozen=True, slots=True)
class Assert:
    condition: Expression
    span: Span = field(default=NOWHERE, compare=False)
    says: str = field(default="the assertion does not hold", compare=False)
    """What is wrong if the condition does not hold."""
    is_about_memory: bool = field(default=False, compare=False)
    """Whether memory is used then that is not there."""
    is_limit: bool = field(default=False, compare=False)
    """Whether only runs in which the condition holds are looked at: others do not show that the program is
    wrong."""


@dataclass(frozen=True, slots=True)
class Fork:
    """Starts a thread; locals of it that are no parameters hold any value."""

    id: Expression
    template: str
    arguments: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Join:
    """Takes away another thread that has finished, has this id, and whose results fit."""

    id: Expression
    targets: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)


Action = Assign | Havoc | Assume | Assert | Fork | Join


@dataclass(frozen=True, slots=True)
class Edge:
    """A step from a place to another one."""

    source: int
    target: int
    actions: tuple[Action, ...]
    span: Span = field(default=NOWHERE, compare=False)
    text: str = field(default="", compare=False)
    """The step as its reader knows it."""
    atomic: bool = False
    """Whether no other thread can race with what it accesses, unless that one is not atomic."""
    by_chance: bool = False
    """Whether the step may be left out for ever although it can be taken: nobody can rely on it."""
    is_section: bool = field(default=False, compare=False)
    """Whether the step is an atomic section of the source."""
    is_weak: bool = field(default=False, compare=False)
    """Whether the step is an atomic access that processors do without a fence: a read, or a write with an
    order weaker than sequential consistency."""


@dataclasses.dataclass(frozen=True)
class Template:
    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    types: dict[str, Type]
    """Of all its locals, parameters and results among them."""
    entry: int
    edges: tuple[Edge, ...]

    def __hash__(self) -> int:
        return hash((self.name, self.edges))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """All but `FINISHED`, sorted."""
        found = {self.entry, *(e.source for e in self.edges), *(e.target for e in self.edges)}
        return tuple(sorted(found - {FINISHED}))

    @cached_property
    def edges_from(self) -> dict[int, tuple[tuple[int, Edge], ...]]:
        """The numbered edges by the place at which they start."""
        found: dict[int, list[tuple[int, Edge]]] = {}
        for number, edge in enumerate(self.edges):
            found.setdefault(edge.source, []).append((number, edge))
        return {place: tuple(edges) for place, edges in found.items()}


@dataclasses.dataclass(frozen=True)
class ThreadProgram:
    """One template, `main`, starts; it runs once at the beginning, without an id."""

    types: dict[str, Type]
    """Of the globals."""
    initial: dict[str, Value]
    """Of some globals; the others start with any value."""
    templates: tuple[Template, ...]
    main: str = "main"
    warnings: tuple[Diagnostic, ...] = dataclasses.field(default=(), compare=False)
    unique_ids: bool = False
    """Whether an id means the thread that was started with it last; runs that join another one are none."""

    ordinary: frozenset[str] = frozenset()
    """Globals whose accesses can race: all but those that are made for several threads."""

    waiting: frozenset[str] = frozenset()
    """Globals that say how many threads wait for signals; see `seriatim.program.threads.waiting`."""

    unknown_waits: str = dataclasses.field(default="", compare=False)
    """What makes threads wait in a way that is not modelled, so that hangs are not known; empty if nothing
    does."""

    weak_order: str = dataclasses.field(default="", compare=False)
    """What allows more runs than those that are looked at, so that nothing can be proved; empty if nothing
    does."""

    leaks: tuple[Diagnostic, ...] = dataclasses.field(default=(), compare=False)
    """Where memory is asked for that nobody ever frees."""

    value_names: Mapping[str, Mapping[int, str]] = dataclasses.field(default_factory=dict, compare=False)
    """For variables, what the source calls their values: a pointer is `&x`, and not the number of `x`."""

    noun: ClassVar[str] = "program"
    """What messages call it."""

    def __hash__(self) -> int:
        return hash((self.main, self.templates))

    @cached_property
    def by_name(self) -> dict[str, Template]:
        return {template.name: template for template in self.templates}

    @property
    def main_template(self) -> Template:
        return self.by_name[self.main]

    @cached_property
    def has_joins(self) -> bool:
        return any(isinstance(action, Join) for _, _, action in actions(self))

    def type_of(self, template: Template, name: str) -> Type:
        return template.types[name] if name in template.types else self.types[name]

    def with_templates(self, templates: tuple[Template, ...]) -> "ThreadProgram":
        return replace(self, templates=templates)


def actions(program: ThreadProgram) -> Iterator[tuple[Template, Edge, Action]]:
    for template in program.templates:
        for edge in template.edges:
            for action in edge.actions:
                yield template, edge, action


def expressions(action: Action) -> tuple[Expression, ...]:
    """The expressions that an action evaluates."""
    match action:
        case Assign(values=values):
            return values
        case Havoc():
            return ()
        case Assume(condition=condition) | Assert(condition=condition):
            return (condition,)
        case Fork(id=identity, arguments=arguments):
            return (identity, *arguments)
        case Join(id=identity):
            return (identity,)
        case _:
            assert_never(action)


def reads(action: Action) -> frozenset[str]:
    return frozenset().union(*map(variables, expressions(action)))


def writes(action: Action) -> tuple[str, ...]:
    """The variables that an action changes in its own thread or globally."""
    match action:
        case Assign(targets=targets) | Join(targets=targets):
            return targets
        case Havoc(target=target):
            return (target,)
        case Assume() | Assert() | Fork():
            return ()
        case _:
            assert_never(action)


def results_fit(program: ThreadProgram, joining: Template, join: Join, finished: Template) -> bool:
    """Whether a thread of a template can be what a join takes: without targets, results do not matter."""
    if not join.targets:
        return True
    if len(join.targets) != len(finished.results):
        return False
    return all(
        is_boolean(program.type_of(joining, target)) == is_boolean(finished.types[result])
        for target, result in zip(join.targets, finished.results, strict=True)
    )
