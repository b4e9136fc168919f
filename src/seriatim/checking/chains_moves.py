"""The moves that evidence of the kind `chains` lists: all that complete runs can make are among them.

More may be listed, whatever it says of places and answers, and several flights may share a place: both only
add to the runs that the proof is about.
"""

from collections.abc import Iterator

from seriatim.certificate.chains import ChainEvidence, ListedMove
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Precision
from seriatim.checking.covers import completions_in
from seriatim.checking.moves import Moves
from seriatim.checking.obligation import Obligation, unless
from seriatim.checking.reference import Reference, State
from seriatim.checking.words import counted, state_words, waiting_words

LISTED = "every move that complete runs can make is listed"


def check_moves(reference: Reference[State], evidence: ChainEvidence, allowance: Allowance) -> Obligation:
    """Compares the lists of the evidence with the moves of the input."""
    moves = Moves(reference, Precision(evidence.level, evidence.invariants), allowance)
    amiss = next(misfits(moves, evidence, allowance), None)
    found = f"{counted(len(moves.all), 'move')}, {len(evidence.moves):,} listed"
    return unless(amiss, LISTED, found, evidence.waiting)


def misfits(moves: Moves, evidence: ChainEvidence, allowance: Allowance) -> Iterator[str]:
    """Finds what is wrong with the lists; each complaint relies on there being none before it."""
    if evidence.globals[:1] != (moves.initial,):
        yield "the first global state is not the initial one"
    states = {state: number for number, state in enumerate(evidence.globals)}
    completions = {completion: number for number, completion in enumerate(evidence.completions)}
    listed = set(evidence.moves)
    for what, distinct, size in (
        ("global state", len(states), len(evidence.globals)),
        ("completion", len(completions), len(evidence.completions)),
        ("move", len(listed), len(evidence.moves)),
    ):
        if distinct < size:
            yield f"a {what} is listed twice"
    sizes = len(states), len(evidence.waiting), len(states), len(evidence.waiting), len(completions)
    for number, move in enumerate(evidence.moves):
        numbers = (move.before, move.takes, move.after, move.gives, move.answer)
        if any(n is not None and not 0 <= n < size for n, size in zip(numbers, sizes, strict=True)):
            yield f"move {number} refers to something that is not listed"
    for completion in completions_in(evidence.covers):
        if completion not in completions:
            yield f"{completion[0]}/{completion[1]} occurs in a cover, and is not listed"
    places: dict[int | None, int | None] = {None: None}
    for flight in moves.flights:
        allowance.spend(1 + len(evidence.waiting) // 10)
        described = (n for n, way in enumerate(evidence.waiting) if moves.is_described(flight, way))
        places[flight] = next(described, None)
        if places[flight] is None:
            yield f"there is no place for {waiting_words(moves.waiting(flight))}"
    for real in moves.all:
        before, after = states.get(real.before, -1), states.get(real.after, -1)
        answer = None if real.answer is None else completions.get(real.answer, -1)
        if ListedMove(before, places[real.takes], after, places[real.gives], answer) not in listed:
            who = "a fresh request" if real.takes is None else waiting_words(moves.waiting(real.takes))
            where = f"from {state_words(real.before)} to {state_words(real.after)}"
            yield f"not listed: a move of {who}, {where}"
