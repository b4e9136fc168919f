"""The schedule for outcomes: a glance at the text, a short search, and then everything else.

Two rounds look for a violation and then for a proof: a short one, which decides small systems at once, and
one with room. A violation is usually found on the system as it unfolds, long before its closure
is known. What both rounds leave open goes to the integer prover, in turns with searches of the reduced
system.

Claim about the glance: if no handler yields, the program is serializable, because every run is a sequence of
whole requests.
"""

from seriatim.certificate.atomic import AtomicEvidence
from seriatim.engines.commits.stages import COMMIT, ONE_STEP
from seriatim.engines.search.stages import LOOK, LOOK_AT_ONE
from seriatim.engines.shared.closing import closing_stages
from seriatim.engines.shared.reasons import NO_YIELD
from seriatim.engines.stage import (
    EVERYTHING,
    FIRST_LOOK_AT_ONE,
    SHORT_SEARCH,
    Block,
    Facts,
    Later,
    Proof,
    Schedule,
    Task,
    Turn,
    once,
)
from seriatim.method import Method
from seriatim.systems.posing import OutcomeProblem


def without_yields(task: Task[OutcomeProblem]) -> Proof | Facts:
    content = task.problem.origin.content
    if content.never_yields and not (content.unbounded_handlers and content.can_fail):
        return Proof(AtomicEvidence(), NO_YIELD)
    return task.facts


WITHOUT_YIELDS = once("atomic", Method.ATOMIC, without_yields, lambda task: task.problem.is_serial)


def is_closed(task: Task[OutcomeProblem]) -> bool:
    return task.facts.committing is not None


def proofs_by_commits() -> Schedule[OutcomeProblem]:
    """The stages that decide most inputs once the closure is known."""
    return (Turn(ONE_STEP), Turn(LOOK_AT_ONE, FIRST_LOOK_AT_ONE), Turn(COMMIT))


def _proofs() -> Schedule[OutcomeProblem]:
    closing = closing_stages(is_short=True)
    once_closed = Block(is_closed, (*proofs_by_commits(), Later(_harder_once_closed)))
    return (*(Turn(stage, EVERYTHING) for stage in closing), once_closed, Later(_harder_while_open))


def _harder_once_closed() -> Schedule[OutcomeProblem]:
    from seriatim.engines.schedules.harder_proofs import ONCE_CLOSED  # It loads the other engines.

    return ONCE_CLOSED


def _harder_while_open() -> Schedule[OutcomeProblem]:
    from seriatim.engines.schedules.harder_proofs import WHILE_OPEN

    return WHILE_OPEN


OUTCOMES: Schedule[OutcomeProblem] = (Turn(WITHOUT_YIELDS), Turn(LOOK, SHORT_SEARCH), Later(_proofs))
