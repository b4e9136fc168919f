"""The schedule for marked points: a short search for a wrong order, a proof, a longer search."""

from seriatim.engines.commits.stages import COMMIT_AT_MARKS
from seriatim.engines.points.stages import FIND_MARKS, LOOK_FOR_MISORDER
from seriatim.engines.stage import LONGEST_SEARCH, SHORT_SEARCH, Schedule, Turn
from seriatim.systems.posing import PointsProblem

POINTS: Schedule[PointsProblem] = (
    Turn(FIND_MARKS),
    Turn(LOOK_FOR_MISORDER, SHORT_SEARCH),
    Turn(COMMIT_AT_MARKS),
    Turn(LOOK_FOR_MISORDER, LONGEST_SEARCH),
)
