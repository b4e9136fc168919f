"""Why a property holds, in a sentence, for people."""

from typing import assert_never

from seriatim.certificate.commit import CommitEvidence
from seriatim.properties.question import Linearizability, Serializability, StrictSerializability
from seriatim.systems.from_input import Origin
from seriatim.systems.posing import OutcomeQuestion

NO_YIELD = "No handler yields, so requests run one at a time anyway."

REDUCED = (
    "Each request can be made to run alone: whatever others do in the middle of it can just as well be done"
    " before or after it, with the same answers."
)


ACYCLIC = (
    "In no run does a chain of conflicts, steps of which one writes what the other reads or writes, lead from"
    " a request back to itself."
)

WAITING = (
    "Steps by which a request only waits do not count. With them there would be cycles: who looks at a"
    " variable in vain comes after the one who set it, and before the one who sets it back."
)


AT_MARKS = "In the order in which requests pass the marks, the specification allows their answers."

NO_POINTS = (
    "it is linearizable, up to a barrier of time, but no points in the code were found that explain it"
)


def commit_reason(evidence: CommitEvidence, origin: Origin, question: OutcomeQuestion) -> str:
    if not origin.completions:
        return "No request is ever answered, so there is nothing to explain."
    so = f"in the order of these steps, {_explained(question)}."
    if not evidence.committed:
        return f"Every request takes effect in its last step, the one that answers it: {so}"
    early = sorted({state.handler for state in evidence.committed})
    handlers = ", ".join(f"`{handler}`" for handler in early)
    return f"Every request takes effect in one step ({handlers} before the step that answers): {so}"


def _explained(question: OutcomeQuestion) -> str:
    match question:
        case Serializability(observed=()) | StrictSerializability():
            return "one request at a time gives the same answers"
        case Serializability():
            return "one request at a time gives the same answers and final values"
        case Linearizability():
            return "the specification allows the answers"
        case _:
            assert_never(question)


def counting_reason(question: OutcomeQuestion) -> str:
    counted = "By counting: however often each step is taken in a complete run, some"
    match question:
        case Serializability(observed=()) | StrictSerializability(barriers=0):
            return f"{counted} serial run has as many requests with each answer."
        case Serializability():
            return f"{counted} serial run has as many requests with each answer, and the same final values."
        case StrictSerializability():
            return f"{counted} serial run that respects time has as many requests with each answer."
        case Linearizability():
            return f"{counted} order that the specification allows has as many requests with each answer."
        case _:
            assert_never(question)
