"""The paper's method as a schedule of its own: one stage, which leaves its steps in a record."""

from seriatim.engines.counting.evidence import counting_evidence
from seriatim.engines.paper.engine import paper
from seriatim.engines.paper.record import PaperRecord
from seriatim.engines.shared.reasons import counting_reason
from seriatim.engines.shared.run_evidence import Refuted, shorter
from seriatim.engines.stage import Found, GaveUp, Proof, Schedule, Task, Turn, once
from seriatim.method import Method
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.closure import closure
from seriatim.systems.from_input import explain_limit
from seriatim.systems.limits import LimitReached
from seriatim.systems.posing import OutcomeProblem


def paper_schedule(record: PaperRecord) -> Schedule[OutcomeProblem]:
    return (Turn(once("paper", Method.PAPER, lambda task: follow_the_paper(task, record))),)


def follow_the_paper(task: Task[OutcomeProblem], record: PaperRecord) -> Found | GaveUp:
    problem, origin = task.problem, task.problem.origin
    try:
        coverage = closure(origin, task.limits, task.deadline)
        serial = SerialAutomaton(origin, task.limits.max_states, task.deadline)
        answer = paper(origin, coverage, serial, record, task.deadline)
    except LimitReached as reached:
        reached = explain_limit(reached, origin)
        return GaveUp(reached.message, reached.hint)
    match answer:
        case GaveUp():
            return answer
        case Refuted():
            return shorter(answer, problem, task.deadline)
        case _:
            evidence = counting_evidence(answer, problem.derived, problem.state_name)
            return Proof(evidence, counting_reason(problem.statement))
