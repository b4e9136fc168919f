"""The schedule for conflicts: a short search for a cycle, a proof that there is none, a longer search."""

from seriatim.engines.conflicts.stages import EXCLUDE_CYCLES, LOOK_FOR_CYCLE, WITHOUT_YIELDS
from seriatim.engines.schedules.work import LONGEST_SEARCH, SHORT_SEARCH
from seriatim.engines.stage import Schedule, Turn
from seriatim.systems.posing import ConflictProblem

CONFLICTS: Schedule[ConflictProblem] = (
    Turn(WITHOUT_YIELDS),
    Turn(LOOK_FOR_CYCLE, SHORT_SEARCH),
    Turn(EXCLUDE_CYCLES),
    Turn(LOOK_FOR_CYCLE, LONGEST_SEARCH),
)
