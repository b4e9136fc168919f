"""Questions as problems for engines: whose outcomes are asked about, and which automaton allows them.

Each property is a reduction to "every outcome of this system is one of that automaton"; the modules of the
systems say why. For proofs by commit points there is a second form, which does without derived systems:

Claim. Take requests to be in the order of their commits (`seriatim.engines.commits`), and let the words
of these commits be ones that the specification allows. Then the system is linearizable, for any number of
barriers: a request commits between its first and its last step, so if p was answered before q began, p
comes before q. If this holds in all runs, not only in complete ones, then also with pending requests: those
who have committed count as answered, and the others as not having begun.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from seriatim.budget import Deadline
from seriatim.program.specification import Specification, SpecificationAutomaton
from seriatim.program.state import GlobalState
from seriatim.properties.question import (
    Linearizability,
    Serializability,
    StrictSerializability,
)
from seriatim.systems.automaton import Automaton
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.intervals import IntervalAutomaton, IntervalSystem
from seriatim.systems.limits import Limits
from seriatim.systems.observation import ObservedSystem
from seriatim.systems.run import Run
from seriatim.systems.serial import SerialAutomaton
from seriatim.systems.words import SerialRuns, WordAutomaton, Words, WrittenWords

OutcomeQuestion = Serializability | StrictSerializability | Linearizability
"""Questions about the outcomes of runs."""

Committing = Origin | ObservedSystem
"""A system of proofs by commit points."""

System = Committing | IntervalSystem
"""A system that knows the way back to the input."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A question as a problem."""

    origin: Origin
    """The input."""
    system: System
    specification: Automaton
    """Over the completions of the system."""
    state_name: Callable[[int], GlobalState]
    """What certificates call the states of the specification."""
    committing: Committing
    effects: Automaton
    """Over the completions of that system."""
    is_serial: bool
    """Whether the specification is about serial runs of the origin, so that requests without interruption, in
    the order of their steps, are an explanation."""
    judges_prefixes: bool = False
    """Whether runs count that are not complete."""

    @property
    def observer(self) -> int | None:
        """The request of the system that looks at final values, if there is one."""
        return len(self.origin.requests) if isinstance(self.system, ObservedSystem) else None

    def way_back(self, run: Run) -> tuple[Run, tuple[int, ...]]:
        """The run of the input behind a run of the system, and after how many turns its barriers stand."""
        match self.system:
            case ObservedSystem():
                return self.system.without_observer(run), ()
            case IntervalSystem():
                return self.system.without_intervals(run)
            case _:
                return run, ()


def posed(question: OutcomeQuestion, origin: Origin, limits: Limits, deadline: Deadline) -> Posed:
    match question:
        case Serializability(observed=observed) if observed:
            system = ObservedSystem(origin, observed)
            serial = SerialAutomaton(system, limits.max_states, deadline)
            return Posed(origin, system, serial, system.global_state, system, serial, is_serial=True)
        case Serializability():
            serial = SerialAutomaton(origin, limits.max_states, deadline)
            return Posed(origin, origin, serial, origin.global_state, origin, serial, is_serial=True)
        case StrictSerializability(barriers=barriers):
            serial = SerialAutomaton(origin, limits.max_states, deadline)
            timed = IntervalSystem(origin, barriers, pending=False)
            allowed = IntervalAutomaton(SerialRuns(origin, serial), timed, limits.max_states, deadline)
            return Posed(origin, timed, allowed, allowed.state_name, origin, serial, is_serial=True)
        case Linearizability(specification=specification, barriers=barriers, pending=pending):
            words = specified(specification, limits, deadline)
            timed = IntervalSystem(origin, barriers, pending)
            allowed = IntervalAutomaton(words, timed, limits.max_states, deadline)
            effects = WordAutomaton(words, origin, limits.max_states)
            return Posed(
                origin,
                timed,
                allowed,
                allowed.state_name,
                origin,
                effects,
                is_serial=False,
                judges_prefixes=pending,
            )
        case _:
            assert_never(question)


def specified(specification: Specification, limits: Limits, deadline: Deadline) -> Words:
    if isinstance(specification.meaning, SpecificationAutomaton):
        return WrittenWords(specification.meaning)
    reference = unfold(specification.meaning, limits, deadline)
    return SerialRuns(reference, SerialAutomaton(reference, limits.max_states, deadline))
