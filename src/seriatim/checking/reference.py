"""An input as the checker sees it: its requests, where they can be, and what they can do from there.

Either kind of input is a network system as in section 2.3 of the paper, with nothing fused, merged or left
out. A network system is given as δ, req and resp. A program gives rise to one by the reference interpreter:
a step is a big step, and a local state is what is left to do together with the locals that it may read.

A run of it spawns requests, lets them take steps and lets them answer, in any order. Spawning and answering
leave the global state as it is, so they matter to nobody else.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol, TypeVar

from seriatim.certificate.format import GlobalState
from seriatim.checking.allowance import GaveUp
from seriatim.language.liveness import live_locals
from seriatim.language.printer import print_expression
from seriatim.language.semantics import (
    MAX_BITS,
    Configuration,
    Store,
    Unbounded,
    big_steps,
    lookup,
    response,
    store,
)
from seriatim.language.syntax import Expression, Program, global_names, initial_globals
from seriatim.network.system import NetworkSystem

State = TypeVar("State")
"""The local state of a request. Where several requests share one, they can do the same from there."""


class Reference(Protocol[State]):
    """What the checker asks of an input; all of it exact."""

    @property
    def requests(self) -> tuple[str, ...]:
        """The handlers, by name."""

    @property
    def initial(self) -> GlobalState: ...

    def fresh(self, request: str) -> frozenset[State]:
        """Where a new request of this name can be; nowhere if there are none of this name."""

    def answers(self, state: State) -> frozenset[str]:
        """The responses that a request can give here, without a further step."""

    def is_final(self, state: State) -> bool:
        """Whether there are no steps from here, whatever the global state."""

    def steps(self, state: State, global_: GlobalState) -> frozenset[tuple[State, GlobalState]]:
        """All (ℓ', g') to which a request can get from ℓ by one step, when the global state is g."""

    def description(self, state: State) -> tuple[str, tuple[tuple[str, int], ...]]:
        """What a reader knows a local state by: its remaining code, or its name; values of variables."""


ProgramState = tuple[Expression, Store]
"""(what is left to do, the live locals)."""


class ProgramReference:
    def __init__(self, program: Program) -> None:
        self.handlers = program.handlers
        self.requests = tuple(handler.name for handler in program.handlers)
        self.names = global_names(program)
        self.initial: GlobalState = tuple(initial_globals(program).items())
        self._steps: dict[tuple[ProgramState, GlobalState], frozenset[tuple[ProgramState, GlobalState]]] = {}

    def fresh(self, request: str) -> frozenset[ProgramState]:
        return frozenset((handler.body, ()) for handler in self.handlers if handler.name == request)

    def answers(self, state: ProgramState) -> frozenset[str]:
        answer = response(state[0])
        return frozenset() if answer is None else frozenset({str(answer)})

    def is_final(self, state: ProgramState) -> bool:
        return response(state[0]) is not None

    def steps(self, state: ProgramState, global_: GlobalState) -> frozenset[tuple[ProgramState, GlobalState]]:
        if isinstance(global_, str) or self.is_final(state):
            return frozenset()  # A name is no state of a program; who can answer does nothing else.
        known = self._steps.get((state, global_))
        if known is None:
            expression, locals_ = state
            try:
                outcomes = big_steps(Configuration(expression, locals_, store(dict(global_))))
            except Unbounded:
                raise GaveUp("one step of a handler takes too long") from None
            known = frozenset(self._seen_by_others(outcome) for outcome in outcomes)
            self._steps[state, global_] = known
        return known

    def _seen_by_others(self, outcome: Configuration) -> tuple[ProgramState, GlobalState]:
        values = [value for _, value in (*outcome.locals, *outcome.globals)]
        answer = response(outcome.expression)
        if any(value.bit_length() > MAX_BITS for value in (*values, answer or 0)):
            raise GaveUp(f"a value is longer than {MAX_BITS} bits")
        after = tuple((name, lookup(outcome.globals, name)) for name in self.names)
        live = live_locals(outcome.expression)
        return (outcome.expression, tuple(pair for pair in outcome.locals if pair[0] in live)), after

    def description(self, state: ProgramState) -> tuple[str, tuple[tuple[str, int], ...]]:
        expression, locals_ = state
        values = ((name, lookup(locals_, name)) for name in sorted(live_locals(expression)))
        return print_expression(expression), tuple(values)


class SystemReference:
    """Local states are the system's own numbers."""

    def __init__(self, system: NetworkSystem) -> None:
        self.requests = system.requests
        self._names = tuple(local.name for local in system.locals)
        self.initial: GlobalState = system.globals[system.initial]
        self._fresh = _grouped((system.requests[request], local) for request, local in system.req)
        self._answers = _grouped((local, system.responses[answer]) for local, answer in system.resp)
        self._moving = {local for local, *_ in system.delta}
        self._steps: dict[tuple[int, GlobalState], set[tuple[int, GlobalState]]] = _grouped(
            ((local, system.globals[before]), (target, system.globals[after]))
            for local, before, target, after in system.delta
        )

    def fresh(self, request: str) -> frozenset[int]:
        return frozenset(self._fresh.get(request, ()))

    def answers(self, state: int) -> frozenset[str]:
        return frozenset(self._answers.get(state, ()))

    def is_final(self, state: int) -> bool:
        return state not in self._moving

    def steps(self, state: int, global_: GlobalState) -> frozenset[tuple[int, GlobalState]]:
        return frozenset(self._steps.get((state, global_), ()))

    def description(self, state: int) -> tuple[str, tuple[tuple[str, int], ...]]:
        return self._names[state], ()


Key = TypeVar("Key")
Value = TypeVar("Value")


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, set[Value]]:
    groups: dict[Key, set[Value]] = defaultdict(set)
    for key, value in pairs:
        groups[key].add(value)
    return groups
