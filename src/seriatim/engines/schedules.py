"""The schedules: which stages work on each kind of problem, in the order that pays.

For outcomes there are two rounds of looking for a violation and then for a proof: a short one, which decides
small systems at once, and one with room. A violation is usually found on the system as it unfolds, long
before its closure is known. What both rounds leave open goes to the integer prover, in turns with searches of
the reduced system.
"""

from seriatim.engines.chains.stages import FOLLOW_CHAINS, WORK_PER_QUESTION
from seriatim.engines.commits.stages import (
    COMMIT,
    COMMIT_AT_MARKS,
    COMMIT_MIXED,
    LEARN_TO_COMMIT,
    ONE_STEP,
    WITHOUT_YIELDS,
)
from seriatim.engines.conflicts.stages import EXCLUDE_CYCLES, LOOK_FOR_CYCLE
from seriatim.engines.conflicts.stages import WITHOUT_YIELDS as NO_CONFLICTS
from seriatim.engines.counting.stages import COUNT, COUNT_SITUATIONS
from seriatim.engines.modular.stages import HANDLER_BY_HANDLER
from seriatim.engines.points.stages import FIND_MARKS, LOOK_FOR_MISORDER
from seriatim.engines.safety.stages import (
    EXCLUDE_BACKWARDS,
    EXCLUDE_BY_CLOSURE,
    LOOK_FOR_FAULT,
    READ_THE_TEXT,
)
from seriatim.engines.search.stages import LOOK, REDUCE
from seriatim.engines.shared.closing import closing, is_open
from seriatim.engines.stage import Block, Refutation, Rounds, Schedule, Task, Turn, UseReserve
from seriatim.engines.threads.stages import COVER as COVER_THREADS
from seriatim.engines.threads.stages import LOOK as LOOK_FOR_FAILING_THREADS
from seriatim.engines.threads.stages import MODULAR_1, MODULAR_2, PETRIFY
from seriatim.systems.posing import ConflictProblem, OutcomeProblem, PointsProblem, SafetyProblem
from seriatim.systems.threads.problem import ThreadProblem

SHORT_SEARCH = 300
MIDDLE_SEARCH = 10_000
LONG_SEARCH = 50_000
LONGEST_SEARCH = 200_000
"""States."""

FIRST_QUESTIONS = 50
"""To the solver, before the first turn of a search; then twice as many."""

EVERYTHING = 10**12
"""More work than any limit allows."""

CLOSE_SHORT = closing(is_short=True)
CLOSE = closing(is_short=False)


def _has_long_violation(task: Task[OutcomeProblem]) -> bool:
    """Whether a search may find a violation with fewer requests than the one that is known."""
    reserve = task.facts.in_reserve
    return reserve is not None and isinstance(reserve[0], Refutation)


PROOFS: Schedule[OutcomeProblem] = (
    Turn(ONE_STEP),
    Turn(COMMIT),
    Turn(REDUCE),
    Turn(LOOK, MIDDLE_SEARCH),
    Turn(COMMIT_MIXED),
    Turn(LEARN_TO_COMMIT),
    Turn(COUNT),
    Rounds(LOOK, FOLLOW_CHAINS, FIRST_QUESTIONS * WORK_PER_QUESTION),
    Block(_has_long_violation, (Turn(LOOK, LONG_SEARCH),)),
    UseReserve(),
)
"""Once the closure is known; a search comes before a solver is even loaded."""

OUTCOMES: Schedule[OutcomeProblem] = (
    Turn(WITHOUT_YIELDS),
    Turn(LOOK, SHORT_SEARCH),
    *map(Turn, CLOSE_SHORT),
    Block(lambda task: task.facts.committing is not None, PROOFS),
    Block(
        is_open,
        (
            Turn(HANDLER_BY_HANDLER),
            Turn(LOOK, LONG_SEARCH),
            *map(Turn, CLOSE),
            Block(lambda task: task.facts.committing is not None, PROOFS),
        ),
    ),
    Turn(LOOK, EVERYTHING),
    Turn(COUNT_SITUATIONS),
)

CONFLICTS: Schedule[ConflictProblem] = (
    Turn(NO_CONFLICTS),
    Turn(LOOK_FOR_CYCLE, SHORT_SEARCH),
    Turn(EXCLUDE_CYCLES),
    Turn(LOOK_FOR_CYCLE, LONGEST_SEARCH),
)

SAFETY: Schedule[SafetyProblem] = (
    Turn(READ_THE_TEXT),
    Turn(LOOK_FOR_FAULT, SHORT_SEARCH),
    Turn(EXCLUDE_BY_CLOSURE),
    Turn(LOOK_FOR_FAULT, MIDDLE_SEARCH),
    Turn(EXCLUDE_BACKWARDS),
    Turn(LOOK_FOR_FAULT, EVERYTHING),
)

THREADS: Schedule[ThreadProblem] = (
    Turn(LOOK_FOR_FAILING_THREADS, SHORT_SEARCH),
    Turn(COVER_THREADS, SHORT_SEARCH),
    Turn(LOOK_FOR_FAILING_THREADS, MIDDLE_SEARCH),
    Turn(COVER_THREADS, MIDDLE_SEARCH),
    Turn(MODULAR_1),
    Turn(MODULAR_2),
    Turn(PETRIFY),
    Rounds(LOOK_FOR_FAILING_THREADS, COVER_THREADS, MIDDLE_SEARCH),
    Turn(LOOK_FOR_FAILING_THREADS, EVERYTHING),
)

POINTS: Schedule[PointsProblem] = (
    Turn(FIND_MARKS),
    Turn(LOOK_FOR_MISORDER, SHORT_SEARCH),
    Turn(COMMIT_AT_MARKS),
    Turn(LOOK_FOR_MISORDER, LONGEST_SEARCH),
)
