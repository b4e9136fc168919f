"""Who may come next in an order that is to explain an outcome: one at a time, or in time as well."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from seriatim.budget import Deadline
from seriatim.explain.argument import Completion
from seriatim.program.state import GlobalState
from seriatim.systems.limits import Limits
from seriatim.systems.serial import SerialAutomaton

if TYPE_CHECKING:
    from seriatim.systems.derived import Committing


class NextSteps(Protocol):
    """Completions are those of an outcome, by number; states are numbers, 0 the first one."""

    def named(self, completion: int) -> Completion: ...

    def targets(self, state: int, completion: int) -> tuple[int, ...]:
        """Where a completion leads; raises `LimitReached` if that is not all known."""

    def possible(self, state: int, handler: str) -> Iterable[str]:
        """What a request answers that comes next."""

    def state_name(self, state: int) -> GlobalState: ...

    def preceding(self, completion: int, others: Iterable[int], /) -> tuple[int, ...]:
        """Those among others who have to come before it."""

    def is_final(self, completion: int, /) -> bool:
        """Whether it comes last by its nature, so that nobody has to be told."""


class SerialSteps:
    """Requests of a system run alone, one after the other; if there is an observer, it comes last."""

    def __init__(self, system: "Committing", deadline: Deadline | None = None) -> None:
        self.system = system
        self.serial = SerialAutomaton(system, Limits().max_states, deadline or Deadline())

    def named(self, completion: int) -> Completion:
        handler, response = self.system.completions[completion]
        return self.system.requests[handler], response

    def targets(self, state: int, completion: int) -> tuple[int, ...]:
        return self.serial.after(state).get(completion, ())

    def possible(self, state: int, handler: str) -> Iterable[str]:
        ends = map(self.named, self.serial.after(state))
        return [response for request, response in ends if request == handler]

    def state_name(self, state: int) -> GlobalState:
        """As the input calls it, whether or not an observer has looked at it."""
        if self.system.observer is not None:
            from seriatim.systems.observation import ObservedSystem

            assert isinstance(self.system, ObservedSystem), "only there is an observer"
            own, _ = self.system.globals[state]
            return self.system.origin.global_state(own)
        return self.system.global_state(state)

    def preceding(self, completion: int, others: Iterable[int]) -> tuple[int, ...]:
        if not self.is_final(completion):
            return ()
        return tuple(other for other in others if other != completion)

    def is_final(self, completion: int) -> bool:
        """Observers look at final values."""
        return self.system.completions[completion][0] == self.system.observer
