"""The schedule for outcomes: a glance at the text, a short search, and then everything else.

Two rounds look for a violation and then for a proof: a short one, which decides small systems at once, and
one with room. A violation is usually found on the system as it unfolds, long before its closure
is known. What both rounds leave open goes to the integer prover, in turns with searches of the reduced
system.

Claim about the glance: if no handler yields, the program is serializable, because every run is a sequence of
whole requests.
"""

from seriatim.engines.search.stages import LOOK
from seriatim.engines.stage import SHORT_SEARCH, Facts, Later, Proof, Schedule, Task, Turn, once
from seriatim.method import Method
from seriatim.systems.posing import OutcomeProblem


def without_yields(task: Task[OutcomeProblem]) -> Proof | Facts:
    content = task.problem.origin.content
    if content.never_yields and not (content.unbounded_handlers and content.can_fail):
        from seriatim.certificate.atomic import AtomicEvidence
        from seriatim.engines.shared.reasons import NO_YIELD

        return Proof(AtomicEvidence(), NO_YIELD)
    return task.facts


WITHOUT_YIELDS = once("atomic", Method.ATOMIC, without_yields, lambda task: task.problem.is_serial)


def _proofs() -> Schedule[OutcomeProblem]:
    from seriatim.engines.schedules.proofs import PROOFS  # Many checks need no proof.

    return PROOFS


OUTCOMES: Schedule[OutcomeProblem] = (Turn(WITHOUT_YIELDS), Turn(LOOK, SHORT_SEARCH), Later(_proofs))
