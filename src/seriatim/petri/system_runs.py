"""Maps a run of the interleaving net back to a run of the system.

Tokens on the same place are interchangeable; the last to come goes first. A request that is about to be
answered does nothing more in between, so that its answer can be fused with its last step, as unfoldings do.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from seriatim.petri.from_system import Answered, Global, InFlight, InterleavingNet
from seriatim.systems.from_input import Origin
from seriatim.systems.numbered_system import NumberedSystem
from seriatim.systems.run import Run, Turn


@dataclass(frozen=True, slots=True)
class Moved:
    """A token of a request moved, or was answered where it rested."""

    token: int
    before: InFlight
    after: InFlight | None
    global_before: int
    global_after: int


def system_run(
    interleaving: InterleavingNet, numbered: NumberedSystem, origin: Origin, firings: Iterable[int]
) -> Run:
    """The run of the unfolding that a run of the net stands for. Transitions that are not of the net are left
    out, and so are requests that arrived and took no step."""
    waiting: dict[InFlight, list[int]] = {}
    answers: dict[int, int] = {}
    moves: list[Moved] = []
    global_ = numbered.globals[numbered.system.initial]
    tokens = 0
    for index in firings:
        if index >= len(interleaving.net.transitions):
            continue
        transition = interleaving.net.transitions[index]
        pre = [interleaving.places[place] for place in transition.pre]
        post = [interleaving.places[place] for place in transition.post]
        match pre, post:
            case [], [InFlight() as spawned]:
                waiting.setdefault(spawned, []).append(tokens)
                tokens += 1
            case [InFlight() as before, Global()], [InFlight() as after, Global(state=state)]:
                token = waiting[before].pop()
                waiting.setdefault(after, []).append(token)
                moves.append(Moved(token, before, after, global_, numbered.globals[state]))
                global_ = numbered.globals[state]
            case [InFlight() as before], [Answered(request=request, response=response)]:
                token = waiting[before].pop()
                answers[token] = origin.completions.index((request, numbered.system.responses[response]))
                moves.append(Moved(token, before, None, global_, global_))
            case _:
                raise ValueError(f"{transition.name} is not a transition of an interleaving net")
    return Run(tuple(_turns(_fuse(moves, answers), numbered, answers)))


def _fuse(moves: list[Moved], answers: dict[int, int]) -> list[Moved]:
    """Without steps that change nothing, and with each answer at the last step before it, if there is one."""
    kept = [move for move in moves if (move.before, move.global_before) != (move.after, move.global_after)]
    steps = enumerate(kept)
    last_step = {move.token: at for at, move in steps if move.after is not None and move.token in answers}
    return [
        replace(move, after=None) if last_step.get(move.token) == index else move
        for index, move in enumerate(kept)
        if move.after is not None or move.token not in last_step
    ]


def _turns(moves: list[Moved], numbered: NumberedSystem, answers: dict[int, int]) -> Iterable[Turn]:
    request: dict[int, int] = {}
    for move in moves:
        place = move.after
        yield Turn(
            request.setdefault(move.token, len(request)),
            numbered.locals[move.before.request, move.before.local],
            ~answers[move.token] if place is None else numbered.locals[place.request, place.local],
            move.global_before,
            move.global_after,
        )
