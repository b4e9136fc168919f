"""Evidence of the kind `fault-run`: a run after which a step can fail.

The run is replayed (`seriatim.checking.turns`). After it, the request can be at any local state of its own
set, whatever the others do.
"""

from collections.abc import Iterator

from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.turns import check_numbers, replay


def obligations(task: Task[FaultRunEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of a run to a fault, in this order; each relies on those before it."""
    reference, evidence = task.needs_program(), task.evidence
    turns, request = evidence.turns, evidence.request
    begun = {turn.request for turn in turns}
    yield check_numbers(turns, {request: evidence.handler})
    run = replay(reference, turns, task.context.allowance)
    yield run.obligation("every turn is a step of the program")
    is_next = request in begun or request == len(begun) + 1
    here = run.places.get(request, reference.fresh(evidence.handler)) if is_next else frozenset()
    faults = {(fault.code, fault.message) for state in here for fault in reference.faults(state, run.global_)}
    yield Obligation(
        f"the next step of request {request} can fail",
        (evidence.fault.code, evidence.fault.message) in faults,
        evidence.fault.message if faults else "it cannot",
    )
