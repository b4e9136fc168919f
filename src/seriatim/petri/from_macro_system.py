"""The net of a macro system: a place for each global state and each local, a transition for each move.

A move (ℓ, g) → (ℓ', g') takes a token from ℓ and from g and gives one to ℓ' and to g'. If ℓ belongs to fresh
requests, the move has a second form that takes nothing from ℓ: it spawns the request. If ℓ' is an answer,
nothing is given there: which transitions answer with which completion is kept apart, and so no place ever
gets tokens that stay. Complete runs of the system are the firing sequences from one token on the initial
global state to a marking without tokens on locals.
"""

from dataclasses import dataclass

from seriatim.network.slicing import MacroSystem
from seriatim.network.unfolding import INITIAL_GLOBAL
from seriatim.petri.net import PetriNet, Transition


@dataclass(frozen=True, slots=True)
class MacroNet:
    """A net, and what it means in the system."""

    net: PetriNet
    globals: tuple[int, ...]
    """The global states; their places come first, in this order."""
    locals: tuple[int, ...]
    """The locals; their places follow."""
    answering: dict[int, tuple[int, ...]]
    """For each completion the transitions that answer with it."""


def macro_net(system: MacroSystem) -> MacroNet:
    moves = [
        (local, before, target, after)
        for (local, before), targets in sorted(system.table.items())
        for target, after in targets
    ]
    entered = {target for _, _, target, _ in moves if target >= 0}
    globals_ = sorted({INITIAL_GLOBAL, *(g for _, before, _, after in moves for g in (before, after))})
    global_place = {global_: place for place, global_ in enumerate(globals_)}
    local_place = {local: place for place, local in enumerate(sorted(entered), len(globals_))}
    transitions: list[Transition] = []
    answering: dict[int, list[int]] = {}
    for local, before, target, after in moves:
        post = (global_place[after], *((local_place[target],) if target >= 0 else ()))
        pres = [(global_place[before],)] if local in system.starts else []
        with_local = [(global_place[before], local_place[local])] if local in entered else []
        for pre in (*pres, *with_local):
            if target < 0:
                answering.setdefault(~target, []).append(len(transitions))
            transitions.append(Transition(f"t{len(transitions)}", pre, post))
    names = (*(f"g{global_}" for global_ in globals_), *(f"l{local}" for local in sorted(entered)))
    return MacroNet(
        net=PetriNet(names, tuple(transitions), tuple(int(place == 0) for place in range(len(names)))),
        globals=tuple(globals_),
        locals=tuple(sorted(entered)),
        answering={completion: tuple(found) for completion, found in sorted(answering.items())},
    )
