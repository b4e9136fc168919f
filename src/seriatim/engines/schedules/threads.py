"""The schedule for programs with threads: search, then what finite data allow, then solvers."""

from seriatim.engines.schedules.work import EVERYTHING, MIDDLE_SEARCH, SHORT_SEARCH
from seriatim.engines.stage import Rounds, Schedule, Turn
from seriatim.engines.threads.stages import (
    COVER,
    FLOWS_1,
    FLOWS_2,
    LOOK,
    MODULAR_1,
    MODULAR_2,
    PETRIFY,
    UNROLL,
)
from seriatim.systems.threads.problem import ThreadProblem

SHORT_COVER = 1_000

THREADS: Schedule[ThreadProblem] = (
    Turn(LOOK, SHORT_SEARCH),
    Turn(COVER, SHORT_COVER),
    Turn(LOOK, MIDDLE_SEARCH // 2),
    Turn(FLOWS_1),
    Turn(MODULAR_1),
    Turn(UNROLL, MIDDLE_SEARCH),
    Turn(PETRIFY),
    Turn(PETRIFY),
    Turn(FLOWS_2),
    Turn(MODULAR_2),
    Turn(LOOK, MIDDLE_SEARCH),
    Turn(COVER, MIDDLE_SEARCH),
    Rounds(LOOK, PETRIFY, MIDDLE_SEARCH),
    Rounds(LOOK, COVER, MIDDLE_SEARCH),
    Turn(LOOK, EVERYTHING),
)
