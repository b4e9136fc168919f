"""Evidence of the kind `fault-run`: a run after which a step can fail.

The run is replayed as in `seriatim.checking.run`: for each request, the checker keeps the set of local states
in which it can be. The joint local states that the turns allow are the product of these sets, so the request
can be at any state of its own set, whatever the others do.
"""

from collections.abc import Iterator

from seriatim.certificate.fault_run import FaultRunEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import ProgramReference, ProgramState
from seriatim.checking.run import after_turn, misnamed_turn, whose_turn
from seriatim.checking.words import counted, turn_words
from seriatim.program.state import GlobalState


def fault_run_obligations(
    reference: ProgramReference, evidence: FaultRunEvidence, allowance: Allowance
) -> Iterator[Obligation]:
    """What has to hold of a run to a fault, in this order; each relies on those before it."""
    turns, request = evidence.turns, evidence.request
    misnamed = misnamed_turn(turns)
    begun = {turn.request: turn.handler for turn in turns}
    yield Obligation(
        "requests are numbered by their first turns, and none changes its handler",
        misnamed is None and begun.get(request, evidence.handler) == evidence.handler,
        misnamed or f"{counted(len(turns), 'turn')} of {counted(len(begun), 'request')}",
    )
    places: dict[int, frozenset[ProgramState]] = {}
    global_: GlobalState = reference.initial
    impossible: str | None = None
    for number, turn in enumerate(turns, 1):
        before = places.get(turn.request, reference.fresh(turn.handler))
        possible = after_turn(reference, before, global_, turn, allowance)
        if not possible:
            impossible = f"{whose_turn(number, turns)} cannot do that there"
            break
        # An answered request is nowhere, so that it can take no further turn.
        places[turn.request] = possible if turn.response is None else frozenset()
        global_ = turn.after
    yield Obligation(
        "every turn is a step of the program",
        impossible is None,
        impossible or "replayed",
        tuple(map(turn_words, turns)),
    )
    is_next = request in begun or request == len(begun) + 1
    here = places.get(request, reference.fresh(evidence.handler)) if is_next else frozenset()
    faults = {(fault.code, fault.message) for state in here for fault in reference.faults(state, global_)}
    yield Obligation(
        f"the next step of request {request} can fail",
        (evidence.code, evidence.message) in faults,
        evidence.message if faults else "it cannot",
    )
