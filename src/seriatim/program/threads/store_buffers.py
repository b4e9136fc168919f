"""Total store order, as on x86: what a thread writes waits in a buffer of its own before it reaches memory.

A thread puts what it writes at the end of its buffer; at any time, the first entry may reach memory. A thread
that reads a variable gets the last entry for it in its own buffer, and what is in memory if there is none. A
*fence* is a step that is taken only with an empty buffer: all that reads and writes at once, and what starts,
joins and synchronizes threads. This is the abstract machine of Owens, Sarkar and Sewell (x86-TSO, 2009),
without its lock: a locked step is one step here.

In the program with buffers, a buffer is a few variables of its thread: how many entries there are, and for
each of them the number of a variable, and a value. An entry that is not there is 0. That the first entry
reaches memory is a step of the thread, at every place at which it can go on. *Claim*: the program has a run
to a failure if and only if the machine has one. A step of the machine is one here, and vice versa; where a
thread cannot go on, it has ended the program, and what it wrote could have reached memory before.

A buffer has room for as many entries as a thread can put into it between two fences. Where a loop makes that
unbounded, there is room for `ROOM` of them, and a run that needs more exceeds a limit
(`seriatim.program.threads.limits`).
"""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from seriatim.program.threads.syntax import (
    FINISHED,
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
    reads,
    writes,
)
from seriatim.source import Span
from seriatim.terms.expressions import Constant, Expression, Variable, apply, substitute

ROOM = 2
"""Entries of a buffer to which a loop writes."""
MOST = 4
"""Entries of a buffer at most; where more are needed, there is a limit, too."""
COUNT = "$waiting"
ZERO = Constant(0)


def with_store_buffers(program: ThreadProgram, atomics: Set[str]) -> ThreadProgram:
    """The program under total store order; `atomics` are the variables in memory that are not ordinary."""
    buffering = _Buffering(program, atomics)
    return replace(
        program,
        templates=tuple(map(buffering.template, program.templates)),
        ordinary=frozenset(),
        weak_order="",
    )


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place in a buffer: two locals."""

    number: int

    @property
    def target(self) -> str:
        """Which variable the entry is for, by its number; 0 without an entry."""
        return f"{COUNT}.{self.number}.variable"

    @property
    def value(self) -> str:
        return f"{COUNT}.{self.number}.value"


class _Buffering:
    def __init__(self, program: ThreadProgram, atomics: Set[str]) -> None:
        self.program = program
        self.memory = program.ordinary | atomics
        self.numbers = {name: number for number, name in enumerate(sorted(self.memory), 1)}

    def template(self, template: Template) -> Template:
        stored = {name for edge in template.edges for name in [self.stored(template, edge)] if name}
        if not stored:
            return template
        needed = self.longest(template)
        room = needed if needed is not None and needed <= MOST else ROOM
        slots = tuple(map(_Slot, range(1, room + 1)))
        edges = [self.delayed(template, edge, slots, needed != room) for edge in template.edges]
        edges += [
            self.arriving(place, template.edges_from[place][0][1].span, name, slots)
            for place in sorted(template.edges_from)
            for name in sorted(stored)
        ]
        entry = max(template.places, default=0) + 1
        names = (COUNT, *(each for slot in slots for each in (slot.target, slot.value)))
        begin = Assign(names, (ZERO,) * len(names))
        first = [
            replace(edge, source=entry, actions=(begin, *edge.actions))
            for edge in edges
            if edge.source == template.entry != edge.target
        ]
        types = {
            **template.types,
            COUNT: Range(0, room),
            **{slot.target: Range(0, len(self.numbers)) for slot in slots},
            **{slot.value: Integers() for slot in slots},
        }
        return replace(template, types=types, entry=entry, edges=(*first, *edges))

    def stored(self, template: Template, edge: Edge) -> str:
        """The variable that a step writes through the buffer; empty if it is a fence, or writes nothing."""
        written = [name for name in self.touched(template, edge, writes) if name in self.memory]
        if self.is_fence(template, edge) or not written:
            return ""
        return written[0]

    def touched(self, template: Template, edge: Edge, of: Callable[[Action], Iterable[str]]) -> list[str]:
        """The globals that the actions of a step read or write."""
        return [name for each in edge.actions for name in of(each) if name not in template.types]

    def is_fence(self, template: Template, edge: Edge) -> bool:
        """Whether a step is taken only with an empty buffer: reading alone needs none, nor does writing one
        ordinary variable."""
        if edge.target == FINISHED or edge.is_section:
            return True
        if any(isinstance(each, Fork | Join) for each in edge.actions):
            return True
        written = self.touched(template, edge, writes)
        looked_at = {name for name in self.touched(template, edge, reads) if not name.startswith("$")}
        if not {*written, *looked_at} <= self.memory:
            return True
        if not written:
            return edge.atomic and not edge.is_weak
        if edge.is_weak:
            return len(written) != 1
        is_plain = len(written) == 1 and written[0] in self.program.ordinary and not edge.atomic
        return not is_plain or any(
            isinstance(each, Havoc) and each.target in written for each in edge.actions
        )

    def longest(self, template: Template) -> int | None:
        """The most entries that a thread puts into its buffer between two fences; None without a bound."""
        most = dict.fromkeys((*template.places, FINISHED), 0)
        for _ in range(len(most) + 1):
            before = dict(most)
            for edge in template.edges:
                if not self.is_fence(template, edge):
                    more = most[edge.source] + bool(self.stored(template, edge))
                    most[edge.target] = max(most[edge.target], more)
            if most == before:
                return max(most.values())
        return None

    def delayed(self, template: Template, edge: Edge, slots: tuple[_Slot, ...], is_limited: bool) -> Edge:
        """The step with the buffer."""
        if self.is_fence(template, edge):
            empty = Assume(apply("==", Variable(COUNT), ZERO), edge.span)
            return replace(edge, actions=(empty, *edge.actions))
        seen = _Seen({name: self.latest(name, slots) for name in self.touched(template, edge, reads)})
        found: list[Action] = []
        for action in edge.actions:
            action = _reading(action, seen)
            target = self.stored(template, edge)
            if isinstance(action, Assign) and target in action.targets:
                found.extend(self.storing(action, target, slots, is_limited))
            else:
                found.append(action)
        return replace(edge, actions=tuple(found))

    def latest(self, name: str, slots: tuple[_Slot, ...]) -> Expression:
        """Returns what a thread sees if it reads a variable."""
        found: Expression = Variable(name)
        if name in self.numbers:
            for slot in slots:
                is_meant = apply("==", Variable(slot.target), Constant(self.numbers[name]))
                found = apply("?", is_meant, Variable(slot.value), found)
        return found

    def storing(
        self, action: Assign, target: str, slots: tuple[_Slot, ...], is_limited: bool
    ) -> Iterator[Action]:
        """The value goes to the end of the buffer."""
        (value,) = action.values
        count = Variable(COUNT)
        if is_limited:
            says = f"more than {len(slots)} writes of a thread that wait for memory are not looked at"
            yield Assert(apply("<", count, Constant(len(slots))), action.span, says, is_limit=True)
        names, values = [COUNT], [apply("+", count, Constant(1))]
        for slot in slots:
            is_next = apply("==", count, Constant(slot.number - 1))
            names += [slot.target, slot.value]
            number = Constant(self.numbers[target])
            values += [
                apply("?", is_next, number, Variable(slot.target)),
                apply("?", is_next, value, Variable(slot.value)),
            ]
        yield Assign(tuple(names), tuple(values), action.span)

    def arriving(self, place: int, span: Span, name: str, slots: tuple[_Slot, ...]) -> Edge:
        """The first entry, for this variable, reaches memory."""
        first = slots[0]
        is_first = Assume(apply("==", Variable(first.target), Constant(self.numbers[name])), span)
        names = [name, COUNT]
        values: list[Expression] = [Variable(first.value), apply("-", Variable(COUNT), Constant(1))]
        for slot, following in pairwise(slots):
            names += [slot.target, slot.value]
            values += [Variable(following.target), Variable(following.value)]
        names += [slots[-1].target, slots[-1].value]
        values += [ZERO, ZERO]
        actions = (is_first, Assign(tuple(names), tuple(values), span))
        return Edge(place, place, actions, span, f"{name} reaches memory")


class _Seen(dict[str, Expression]):
    """What a thread sees of variables; others are what they are."""

    def __missing__(self, name: str) -> Expression:
        return Variable(name)


def _reading(action: Action, seen: _Seen) -> Action:
    """The action with what a thread sees of the variables that it reads."""
    match action:
        case Assign(values=values):
            return replace(action, values=tuple(substitute(each, seen) for each in values))
        case Assume(condition=condition) | Assert(condition=condition):
            return replace(action, condition=substitute(condition, seen))
        case Havoc():
            return action
        case Fork() | Join():
            raise AssertionError("a fence")
