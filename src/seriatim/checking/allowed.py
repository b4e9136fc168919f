"""What is allowed: which completions may follow which, from state to state.

Outcomes are compared with the words of a specification: a word is a path from its initial state. States are
written as certificates write them. Which specification it is depends on the question: the serial runs of an
input, of another program, or an automaton that a user wrote.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from seriatim.checking.allowance import Allowance
from seriatim.checking.reference import Reference, State
from seriatim.program.state import GlobalState

if TYPE_CHECKING:
    from seriatim.program.specification import SpecificationAutomaton

Completion = tuple[str, str]
"""A pair (request, response)."""


Place = TypeVar("Place", bound=Hashable)
"""A state of a specification."""


class Words(Protocol[Place]):
    """A specification."""

    @property
    def initial(self) -> Place: ...

    def after(self, state: Place, request: str) -> list[tuple[str, Place]]:
        """All (response, next state) with which a request can come next; empty if `state` is not a state."""


Allowed = Words[GlobalState]


@dataclass(frozen=True, slots=True)
class AskedOfRuns:
    """What makes a run a violation."""

    allowed: Allowed
    """What is allowed; none of it has the outcome."""
    claim: str
    """The beginning of a sentence that says so; the outcome follows."""
    seen: Callable[[GlobalState], Counter[Completion]] | None
    """What the outcome has besides the answers, by the global state that a run leaves; None if it tells when
    requests began and ended."""
    barriers: int = 0
    """How many barriers a run may have."""
    pending: bool = False
    """Whether requests may be in flight at the end."""


class SerialRuns:
    """Requests of an input run alone, one after the other; states are its global states."""

    def __init__(self, reference: Reference[State], allowance: Allowance) -> None:
        self.initial = reference.initial
        self._alone: Callable[[str, GlobalState], list[tuple[str, GlobalState]]] = lambda request, global_: (
            run_alone(reference, request, global_, allowance)
        )
        self._known: dict[tuple[str, GlobalState], list[tuple[str, GlobalState]]] = {}

    def after(self, state: GlobalState, request: str) -> list[tuple[str, GlobalState]]:
        key = (request, state)
        if key not in self._known:
            self._known[key] = self._alone(request, state)
        return self._known[key]


def run_alone(
    reference: Reference[State], request: str, global_: GlobalState, allowance: Allowance
) -> list[tuple[str, GlobalState]]:
    """All (response, global state) with which a request can end that runs alone from a global state."""
    pending = [(state, global_) for state in reference.fresh(request)]
    ends = {(answer, global_) for state, _ in pending for answer in reference.answers(state)}
    seen = set(pending)
    while pending:
        allowance.spend()
        for following in reference.steps(*pending.pop()):
            target, after = following
            ends.update([(answer, after) for answer in reference.answers(target)])
            if not reference.is_final(target) and following not in seen:
                seen.add(following)
                pending.append(following)
    return sorted(ends)


class WrittenSpecification:
    """An automaton that is given in full."""

    def __init__(self, automaton: "SpecificationAutomaton") -> None:
        self.initial: GlobalState = automaton.initial
        self._after: dict[tuple[GlobalState, str], list[tuple[str, GlobalState]]] = {}
        for step in automaton.steps:
            following = self._after.setdefault((step.source, step.request), [])
            following.append((step.response, step.target))

    def after(self, state: GlobalState, request: str) -> list[tuple[str, GlobalState]]:
        return self._after.get((state, request), [])
