"""Which request may come next in an order that respects time."""

from collections.abc import Iterable

from seriatim.explain.argument import Completion
from seriatim.program.state import GlobalState
from seriatim.systems.intervals import IntervalSystem
from seriatim.systems.words import Words


class TimedSteps:
    """Words of completions, of which some ended before others began."""

    def __init__(self, words: Words, system: IntervalSystem) -> None:
        self.words = words
        self.system = system

    def name_completion(self, completion: int) -> Completion:
        response, _, _ = self.system.annotations[completion]
        assert response is not None, "a request in flight has no answer yet"
        return self.system.requests[self.system.completions[completion][0]], response

    def targets(self, state: int, completion: int) -> tuple[int, ...]:
        return self.words.after(state).get(self.name_completion(completion), ())

    def possible(self, state: int, handler: str) -> Iterable[str]:
        return [response for request, response in self.words.after(state) if request == handler]

    def state_name(self, state: int) -> GlobalState:
        return self.words.state_name(state)

    def preceding(self, completion: int, others: Iterable[int]) -> tuple[int, ...]:
        _, began, _ = self.system.annotations[completion]
        return tuple(other for other in others if self.system.annotations[other][2] < began)

    def is_final(self, _completion: int) -> bool:
        return False
