"""What evidence of the kind `chains` lists about an input, for tests that make some."""

from seriatim.budget import Deadline
from seriatim.certificate.chain_counts import Counts
from seriatim.certificate.chain_proofs import ChainNode, Counted
from seriatim.certificate.chains import ChainEvidence, ListedMove
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Precision
from seriatim.checking.moves import Moves
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.program.inputs import Input
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program


def chain_evidence(content: Input, claim: CoverEvidence, proof: ChainNode | None = None) -> ChainEvidence:
    """The moves of an input, with these covers; unless there is a proof, counting alone is to do."""
    allowance = Allowance(1_000_000, Deadline())
    precision = Precision(claim.level, claim.invariants)
    if isinstance(content, Program):
        moves = Moves(ProgramReference(content, big_steps), precision, allowance)
    else:
        moves = Moves(SystemReference(content), precision, allowance)
    globals_ = tuple(moves.globals())
    places = tuple(dict.fromkeys(map(moves.waiting, moves.flights)))
    place = {flight: places.index(moves.waiting(flight)) for flight in moves.flights}
    alone = [step for cover in claim.covers for step in cover.steps]
    alone.extend(step for cover in claim.covers for cycle in cover.cycles for step in cycle.steps)
    answers = {move.answer for move in moves.all if move.answer is not None}
    completions = tuple(sorted(answers | {(step.handler, step.response) for step in alone}))
    listed = (
        ListedMove(
            before=globals_.index(move.before),
            takes=None if move.takes is None else place[move.takes],
            after=globals_.index(move.after),
            gives=None if move.gives is None else place[move.gives],
            answer=None if move.answer is None else completions.index(move.answer),
        )
        for move in moves.all
    )
    counted = Counted(Counts((0,) * len(globals_) + (1,), (), ()), ())
    return ChainEvidence(
        claim.level,
        claim.invariants,
        globals_,
        places,
        completions,
        tuple(dict.fromkeys(listed)),
        claim.covers,
        proof or counted,
    )
