"""Programs as the kernel executes them: by the reference interpreter, with the values of all locals.

The checker forgets locals that are not read again. The kernel forgets none, so that nobody has to believe
which ones may be forgotten. If the kernel reads a program as it is written, both forms are executed side by
side; the locals that only the core has are forgotten then as soon as they are not read again.
"""

from collections.abc import Iterator
from typing import NamedTuple, cast

from seriatim.checking.allowance import GaveUp
from seriatim.export.kernel.lockstep import Pair, Running, atomic_steps
from seriatim.export.kernel.written import Written
from seriatim.program.liveness import live_locals
from seriatim.program.printer import print_expression
from seriatim.program.semantics import Configuration, Store, Unbounded, big_steps, lookup, response, store
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Expression, Program, global_names, initial_globals, is_generated


class FullState(NamedTuple):
    expression: Expression
    """What is left to do, in the core."""
    locals: Store
    """The locals that are not 0."""
    code: Written
    """What is left to do, as the kernel reads it."""
    own: Store
    """The locals that are not 0, of that."""


class FullReference:
    """A `seriatim.checking.reference.Reference`."""

    def __init__(self, program: Program, written: tuple[Written, ...] | None = None) -> None:
        self.program = program
        self.is_core = written is None
        """Whether the kernel reads the core itself."""
        self.codes: tuple[Written, ...] = (
            tuple(handler.body for handler in program.handlers) if written is None else written
        )
        self.requests = program.requests
        self.initial: GlobalState = tuple(initial_globals(program).items())
        self._starts = {
            handler.name: FullState(handler.body, (), code, ())
            for handler, code in zip(program.handlers, self.codes, strict=True)
        }
        self._names = global_names(program)
        self._steps: dict[tuple[FullState, GlobalState], frozenset[tuple[FullState, GlobalState]]] = {}
        self._descriptions: dict[Expression, tuple[str, tuple[str, ...]]] = {}

    def fresh(self, request: str) -> frozenset[FullState]:
        start = self._starts.get(request)
        return frozenset() if start is None else frozenset({start})

    def answers(self, state: FullState) -> frozenset[str]:
        answer = response(state[0])
        return frozenset() if answer is None else frozenset({str(answer)})

    def is_final(self, state: FullState) -> bool:
        return response(state[0]) is not None

    def steps(self, state: FullState, global_: GlobalState) -> frozenset[tuple[FullState, GlobalState]]:
        if isinstance(global_, str) or self.is_final(state):
            return frozenset()
        key = (state, global_)
        if key not in self._steps:
            try:
                self._steps[key] = frozenset(
                    (target, self._global(after)) for target, after in self._ends(state, store(dict(global_)))
                )
            except Unbounded:
                raise GaveUp("one step of a handler takes too long") from None
        return self._steps[key]

    def _ends(self, state: FullState, globals_: Store) -> Iterator[tuple[FullState, Store]]:
        if self.is_core:
            for end in big_steps(Configuration(state.expression, state.locals, globals_)):
                yield FullState(end.expression, end.locals, end.expression, end.locals), end.globals
            return
        start: Pair = (
            Running(state.expression, state.locals, globals_),
            Running(state.code, state.own, globals_),
        )
        for core, mine in atomic_steps(start):
            expression = cast("Expression", core.code)
            live = self._described(expression)[1]
            kept = tuple(pair for pair in core.locals if not is_generated(pair[0]) or pair[0] in live)
            yield FullState(expression, kept, mine.code, mine.locals), mine.globals

    def _global(self, globals_: Store) -> GlobalState:
        return tuple((name, lookup(globals_, name)) for name in self._names)

    def description(self, state: FullState) -> tuple[str, tuple[tuple[str, int], ...]]:
        """A state as the checker describes it, without dead locals."""
        code, live = self._described(state.expression)
        return code, tuple((name, lookup(state.locals, name)) for name in live)

    def _described(self, expression: Expression) -> tuple[str, tuple[str, ...]]:
        """The text of what is left to do, and the locals that it may read."""
        if expression not in self._descriptions:
            live = tuple(sorted(live_locals(expression)))
            self._descriptions[expression] = (print_expression(expression), live)
        return self._descriptions[expression]
