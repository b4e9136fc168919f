"""What may follow what, in terms of names: the serial runs of a system, or an automaton that a user wrote.

Completions have other numbers in every system; a specification is about requests and answers by name.
"""

from typing import Protocol

from seriatim.program.specification import SpecificationAutomaton
from seriatim.program.state import GlobalState
from seriatim.systems.automaton import Automaton, Edges, SerialAutomaton
from seriatim.systems.from_input import Origin

Completion = tuple[str, str]
"""(request, response)."""

NamedEdges = dict[Completion, tuple[int, ...]]


class Words(Protocol):
    """Words of completions; states are numbers, 0 the first one. What leads anywhere at all is allowed."""

    def after(self, state: int) -> NamedEdges:
        """The states to which each completion leads; raises `LimitReached` if they are not all known."""

    def state_name(self, state: int) -> GlobalState: ...


class SerialRuns:
    """The words of the serial runs of a system."""

    def __init__(self, origin: Origin, automaton: SerialAutomaton) -> None:
        self.origin = origin
        self.automaton = automaton

    def after(self, state: int) -> NamedEdges:
        completions, requests = self.origin.completions, self.origin.requests
        return {
            (requests[completions[number][0]], completions[number][1]): targets
            for number, targets in self.automaton.after(state).items()
        }

    def state_name(self, state: int) -> GlobalState:
        return self.origin.global_state(state)


class WrittenWords:
    """The words of an automaton that is given in full."""

    def __init__(self, automaton: SpecificationAutomaton) -> None:
        self.states = automaton.states()
        number = {state: index for index, state in enumerate(self.states)}
        self._after: list[NamedEdges] = [{} for _ in self.states]
        for step in automaton.steps:
            edges = self._after[number[step.source]]
            completion = (step.request, step.response)
            edges[completion] = tuple(sorted({*edges.get(completion, ()), number[step.target]}))

    def after(self, state: int) -> NamedEdges:
        return self._after[state]

    def state_name(self, state: int) -> GlobalState:
        return self.states[state]


class WordAutomaton(Automaton):
    """Words as an automaton over the completions of a system."""

    def __init__(self, words: Words, system: Origin, max_states: int) -> None:
        super().__init__(max_states, None)
        self.words = words
        self.system = system

    def after(self, state: int) -> Edges:
        """Nothing is remembered: the system may find further completions."""
        return self.edges(state)

    def edges(self, state: int) -> Edges:
        allowed = self.words.after(state)
        requests = self.system.requests
        return {
            number: allowed[requests[request], response]
            for number, (request, response) in enumerate(self.system.completions)
            if (requests[request], response) in allowed
        }
