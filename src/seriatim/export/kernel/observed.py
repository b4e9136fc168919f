"""Final values for the kernel: an input with an observer, as `proofs/Observe.v` defines it."""

from dataclasses import replace
from typing import Generic

from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.observed import ObservedReference, Observer
from seriatim.checking.reference import Reference, State
from seriatim.export.kernel.names import Names
from seriatim.export.kernel.text import Text
from seriatim.folding import Folded, Repeated
from seriatim.program.state import GlobalState
from seriatim.properties.derived import ENDED, marked_state, observation
from seriatim.properties.statement import Observed


class WatchedReference(ObservedReference[State]):
    """Remembers what its states are made of."""

    def __init__(self, reference: Reference[State], observed: Observed) -> None:
        self.parts: dict[GlobalState, tuple[GlobalState, int]] = {}
        """(global state of the input, whether the run has ended), by marked state."""
        self.sights: dict[str, GlobalState] = {}
        """A global state for each answer of the observer."""
        super().__init__(reference, observed)

    def _marked(self, global_: GlobalState) -> GlobalState:
        marked = super()._marked(global_)
        self.parts[marked] = (global_, 0)
        self.parts[self.ended(global_)] = (global_, 1)
        self.sights.setdefault(self.sight(global_), global_)
        return marked

    def mark(self, global_: GlobalState) -> GlobalState:
        """A global state of the input while the run goes on."""
        return self._marked(global_)

    def ended(self, global_: GlobalState) -> GlobalState:
        return marked_state(global_, ENDED, 1)

    def sight(self, global_: GlobalState) -> str:
        return observation(global_, self.observed)


class ObservedNames(Generic[State]):
    def __init__(self, inner: Names[State], reference: WatchedReference[State], sight: "Sight") -> None:
        self.inner = inner
        self.reference = reference
        self._sight = sight

    def request(self, name: str) -> Text:
        return (0,) if name == self.reference.observer else (1, self.inner.request(name))

    def response(self, request: str, name: str) -> Text:
        if request == self.reference.observer:
            return (1, self._seen(name))
        return (0, self.inner.response(request, name))

    def global_(self, state: GlobalState) -> Text:
        own, ended = self.reference.parts[state]
        return (self.inner.global_(own), ended)

    def local(self, state: State | Observer) -> Text:
        if isinstance(state, Observer):
            return (1, 0) if state.seen is None else (1, 1, self._seen(state.seen))
        return (0, self.inner.local(state))

    def _seen(self, text: str) -> Text:
        return self._sight(self.reference.sights[text])


class Sight:
    """How the kernel writes what is seen of a global state."""

    def __init__(self, names: Names[State], variables: tuple[str, ...] | None) -> None:
        self._global = names.global_
        self._variables = variables
        """None for a network system, whose states are seen as they are."""

    def __call__(self, state: GlobalState) -> Text:
        if self._variables is None or isinstance(state, str):
            return self._global(state)
        return [dict(state)[name] for name in self._variables]


def observed_run(
    evidence: RunEvidence, reference: WatchedReference[State], initial: GlobalState
) -> RunEvidence:
    """The run, and then the observer."""
    final = evidence.turns[-1].after if evidence.turns else initial
    turns = [replace(turn, after=reference.mark(turn.after)) for turn in evidence.turns]
    number = max((turn.request for turn in evidence.turns), default=0) + 1
    reference.mark(final)
    last = Turn(number, reference.observer, reference.ended(final), reference.sight(final))
    return RunEvidence((*turns, last))


def observed_folded_run(
    evidence: FoldedRunEvidence, reference: WatchedReference[State], initial: GlobalState
) -> FoldedRunEvidence:
    final = initial

    def marked(item: Folded[AnyTurn]) -> Folded[AnyTurn]:
        nonlocal final
        if isinstance(item, Repeated):
            return Repeated(tuple(map(marked, item.items)), item.times)
        final = item.after
        return replace(item, after=reference.mark(item.after))

    turns = tuple(map(marked, evidence.turns))
    reference.mark(final)
    last = AnyTurn(reference.observer, None, reference.ended(final), reference.sight(final))
    return FoldedRunEvidence((*turns, last))
