"""Maps a run of the net of a macro system back to a run of the system."""

from collections.abc import Iterable

from seriatim.certificate.chains import ListedMove
from seriatim.petri.from_macro_system import MacroNet
from seriatim.systems.run import Run, run_of
from seriatim.systems.slicing import MacroSystem


def system_run(system: MacroSystem, macro: MacroNet, moves: Iterable[ListedMove]) -> Run:
    """The run that makes these moves of the net, which must be a complete run there.

    Locals that are alike have a place in common. Which of them somebody is at does not matter: a request at
    one of them can make the moves of all.
    """
    waiting: dict[int, list[int]] = {}
    steps: list[tuple[int, int, int, int, bool]] = []
    completions = tuple(macro.counted.answering)
    for move in moves:
        before, after = macro.globals[move.before], macro.globals[move.after]
        if move.answer is None:
            assert move.gives is not None
            wanted = macro.locals[move.gives]
        else:
            wanted = ~completions[move.answer]
        locals_ = system.starts if move.takes is None else (waiting[move.takes].pop(),)
        local, target = next(
            (local, target)
            for local in locals_
            for target, reached in system.moves(local, before)
            if reached == after and macro.alike.get(target, target) == wanted
        )
        steps.append((local, target, before, after, move.takes is None))
        if move.gives is not None:
            waiting.setdefault(move.gives, []).append(target)
    return run_of(steps)
