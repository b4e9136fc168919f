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
    try:
        program = drop(program, evidence.dropped)
    except Stays as stays:
        yield Obligation("variables that do not matter can go", False, str(stays))
        return
    size = counted(len(evidence.dropped), "variable")
    yield Obligation("variables that do not matter can go", True, size)
    try:
        program = fuse(program, evidence.fused)
    except Stays as stays:
        yield Obligation("places that threads pass undisturbed can go", False, str(stays))
        return
    size = counted(len(evidence.fused), "place")
    yield Obligation("places that threads pass undisturbed can go", True, size)
    yield from obligations(program, evidence.proof)
