"""Programs as the kernel executes them: by the reference interpreter, with the values of all locals.

The checker forgets locals that are not read again. The kernel forgets none, so that nobody has to believe
which ones may be forgotten.
"""

from seriatim.checking.allowance import GaveUp
from seriatim.program.liveness import live_locals
from seriatim.program.printer import print_expression
from seriatim.program.semantics import Configuration, Store, Unbounded, big_steps, lookup, response, store
from seriatim.program.state import GlobalState
from seriatim.program.syntax import Expression, Program, global_names, initial_globals

FullState = tuple[Expression, Store]
"""(what is left to do, the locals that are not 0)."""


class FullReference:
    """A `seriatim.checking.reference.Reference`."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.requests = program.requests
        self.initial: GlobalState = tuple(initial_globals(program).items())
        self._bodies = {handler.name: handler.body for handler in program.handlers}
        self._names = global_names(program)
        self._steps: dict[tuple[FullState, GlobalState], frozenset[tuple[FullState, GlobalState]]] = {}
        self._descriptions: dict[Expression, tuple[str, tuple[str, ...]]] = {}

    def fresh(self, request: str) -> frozenset[FullState]:
        body = self._bodies.get(request)
        return frozenset() if body is None else frozenset({(body, ())})

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
                ends = big_steps(Configuration(state[0], state[1], store(dict(global_))))
            except Unbounded:
                raise GaveUp("one step of a handler takes too long") from None
            self._steps[key] = frozenset(
                ((end.expression, end.locals), self._global(end.globals)) for end in ends
            )
        return self._steps[key]

    def _global(self, globals_: Store) -> GlobalState:
        return tuple((name, lookup(globals_, name)) for name in self._names)

    def description(self, state: FullState) -> tuple[str, tuple[tuple[str, int], ...]]:
        """As the checker describes it: dead locals are not mentioned."""
        expression, locals_ = state
        if expression not in self._descriptions:
            live = tuple(sorted(live_locals(expression)))
            self._descriptions[expression] = (print_expression(expression), live)
        code, live = self._descriptions[expression]
        return code, tuple((name, lookup(locals_, name)) for name in live)
