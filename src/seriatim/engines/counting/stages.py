"""Counting as stages: the state equation, then with situations, small products first."""

from dataclasses import replace

from seriatim.engines.counting.evidence import counting_evidence
from seriatim.engines.counting.proof import ProvedByCover
from seriatim.engines.counting.root_product import FEW_EDGES, root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.engines.shared.closing import is_countable
from seriatim.engines.shared.covering import CoverCandidate
from seriatim.engines.shared.reasons import counting_reason
from seriatim.engines.stage import Facts, GaveUp, Proof, Task, once
from seriatim.method import Method
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.slicing import MacroSystem

MANY_EDGES = 8_000
"""The most edges of products that are tried when nothing else has helped."""


def count(task: Task[OutcomeProblem]) -> Proof | GaveUp | Facts:
    """Asks about counts of steps; then, if that is too coarse, with situations. A proof whose re-check
    depends on a solver, and may be hard for it, is kept in reserve."""
    try:
        answer = state_equation(require_system(task), task.problem.allowed, task.deadline)
    except LimitReached:
        return task.facts
    if not isinstance(answer, CoverCandidate):
        return answer if isinstance(answer, GaveUp) else _proof(answer, task)
    in_situations = _count_situations(task, FEW_EDGES)
    if not isinstance(in_situations, ProvedByCover):
        return in_situations
    proof = _proof(in_situations, task)
    if task.method is Method.AUTO and in_situations.tree is None:
        return replace(task.facts, in_reserve=(proof, Method.STATE_EQUATION))
    return proof


def count_situations(task: Task[OutcomeProblem]) -> Proof | GaveUp | Facts:
    answer = _count_situations(task, MANY_EDGES)
    return _proof(answer, task) if isinstance(answer, ProvedByCover) else answer


def _count_situations(task: Task[OutcomeProblem], max_edges: int) -> ProvedByCover | GaveUp | Facts:
    try:
        answer = root_product(require_system(task), task.problem.allowed, task.deadline, max_edges)
    except LimitReached:
        return task.facts
    return task.facts if isinstance(answer, CoverCandidate) else answer


def _proof(proof: ProvedByCover, task: Task[OutcomeProblem]) -> Proof:
    problem = task.problem
    evidence = counting_evidence(proof, problem.derived, problem.state_name)
    return Proof(evidence, counting_reason(problem.statement))


def require_system(task: Task[OutcomeProblem]) -> MacroSystem:
    assert task.facts.system is not None, "the stage needs it"
    return task.facts.system


COUNT = once("state-equation", Method.STATE_EQUATION, count, is_countable)
COUNT_SITUATIONS = once("state-equation", Method.STATE_EQUATION, count_situations, is_countable)
