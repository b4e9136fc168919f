"""Inputs as systems of actions: moves with the variables that they read and write, wait steps left out.

*Programs.* Which globals a step touches is told by the program itself: before it is compiled, each read and
each assignment of a global X also sets a flag of its own, a further global. A step from a state in which all
flags are 0 leaves those set that belong to what it touched. Nothing else depends on flags, so the steps are
the same.

Locals are what requests settle to (`seriatim.program.actions`), in which handlers are not told apart; so
steps that touch nothing and leave no choice do not appear, and a wait step is one that changes nothing at
all.

*Network systems* have no variables. Their global state is taken for a single one: every step reads it, and
writes it if it changes it.

A request that is answered, or can no longer do anything that others notice, is gone: the target `GONE`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, assert_never

from seriatim.budget import Deadline
from seriatim.program.actions import settle
from seriatim.program.changing import transform
from seriatim.program.inputs import Input
from seriatim.program.liveness import live_locals
from seriatim.program.network_system import NetworkSystem
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import Store, Unbounded, response
from seriatim.program.syntax import (
    Assign,
    Expression,
    Number,
    Program,
    Read,
    global_names,
    is_global,
    sequence,
)
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.source_map import configuration
from seriatim.systems.unfolding import INITIAL_GLOBAL, Move, ProgramUnfolding, Unfolding

GONE = ~0
"""The target of a request that is answered, the only completion."""

READ_FLAG, WRITE_FLAG = "R:", "W:"
"""Prefixes of the names of flags; no name in a text has a colon."""

WHOLE_STATE = "state"
"""The variable of a network system."""


@dataclass(frozen=True, slots=True)
class Label:
    """The variables that an action reads and writes, as bits."""

    reads: int
    writes: int

    def conflicts(self, other: "Label") -> int:
        """The variables on which two actions conflict, as bits."""
        return self.writes & (other.reads | other.writes) | self.reads & other.writes


NOTHING = Label(0, 0)


@dataclass(frozen=True, slots=True)
class Action:
    """What a request does in one step."""

    target: int
    """Its next local, or `GONE`."""
    after: int
    """The next global state."""
    label: Label


class ActionSystem(Unfolding, Protocol):
    """A system whose moves tell what they touch."""

    @property
    def variables(self) -> tuple[str, ...]: ...

    def actions(self, local: int, global_: int) -> tuple[Action, ...]:
        """Returns what a request at this local can do when the global state is this one; wait steps are left
        out."""


def action_system(content: Input, limits: Limits, deadline: Deadline) -> "ProgramActions | SystemActions":
    match content:
        case Program():
            return ProgramActions(content, limits, deadline)
        case NetworkSystem():
            return SystemActions(content)
        case _:
            assert_never(content)


def with_flags(program: Program) -> Program:
    """Adds a flag for each read and each write of a global, which the access sets to 1: so a step tells what
    it accesses. Steps and answers stay as they are."""

    def add_flag(part: Expression) -> Expression:
        match part:
            case Read(name=name, span=span) if is_global(name):
                return sequence(Assign(READ_FLAG + name, Number(1), span), part)
            case Assign(name=name, span=span) if is_global(name):
                # The flag comes after the value, which may pause; the whole has the value that was assigned.
                return sequence(part, Assign(WRITE_FLAG + name, Number(1), span), Read(name, span))
            case _:
                return part

    with deep_recursion():
        handlers = tuple(
            replace(handler, body=transform(handler.body, add_flag)) for handler in program.handlers
        )
    return replace(program, handlers=handlers)


Settled = tuple[Expression, Store]
"""What is left to do, and the live locals."""


class ProgramActions:
    """A program as an action system, executed on demand."""

    def __init__(
        self, program: Program, limits: Limits, deadline: Deadline, counts_waits: bool = False
    ) -> None:
        self.program = program
        self.counts_waits = counts_waits
        """Whether wait steps are actions as well; conflict serializability does not count them."""
        self.variables = global_names(program)
        self.flagged = ProgramUnfolding(with_flags(program), limits, deadline)
        places = {name: place for place, name in enumerate(self.flagged.global_names)}
        self._flags = tuple(
            (places.get(READ_FLAG + name), places.get(WRITE_FLAG + name)) for name in self.variables
        )
        self._is_flag = tuple(name.startswith((READ_FLAG, WRITE_FLAG)) for name in self.flagged.global_names)
        self._values = tuple(places[name] for name in self.variables)
        self.requests = self.flagged.requests
        self.completions = [(0, "")]
        self.global_values: list[tuple[int, ...]] = []
        self._globals: dict[int, int] = {}
        """Global states of the flagged unfolding, all flags 0, to ours."""
        self._flagged_globals: list[int] = []
        self.representatives: list[int] = []
        """For each local, one of the flagged unfolding that settles to it."""
        self._settled: dict[Settled | None, int] = {None: GONE}
        self._local_of: dict[int, int] = {}
        self._actions: dict[tuple[int, int], tuple[Action, ...]] = {}
        self._moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self._global(INITIAL_GLOBAL)
        starts = [self.local_of(start) for start in self.flagged.starts]
        self.starts = tuple(dict.fromkeys(start for start in starts if start != GONE))
        self.handlers_from = {start: handler for handler, start in reversed(list(enumerate(starts)))}
        """For each start, the first of the handlers that settle to it."""

    def request_of(self, local: int) -> int:
        return self.flagged.request_of(self.representatives[local])

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        key = (local, global_)
        known = self._moves.get(key)
        if known is None:
            found = ((action.target, action.after) for action in self.actions(local, global_))
            known = self._moves[key] = tuple(dict.fromkeys(found))
        return known

    def actions(self, local: int, global_: int) -> tuple[Action, ...]:
        key = (local, global_)
        known = self._actions.get(key)
        if known is None:
            paths = self.paths(self.representatives[local], global_)
            known = self._actions[key] = tuple(dict.fromkeys(action for action, _ in paths))
        return known

    def paths(self, flagged: int, global_: int) -> Iterator[tuple[Action, tuple[int, ...]]]:
        """The actions of a request at a local of the flagged unfolding, each with the targets of the moves,
        the last one its own, that lead to its end."""
        local = self.local_of(flagged)
        pending: list[tuple[int, ...]] = [(flagged,)]
        seen = {flagged}
        while pending:
            way = pending.pop()
            for target, reached in self.flagged.moves(way[-1], self._flagged_globals[global_]):
                after, label = self._unflag(reached)
                end = GONE if target < 0 else self.local_of(target)
                is_wait = end == local and after == global_ and label != NOTHING
                if end != local or after != global_ or (is_wait and self.counts_waits):
                    yield Action(end, after, label), (*way[1:], target)
                elif not is_wait and target not in seen:
                    # Still on its way to the point where it settles.
                    seen.add(target)
                    pending.append((*way, target))

    def local_of(self, flagged: int) -> int:
        """Returns what a local of the flagged unfolding settles to."""
        known = self._local_of.get(flagged)
        if known is None:
            state = self._settle(flagged)
            known = self._settled.get(state)
            if known is None:
                known = self._settled[state] = len(self.representatives)
                self.representatives.append(flagged)
            self._local_of[flagged] = known
        return known

    def _settle(self, flagged: int) -> Settled | None:
        with deep_recursion():
            try:
                start = configuration(self.flagged, flagged, INITIAL_GLOBAL)
                end = settle(start, check_stop=self.flagged.steps.deadline.check)
            except Unbounded:
                raise LimitReached("--max-states", self.flagged.limits.max_states) from None
            if end is None or response(end.expression) is not None:
                return None
            live = live_locals(end.expression)
        return end.expression, tuple(pair for pair in end.locals if pair[0] in live)

    def _unflag(self, reached: int) -> tuple[int, Label]:
        """A global state of the flagged unfolding as one of ours, and what its flags say."""
        values = self.flagged.global_values[reached]
        reads = writes = 0
        for bit, (read, write) in enumerate(self._flags):
            reads |= (0 if read is None else values[read]) << bit
            writes |= (0 if write is None else values[write]) << bit
        if not reads | writes:
            return self._global(reached), NOTHING
        plain = tuple(0 if flag else value for flag, value in zip(self._is_flag, values, strict=True))
        return self._global(self.flagged.global_number(plain)), Label(reads, writes)

    def _global(self, flagged: int) -> int:
        known = self._globals.get(flagged)
        if known is None:
            known = self._globals[flagged] = len(self.global_values)
            self._flagged_globals.append(flagged)
            values = self.flagged.global_values[flagged]
            self.global_values.append(tuple(values[place] for place in self._values))
        return known


class SystemActions:
    """A network system as an action system; its local states keep their numbers."""

    def __init__(self, system: NetworkSystem) -> None:
        self.system = system
        self.variables = (WHOLE_STATE,)
        self.requests = system.requests
        self.completions = [(0, "")]
        self.global_order = [system.initial, *(g for g in range(len(system.globals)) if g != system.initial)]
        self.global_values: list[tuple[int, ...]] = [()] * len(self.global_order)
        number = {old: new for new, old in enumerate(self.global_order)}
        moving = {local for local, *_ in system.delta}
        self._actions: dict[tuple[int, int], list[Action]] = {}
        self._ends: dict[tuple[int, int, Action], list[int]] = {}
        for local, before, target, after in system.delta:
            if (local, before) != (target, after):
                end = target if target in moving else GONE
                action = Action(end, number[after], Label(1, int(before != after)))
                self._actions.setdefault((local, number[before]), []).append(action)
                if end == GONE:
                    self._ends.setdefault((local, number[before], action), []).append(target)
        self.handlers_from = {local: request for request, local in reversed(system.req) if local in moving}
        self.starts = tuple(self.handlers_from)

    def request_of(self, local: int) -> int:
        return self.handlers_from.get(local, 0)

    def moves(self, local: int, global_: int) -> tuple[Move, ...]:
        return tuple(dict.fromkeys((a.target, a.after) for a in self.actions(local, global_)))

    def actions(self, local: int, global_: int) -> tuple[Action, ...]:
        return tuple(self._actions.get((local, global_), ()))

    def ends(self, local: int, global_: int, action: Action) -> list[int]:
        """The local states, without any step from them, to which an action leads."""
        return self._ends.get((local, global_, action), [])
