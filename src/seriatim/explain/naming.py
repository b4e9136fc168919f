"""Answers and values in the words of the source: engines use numbers, people expect `None` and `'a'`.

Claim: naming changes no verdict and no evidence. It is applied to data that is only shown.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from seriatim.explain.argument import (
    Argument,
    Blocked,
    Case,
    Cases,
    CaseStep,
    Completion,
    DeadEnd,
    Impossible,
    Nearest,
    Occasion,
    Outline,
)
from seriatim.explain.timeline import Sample, ShownRun
from seriatim.explain.why import (
    Cycle,
    Effect,
    Fails,
    FinalValues,
    InTime,
    NothingExplains,
    Points,
    Seen,
    Stuck,
    Timed,
    Why,
)
from seriatim.program.state import Names, ShownState, name_value


@dataclass(frozen=True, slots=True)
class Naming:
    """The names that an input has for its values and answers."""

    value_names: Names
    answer_names: Names

    def answer(self, handler: str, response: str) -> str:
        if handler not in self.answer_names:
            return response
        return name_value(self.answer_names, handler, int(response))

    def completion(self, completion: Completion) -> Completion:
        handler, response = completion
        return handler, self.answer(handler, response)

    def state(self, state: ShownState) -> ShownState:
        if isinstance(state, str):
            return state
        return tuple(
            (name, name_value(self.value_names, name, value) if isinstance(value, int) else value)
            for name, value in state
        )

    # Runs

    def run(self, run: ShownRun) -> ShownRun:
        turns = tuple(
            turn
            if turn.response is None
            else replace(turn, response=self.answer(turn.handler, turn.response))
            for turn in run.timeline.turns
        )
        return replace(run, timeline=replace(run.timeline, turns=turns))

    def sample(self, sample: Sample) -> Sample:
        return replace(sample, run=self.run(sample.run), order=tuple(map(self.completion, sample.order)))

    # Reasons

    def why(self, why: Why) -> Why:
        match why:
            case NothingExplains(argument=argument, nearest=nearest, seen=seen):
                return replace(
                    why,
                    argument=None if argument is None else self.argument(argument),
                    nearest=None if nearest is None else self.nearest(nearest),
                    seen=None if seen is None else self.name_seen(seen),
                )
            case Points(effects=effects):
                return Points(tuple(map(self.effect, effects)))
            case Cycle() | Fails() | Stuck():
                return why
            case _:
                assert_never(why)

    def name_seen(self, seen: Seen) -> Seen:
        match seen:
            case FinalValues():
                return seen
            case InTime(requests=requests):
                return InTime(tuple(map(self.name_timed, requests)))

    def name_timed(self, timed: Timed) -> Timed:
        if timed.answer is None or timed.handler not in self.answer_names:
            return timed
        response, space, intervals = timed.answer.partition(" ")
        return replace(timed, answer=f"{self.answer(timed.handler, response)}{space}{intervals}")

    def effect(self, effect: Effect) -> Effect:
        return replace(effect, response=self.answer(effect.handler, effect.response))

    def nearest(self, nearest: Nearest) -> Nearest:
        orders = tuple(tuple(map(self.completion, order)) for order in nearest.orders)
        return replace(nearest, orders=orders)

    def argument(self, argument: Argument) -> Argument:
        match argument:
            case Cases(root=root):
                return Cases(self.case(root))
            case Impossible(handler=handler, response=response, occasions=occasions):
                found = tuple(self.occasion(handler, occasion) for occasion in occasions)
                return Impossible(handler, self.answer(handler, response), found)
            case Outline(shortest=shortest):
                return replace(argument, shortest=tuple(map(self.dead_end, shortest)))

    def case(self, case: Case) -> Case:
        steps = tuple(
            CaseStep(step.handler, self.answer(step.handler, step.response), self.case(step.next))
            for step in case.steps
        )
        return Case(self.state(case.state), tuple(map(self.name_blocked, case.blocked)), steps)

    def name_blocked(self, blocked: Blocked) -> Blocked:
        handler = blocked.handler
        return replace(
            blocked,
            wanted=tuple(self.answer(handler, each) for each in blocked.wanted),
            possible=tuple(self.answer(handler, each) for each in blocked.possible),
        )

    def occasion(self, handler: str, occasion: Occasion) -> Occasion:
        return Occasion(
            tuple(map(self.completion, occasion.before)),
            self.state(occasion.state),
            tuple(self.answer(handler, each) for each in occasion.possible),
        )

    def dead_end(self, end: DeadEnd) -> DeadEnd:
        order = tuple(map(self.completion, end.order))
        return DeadEnd(order, self.state(end.state), tuple(map(self.name_blocked, end.blocked)))
