"""The schedule for outcomes that commit points leave open: all engines, in turns with longer searches."""

from seriatim.engines.chains.stages import FOLLOW_CHAINS, WORK_PER_QUESTION
from seriatim.engines.commits.stages import COMMIT_MIXED, COMMIT_UP_TO_SYMMETRY, LEARN_TO_COMMIT
from seriatim.engines.counting.stages import COUNT, COUNT_SITUATIONS
from seriatim.engines.exchanges.stages import EXCHANGE_UNBOUNDED
from seriatim.engines.modular.stages import HANDLER_BY_HANDLER
from seriatim.engines.schedules.outcomes import is_closed, proofs_by_commits
from seriatim.engines.schedules.timeless import FORGET_TIME
from seriatim.engines.search.reducing import REDUCE
from seriatim.engines.search.stages import LOOK, LOOK_AT_ONE
from seriatim.engines.shared.closing import closing_stages, is_open
from seriatim.engines.simulation.engine import LONG_SIMULATION, SHORT_SIMULATION
from seriatim.engines.simulation.stages import SIMULATE, applies_to_unbounded
from seriatim.engines.stage import (
    EVERYTHING,
    FIRST_ROUND,
    LONG_SEARCH,
    MIDDLE_LOOK_AT_ONE,
    MIDDLE_SEARCH,
    Block,
    Refutation,
    Rounds,
    Schedule,
    Task,
    Turn,
    UseReserve,
)
from seriatim.systems.posing import OutcomeProblem

FIRST_QUESTIONS = 50
"""Questions to the solver before the first turn of a search; then twice as many."""


def _has_long_violation(task: Task[OutcomeProblem]) -> bool:
    """Whether a search may find a violation with fewer requests than the one that is known."""
    reserve = task.facts.in_reserve
    return reserve is not None and isinstance(reserve[0], Refutation)


ONCE_CLOSED: Schedule[OutcomeProblem] = (
    Turn(REDUCE),
    Turn(LOOK_AT_ONE, MIDDLE_LOOK_AT_ONE),
    Turn(LOOK, MIDDLE_SEARCH),
    Turn(COMMIT_MIXED),
    Turn(LEARN_TO_COMMIT),
    Turn(FORGET_TIME),
    Turn(COUNT),
    Rounds(LOOK, FOLLOW_CHAINS, FIRST_QUESTIONS * WORK_PER_QUESTION),
    Block(_has_long_violation, (Turn(LOOK, LONG_SEARCH),)),
    UseReserve(),
)
"""The schedule once the closure is known; a search comes before a solver is loaded."""

WHILE_OPEN: Schedule[OutcomeProblem] = (
    Block(
        is_open,
        (
            Turn(LOOK, FIRST_ROUND),
            Turn(LOOK_AT_ONE, MIDDLE_LOOK_AT_ONE),
            Rounds(LOOK, COMMIT_UP_TO_SYMMETRY, FIRST_ROUND, lead=4),
            Turn(HANDLER_BY_HANDLER),
            Turn(EXCHANGE_UNBOUNDED),
            Block(applies_to_unbounded, (Turn(SIMULATE, SHORT_SIMULATION),)),
            Turn(LOOK, LONG_SEARCH),
            *(Rounds(LOOK, stage, MIDDLE_SEARCH, lead=4) for stage in closing_stages(is_short=False)),
            Block(is_closed, (*proofs_by_commits(), *ONCE_CLOSED)),
        ),
    ),
    Turn(SIMULATE, LONG_SIMULATION),
    Turn(LOOK, EVERYTHING),
    Turn(COUNT_SITUATIONS),
)
"""The schedule if a short closure was not enough, or the other one found nothing."""
