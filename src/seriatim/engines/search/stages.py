"""The search as a stage: on the system as it unfolds, or on a smaller one as soon as there is one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from seriatim.engines.search.engine import IN_FLIGHT_BOUNDS, Search
from seriatim.engines.shared.run_evidence import shorter
from seriatim.engines.stage import Engine, Refutation, Stage, Task
from seriatim.method import Method
from seriatim.systems.posing import OutcomeProblem

if TYPE_CHECKING:
    from seriatim.reductions.prepass import ReducedSystem


class ViolationSearch(Engine):
    """Searches for a violation."""

    def __init__(self, task: Task[OutcomeProblem], bounds: Sequence[int | None] = IN_FLIGHT_BOUNDS) -> None:
        self.task = task
        only = task.limits.in_flight
        self.bounds = bounds if only is None else (only,)
        self.search = Search(task.problem, self.bounds)
        self.reduced: ReducedSystem | None = None
        """The smaller system that the search explores, if there is one."""
        self.known_clean = 0
        """Earlier searches found no violation with at most this many requests."""

    def advance(self, work: int) -> Refutation | None:
        task = self.task
        if self.reduced is not task.facts.reduced and task.facts.reduced is not None:
            self.known_clean = self.clean_up_to()
            self.reduced = task.facts.reduced
            self.search = Search(replace(task.problem, system=self.reduced.system), self.bounds)
        refuted = self.search.advance(min(work, task.limits.max_states), task.deadline)
        if refuted is None:
            return None
        run = refuted.run if self.reduced is None else self.reduced.expand(refuted.run)
        return shorter(replace(refuted, run=run), task.problem, task.deadline)

    def clean_up_to(self) -> int:
        """There is no violation with at most this many requests of the input; an observer does not count."""
        observers = 0 if self.task.problem.observer is None else 1
        return max(self.known_clean, self.search.clean_up_to() - observers)

    def count_explored(self) -> int:
        return self.search.count_explored()


LOOK = Stage("search", Method.SEARCH, ViolationSearch)
LOOK_AT_ONE: Stage[OutcomeProblem] = Stage("search", Method.SEARCH, lambda task: ViolationSearch(task, (1,)))
"""Searches with a single request in flight, interrupted only by requests that are answered at once. This is
the cheapest search, and it finds most violations that need many requests."""
