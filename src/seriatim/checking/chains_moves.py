"""The moves that evidence of the kind `chains` lists: all that complete runs can make are among them.

More may be listed, and several flights may share a place: both only add to the runs that the proof is about.
"""

from collections.abc import Iterator

from seriatim.certificate.chains import ChainEvidence, ListedMove
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Precision
from seriatim.checking.moves import Move, Moves
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.reference import Reference, State
from seriatim.checking.words import counted, state_words, waiting_words

LISTED = "every move that complete runs can make is listed"


def moves_listed(reference: Reference[State], evidence: ChainEvidence, allowance: Allowance) -> Obligation:
    moves = Moves(reference, Precision(evidence.level, evidence.invariants), allowance)
    amiss = next(misfits(moves, evidence, allowance), None)
    found = f"{counted(len(moves.all), 'move')}, {len(evidence.moves):,} listed"
    return unless(amiss, LISTED, found, evidence.waiting)


def misfits(moves: Moves, evidence: ChainEvidence, allowance: Allowance) -> Iterator[str]:
    """What is wrong with the lists; each complaint relies on there being none before it."""
    if evidence.globals[:1] != (moves.initial,):
        yield "the first global state is not the initial one"
    lists = {"global state": evidence.globals, "completion": evidence.completions, "move": evidence.moves}
    for what, entries in lists.items():
        if len(set(entries)) < len(entries):
            yield f"a {what} is listed twice"
    for number, move in enumerate(evidence.moves):
        if not is_sensible(move, evidence):
            yield f"move {number} refers to something that is not listed, or is answered and waits"
    completions = set(evidence.completions)
    for cover in evidence.covers:
        for step in (*cover.steps, *(step for cycle in cover.cycles for step in cycle.steps)):
            if (step.handler, step.response) not in completions:
                yield f"{step.handler}/{step.response} occurs in a cover, and is not listed"
    yield from unlisted(moves, evidence, allowance)


def unlisted(moves: Moves, evidence: ChainEvidence, allowance: Allowance) -> Iterator[str]:
    """Flights without a place, then moves that the lists lack."""
    place: dict[int | None, int | None] = {None: None}
    for flight in moves.flights:
        allowance.spend(1 + len(evidence.waiting) // 10)
        described = (n for n, way in enumerate(evidence.waiting) if moves.is_described(flight, way))
        place[flight] = next(described, None)
        if place[flight] is None:
            yield f"there is no place for {waiting_words(moves.waiting(flight))}"
    known = {
        (
            evidence.globals[move.before],
            move.takes,
            evidence.globals[move.after],
            move.gives,
            None if move.answer is None else evidence.completions[move.answer],
        )
        for move in evidence.moves
    }
    for real in moves.all:
        if (real.before, place[real.takes], real.after, place[real.gives], real.answer) not in known:
            yield f"not listed: {move_words(moves, real)}"


def is_sensible(move: ListedMove, evidence: ChainEvidence) -> bool:
    states, places = range(len(evidence.globals)), range(len(evidence.waiting))
    return (
        move.before in states
        and move.after in states
        and (move.takes is None or move.takes in places)
        and (move.gives is None or move.gives in places)
        and (move.answer is None or move.answer in range(len(evidence.completions)))
        and (move.gives is None) == (move.answer is not None)
    )


def move_words(moves: Moves, move: Move) -> str:
    who = "a fresh request" if move.takes is None else waiting_words(moves.waiting(move.takes))
    if move.gives is not None:
        becomes = f"becomes {waiting_words(moves.waiting(move.gives))}"
    else:
        assert move.answer is not None
        becomes = f"answers {move.answer[1]}"
    return f"at {state_words(move.before)}, {who} {becomes} and leaves {state_words(move.after)}"
