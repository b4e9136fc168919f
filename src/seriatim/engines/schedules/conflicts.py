"""The schedule for conflicts: a short search for a cycle, a proof that no cycle exists, a longer search."""

from seriatim.engines.conflicts.stages import EXCLUDE_CYCLES, LOOK_FOR_CYCLE, WITHOUT_YIELDS
from seriatim.engines.stage import LONGEST_SEARCH, SHORT_SEARCH, Schedule, Turn
from seriatim.systems.posing import ConflictProblem

CONFLICTS: Schedule[ConflictProblem] = (
    Turn(WITHOUT_YIELDS),
    Turn(LOOK_FOR_CYCLE, SHORT_SEARCH),
    Turn(EXCLUDE_CYCLES),
    Turn(LOOK_FOR_CYCLE, LONGEST_SEARCH),
)
