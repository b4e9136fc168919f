"""Evidence of the kind `thread-reduction`: the checker makes the smaller program itself.

That variables and places can go is checked for each of them, by the conditions of
`seriatim.program.threads.reduction`, which also says why they are enough; which steps commute with others is
found out from the program (`seriatim.program.threads.movers`). The certificate only says what goes.
"""

from collections.abc import Callable, Iterator

from seriatim.certificate.thread_reduction import ThreadProof, ThreadReductionEvidence
from seriatim.checking.obligation import Obligation
from seriatim.checking.words import counted
from seriatim.program.threads.reduction import Stays, drop, fuse
from seriatim.program.threads.syntax import ThreadProgram

Obligations = Callable[[ThreadProgram, ThreadProof], Iterator[Obligation]]


def thread_reduction_obligations(
    program: ThreadProgram, evidence: ThreadReductionEvidence, obligations: Obligations
) -> Iterator[Obligation]:
    """`obligations` are those of the proof about the smaller program."""
    claim, size = "variables that do not matter can go", counted(len(evidence.dropped), "variable")
    try:
        program = drop(program, evidence.dropped)
        yield Obligation(claim, True, size)
        claim, size = "places that threads pass undisturbed can go", counted(len(evidence.fused), "place")
        program = fuse(program, evidence.fused)
        yield Obligation(claim, True, size)
    except Stays as stays:
        yield Obligation(claim, False, str(stays))
        return
    yield from obligations(program, evidence.proof)
