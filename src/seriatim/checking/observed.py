"""An input with a request more, the *observer*, which answers the final values and ends the run.

The observer takes one step: it changes no variable, but after it nobody takes a step or answers. So in a
complete run it comes last, when nobody else is in flight, and at most once. The outcomes of complete runs
with an observer are those of the input, each with the final values of its run; serial runs likewise. So the
input is serializable, with final values as a part of outcomes, if and only if this one is serializable.
"""

from dataclasses import dataclass
from typing import Generic

from seriatim.checking.reference import Reference, State
from seriatim.program.state import GlobalState
from seriatim.properties.derived import ENDED, marked_state, observation, observer
from seriatim.properties.statement import Observed


@dataclass(frozen=True, slots=True)
class Observer:
    """The local state of the observer: what it has seen; nothing before its step."""

    seen: str | None = None


class ObservedReference(Generic[State]):
    """Global states are marked: the run has ended, or not."""

    def __init__(self, reference: Reference[State], observed: Observed) -> None:
        self.inner = reference
        self.observed = None if observed == "all" else frozenset(observed)
        self.observer = observer(reference.requests)
        self.requests = (*reference.requests, self.observer)
        self._running: dict[GlobalState, GlobalState] = {}
        """Marked states of runs that have not ended, with the states of the input."""
        self.initial = self._marked(reference.initial)

    def _marked(self, global_: GlobalState) -> GlobalState:
        marked = marked_state(global_, ENDED, 0)
        self._running[marked] = global_
        return marked

    def fresh(self, request: str) -> frozenset[State | Observer]:
        if request == self.observer:
            return frozenset((Observer(),))
        return frozenset[State | Observer](self.inner.fresh(request))

    def answers(self, state: State | Observer) -> frozenset[str]:
        if isinstance(state, Observer):
            return frozenset() if state.seen is None else frozenset((state.seen,))
        return self.inner.answers(state)

    def is_final(self, state: State | Observer) -> bool:
        return state.seen is not None if isinstance(state, Observer) else self.inner.is_final(state)

    def steps(
        self, state: State | Observer, global_: GlobalState
    ) -> frozenset[tuple[State | Observer, GlobalState]]:
        own = self._running.get(global_)
        if own is None:
            return frozenset()
        if isinstance(state, Observer):
            if state.seen is not None:
                return frozenset()
            seen = Observer(observation(own, self.observed))
            return frozenset(((seen, marked_state(own, ENDED, 1)),))
        return frozenset((target, self._marked(after)) for target, after in self.inner.steps(state, own))

    def description(self, state: State | Observer) -> tuple[str, tuple[tuple[str, int], ...]]:
        return ("", ()) if isinstance(state, Observer) else self.inner.description(state)
