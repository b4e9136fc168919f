"""The schedule for deadlocks: a short search, a proof, then searches with room."""

from seriatim.engines.stage import LONG_SEARCH, MIDDLE_SEARCH, SHORT_SEARCH, Schedule, Turn
from seriatim.engines.stuck.stages import LOOK_FOR_STUCK_RUN, READ_THE_TEXT, SHOW_ABLE
from seriatim.systems.posing import StuckProblem

DEADLOCKS: Schedule[StuckProblem] = (
    Turn(READ_THE_TEXT),
    Turn(LOOK_FOR_STUCK_RUN, SHORT_SEARCH),
    Turn(SHOW_ABLE),
    Turn(LOOK_FOR_STUCK_RUN, MIDDLE_SEARCH),
    Turn(LOOK_FOR_STUCK_RUN, LONG_SEARCH),
)
