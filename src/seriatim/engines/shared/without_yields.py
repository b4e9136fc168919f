"""Programs without `yield` as a stage.

Claim: if no handler yields, the program is serializable: every run is a sequence of whole requests.
"""

from seriatim.engines.stage import Facts, Proof, Task, once
from seriatim.method import Method
from seriatim.systems.posing import OutcomeProblem


def without_yields(task: Task[OutcomeProblem]) -> Proof | Facts:
    if task.problem.origin.content.never_yields:
        from seriatim.certificate.atomic import AtomicEvidence
        from seriatim.engines.shared.reasons import NO_YIELD

        return Proof(AtomicEvidence(), NO_YIELD)
    return task.facts


def is_serial(task: Task[OutcomeProblem]) -> bool:
    return task.problem.is_serial


WITHOUT_YIELDS = once("atomic", Method.ATOMIC, without_yields, is_serial)
