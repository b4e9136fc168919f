"""Does the model allow what the real code does? Random runs of the real code are followed in the model.

A turn of a real request is one step of the model's request or several, since the model may pause where the
real one goes on; of a request with tasks, it is one. All places where the requests can be are kept, so that
nothing depends on how the model came there.
"""

from dataclasses import dataclass
from typing import Any

from seriatim.budget import Deadline
from seriatim.frontends.python.analysis import Analysis, analyse, model
from seriatim.frontends.python.replayer import perform, task, visible
from seriatim.frontends.python.resumable import locals_of
from seriatim.frontends.python.scheduling import NEXT
from seriatim.program.execution import big_steps, faults
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import (
    Configuration,
    Store,
    initial_configuration,
    initial_store,
    lookup,
    response,
)
from seriatim.program.syntax import Expression, Program
from seriatim.source import SourceText

Place = None | int | tuple[Expression, Store]
"""Where a request is: not begun, answered, or in flight."""

Situation = tuple[Store, tuple[Place, ...]]

REQUESTS, WITH_TASKS = 4, 2
"""Requests in each run; fewer where they have tasks, which can go on in so many ways."""


@dataclass(frozen=True, slots=True)
class Conformance:
    """What came of a comparison."""

    runs: int
    turns: int
    difference: str | None
    """The first turn that the model does not allow, in words."""
    outside: int = 0
    """Runs in which the real code left a scope: they are followed up to there."""


def compare(source: SourceText, settings: dict[str, str], runs: int, deadline: Deadline) -> Conformance:
    """Follows random runs of the real code in the model; raises `InputError` and `Failed`."""
    analysis = analyse(source, settings)
    program = model(analysis)
    observed = visible(analysis)
    has_tasks = any(NEXT in locals_of(handler.body) for handler in program.handlers)
    size = WITH_TASKS if has_tasks else REQUESTS
    told = task(analysis, source, list(program.requests), settings) | {
        "task": "random",
        "runs": [choose_requests(len(program.requests), size, seed) for seed in range(runs)],
    }
    turns, outside = 0, 0
    for number, run in enumerate(perform(told, deadline)["runs"], 1):
        names = [program.requests[index] for index in told["runs"][number - 1]]
        follower = Follower(analysis, program, names, observed)
        for turn in run:
            deadline.check()
            turns += 1
            difference = follower.follow(turn)
            if difference is not None and follower.is_outside(turn["request"]):
                turns, outside = turns - 1, outside + 1
                break
            if difference is not None:
                return Conformance(number, turns, difference)
    return Conformance(runs, turns, None, outside)


def choose_requests(count: int, size: int, seed: int) -> list[int]:
    """Some requests, by their numbers: different ones for each seed, all combinations come up."""
    numbers: list[int] = []
    for _ in range(size):
        seed, index = divmod(seed, count)
        numbers.append(index)
    return numbers


class Follower:
    """Follows one run of the real code in the model."""

    def __init__(
        self, analysis: Analysis, program: Program, names: list[str], observed: tuple[str, ...]
    ) -> None:
        self.analysis = analysis
        self.handlers = {handler.name: handler for handler in program.handlers}
        self.with_tasks = {name for name, handler in self.handlers.items() if NEXT in locals_of(handler.body)}
        self.names = names
        self.observed = observed
        self.texts = analysis.atoms.names()
        self.situations: set[Situation] = {(initial_store(program), (None,) * len(names))}
        self.reached = self.situations
        """Where the last turn may have led to, in the model."""

    def follow(self, turn: dict[str, Any]) -> str | None:
        """Takes a turn; says what is wrong if the model cannot."""
        number, answer = turn["request"], turn["answer"]
        self.reached = self.reach(number)
        self.situations = {
            situation
            for situation in self.reached
            if self.values(situation[0]) == turn["state"] and self.fits(number, situation[1][number], answer)
        }
        if self.situations:
            return None
        name = self.names[number]
        values = ", ".join(
            f"{cell} = {value}" for cell, value in zip(self.observed, turn["state"], strict=True)
        )
        does = "goes on" if answer is None else f"answers {answer}"
        line = f" to line {turn['lines'][-1]}" if turn["lines"] else ""
        return f"the real `{name}` {does}{line} and leaves {values or 'no state'}; the model does not"

    def is_outside(self, number: int) -> bool:
        """Whether the turn that the model did not take may leave a scope, which is a fault of the model."""
        starts = (self.start(places[number], number, globals_) for globals_, places in self.reached)
        with deep_recursion():
            return any(
                fault.code == "SER804" for start in starts if start is not None for fault in faults(start)
            )

    def values(self, globals_: Store) -> list[str]:
        numbers = (lookup(globals_, name) for name in self.observed)
        return [self.texts.get(number, str(number)) for number in numbers]

    def fits(self, number: int, place: Place, answer: str | None) -> bool:
        """Whether a place is that of a real request.

        The model answers early if nothing but that is left, and begins late if a real request only waits.
        """
        if answer is None:
            return True
        canonical = self.analysis.lowered.canonical_answers.get(self.names[number], {})
        return isinstance(place, int) and canonical.get(place, str(place)) == answer

    def reach(self, number: int) -> set[Situation]:
        """Where steps of one request lead to, however many."""
        reached = set(self.situations)
        pending = list(reached)
        with deep_recursion():
            while pending:
                globals_, places = pending.pop()
                for after in self.steps(places[number], number, globals_):
                    answer = response(after.expression)
                    place: Place = (after.expression, after.locals) if answer is None else answer
                    found: Situation = (after.globals, (*places[:number], place, *places[number + 1 :]))
                    if found not in reached:
                        reached.add(found)
                        if self.names[number] not in self.with_tasks:
                            pending.append(found)
        return reached

    def steps(self, place: Place, number: int, globals_: Store) -> frozenset[Configuration]:
        start = self.start(place, number, globals_)
        return frozenset() if start is None else big_steps(start)

    def start(self, place: Place, number: int, globals_: Store) -> Configuration | None:
        """Where a step of a request begins; None if it has answered."""
        if isinstance(place, int):
            return None
        if place is None:
            return initial_configuration(self.handlers[self.names[number]], globals_)
        expression, locals_ = place
        return Configuration(expression, locals_, globals_)
