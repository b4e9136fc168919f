"""Which runs systems keep: slicing drops what no complete run needs, so work on all runs never uses it."""

from typing import get_type_hints

import pytest

from seriatim.budget import Deadline
from seriatim.engines.commits.engine import try_commit_points
from seriatim.engines.points.marks import marked_commits
from seriatim.engines.portfolio import conclude
from seriatim.engines.safety.stages import EXCLUDE_BACKWARDS, EXCLUDE_BY_CLOSURE
from seriatim.engines.stage import Proof, Stage, Task, Turn
from seriatim.frontends.ser.parser import parse
from seriatim.reductions.prepass import prepass
from seriatim.systems.closure import closure
from seriatim.systems.limits import Limits
from seriatim.systems.posing import SafetyProblem
from seriatim.systems.slicing import CoveredSystem, MacroSystem, covered_system, macro_system
from seriatim.systems.unfolding import ProgramUnfolding

FAILS_UNANSWERED = """
X in 0..1 := 0
request stuck { yield; await Y == 1; X := 2; 0 }
request set { Y := 1; 0 }
"""
"""Who fails is never answered: no complete run contains it."""


def unfolding() -> ProgramUnfolding:
    return ProgramUnfolding(parse(FAILS_UNANSWERED), Limits())


def test_slicing_and_reductions_lose_runs_that_are_not_complete() -> None:
    program = unfolding()
    everything = covered_system(program, closure(program, Limits(), Deadline()))
    complete = macro_system(program, Limits(), Deadline())
    assert (
        everything.table.keys() > complete.table.keys() >= prepass(complete, Deadline()).system.table.keys()
    )


def test_what_they_make_is_not_of_the_type_that_has_all_runs() -> None:
    complete = macro_system(unfolding(), Limits(), Deadline())
    assert type(complete) is MacroSystem
    assert type(prepass(complete, Deadline()).system) is MacroSystem


def test_work_that_judges_all_runs_takes_that_type() -> None:
    for function in (try_commit_points, marked_commits):
        assert get_type_hints(function)["system"] is CoveredSystem


@pytest.mark.parametrize("stage", [EXCLUDE_BY_CLOSURE, EXCLUDE_BACKWARDS], ids=lambda stage: stage.name)
def test_no_proof_of_safety_overlooks_who_is_never_answered(stage: Stage[SafetyProblem]) -> None:
    task = Task(SafetyProblem(unfolding()), Limits(), Deadline())
    assert not isinstance(conclude((Turn(stage),), task).answer, Proof)
