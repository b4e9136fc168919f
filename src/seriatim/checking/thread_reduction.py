"""Evidence of the kind `thread-reduction`: the checker makes the smaller program itself.

That variables and places can go is checked for each of them, by the conditions of
`seriatim.program.threads.reduction`, which also says why they are enough; which steps commute with others is
found out from the program (`seriatim.program.threads.movers`). The certificate only says what goes.
"""

from collections.abc import Iterator

from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.threads import kind_obligations
from seriatim.checking.words import counted
from seriatim.program.threads.reduction import Stays, drop, fuse
from seriatim.program.threads.syntax import ThreadProgram


def obligations(
    program: ThreadProgram, evidence: ThreadReductionEvidence, context: Context
) -> Iterator[Obligation]:
    """That the smaller program is one, and what its own proof has to show."""
    claim, size = "variables that do not matter can go", counted(len(evidence.dropped), "variable")
    try:
        program = drop(program, evidence.dropped)
        yield Obligation(claim, True, size)
        claim, size = "places that threads pass undisturbed can go", counted(len(evidence.fused), "place")
        program = fuse(program, evidence.fused)
        yield Obligation(claim, True, size)
    except Stays as stays:
        raise DoesNotFollow(str(stays), claim) from None
    yield from kind_obligations(program, evidence.proof, context)
