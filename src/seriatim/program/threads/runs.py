"""Runs of thread programs as data, and their replay by the reference semantics."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.program.threads.semantics import (
    Blocked,
    Failed,
    Failure,
    NeedsPartner,
    Partner,
    Spawned,
    Values,
    run_edge,
)
from seriatim.program.threads.syntax import (
    FINISHED,
    NOWHERE,
    Edge,
    Havoc,
    Template,
    ThreadProgram,
    Type,
    contains,
    is_boolean,
)
from seriatim.terms.expressions import Value


@dataclass(frozen=True, slots=True)
class ThreadStep:
    """A step of a run, with all that is not determined."""

    thread: int
    """Counted from 0, which is main; others are numbered in the order in which they start."""
    edge: int
    havocs: tuple[Value, ...]
    """A value for each `havoc` of the edge, in its order."""
    locals: tuple[tuple[str, Value], ...]
    """What the locals of the thread that is started hold at first, its parameters left out."""
    joined: int | None
    """The thread that a join takes."""


@dataclass(frozen=True, slots=True)
class ThreadRun:
    globals: tuple[tuple[str, Value], ...]
    """What they hold at first."""
    locals: tuple[tuple[str, Value], ...]
    """The same for the locals of main."""
    steps: tuple[ThreadStep, ...]
    """The last one fails."""
    failure: Failure


NO_FAILURE = Failure("", "", NOWHERE)
"""Of a run that only shows what happens, or that ends in a hang."""


@dataclass(slots=True)
class RunThread:
    """A thread of a run that is being replayed."""

    number: int
    template: Template
    place: int
    id: int | None
    values: Values


@dataclass(frozen=True, slots=True)
class RunMoment:
    """What a step has come to."""

    thread: int
    edge: Edge
    globals: Values
    """Afterwards; of a step that fails, before."""
    locals: Values
    started: int | None
    joined: int | None
    failure: Failure | None
    spawned: str | None = None
    """The template of the thread that is started; None if there is none."""
    spawned_locals: tuple[tuple[str, Value], ...] = ()
    """The locals of that thread, with their values."""


class NotARun(Exception):
    """A run departs from what the program can do; says where."""


def replay(program: ThreadProgram, run: ThreadRun) -> Iterator[RunMoment]:
    """The moments of a run, up to the one that fails; raises `NotARun`.

    A run with `NO_FAILURE` may end anywhere."""
    return Replay(program, run).moments()


class Replay:
    """A configuration, with every variable having a value."""

    def __init__(self, program: ThreadProgram, run: ThreadRun) -> None:
        self.program = program
        self.run = run
        self.globals = check_values(dict(run.globals), program.types, "the globals")
        for name, value in program.initial.items():
            if self.globals[name] != value:
                raise NotARun(f"`{name}` starts with another value")
        main = program.main_template
        values = check_values(dict(run.locals), main.types, "the locals of main")
        self.threads = {0: RunThread(0, main, main.entry, None, values)}
        self.started = 1
        self.with_id: dict[int, list[int]] = {}
        """Threads by the ids with which they were started."""

    def moments(self) -> Iterator[RunMoment]:
        for number, step in enumerate(self.run.steps, 1):
            try:
                moment = self.step(step)
            except NotARun as error:
                raise NotARun(f"step {number}: {error}") from None
            yield moment
            if moment.failure is not None:
                if number < len(self.run.steps):
                    raise NotARun(f"step {number} fails, and others follow it")
                return
        if self.run.failure != NO_FAILURE:
            raise NotARun("no step fails")

    def step(self, step: ThreadStep) -> RunMoment:
        thread = self.threads.get(step.thread)
        if thread is None:
            raise NotARun(f"there is no thread {step.thread}")
        if not 0 <= step.edge < len(thread.template.edges):
            raise NotARun(f"`{thread.template.name}` has no step {step.edge}")
        edge = thread.template.edges[step.edge]
        if edge.source != thread.place:
            raise NotARun(f"thread {step.thread} is somewhere else")
        havocs = self.havocs(thread.template, edge, step)
        partner = None if step.joined is None else self.partner(step)
        values = {**self.globals, **thread.values}
        try:
            effect = run_edge(self.program, thread.template, edge, values, partner, havocs)
        except Failed as failed:
            return RunMoment(
                thread.number, edge, dict(self.globals), dict(thread.values), None, None, failed.failure
            )
        except (Blocked, NeedsPartner):
            raise NotARun(f"thread {step.thread} cannot take it there") from None
        if effect.joined != (step.joined is not None):
            raise NotARun("no thread is joined there")
        self.globals = {name: effect.values[name] for name in self.globals}
        thread.values = {name: effect.values[name] for name in thread.values}
        thread.place = edge.target
        if step.joined is not None:
            del self.threads[step.joined]
        started: RunThread | None = None
        if effect.spawned is not None:
            started = self.start(effect.spawned, step)
        elif step.locals:
            raise NotARun("no thread is started there")
        moment = RunMoment(
            thread.number, edge, dict(self.globals), dict(thread.values), None, step.joined, None
        )
        if started is None:
            return moment
        locals_ = tuple(started.values.items())
        return replace(moment, started=started.number, spawned=started.template.name, spawned_locals=locals_)

    def havocs(self, template: Template, edge: Edge, step: ThreadStep) -> dict[int, Value]:
        numbers = [number for number, action in enumerate(edge.actions) if isinstance(action, Havoc)]
        if len(numbers) != len(step.havocs):
            raise NotARun("it has not one value for each havoc")
        found = dict(zip(numbers, step.havocs, strict=True))
        for number, value in found.items():
            action = edge.actions[number]
            assert isinstance(action, Havoc)
            check_value(action.target, self.program.type_of(template, action.target), value)
        return found

    def check_latest(self, joined: RunThread) -> None:
        """Where ids are unique, an id means the thread that was started with it last."""
        latest = max(self.with_id[joined.id]) if joined.id is not None else joined.number
        if self.program.unique_ids and latest != joined.number:
            raise NotARun(f"the id of thread {joined.number} means another thread by now")

    def partner(self, step: ThreadStep) -> Partner:
        joined = self.threads.get(step.joined) if step.joined is not None else None
        if joined is None or step.joined == step.thread:
            raise NotARun(f"there is no other thread {step.joined}")
        if joined.place != FINISHED:
            raise NotARun(f"thread {step.joined} has not finished")
        self.check_latest(joined)
        return Partner(joined.template.name, joined.id, joined.values)

    def start(self, spawned: Spawned, step: ThreadStep) -> RunThread:
        template = self.program.by_name[spawned.template]
        values = dict(spawned.arguments)
        if any(name in values for name, _ in step.locals):
            raise NotARun("a parameter is given as a local")
        values |= dict(step.locals)
        check_values(values, template.types, f"the locals of the new thread of `{template.name}`")
        thread = RunThread(self.started, template, template.entry, spawned.id, values)
        self.threads[self.started] = thread
        self.with_id.setdefault(spawned.id, []).append(self.started)
        self.started += 1
        return thread


def check_values(values: Values, types: dict[str, Type], what: str) -> Values:
    """The values, if there is one for each variable, within its type."""
    if values.keys() != types.keys():
        raise NotARun(f"{what} are not exactly these: {', '.join(types) or 'none'}")
    for name, value in values.items():
        check_value(name, types[name], value)
    return values


def check_value(name: str, type_: Type, value: Value) -> None:
    if isinstance(value, bool) != is_boolean(type_) or not contains(type_, value):
        raise NotARun(f"`{name}` cannot hold {value}")
