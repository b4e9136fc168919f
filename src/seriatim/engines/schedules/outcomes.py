"""The schedule for outcomes: a glance at the text, a short search, and then everything else.

Two rounds look for a violation and then for a proof: a short one, which decides small systems at once, and
one with room. A violation is usually found on the system as it unfolds, long before its closure
is known. What both rounds leave open goes to the integer prover, in turns with searches of the reduced
system.
"""

from seriatim.engines.search.stages import LOOK
from seriatim.engines.shared.without_yields import WITHOUT_YIELDS
from seriatim.engines.stage import SHORT_SEARCH, Later, Schedule, Turn
from seriatim.systems.posing import OutcomeProblem


def _proofs() -> Schedule[OutcomeProblem]:
    from seriatim.engines.schedules.proofs import PROOFS  # Many checks need none.

    return PROOFS


OUTCOMES: Schedule[OutcomeProblem] = (Turn(WITHOUT_YIELDS), Turn(LOOK, SHORT_SEARCH), Later(_proofs))
