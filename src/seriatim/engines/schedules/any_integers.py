"""Schedules for programs whose requests have any integers as arguments.

The unfolded system has a few sample arguments. A violation there is a violation; proofs have to be about all
integers.
"""

from seriatim.engines.exchanges.stages import EXCHANGE_ALWAYS
from seriatim.engines.safety.stages import LOOK_FOR_FAULT
from seriatim.engines.schedules.outcomes import WITHOUT_YIELDS
from seriatim.engines.search.stages import LOOK
from seriatim.engines.simulation.engine import LONG_SIMULATION
from seriatim.engines.simulation.stages import EXCLUDE_FOR_ALL_INTEGERS, SIMULATE
from seriatim.engines.stage import LONG_SEARCH, MIDDLE_SEARCH, SHORT_SEARCH, Schedule, Turn
from seriatim.systems.posing import OutcomeProblem, SafetyProblem

OUTCOMES_OF_ALL: Schedule[OutcomeProblem] = (
    Turn(WITHOUT_YIELDS),
    Turn(LOOK, SHORT_SEARCH),
    Turn(EXCHANGE_ALWAYS),
    Turn(SIMULATE, LONG_SIMULATION),
    Turn(LOOK, LONG_SEARCH),
)

SAFETY_OF_ALL: Schedule[SafetyProblem] = (
    Turn(LOOK_FOR_FAULT, SHORT_SEARCH),
    Turn(EXCLUDE_FOR_ALL_INTEGERS, LONG_SIMULATION),
    Turn(LOOK_FOR_FAULT, MIDDLE_SEARCH),
)
