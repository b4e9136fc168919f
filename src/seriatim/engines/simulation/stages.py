"""Simulation as stages, for programs whose values have no bound, and for others if nothing else helps."""

from seriatim.certificate.simulation import SimulationEvidence
from seriatim.engines.shared.any_integers import how_many, is_unbounded
from seriatim.engines.simulation.engine import NotYet, simulate
from seriatim.engines.stage import Engine, GaveUp, Proof, Stage, Task
from seriatim.method import Method
from seriatim.properties.statement import FinalValues
from seriatim.systems.from_input import program_of
from seriatim.systems.posing import OutcomeProblem, SafetyProblem

SAFE = (
    "No step can fail, for any number of requests and any integers: formulas about {} hold at the start and"
    " after every step, and exclude it."
)


class Simulation(Engine):
    """Tries once more in each turn, with more work."""

    def __init__(self, task: Task[OutcomeProblem]) -> None:
        self.task = task

    def advance(self, work: int) -> Proof | GaveUp | None:
        program = program_of(self.task.problem.origin)
        found = simulate(program, True, self.task.deadline, work)
        if isinstance(found, NotYet):
            return None
        return found if isinstance(found, GaveUp) else Proof(found, reason(found, how_many(program)))


class ExcludeFaults(Engine):
    """Tries once more in each turn, with more work."""

    def __init__(self, task: Task[SafetyProblem]) -> None:
        self.task = task

    def advance(self, work: int) -> Proof | GaveUp | None:
        program = program_of(self.task.problem.origin)
        found = simulate(program, False, self.task.deadline, work)
        if isinstance(found, NotYet):
            return None
        return found if isinstance(found, GaveUp) else Proof(found, SAFE.format(_requests(found)))


def reason(evidence: SimulationEvidence, about: str) -> str:
    early = list(dict.fromkeys(point.handler for point in evidence.points if point.committed))
    handlers = ", ".join(f"`{handler}`" for handler in early)
    where = (
        f"in one step ({handlers} before the step that answers)" if early else "in the step that answers it"
    )
    return (
        f"{about}: every request takes effect {where}, and in the order"
        " of these steps, one request at a time gives the same answers."
    )


def _requests(evidence: SimulationEvidence) -> str:
    return "any request" if evidence.level == 1 else f"any {evidence.level} requests"


def applies(task: Task[OutcomeProblem]) -> bool:
    problem = task.problem
    return (
        problem.is_serial
        and bool(problem.origin.content.handlers)
        and not isinstance(problem.statement.seen, FinalValues)
    )


def applies_to_unbounded(task: Task[OutcomeProblem]) -> bool:
    return applies(task) and is_unbounded(program_of(task.problem.origin))


def fails_perhaps(task: Task[SafetyProblem]) -> bool:
    return bool(task.problem.origin.content.handlers)


def fails_perhaps_unbounded(task: Task[SafetyProblem]) -> bool:
    return fails_perhaps(task) and is_unbounded(program_of(task.problem.origin))


SIMULATE = Stage("simulation", Method.SIMULATION, Simulation, needs=applies)
EXCLUDE_FOR_ALL_INTEGERS = Stage("simulation", Method.SIMULATION, ExcludeFaults, needs=fails_perhaps)
