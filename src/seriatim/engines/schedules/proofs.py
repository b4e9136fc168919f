"""The schedule for outcomes after the first short search: proofs, in turns with longer searches."""

from seriatim.engines.chains.stages import FOLLOW_CHAINS, WORK_PER_QUESTION
from seriatim.engines.commits.stages import COMMIT, COMMIT_MIXED, LEARN_TO_COMMIT, ONE_STEP
from seriatim.engines.counting.stages import COUNT, COUNT_SITUATIONS
from seriatim.engines.modular.stages import HANDLER_BY_HANDLER
from seriatim.engines.schedules.work import (
    EVERYTHING,
    FIRST_LOOK_AT_ONE,
    LONG_SEARCH,
    MIDDLE_LOOK_AT_ONE,
    MIDDLE_SEARCH,
)
from seriatim.engines.search.reducing import REDUCE
from seriatim.engines.search.stages import LOOK, LOOK_AT_ONE
from seriatim.engines.shared.closing import closing, is_open
from seriatim.engines.stage import Block, Refutation, Rounds, Schedule, Task, Turn, UseReserve
from seriatim.systems.posing import OutcomeProblem

FIRST_QUESTIONS = 50
"""To the solver, before the first turn of a search; then twice as many."""

CLOSE_SHORT = closing(is_short=True)
CLOSE = closing(is_short=False)


def _has_long_violation(task: Task[OutcomeProblem]) -> bool:
    """Whether a search may find a violation with fewer requests than the one that is known."""
    reserve = task.facts.in_reserve
    return reserve is not None and isinstance(reserve[0], Refutation)


ONCE_CLOSED: Schedule[OutcomeProblem] = (
    Turn(ONE_STEP),
    Turn(LOOK_AT_ONE, FIRST_LOOK_AT_ONE),
    Turn(COMMIT),
    Turn(REDUCE),
    Turn(LOOK_AT_ONE, MIDDLE_LOOK_AT_ONE),
    Turn(LOOK, MIDDLE_SEARCH),
    Turn(COMMIT_MIXED),
    Turn(LEARN_TO_COMMIT),
    Turn(COUNT),
    Rounds(LOOK, FOLLOW_CHAINS, FIRST_QUESTIONS * WORK_PER_QUESTION),
    Block(_has_long_violation, (Turn(LOOK, LONG_SEARCH),)),
    UseReserve(),
)
"""Once the closure is known; a search comes before a solver is even loaded."""

PROOFS: Schedule[OutcomeProblem] = (
    *map(Turn, CLOSE_SHORT),
    Block(lambda task: task.facts.committing is not None, ONCE_CLOSED),
    Block(
        is_open,
        (
            Turn(LOOK_AT_ONE, MIDDLE_LOOK_AT_ONE),
            Turn(HANDLER_BY_HANDLER),
            Turn(LOOK, LONG_SEARCH),
            *map(Turn, CLOSE),
            Block(lambda task: task.facts.committing is not None, ONCE_CLOSED),
        ),
    ),
    Turn(LOOK, EVERYTHING),
    Turn(COUNT_SITUATIONS),
)
