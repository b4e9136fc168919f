"""The schedule for programs with threads: search, then what finite data allow, then solvers."""

from seriatim.engines.stage import (
    EVERYTHING,
    LONG_SEARCH,
    MIDDLE_SEARCH,
    SHORT_SEARCH,
    Rounds,
    Schedule,
    Turn,
)
from seriatim.engines.threads.stages import (
    BRIEF_FLOWS_1,
    BRIEF_MODULAR_1,
    BRIEF_MODULAR_2,
    BRIEF_VALUES_1,
    COVER,
    FLOWS_1,
    FLOWS_2,
    HANG,
    LOOK,
    LOOK_FAR,
    LOOSE_COVER,
    MODULAR_1,
    MODULAR_2,
    PAIR,
    PETRIFY,
    REDUCE,
    RELATIONS,
    SEE,
    UNROLL,
    VALUES_1,
)
from seriatim.systems.threads.problem import ThreadProblem

SMALL_SEARCH = 2_500
"""States before the first question to a solver: about a tenth of a second."""
SHORT_COVER = 200
MIDDLE_COVER = 1_000

THREADS: Schedule[ThreadProblem] = (
    Turn(LOOK, SHORT_SEARCH),
    Turn(REDUCE),
    Turn(SEE, SHORT_SEARCH),
    Turn(COVER, SHORT_COVER),
    Turn(LOOSE_COVER, SHORT_COVER),
    Turn(PAIR, SHORT_COVER),
    Turn(LOOK, SMALL_SEARCH),
    Turn(SEE, MIDDLE_SEARCH),
    Turn(BRIEF_FLOWS_1),
    Turn(BRIEF_MODULAR_1),
    Turn(BRIEF_VALUES_1),
    Turn(COVER, MIDDLE_COVER),
    Turn(LOOSE_COVER, MIDDLE_COVER),
    Turn(PAIR, MIDDLE_COVER),
    Turn(LOOK, MIDDLE_SEARCH),
    Turn(LOOK_FAR, MIDDLE_SEARCH),
    Turn(FLOWS_1),
    Turn(VALUES_1),
    Turn(BRIEF_MODULAR_2),
    Turn(SEE, LONG_SEARCH),
    Turn(MODULAR_1),
    Turn(LOOK_FAR, LONG_SEARCH),
    Turn(UNROLL, MIDDLE_SEARCH),
    Turn(RELATIONS),
    Turn(PETRIFY),
    Turn(PETRIFY),
    Turn(FLOWS_2),
    Turn(MODULAR_2),
    Turn(LOOK, MIDDLE_SEARCH),
    Turn(SEE, EVERYTHING),
    Turn(PAIR, MIDDLE_SEARCH),
    Turn(COVER, MIDDLE_SEARCH),
    Rounds(LOOK, PETRIFY, MIDDLE_SEARCH),
    Rounds(LOOK, COVER, MIDDLE_SEARCH),
    Turn(LOOK, EVERYTHING),
)

HANGS: Schedule[ThreadProblem] = (Turn(HANG, EVERYTHING),)
