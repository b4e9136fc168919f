"""The schedule for outcomes after the first short search: proofs by commit points; all else loads later."""

from seriatim.engines.commits.stages import COMMIT, ONE_STEP
from seriatim.engines.search.stages import LOOK_AT_ONE
from seriatim.engines.shared.closing import closing_stages
from seriatim.engines.stage import EVERYTHING, FIRST_LOOK_AT_ONE, Block, Later, Schedule, Task, Turn
from seriatim.systems.posing import OutcomeProblem


def is_closed(task: Task[OutcomeProblem]) -> bool:
    return task.facts.committing is not None


def _once_closed() -> Schedule[OutcomeProblem]:
    from seriatim.engines.schedules.harder_proofs import ONCE_CLOSED  # It loads the other engines.

    return ONCE_CLOSED


def _while_open() -> Schedule[OutcomeProblem]:
    from seriatim.engines.schedules.harder_proofs import WHILE_OPEN

    return WHILE_OPEN


BY_COMMITS: Schedule[OutcomeProblem] = (
    Turn(ONE_STEP),
    Turn(LOOK_AT_ONE, FIRST_LOOK_AT_ONE),
    Turn(COMMIT),
)
"""The stages that decide most inputs once the closure is known."""

PROOFS: Schedule[OutcomeProblem] = (
    *(Turn(stage, EVERYTHING) for stage in closing_stages(is_short=True)),
    Block(is_closed, (*BY_COMMITS, Later(_once_closed))),
    Later(_while_open),
)
