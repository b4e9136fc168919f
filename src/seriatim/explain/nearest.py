"""Which request may come next in an order that explains an outcome, and the nearest serial outcomes.

The nearest ones have the same requests, with as few answers changed as possible.

Claim. Let Z and Z' have as many requests of each handler. To make Z' of Z, |Z' - Z| answers have to change.
A walk of the serial automaton meets the completions of Z' one by one; each is taken from what is left of Z if
it is there, and is *strange* otherwise. However the walk is ordered, |Z' - Z| of them are strange. So walks
are explored by their number of strange completions, as long as they have no more requests of a handler than
Z, and the first ones that have as many of each are the nearest.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from seriatim.budget import Deadline
from seriatim.explain.argument import Completion, Nearest
from seriatim.program.state import GlobalState
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.limits import LimitReached, Limits
from seriatim.systems.multiset import Multisets
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.unfolding import INITIAL_GLOBAL

if TYPE_CHECKING:
    from seriatim.systems.derived import Committing


class NextSteps(Protocol):
    """Possible next requests. Completions are numbers of an outcome; state 0 is the initial one."""

    def name_completion(self, completion: int) -> Completion: ...

    def targets(self, state: int, completion: int) -> tuple[int, ...]:
        """The states that a completion leads to; raises `LimitReached` if not all are known."""

    def possible(self, state: int, handler: str) -> Iterable[str]:
        """The answers of a request that comes next."""

    def state_name(self, state: int) -> GlobalState: ...

    def preceding(self, completion: int, others: Iterable[int], /) -> tuple[int, ...]:
        """The completions among `others` that have to come before it."""

    def is_final(self, completion: int, /) -> bool:
        """Whether it always comes last, so that the order need not mention it."""


class SerialSteps:
    """Requests of a system run alone, one after the other; if there is an observer, it comes last."""

    def __init__(self, system: "Committing", deadline: Deadline | None = None) -> None:
        self.system = system
        self.serial = SerialAutomaton(system, Limits().max_states, deadline or Deadline())

    def name_completion(self, completion: int) -> Completion:
        handler, response = self.system.completions[completion]
        return self.system.requests[handler], response

    def targets(self, state: int, completion: int) -> tuple[int, ...]:
        return self.serial.after(state).get(completion, ())

    def possible(self, state: int, handler: str) -> Iterable[str]:
        ends = map(self.name_completion, self.serial.after(state))
        return [response for request, response in ends if request == handler]

    def state_name(self, state: int) -> GlobalState:
        """The input's name of a state, with or without an observer."""
        if self.system.observer is not None:
            assert isinstance(self.system, ObservedSystem), "only there is an observer"
            own, _ = self.system.globals[state]
            return self.system.origin.global_state(own)
        return self.system.global_state(state)

    def preceding(self, completion: int, others: Iterable[int]) -> tuple[int, ...]:
        if not self.is_final(completion):
            return ()
        return tuple(other for other in others if other != completion)

    def is_final(self, completion: int) -> bool:
        """Whether this is the observer, which looks at final values."""
        return self.system.completions[completion][0] == self.system.observer


if TYPE_CHECKING:
    from seriatim.systems.derived import Committing

MAX_WALKS = 5_000
"""How many states of walks to explore before giving up."""


_State = tuple[int, int, int]
"""(global state, multiset left of the outcome, multiset of strange completions)."""


def nearest_serial(
    outcome: Mapping[int, int],
    origin: "Committing",
    max_states: int = Limits().max_states,
    deadline: Deadline | None = None,
) -> Nearest | None:
    """The serial outcomes nearest to one (how often each completion occurs); None if there are too many to go
    through. Raises `OutOfBudget`."""
    try:
        return _Walks(outcome, origin, max_states, deadline or Deadline()).nearest()
    except LimitReached:
        return None


class _Walks:
    """Walks of the serial automaton with the requests of an outcome."""

    def __init__(
        self, outcome: Mapping[int, int], origin: "Committing", max_states: int, deadline: Deadline
    ) -> None:
        self.origin = origin
        self.deadline = deadline
        self.serial = SerialAutomaton(origin, max_states, deadline)
        self.multisets = Multisets()
        items = [completion for completion, count in outcome.items() for _ in range(count)]
        self.start: _State = (INITIAL_GLOBAL, self.multisets.number(items), 0)
        self.came_from: dict[_State, tuple[_State, int] | None] = {self.start: None}

    def nearest(self) -> Nearest | None:
        level = [self.start]
        changed = 0
        while level:
            found: dict[tuple[int, ...], _State] = {}
            stranger: list[_State] = []
            while level:
                if len(self.came_from) > MAX_WALKS:
                    return None
                self.deadline.check()
                state = level.pop()
                if self.ended(state):
                    found.setdefault(tuple(sorted(self.walk(state))), state)
                for completion, target in self.following(state):
                    if target not in self.came_from:
                        self.came_from[target] = (state, completion)
                        (level if target[2] == state[2] else stranger).append(target)
            if found:
                orders = sorted(
                    tuple(map(self.name_completion, self.walk(state))) for state in found.values()
                )
                return Nearest(changed, tuple(orders))
            level = stranger
            changed += 1
        return Nearest(0, ())

    def following(self, state: _State) -> Iterator[tuple[int, _State]]:
        global_, left, strange = state
        room = self.room(state)
        for completion, targets in self.serial.after(global_).items():
            if room[self.origin.completions[completion][0]] <= 0:
                continue
            for after in targets:
                if completion in self.multisets.distinct(left):
                    yield completion, (after, self.multisets.remove(left, completion), strange)
                else:
                    yield completion, (after, left, self.multisets.add(strange, completion))

    def room(self, state: _State) -> Counter[int]:
        """Counts, for each handler, the requests that may still come: as many as are left of the outcome,
        less those that came with another answer."""
        room: Counter[int] = Counter(self.handler(item) for item in self.multisets.items(state[1]))
        room.subtract(self.handler(item) for item in self.multisets.items(state[2]))
        return room

    def ended(self, state: _State) -> bool:
        return not any(self.room(state).values())

    def walk(self, state: _State) -> tuple[int, ...]:
        """The completions on the way to a state."""
        found: list[int] = []
        while (step := self.came_from[state]) is not None:
            state, completion = step
            found.append(completion)
        return tuple(reversed(found))

    def handler(self, completion: int) -> int:
        return self.origin.completions[completion][0]

    def name_completion(self, completion: int) -> tuple[str, str]:
        handler, response = self.origin.completions[completion]
        return self.origin.requests[handler], response
