"""Why a property holds, in a sentence, for people."""

from typing import TYPE_CHECKING, assert_never

from seriatim.properties.statement import FinalValues, Outcomes, Time
from seriatim.systems.from_input import Origin

if TYPE_CHECKING:
    from seriatim.certificate.commit import CommitEvidence, CommittedState
    from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence

NO_YIELD = "No handler yields, so requests run one at a time anyway."

REDUCED = (
    "Each request could as well run alone: whatever others do while it is in flight could happen before or"
    " after it, with the same answers."
)


SORTED_BY_TIME = (
    "That order can be sorted by time: a request never begins after the answer of one that has to come"
    " later in the order."
)

ACYCLIC = (
    "In no run does a chain of conflicts lead from a request back to itself. Two steps conflict if one writes"
    " what the other reads or writes."
)

WAITING = (
    "Steps by which a request only waits do not count. With them there would be cycles: a request that"
    " waits for a variable comes after the one that set it, and before the one that sets it back."
)


AT_MARKS = "In the order in which requests pass the marks, the specification allows their answers."

NO_POINTS = (
    "it is linearizable, up to a barrier of time, but no points in the code were found that explain it"
)


def commit_reason(evidence: "CommitEvidence", origin: Origin, statement: Outcomes) -> str:
    if not origin.completions:
        return "No request is ever answered, so there is nothing to explain."
    return _in_one_step(evidence.committed, statement)


def symmetric_reason(evidence: "SymmetricCommitEvidence", statement: Outcomes) -> str:
    count = max(map(len, evidence.symmetry.members()))
    alike = ", ".join(f"`{family[0]}` … `{family[-1]}`" for family in evidence.symmetry.variables)
    return (
        f"{_in_one_step(evidence.committed, statement)} {count} positions of {alike} can be exchanged,"
        " together with the requests that are about them, so states that differ only by that were explored"
        " once."
    )


def _in_one_step(committed: "tuple[CommittedState, ...]", statement: Outcomes) -> str:
    so = f"in the order of these steps, {_explain(statement)}."
    if not committed:
        return f"Every request takes effect in its last step, the one that answers it: {so}"
    early = sorted({state.handler for state in committed})
    handlers = ", ".join(f"`{handler}`" for handler in early)
    return f"Every request takes effect in one step ({handlers} before the step that answers): {so}"


def _explain(statement: Outcomes) -> str:
    if statement.allowed is not None:
        return "the specification allows the answers"
    if isinstance(statement.seen, FinalValues):
        return "one request at a time gives the same answers and final values"
    return "one request at a time gives the same answers"


def counting_reason(statement: Outcomes) -> str:
    order, seen = "serial run", ""
    if statement.allowed is not None:
        order = "order that the specification allows"
    else:
        match statement.seen:
            case None | Time(barriers=0):
                pass
            case FinalValues():
                seen = ", and the same final values"
            case Time():
                order = "serial run that respects time"
            case _:
                assert_never(statement.seen)
    return (
        f"By counting: however often each step is taken in a complete run, some {order} has as many requests"
        f" with each answer{seen}."
    )
