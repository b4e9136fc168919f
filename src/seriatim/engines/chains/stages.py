"""Chains as a stage, in turns of questions to the solver."""

from dataclasses import replace

from seriatim.engines.chains.engine import Chains
from seriatim.engines.chains.evidence import chain_evidence
from seriatim.engines.shared.closing import is_countable
from seriatim.engines.shared.reasons import counting_reason
from seriatim.engines.shared.run_evidence import Refuted, refutation, shorter
from seriatim.engines.stage import Answer, Engine, GaveUp, Proof, Stage, Task
from seriatim.method import Method
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import OutcomeProblem

WORK_PER_QUESTION = 100
"""The work that takes about as long as a question to the solver."""

FEW_REQUESTS = 20
"""A violation with at most this many requests is short enough."""


class FollowChains(Engine):
    """Runs the proof by chains in turns."""

    def __init__(self, task: Task[OutcomeProblem]) -> None:
        assert task.facts.system is not None, "the stage needs it"
        self.task = task
        self.chains = Chains(task.facts.system, task.problem.allowed, task.deadline)

    def advance(self, work: int) -> Answer:
        task, problem = self.task, self.task.problem
        try:
            answer = self.chains.advance(work // WORK_PER_QUESTION)
        except LimitReached:
            return task.facts
        match answer:
            case None | GaveUp():
                return answer
            case Refuted():
                return self.answer_refuted(answer)
            case _:
                evidence = chain_evidence(answer, problem.derived, problem.state_name)
                return Proof(evidence, counting_reason(problem.statement))

    def answer_refuted(self, refuted: Refuted) -> Answer:
        """Keeps a long violation in reserve: a search may find one with fewer requests."""
        task = self.task
        if task.method is Method.AUTO and refuted.run.requests() > FEW_REQUESTS:
            found = refutation(refuted, task.problem)
            return replace(task.facts, in_reserve=(found, Method.CHAINS))
        return shorter(refuted, task.problem, task.deadline)


FOLLOW_CHAINS = Stage("chains", Method.CHAINS, FollowChains, needs=is_countable)
