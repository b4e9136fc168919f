"""The net of a macro system: a place for each global state and each local, a transition for each move.

A move (ℓ, g) → (ℓ', g') takes a token from ℓ and from g and gives one to ℓ' and to g'. If ℓ belongs to
fresh requests, the move has a second form that takes nothing from ℓ: it spawns the request. If ℓ' is an
answer, nothing is given there: which transitions answer with which completion is kept apart, and so no
place ever gets tokens that stay. The global states are the control; complete runs of the net are those of
the system. Locals with the same left to do have a place in common.
"""

from dataclasses import dataclass

from seriatim.petri.controlled_net import ControlledNet
from seriatim.petri.net import PetriNet, Transition
from seriatim.systems.alike import representatives
from seriatim.systems.slicing import MacroSystem
from seriatim.systems.unfolding import INITIAL_GLOBAL


@dataclass(frozen=True, slots=True)
class MacroNet:
    """A net, and what its places mean in the system."""

    counted: ControlledNet
    globals: tuple[int, ...]
    """The global states; their places come first, in this order."""
    locals: tuple[int, ...]
    """The locals, one for all that are alike; their places follow."""
    alike: dict[int, int]
    """For each local that occurs the one that stands for it."""


def macro_net(system: MacroSystem) -> MacroNet:
    occurring = {local for local, _ in system.table}
    occurring.update(target for targets in system.table.values() for target, _ in targets if target >= 0)
    same = representatives(system, occurring)
    moves = dict.fromkeys(
        (same[local], before, same.get(target, target), after)
        for (local, before), targets in sorted(system.table.items())
        for target, after in targets
        if (same[local], before) != (same.get(target, target), after)
    )
    starts = {same[local] for local in system.starts if local in same}
    entered = {target for _, _, target, _ in moves if target >= 0}
    globals_ = sorted({INITIAL_GLOBAL, *(g for _, before, _, after in moves for g in (before, after))})
    global_place = {global_: place for place, global_ in enumerate(globals_)}
    local_place = {local: place for place, local in enumerate(sorted(entered), len(globals_))}
    transitions: list[Transition] = []
    answering: dict[int, list[int]] = {}
    for local, before, target, after in moves:
        post = (global_place[after], *((local_place[target],) if target >= 0 else ()))
        spawning = [(global_place[before],)] if local in starts else []
        in_flight = [(global_place[before], local_place[local])] if local in entered else []
        for pre in (*spawning, *in_flight):
            if target < 0:
                answering.setdefault(~target, []).append(len(transitions))
            transitions.append(Transition(f"t{len(transitions)}", pre, post))
    names = (*(f"g{global_}" for global_ in globals_), *(f"l{local}" for local in sorted(entered)))
    return MacroNet(
        ControlledNet(
            net=PetriNet(names, tuple(transitions), tuple(int(place == 0) for place in range(len(names)))),
            control=len(globals_),
            ends=frozenset(range(len(globals_))),
            answering={completion: tuple(found) for completion, found in sorted(answering.items())},
        ),
        globals=tuple(globals_),
        locals=tuple(sorted(entered)),
        alike=same,
    )
