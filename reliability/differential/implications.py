"""Which answer follows from which: relations between properties, each with the place that proves it."""

from seriatim.certificate.format import AtomicEvidence, Certificate, CommitEvidence, ReductionEvidence
from seriatim.program.inputs import Input
from seriatim.program.specification import Specification
from seriatim.properties.question import (
    SERIALIZABILITY,
    ConflictSerializability,
    Linearizability,
    Observed,
    Question,
    Serializability,
    StaticLinearizability,
    StrictSerializability,
)


def implies(stronger: Question, weaker: Question, content: Input) -> bool:
    """Whether what has the one property has the other one, for a reason that the documentation gives."""
    match stronger, weaker:
        case _, _ if stronger == weaker:
            return True
        case ConflictSerializability(), Serializability():
            return True  # Conflicts, theorem 1: sorting the steps keeps answers and final values.
        case Serializability(observed=more), Serializability(observed=fewer):
            return observes(more, fewer)
        case StrictSerializability(), Serializability(observed=()):
            return True  # Real time, claim 3, down to no barriers.
        case Serializability(), StrictSerializability(barriers=0):
            return True  # Without barriers there is nothing to respect.
        case StrictSerializability(barriers=more), StrictSerializability(barriers=fewer):
            return more >= fewer
        case StrictSerializability(barriers=more), Linearizability(barriers=fewer, pending=False):
            return more >= fewer and is_itself(weaker.specification, content)
        case Linearizability(barriers=more), StrictSerializability(barriers=fewer):
            return more >= fewer and is_itself(stronger.specification, content)
        case Linearizability(barriers=more), Linearizability(barriers=fewer):
            return (
                more >= fewer
                and stronger.pending >= weaker.pending
                and stronger.specification == weaker.specification
            )
        case StaticLinearizability(), Linearizability():
            return stronger.specification == weaker.specification  # Linearization points, the theorem.
        case _:
            return False


def observes(more: Observed, fewer: Observed) -> bool:
    return more == "all" or (fewer != "all" and set(fewer) <= set(more))


def is_itself(specification: Specification, content: Input) -> bool:
    """Whether allowed is what the input's own serial runs do."""
    return specification.meaning == content


def proves_more(certificate: Certificate, weaker: Question) -> bool:
    """Whether a proof of serializability proves another property as well: other questions, what engines may
    assume, and claim 5."""
    if certificate.question != SERIALIZABILITY:
        return False
    match certificate.evidence, weaker:
        case AtomicEvidence() | ReductionEvidence(), Serializability() | StrictSerializability():
            return True
        case CommitEvidence(), StrictSerializability():
            return True
        case _:
            return False
