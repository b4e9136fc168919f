"""The schedule for failing steps: searches in turns with proofs, the complete one last.

Where values have no bound, a closure that is not small has too many states; a proof for all integers, if
there is an easy one, comes first.
"""

from seriatim.engines.safety.stages import (
    EXCLUDE_BACKWARDS,
    EXCLUDE_BY_CLOSURE,
    EXCLUDE_BY_SHORT_CLOSURE,
    LOOK_FOR_FAULT,
    READ_THE_TEXT,
)
from seriatim.engines.simulation.engine import LONG_SIMULATION, QUICK_SIMULATION
from seriatim.engines.simulation.stages import EXCLUDE_FOR_ALL_INTEGERS, fails_perhaps_unbounded
from seriatim.engines.stage import EVERYTHING, MIDDLE_SEARCH, SHORT_SEARCH, Block, Schedule, Turn
from seriatim.systems.posing import SafetyProblem

SAFETY: Schedule[SafetyProblem] = (
    Turn(READ_THE_TEXT),
    Turn(LOOK_FOR_FAULT, SHORT_SEARCH),
    Block(
        fails_perhaps_unbounded,
        (Turn(EXCLUDE_BY_SHORT_CLOSURE), Turn(EXCLUDE_FOR_ALL_INTEGERS, QUICK_SIMULATION)),
    ),
    Turn(EXCLUDE_BY_CLOSURE),
    Turn(LOOK_FOR_FAULT, MIDDLE_SEARCH),
    Turn(EXCLUDE_BACKWARDS),
    Turn(EXCLUDE_FOR_ALL_INTEGERS, LONG_SIMULATION),
    Turn(LOOK_FOR_FAULT, EVERYTHING),
)
