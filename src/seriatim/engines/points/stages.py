"""The order of marked points as stages: where the marks are, a search, and a proof by commit points."""

from dataclasses import replace

from seriatim.certificate.points import PointsEvidence
from seriatim.engines.points.marks import Unclear, marked_commits
from seriatim.engines.points.search import PointSearch
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.engines.stage import Engine, Facts, GaveUp, Misordered, Refutation, Stage, Task, once
from seriatim.method import Method, Minimality
from seriatim.systems.closure import closure
from seriatim.systems.from_input import explain_limit
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import PointsProblem
from seriatim.systems.slicing import covered_system

MOVE_MARKS = "every request passes one mark, in a step after which only one answer is possible"


def find_marks(task: Task[PointsProblem]) -> Facts | GaveUp:
    """Where requests take effect: in all runs, whether they are complete or not."""
    origin = task.problem.origin
    try:
        system = covered_system(origin, closure(origin, task.limits, task.deadline))
        marks = marked_commits(system, origin)
    except Unclear as unclear:
        return GaveUp(f"the marks do not determine where requests take effect: {unclear}", MOVE_MARKS)
    except LimitReached as reached:
        reached = explain_limit(reached, origin)
        return GaveUp(reached.message, reached.hint)
    return replace(task.facts, marks=(system, marks))


class LookForMisorder(Engine):
    def __init__(self, task: Task[PointsProblem]) -> None:
        assert task.facts.marks is not None, "the stage needs them"
        self.task = task
        _, marks = task.facts.marks
        self.search = PointSearch(task.problem.origin, task.problem.effects, marks)

    def advance(self, work: int) -> Refutation | None:
        run = self.search.advance(work, self.task.deadline)
        if run is None:
            return None
        points = self.search.points(run)
        evidence = PointsEvidence(run_evidence(run, self.task.problem.origin).turns, points)
        minimality = Minimality.UNKNOWN if self.search.layers.is_cut else Minimality.PROVED
        return Refutation(evidence, run, minimality, run.requests(), Misordered(points))

    def clean_up_to(self) -> int:
        return self.search.layers.clean_up_to()


def has_marks(task: Task[PointsProblem]) -> bool:
    return task.facts.marks is not None


FIND_MARKS = once("closure", Method.AUTO, find_marks)
LOOK_FOR_MISORDER = Stage("search", Method.SEARCH, LookForMisorder, needs=has_marks)
