"""The portfolio: gives turns to the stages of a schedule, under one budget, until one has an answer."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import monotonic
from typing import Generic, assert_never

from seriatim.budget import Observer, OutOfBudget, OutOfMemory, enforce
from seriatim.engines.stage import (
    Block,
    Engine,
    Facts,
    FailingThreads,
    Found,
    GaveUp,
    Later,
    Posed,
    Progress,
    Proof,
    Refutation,
    Rounds,
    Schedule,
    Stage,
    Task,
    Turn,
    UseReserve,
)
from seriatim.method import Method, Obstacle


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The outcome of a schedule, its method, and further facts."""

    answer: Found | GaveUp
    method: Method
    clean_up_to: int
    """There is no violation with at most this many requests."""
    seconds: dict[str, float]
    """How long each stage took."""
    facts: Facts
    obstacle: Obstacle | None
    """Where a proof by commit points stopped first."""
    states: int = 0
    """How many states searches met."""


def conclude(
    schedule: Schedule[Posed], task: Task[Posed], observer: Observer[Progress] | None = None
) -> Conclusion:
    """Decides a problem, if that is possible within its limits and before its deadline."""
    portfolio = Portfolio(schedule, task)
    if observer is not None:
        task.deadline.pulse = lambda: observer(portfolio.progress())
    return portfolio.run()


class Portfolio(Generic[Posed]):
    """The stages at work on one problem, and why it is not decided yet."""

    def __init__(self, schedule: Schedule[Posed], task: Task[Posed]) -> None:
        self.schedule = schedule
        self.task = task
        self.engines: dict[Stage[Posed], Engine] = {}
        """The engines that were started, running or ended."""
        self.ended: set[Stage[Posed]] = set()
        self.gave_up = GaveUp("neither a violation nor a proof was found")
        self.obstacle: Obstacle | None = None
        self.missing = ""
        self.seconds: dict[str, float] = {}
        self.stage = ""
        """The name of the stage that is under way."""

    def progress(self) -> Progress:
        states = sum(engine.count_explored() for engine in self.engines.values())
        return Progress(self.stage, states, self.clean_up_to(), self.task.deadline.questions)

    def clean_up_to(self) -> int:
        return max((engine.clean_up_to() for engine in self.engines.values()), default=0)

    def run(self) -> Conclusion:
        try:
            for turn in self.turns(self.schedule):
                if isinstance(turn, UseReserve):
                    break
                found = self.take(turn)
                if found is not None:
                    return self.conclude(found, turn.stage.method)
        except OutOfBudget as out:
            self.gave_up = GaveUp(f"{out.spent}; {self.gave_up.why}", self.gave_up.hint or out.hint)
        except MemoryError:  # The system has less memory than the limit allows.
            self.gave_up = GaveUp(f"{OutOfMemory.spent}; {self.gave_up.why}", self.gave_up.hint)
        if self.task.facts.in_reserve is not None:
            return self.conclude(*self.task.facts.in_reserve)
        if self.missing:
            self.gave_up = replace(self.gave_up, why=f"{self.gave_up.why}; {self.missing}")
        if self.gave_up.hint is None:
            self.gave_up = replace(self.gave_up, hint=self.what_might_help())
        return self.conclude(self.gave_up, self.task.method)

    def turns(self, schedule: Schedule[Posed]) -> Iterator[Turn[Posed] | UseReserve]:
        """The turns in their order; each is asked for only if those before it found nothing."""
        for item in schedule:
            match item:
                case Turn():
                    yield item
                case Block(needs=needs, turns=turns):
                    if needs(self.task):
                        yield from self.turns(turns)
                case Rounds(beside=beside, leading=leading, work=work, lead=lead):
                    while leading not in self.ended and leading.is_due(self.task):
                        yield Turn(beside, work)
                        yield Turn(leading, lead * work)
                        work *= 2
                case Later(turns=look_up):
                    yield from self.turns(look_up())
                case UseReserve():
                    if self.task.facts.in_reserve is not None:
                        yield item
                case _:
                    assert_never(item)

    def take(self, turn: Turn[Posed]) -> Found | None:
        """Gives a stage its turn if it is due."""
        stage = turn.stage
        if stage in self.ended or not stage.is_due(self.task):
            return None
        began = monotonic()
        self.stage = stage.name
        try:
            if stage not in self.engines:
                with enforce(self.task.deadline):  # Passes over a huge input look at no clock.
                    self.engines[stage] = stage.start(self.task)
            answer = self.engines[stage].advance(turn.work)
        finally:
            self.seconds[stage.name] = self.seconds.get(stage.name, 0.0) + monotonic() - began
        match answer:
            case Proof() | Refutation() | FailingThreads():
                return answer
            case Facts():
                self.task.facts = answer
                self.ended.add(stage)
            case GaveUp(obstacle=obstacle):
                self.gave_up = answer
                self.obstacle = self.obstacle or obstacle
                self.missing = self.missing or answer.missing
                self.ended.add(stage)
            case None:
                pass
            case _:
                assert_never(answer)
        return None

    def what_might_help(self) -> str | None:
        if self.task.method is not Method.AUTO:
            return "allow all methods: leave --method out"
        return self.task.hint

    def conclude(self, answer: Found | GaveUp, method: Method) -> Conclusion:
        states = self.progress().states
        return Conclusion(
            answer, method, self.clean_up_to(), self.seconds, self.task.facts, self.obstacle, states
        )
