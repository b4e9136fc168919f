"""Commit points as stages: in a single step, by simple policies, by mixtures of them, by learning."""

from typing import assert_never

from seriatim.budget import Pieces
from seriatim.engines.commits.engine import (
    BlockedCommit,
    commit_points,
    learn_commit_points,
    try_commit_points,
)
from seriatim.engines.commits.orbits import symmetric_commit_points
from seriatim.engines.commits.proof import (
    ProvedByCommits,
    commit_evidence,
    one_step_each,
    symmetric_commit_evidence,
)
from seriatim.engines.shared.reasons import AT_MARKS, commit_reason, symmetric_reason
from seriatim.engines.stage import Answer, Engine, Facts, GaveUp, InPieces, Proof, Stage, Task, once
from seriatim.method import Method, Obstacle
from seriatim.program.recursion import deep_recursion
from seriatim.systems.from_input import explain_limit
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import OutcomeProblem, PointsProblem
from seriatim.systems.slicing import MacroSystem
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import ProgramUnfolding


def in_one_step(task: Task[OutcomeProblem]) -> Proof | GaveUp:
    return _make_proof(one_step_each(_committing(task)), task)


def commit(task: Task[OutcomeProblem], mixed: bool) -> Proof | GaveUp:
    answer = commit_points(_committing(task), task.problem.effects, mixed, task.limits, task.deadline)
    return _make_proof(answer, task)


def learn_to_commit(task: Task[OutcomeProblem]) -> Proof | GaveUp:
    answer = learn_commit_points(_committing(task), task.problem.effects, task.limits, task.deadline)
    return _make_proof(answer, task)


def commit_at_marks(task: Task[PointsProblem]) -> Proof | GaveUp | Facts:
    """Tries commit points at the marks of the program."""
    assert task.facts.marks is not None, "the stage needs them"
    system, marks = task.facts.marks
    try:
        answer = try_commit_points(system, task.problem.effects, marks, task.limits, task.deadline)
    except LimitReached as reached:
        reached = explain_limit(reached, task.problem.origin)
        return GaveUp(reached.message, reached.hint)
    if isinstance(answer, GaveUp):
        return task.facts
    return Proof(commit_evidence(answer, task.problem.origin), AT_MARKS)


class CommitUpToSymmetry(Engine):
    """Gives deep programs room on the stack, because this engine executes them."""

    def __init__(self, task: Task[OutcomeProblem]) -> None:
        self.pieces = InPieces(commit_up_to_symmetry(task))

    def advance(self, work: int) -> Answer:
        with deep_recursion():
            return self.pieces.advance(work)


def commit_up_to_symmetry(task: Task[OutcomeProblem]) -> Pieces[Proof | GaveUp]:
    """Tries commit points up to permutations of positions."""
    unfolding = task.problem.origin
    assert isinstance(unfolding, ProgramUnfolding), "the stage needs it"
    answer = yield from symmetric_commit_points(unfolding, task.limits, task.deadline)
    if isinstance(answer, GaveUp):
        return answer
    evidence = symmetric_commit_evidence(answer, unfolding)
    return Proof(evidence, symmetric_reason(evidence, task.problem.statement))


def is_plain_program(task: Task[OutcomeProblem]) -> bool:
    """Whether requests commit in the program itself, and its serial runs are what is allowed."""
    problem = task.problem
    return (
        problem.is_serial and problem.committing is problem.origin and bool(problem.origin.content.handlers)
    )


def _committing(task: Task[OutcomeProblem]) -> MacroSystem:
    assert task.facts.committing is not None, "the stage needs it"
    return task.facts.committing


def _make_proof(answer: ProvedByCommits | GaveUp, task: Task[OutcomeProblem]) -> Proof | GaveUp:
    problem = task.problem
    match answer:
        case ProvedByCommits():
            evidence = commit_evidence(answer, problem.committing)
            return Proof(evidence, commit_reason(evidence, problem.origin, problem.statement))
        case BlockedCommit(why=why, hint=hint, step=step):
            return GaveUp(why, hint, obstacle(problem, *step))
        case GaveUp():
            return answer
        case _:
            assert_never(answer)


def obstacle(problem: OutcomeProblem, local: int, completion: int) -> Obstacle:
    """Where a proof by commit points stops, in the terms of the input."""
    system = problem.committing
    request, response = system.completions[completion]
    line = None
    if isinstance(system, ProgramUnfolding) and local not in system.starts:
        line = local_state(system, local).line
    return Obstacle(system.requests[request], line, response)


def is_closed(task: Task[OutcomeProblem]) -> bool:
    return task.facts.committing is not None


ONE_STEP = once("atomic", Method.ATOMIC, in_one_step, lambda task: task.problem.is_serial and is_closed(task))
COMMIT = once("commit", Method.COMMIT, lambda task: commit(task, mixed=False), is_closed)
COMMIT_MIXED = once("commit", Method.COMMIT, lambda task: commit(task, mixed=True), is_closed)
COMMIT_UP_TO_SYMMETRY = Stage("symmetry", Method.COMMIT, CommitUpToSymmetry, needs=is_plain_program)
LEARN_TO_COMMIT = once("commit", Method.COMMIT, learn_to_commit, is_closed)
COMMIT_AT_MARKS = once("commit", Method.COMMIT, commit_at_marks, lambda task: task.facts.marks is not None)
