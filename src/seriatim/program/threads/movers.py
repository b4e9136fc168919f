"""Which steps of a thread commute with the steps of all others (Lipton's movers).

A step is a *right mover* if it can happen later: whatever another thread does right after it, it could do
before it, with the same result. A *left mover* can happen earlier. Each action of a step is classified, and
a step moves as all its actions do. What is used:

- An action on locals, and on globals that nobody writes, moves both ways.
- Before main has started a thread, there is nobody to disturb: everything moves both ways. A global that is
  written only then counts as one that nobody writes: of two steps of two threads that follow each other,
  neither writes it, since both threads are there.
- A *mutex* is a global that is 0 at first and that is touched only by `assume m == 0; m := 1`, two actions
  of one step that follow each other, and by `m := 0`, perhaps after `assume m == 1`, where the thread holds
  it on every way there, or before the first thread is started. So at most one thread holds it, and only its
  holder releases it. Acquiring moves right: while it is held, nobody else touches it. Releasing moves left.
- If every access to a global happens while one mutex is held, or before the first thread is started, no two
  threads are near it at a time: accesses move both ways.
- A fork moves left if its id and its arguments are local or never written: the thread that it starts has
  not done anything before. A join moves right if its id and its targets are so: nobody else takes the same
  thread.
- Everything else moves neither way.

Steps that fail end the program, so they need not move.
"""

from collections.abc import Iterator
from enum import Flag, auto
from functools import cached_property

from seriatim.closure import reached
from seriatim.program.threads.syntax import (
    Action,
    Assign,
    Assume,
    Edge,
    Fork,
    Join,
    Template,
    ThreadProgram,
    actions,
    reads,
    writes,
)
from seriatim.terms.expressions import Apply, Constant, Expression, Variable, apply

Held = frozenset[str]
"""Mutexes that a thread holds."""


class Moves(Flag):
    """In which directions a step can be moved."""

    NEITHER = 0
    LEFT = auto()
    RIGHT = auto()
    BOTH = LEFT | RIGHT


def find_tested(action: Action) -> str | None:
    """The variable that an action waits for to be 0 or false."""
    match action:
        case Assume(condition=Apply(op="==", arguments=(Variable(name=name), Constant(value=value)))):
            return name if value == 0 else None
        case Assume(condition=Apply(op="!", arguments=(Variable(name=name),))):
            return name
        case _:
            return None


def frees(part: tuple[Action, ...]) -> str | None:
    """The variable that a part of a step sets to 0, perhaps after a test that it is 1."""
    last = find_assigned(part[-1])
    if last is None or last[1] != 0:
        return None
    if len(part) == 2 and part[0] not in (
        Assume(apply("==", Variable(last[0]), Constant(1))),
        Assume(Variable(last[0])),
    ):
        return None
    return last[0]


def find_assigned(action: Action) -> tuple[str, int] | None:
    """Finds the variable that an action sets to a constant, if it does that."""
    match action:
        case Assign(targets=(name,), values=(Constant(value=value),)):
            return name, int(value)
        case _:
            return None


class Movers:
    """The steps of a program, classified."""

    def __init__(self, program: ThreadProgram) -> None:
        self.program = program
        self.written = frozenset(self.find_written())
        """Globals that are written while there may be several threads."""
        self.mutexes = self.find_mutexes()
        self.held = {template.name: self.holding(template) for template in program.templates}
        while not self.releases_what_it_holds():
            self.held = {template.name: self.holding(template) for template in program.templates}
        self.guards = self.find_guards()
        """The mutexes that are held whenever a global is accessed while there are several threads."""
        self.protected = frozenset(name for name, held in self.guards.items() if held)

    # Mutexes

    def find_mutexes(self) -> frozenset[str]:
        """Globals that are only acquired and released, wherever that is."""
        candidates = {name for name, value in self.program.initial.items() if value == 0}
        acquired: set[str] = set()
        for template in self.program.templates:
            for edge in template.edges:
                for part in self.parts(template, edge):
                    touched = {name for action in part for name in (*reads(action), *writes(action))}
                    name = acquires(part)
                    if name is not None:
                        acquired.add(name)
                        continue
                    if frees(part) is not None:
                        continue
                    candidates -= touched - frozenset(template.types)
        return frozenset(candidates & acquired)

    def parts(self, template: Template, edge: Edge) -> Iterator[tuple[Action, ...]]:
        """The actions of a step one by one; a test and a set of the same global together."""
        index = 0
        while index < len(edge.actions):
            pair = edge.actions[index : index + 2]
            name = acquires(pair) or (frees(pair) if len(pair) == 2 else None)
            size = 2 if name is not None and name in self.program.types and name not in template.types else 1
            yield edge.actions[index : index + size]
            index += size

    def after(self, template: Template, part: tuple[Action, ...], held: Held) -> Held:
        """Returns what a thread holds after a part of a step."""
        name = acquires(part)
        if name in self.mutexes and name not in template.types:
            return held | {name}
        released = frees(part)
        return held - {released} if released is not None and released not in template.types else held

    def holding(self, template: Template) -> dict[int, Held]:
        """Returns what a thread holds at each place on every way there."""
        found: dict[int, Held] = {template.entry: frozenset()}
        pending = [template.entry]
        while pending:
            place = pending.pop()
            for _, edge in template.edges_from.get(place, ()):
                held = found[place]
                for part in self.parts(template, edge):
                    held = self.after(template, part, held)
                known = found.get(edge.target)
                if known is None or not known <= held:
                    found[edge.target] = held if known is None else known & held
                    pending.append(edge.target)
        return found

    def releases_what_it_holds(self) -> bool:
        """Whether every mutex is released only where it is held; those that are not are none."""
        wrong: set[str] = set()
        for template in self.program.templates:
            for edge in template.edges:
                held = self.held[template.name].get(edge.source)
                if held is None:
                    continue  # Nobody comes there.
                is_alone = self.is_alone(template, edge)
                for part in self.parts(template, edge):
                    name = None if is_alone else frees(part)
                    if name in self.mutexes and name not in template.types and name not in held:
                        wrong.add(name)
                    held = self.after(template, part, held)
                    is_alone = is_alone and not isinstance(part[0], Fork)
        self.mutexes -= wrong
        return not wrong

    # Before the first thread

    @cached_property
    def alone(self) -> frozenset[int]:
        """The places of main to which no way leads on which it has started a thread."""
        program, main = self.program, self.program.main_template
        if any(
            isinstance(action, Fork) and action.template == main.name for _, _, action in actions(program)
        ):
            return frozenset()
        first = [edge.target for edge in main.edges if any(isinstance(each, Fork) for each in edge.actions)]
        accompanied = reached(first, ((edge.source, edge.target) for edge in main.edges))
        return frozenset(main.places) - accompanied

    def find_written(self) -> Iterator[str]:
        for template in self.program.templates:
            for edge in template.edges:
                is_alone = self.is_alone(template, edge)
                for action in edge.actions:
                    is_alone = is_alone and not isinstance(action, Fork)
                    if not is_alone:
                        yield from (name for name in writes(action) if name not in template.types)

    def is_alone(self, template: Template, edge: Edge) -> bool:
        """Whether a step of main begins before it has started a thread."""
        return template.name == self.program.main and edge.source in self.alone

    # Accesses

    def find_shared(self, template: Template, part: tuple[Action, ...]) -> frozenset[str]:
        """The globals that somebody writes and that the part of a step touches."""
        touched = frozenset(name for action in part for name in (*reads(action), *writes(action)))
        return (touched - frozenset(template.types)) & self.written

    def find_guards(self) -> dict[str, Held]:
        guards: dict[str, Held] = dict.fromkeys(self.written - self.mutexes, self.mutexes)
        for template in self.program.templates:
            for edge in template.edges:
                held = self.held[template.name].get(edge.source, self.mutexes)
                is_alone = self.is_alone(template, edge)
                for part in self.parts(template, edge):
                    if not is_alone:
                        for name in self.find_shared(template, part) & guards.keys():
                            guards[name] &= held
                    held = self.after(template, part, held)
                    is_alone = is_alone and not isinstance(part[0], Fork)
        return guards

    # Steps

    def moves(self, template: Template, edge: Edge) -> Moves:
        found = Moves.BOTH
        is_alone = self.is_alone(template, edge)
        for part in self.parts(template, edge):
            found &= self.part_moves(template, part, is_alone)
            is_alone = is_alone and not isinstance(part[0], Fork)
        return found

    def part_moves(self, template: Template, part: tuple[Action, ...], is_alone: bool) -> Moves:
        shared = self.find_shared(template, part)
        first = part[0]
        if isinstance(first, Fork):
            return Moves.LEFT if not shared else Moves.NEITHER
        if isinstance(first, Join):
            return Moves.RIGHT if not shared else Moves.NEITHER
        if is_alone or shared <= self.protected:
            return Moves.BOTH
        if acquires(part) in self.mutexes:
            return Moves.RIGHT
        if shared == {frees(part)} and shared <= self.mutexes:
            return Moves.LEFT
        return Moves.NEITHER


def acquires(part: tuple[Action, ...]) -> str | None:
    """The variable of a test and a set that follow each other."""
    if len(part) != 2:
        return None
    name = find_tested(part[0])
    return name if name is not None and find_assigned(part[1]) == (name, 1) else None


def always_can(edges: tuple[Edge, ...]) -> bool:
    """Whether some of the steps can be taken in every state, or fails: one that waits for nothing, or two of
    which one waits for what the other one denies."""
    first_tests: list[Expression] = []
    for edge in edges:
        waits = [action for action in edge.actions if isinstance(action, Assume | Join)]
        if not waits:
            return True
        if len(waits) == 1 and isinstance(waits[0], Assume) and edge.actions[0] == waits[0]:
            first_tests.append(waits[0].condition)
    return any(apply("!", test) in first_tests for test in first_tests)
