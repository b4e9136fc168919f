"""The actions of an input, found with the reference semantics: steps with what they read and write.

What actions and wait steps are, `seriatim.program.actions` says. A network system has no variables: its
global state counts as one, `state`, that every step reads, and that a step writes if it changes it; a wait
step of it is one that changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from seriatim.checking.allowance import GaveUp
from seriatim.checking.posing import Task
from seriatim.checking.reference import Part, ProgramReference, ProgramState, Reference, State
from seriatim.program.actions import NO_ACCESSES, Accesses, actions, settle
from seriatim.program.semantics import Unbounded
from seriatim.program.state import GlobalState

WHOLE_STATE = frozenset({"state"})

Place = TypeVar("Place", covariant=True)


@dataclass(frozen=True, slots=True)
class Act(Generic[Place]):
    """An action other than a wait step, or a step that touches no global."""

    target: Place
    after: GlobalState
    accesses: Accesses


class Acts(Protocol[State]):
    """The actions of an input."""

    @property
    def reference(self) -> Reference[State]: ...

    def of(self, state: State, global_: GlobalState) -> tuple[Act[State], ...]:
        """Returns what a request at ℓ can do when the global state is g; wait steps are left out."""

    def is_over(self, state: State) -> bool:
        """Whether a request at ℓ touches no global any more, whatever happens."""


def acts_of(task: Task[object]) -> Acts[Any]:
    return SystemActs(task.reference) if task.program is None else ProgramActs(task.program)


class ProgramActs:
    """A program, executed by the definition of the language alone."""

    def __init__(self, reference: ProgramReference) -> None:
        self.reference = reference
        self._known: dict[tuple[ProgramState, Part], tuple[tuple[ProgramState, Part, Accesses], ...]] = {}
        self._settled: dict[ProgramState, ProgramState | None] = {}

    def of(self, state: ProgramState, global_: GlobalState) -> tuple[Act[ProgramState], ...]:
        if isinstance(global_, str):
            return ()  # A mere name is not a state of a program.
        part = self.reference.part(state, global_)
        known = self._known.get((state, part))
        if known is None:
            known = self._known[state, part] = tuple(self._executed(state, part))
        return tuple(
            Act(target, self.reference.with_part(state, global_, after), accesses)
            for target, after, accesses in known
        )

    def _executed(self, state: ProgramState, part: Part) -> Iterator[tuple[ProgramState, Part, Accesses]]:
        if self.reference.is_final(state):
            return
        try:
            outcomes = actions(
                self.reference.configuration(state, part), check_stop=self.reference.check_stop
            )
        except Unbounded:
            raise GaveUp("one step of a handler takes too long") from None
        for outcome, accesses in outcomes:
            target, after = self.reference.arrived(outcome, self.reference.touched(state))
            waits = after == part and self.settled(target) == self.settled(state)
            if not waits or accesses == NO_ACCESSES:  # The latter may be on its way to where it settles.
                yield target, after, accesses

    def is_over(self, state: ProgramState) -> bool:
        return self.settled(state) is None

    def settled(self, state: ProgramState) -> ProgramState | None:
        """Where a request settles; None if it is never noticed any more."""
        if state not in self._settled:
            nowhere = (0,) * len(self.reference.touched(state))
            try:
                end = settle(
                    self.reference.configuration(state, nowhere), check_stop=self.reference.check_stop
                )
            except Unbounded:
                raise GaveUp("a request runs for too long without accessing a global") from None
            place = None if end is None else self.reference.arrived(end, ())[0]
            is_over = place is None or self.reference.is_final(place)
            self._settled[state] = None if is_over else place
        return self._settled[state]


class SystemActs:
    """A network system, whose global state is a single variable."""

    def __init__(self, reference: Reference[int]) -> None:
        self.reference = reference

    def of(self, state: int, global_: GlobalState) -> tuple[Act[int], ...]:
        return tuple(
            Act(target, after, Accesses(WHOLE_STATE, WHOLE_STATE if after != global_ else frozenset()))
            for target, after in self.reference.steps(state, global_)
            if (target, after) != (state, global_)
        )

    def is_over(self, state: int) -> bool:
        return self.reference.is_final(state)
