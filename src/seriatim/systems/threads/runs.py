"""Runs of a thread program: from tokens back to threads, and from values chosen late to values chosen in
time.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from seriatim.program.threads.runs import NO_FAILURE, ThreadRun, ThreadStep
from seriatim.program.threads.semantics import Effect, Failure, Origin, Spawned
from seriatim.program.threads.syntax import Edge, Havoc, Template, Type, some_value, writes
from seriatim.systems.threads.finite import FORGOTTEN, Choice, FiniteSystem, Move, Token, execute
from seriatim.terms.expressions import Value

TokenStep = tuple[Token, Move, Token | None]
"""Who moves, how, and the thread that is joined."""


@dataclass(slots=True, eq=False)
class _Cell:
    """The value of a variable; an arbitrary one is None as long as nobody has chosen it."""

    type: Type
    value: Value | None = None

    def close(self) -> Value:
        return some_value(self.type) if self.value is None else self.value


_Store = dict[str, _Cell]


@dataclass(slots=True, eq=False)
class _Thread:
    number: int
    template: Template
    place: int
    id: int | None
    store: _Store


@dataclass(slots=True, eq=False)
class _Draft:
    """A step whose arbitrary values may still be open."""

    thread: int
    edge: int
    havocs: tuple[_Cell, ...]
    fresh: _Store
    joined: int | None

    def close(self) -> ThreadStep:
        havocs = tuple(cell.close() for cell in self.havocs)
        return ThreadStep(self.thread, self.edge, havocs, _close(self.fresh), self.joined)


def _close(store: _Store) -> tuple[tuple[str, Value], ...]:
    return tuple((name, cell.close()) for name, cell in store.items())


def thread_run(system: FiniteSystem, steps: Iterable[TokenStep]) -> ThreadRun:
    """The run that steps of tokens stand for; a failure is that of its last step, if it fails."""
    rebuilding = _Rebuilding(system)
    failure: Failure | None = None
    for actor, move, partner in steps:
        rebuilding.step(actor, move, partner)
        failure = move.failure
    return ThreadRun(
        _close(rebuilding.initial),
        _close(rebuilding.initial_locals),
        tuple(draft.close() for draft in rebuilding.drafts),
        failure or NO_FAILURE,
    )


class _Rebuilding:
    """A configuration with threads instead of tokens, and the steps that led there."""

    def __init__(self, system: FiniteSystem) -> None:
        self.system = system
        self.program = system.program
        main = self.program.main_template
        initial = self.program.initial
        self.globals = {name: _Cell(type_, initial.get(name)) for name, type_ in self.program.types.items()}
        locals_ = {name: _Cell(type_) for name, type_ in main.types.items()}
        self.threads = [_Thread(0, main, main.entry, None, locals_)]
        self.started = 1
        self.initial = dict(self.globals)
        self.initial_locals = dict(locals_)
        self.drafts: list[_Draft] = []

    def step(self, actor: Token, move: Move, partner: Token | None) -> None:
        thread = self.thread_like(actor)
        joined = None if partner is None else self.thread_like(partner, thread)
        for unknown, value in move.chosen:
            match unknown.origin:
                case Origin.BEFORE:
                    self.store(thread, unknown.name)[unknown.name].value = value
                case Origin.RESULT:
                    assert joined is not None
                    joined.store[unknown.name].value = value
                case Origin.HAVOC:
                    pass  # Its cell does not exist yet.
        edge = thread.template.edges[move.edge]
        havocs = self.havoc_cells(thread, edge, move.chosen)
        number = None if joined is None else joined.number
        draft = _Draft(thread.number, move.edge, tuple(havocs.values()), {}, number)
        self.drafts.append(draft)
        if move.failure is not None:
            return
        values = _list_known(self.globals) | _list_known(thread.store)
        results = {} if joined is None else _list_known(joined.store)
        effect = execute(self.program, thread.template, edge, values, partner, results, move.chosen)
        self.take_over(thread, edge, effect, havocs)
        thread.place = edge.target
        if effect.spawned is not None:
            draft.fresh = self.start(effect.spawned)
        if joined is not None:
            self.threads.remove(joined)

    def store(self, thread: _Thread, name: str) -> _Store:
        return thread.store if name in thread.store else self.globals

    def thread_like(self, token: Token, other_than: _Thread | None = None) -> _Thread:
        """A thread for which a token stands."""
        return next(each for each in self.threads if each is not other_than and self.token(each) == token)

    def token(self, thread: _Thread) -> Token:
        kept = self.system.live[thread.template.name][thread.place]
        identity = thread.id if self.program.has_joins or thread.id is None else 0
        return Token(
            thread.template.name, thread.place, identity, tuple(thread.store[name].value for name in kept)
        )

    def havoc_cells(self, thread: _Thread, edge: Edge, chosen: tuple[Choice, ...]) -> dict[int, _Cell]:
        """New cells for the variables that an edge havocs, by the numbers of its actions."""
        values = {each.action: value for each, value in chosen if each.origin is Origin.HAVOC}
        return {
            number: _Cell(self.program.type_of(thread.template, action.target), values.get(number))
            for number, action in enumerate(edge.actions)
            if isinstance(action, Havoc)
        }

    def take_over(self, thread: _Thread, edge: Edge, effect: Effect, havocs: dict[int, _Cell]) -> None:
        """The values after a step; a variable keeps its cell where nobody has chosen its value."""
        last = {
            action.target: havocs[number]
            for number, action in enumerate(edge.actions)
            if isinstance(action, Havoc)
        }
        for action in edge.actions:
            for name in writes(action):
                store = self.store(thread, name)
                if name in effect.values:
                    store[name] = _Cell(store[name].type, effect.values[name])
                else:
                    store[name] = last[name]

    def start(self, spawned: Spawned) -> _Store:
        """A new thread; its locals that hold any value."""
        template = self.program.by_name[spawned.template]
        arguments = dict(spawned.arguments)
        store = {name: _Cell(type_, arguments.get(name)) for name, type_ in template.types.items()}
        if self.system.forgets:
            for each in self.threads:
                each.id = FORGOTTEN if each.id == spawned.id else each.id
        self.threads.append(_Thread(self.started, template, template.entry, spawned.id, store))
        self.started += 1
        return {name: cell for name, cell in store.items() if name not in arguments}


def _list_known(store: _Store) -> dict[str, Value]:
    return {name: cell.value for name, cell in store.items() if cell.value is not None}
