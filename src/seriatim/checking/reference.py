"""An input as the checker sees it: its requests, where they can be, and what they can do from there.

Either kind of input is a network system as in section 2.3 of the paper, with nothing fused, merged or left
out. A network system is given as δ, req and resp. A program gives rise to one by the reference interpreter:
a step is a big step, and a local state is what is left to do together with the locals that it may read.

A run of it spawns requests, lets them take steps and lets them answer, in any order. Spawning and answering
leave the global state as it is, so they matter to nobody else.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Protocol, TypeVar

from seriatim.checking.allowance import GaveUp
from seriatim.program.changing import transform
from seriatim.program.liveness import live_locals, touched_globals
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_expression
from seriatim.program.semantics import (
    MAX_BITS,
    Configuration,
    StopCheck,
    Store,
    Unbounded,
    faults,
    lookup,
    never_stop,
    response,
    store,
)
from seriatim.program.state import GlobalState
from seriatim.program.syntax import (
    LEFT_OUT,
    Expression,
    Fault,
    Number,
    Program,
    Sequence,
    global_names,
    initial_globals,
    walk,
)

State = TypeVar("State")
"""The local state of a request. Where several requests share one, they can do the same from there."""


class Reference(Protocol[State]):
    """What the checker asks of an input. All answers are exact."""

    @property
    def requests(self) -> tuple[str, ...]:
        """The handlers, by name."""

    @property
    def initial(self) -> GlobalState: ...

    def fresh(self, request: str) -> frozenset[State]:
        """The local states of a new request; empty if no request has this name."""

    def answers(self, state: State) -> frozenset[str]:
        """The responses that a request can give here, without a further step."""

    def is_final(self, state: State) -> bool:
        """Whether there are no steps from here, whatever the global state."""

    def steps(self, state: State, global_: GlobalState) -> frozenset[tuple[State, GlobalState]]:
        """All (ℓ', g') to which a request can get from ℓ by one step, when the global state is g."""

    def description(self, state: State) -> tuple[str, tuple[tuple[str, int], ...]]:
        """Returns what a reader knows a local state by: its remaining code, or its name; values of
        variables."""


ProgramState = tuple[int, Store]
"""(the number of what is left to do, the live locals)."""


class BigSteps(Protocol):
    """An implementation of ⇒."""

    def __call__(
        self, configuration: Configuration, /, *, check_stop: StopCheck
    ) -> Collection[Configuration]: ...


class Faults(Protocol):
    """An implementation of what can go wrong in an atomic step."""

    def __call__(self, configuration: Configuration, /, *, check_stop: StopCheck) -> frozenset[Fault]: ...


Values = tuple[tuple[str, int], ...]
"""A global state of a program."""

Part = tuple[int, ...]
"""The values of some globals, in the order of their names."""


MAX_REMEMBERED = 10_000
"""The most sequences of parts that are remembered."""


NO_SUCH_CELL = Fault("SER802", "the examples have no such cell")
NO_ANSWERS: frozenset[str] = frozenset()
NO_NAMES: frozenset[str] = frozenset()


class Code:
    """The code that a request has left to do, with facts that follow from its text alone."""

    def __init__(self, expression: Expression, names: tuple[str, ...]) -> None:
        self.expression = expression
        self.response = response(expression)
        self.answers = NO_ANSWERS if self.response is None else frozenset({str(self.response)})
        is_answer = isinstance(expression, Number)  # Counters have thousands of these: nothing is in them.
        self.live = NO_NAMES if is_answer else live_locals(expression)
        touched = NO_NAMES if is_answer else touched_globals(expression)
        self.places = tuple([place for place, name in enumerate(names) if name in touched] if touched else ())
        """Where the globals that the next step can touch stand among all."""
        self.touched = tuple([names[place] for place in self.places])
        self.has_faults = not is_answer and any(isinstance(part, Fault) for part in walk(expression))

    @cached_property
    def text(self) -> str:
        return print_expression(self.expression)

    @cached_property
    def with_cells_shown(self) -> Expression | None:
        """The same, but reaching a cell that is left out is a mistake; `None` if none is left out."""
        shown = transform(self.expression, lambda part: NO_SUCH_CELL if part == LEFT_OUT else part)
        return None if shown == self.expression else shown


class ProgramReference:
    """A program, step by step. Steps are remembered by the part of the global state that they can depend on.

    A step neither reads nor changes other globals than those that it can touch (`seriatim.program.liveness`
    says why). So it is enough to execute it once for all global states with the same values of these.

    Where arrays have a cell for each integer, examples have a few of these. Steps are exact all the same: one
    that may come to another cell is not executed, and `GaveUp` says so. Otherwise it would seem that a
    request which needs that cell never ends, also where it runs alone and explains an answer.
    """

    def __init__(
        self,
        program: Program,
        big_steps: BigSteps,
        faults: Faults = faults,
        check_stop: StopCheck = never_stop,
    ) -> None:
        self.handlers = program.handlers
        self.big_steps = big_steps
        self.faults_of = faults
        self.check_stop = check_stop
        self.leaves_cells_out = program.leaves_cells_out
        self.requests = tuple(handler.name for handler in program.handlers)
        self.names = global_names(program)
        self.initial: GlobalState = tuple(initial_globals(program).items())
        self._codes: list[Code] = []
        self._numbers: dict[Expression, int] = {}
        self._made_of: dict[tuple[int, ...], tuple[int, tuple[Expression, ...]]] = {}
        """The number of what is left to do by the identities of its parts, which are kept alive."""
        self._steps: dict[tuple[ProgramState, Part], tuple[tuple[ProgramState, Part], ...]] = {}
        self._faults: dict[tuple[ProgramState, Part], frozenset[Fault]] = {}

    def fresh(self, request: str) -> frozenset[ProgramState]:
        return frozenset(
            (self._number(handler.body), ()) for handler in self.handlers if handler.name == request
        )

    def answers(self, state: ProgramState) -> frozenset[str]:
        return self._codes[state[0]].answers

    def is_final(self, state: ProgramState) -> bool:
        return self._codes[state[0]].response is not None

    def steps(self, state: ProgramState, global_: GlobalState) -> frozenset[tuple[ProgramState, GlobalState]]:
        if isinstance(global_, str):
            return frozenset()  # A mere name is not a state of a program.
        part = self.part(state, global_)
        return frozenset(
            [
                (target, global_ if after == part else self.with_part(state, global_, after))
                for target, after in self.steps_on(state, part)
            ]
        )

    def part(self, state: ProgramState, global_: Values) -> Part:
        """The values of the globals that the next step can touch."""
        return tuple([global_[place][1] for place in self._codes[state[0]].places])

    def touched(self, state: ProgramState) -> tuple[str, ...]:
        """The globals that the next step can touch, sorted."""
        return self._codes[state[0]].touched

    def steps_on(self, state: ProgramState, part: Part) -> tuple[tuple[ProgramState, Part], ...]:
        """The same steps, from the globals alone that the step can touch."""
        known = self._steps.get((state, part))
        if known is None:
            known = self._steps[state, part] = self._executed(state, part)
        return known

    def _executed(self, state: ProgramState, part: Part) -> tuple[tuple[ProgramState, Part], ...]:
        if self.is_final(state):
            return ()  # Who can answer does nothing else.
        configuration = self.configuration(state, part)
        try:
            outcomes = self.big_steps(configuration, check_stop=self.check_stop)
            if self.leaves_cells_out and self._may_leave_cells(self._codes[state[0]], configuration):
                raise GaveUp("a request may need a cell that the examples do not have")
        except Unbounded:
            raise GaveUp("one step of a handler takes too long") from None
        touched = self.touched(state)
        return tuple([self.arrived(outcome, touched) for outcome in outcomes])

    def _may_leave_cells(self, code: Code, configuration: Configuration) -> bool:
        """Whether a step may come to a cell that is left out."""
        if code.with_cells_shown is None:
            return False
        return NO_SUCH_CELL in self.faults_of(
            Configuration(code.with_cells_shown, configuration.locals, configuration.globals),
            check_stop=self.check_stop,
        )

    def configuration(self, state: ProgramState, part: Part) -> Configuration:
        """Returns what is to be executed, where the globals that the next step can touch have these
        values."""
        code = self._codes[state[0]]
        return Configuration(code.expression, state[1], store(dict(zip(code.touched, part, strict=True))))

    def arrived(self, outcome: Configuration, touched: tuple[str, ...]) -> tuple[ProgramState, Part]:
        """Returns what execution has come to, and the values of these globals."""
        number = self._number(outcome.expression)
        target = self._codes[number]
        for _, value in (*outcome.locals, *outcome.globals, ("", target.response or 0)):
            if value.bit_length() > MAX_BITS:
                raise GaveUp(f"a value is longer than {MAX_BITS} bits")
        live = tuple([pair for pair in outcome.locals if pair[0] in target.live])
        after = dict(outcome.globals)
        return (number, live), tuple([after.get(name, 0) for name in touched])

    def faults(self, state: ProgramState, global_: GlobalState) -> frozenset[Fault]:
        """The mistakes that the next step can make."""
        code = self._codes[state[0]]
        if isinstance(global_, str) or not code.has_faults:
            return frozenset()
        key = (state, self.part(state, global_))
        if key not in self._faults:
            try:
                self._faults[key] = self.faults_of(self.configuration(*key), check_stop=self.check_stop)
            except Unbounded:
                raise GaveUp("one step of a handler takes too long") from None
        return self._faults[key]

    def with_part(self, state: ProgramState, global_: Values, part: Part) -> GlobalState:
        """The global state in which the globals that the next step can touch have other values."""
        code = self._codes[state[0]]
        changed = list(global_)
        for place, name, value in zip(code.places, code.touched, part, strict=True):
            changed[place] = (name, value)
        return tuple(changed)

    def _number(self, expression: Expression) -> int:
        """Numbers what is left to do. Most of it is made of the same parts of the text, and recognized by
        these; equal code has equal numbers in any case."""
        if isinstance(expression, Number):  # An answer: it is a new one each time.
            return self._numbered(expression)
        items = expression.items if isinstance(expression, Sequence) else (expression,)
        parts = tuple(map(id, items))
        known = self._made_of.get(parts)
        if known is not None:
            return known[0]
        number = self._numbered(expression)
        if len(self._made_of) < MAX_REMEMBERED:
            self._made_of[parts] = (number, items)
        return number

    def _numbered(self, expression: Expression) -> int:
        number = self._numbers.get(expression)
        if number is None:
            number = self._numbers[expression] = len(self._codes)
            self._codes.append(Code(expression, self.names))
        return number

    def description(self, state: ProgramState) -> tuple[str, tuple[tuple[str, int], ...]]:
        return self._codes[state[0]].text, tuple(self.values(state).items())

    def values(self, state: ProgramState) -> dict[str, int]:
        """The live locals, sorted by name."""
        number, locals_ = state
        return {name: lookup(locals_, name) for name in sorted(self._codes[number].live)}

    def left_to_do(self, state: ProgramState) -> Expression:
        return self._codes[state[0]].expression

    def state_of(self, code: Expression, values: dict[str, int]) -> ProgramState:
        """The local state in which so much is left to do, with these live locals."""
        return self._number(code), store(values)


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
