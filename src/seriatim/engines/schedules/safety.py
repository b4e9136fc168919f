"""The schedule for failing steps: searches in turns with proofs, the complete one last."""

from seriatim.engines.safety.stages import (
    EXCLUDE_BACKWARDS,
    EXCLUDE_BY_CLOSURE,
    LOOK_FOR_FAULT,
    READ_THE_TEXT,
)
from seriatim.engines.simulation.stages import EXCLUDE_FOR_ALL_INTEGERS
from seriatim.engines.stage import EVERYTHING, MIDDLE_SEARCH, SHORT_SEARCH, Schedule, Turn
from seriatim.systems.posing import SafetyProblem

SAFETY: Schedule[SafetyProblem] = (
    Turn(READ_THE_TEXT),
    Turn(LOOK_FOR_FAULT, SHORT_SEARCH),
    Turn(EXCLUDE_BY_CLOSURE),
    Turn(LOOK_FOR_FAULT, MIDDLE_SEARCH),
    Turn(EXCLUDE_BACKWARDS),
    Turn(EXCLUDE_FOR_ALL_INTEGERS),
    Turn(LOOK_FOR_FAULT, EVERYTHING),
)
