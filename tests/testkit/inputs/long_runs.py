"""A network system all of whose violations are long, and one of them.

Parcels are packed again and again: in each stage, always so many of them leave and fewer of the next kind
arrive, until all have left. So the first stage needs a power of the number, and everybody who is in the last
one answers what nobody alone can answer.
"""

import json

from seriatim.frontends.network_json.format import read_system
from seriatim.program.network_system import NetworkSystem
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.run import Run, run_of


def packing(stages: int, leaving: int) -> NetworkSystem:
    """In each stage, so many leave for each time that one less arrives."""
    return read_system(packing_text(stages, leaving))


def packing_text(stages: int, leaving: int) -> str:
    arriving = leaving - 1
    steps = leaving + arriving

    def state(stage: int, step: int) -> str:
        return f"stage{stage}.{step % steps}"

    transitions = [["n0", "open", "w0", "open"], ["turn", "open", "turned", state(0, 0)]]
    for stage in range(stages):
        for step in range(steps):
            leaves = step < leaving
            before, after = (f"w{stage}", f"d{stage}") if leaves else (f"n{stage + 1}", f"w{stage + 1}")
            transitions.append([before, state(stage, step), after, state(stage, step + 1)])
        transitions.append(["turn", state(stage, 0), "turned", state(stage + 1, 0)])
    last = state(stages, 0)
    transitions.append([f"w{stages}", last, f"d{stages}", last])
    kinds = range(stages + 1)
    return json.dumps(
        {
            "initial_global": "open",
            "requests": [*([f"parcel{kind}", f"n{kind}"] for kind in kinds), ["next", "turn"]],
            "responses": [
                *([f"n{kind}", "unpacked"] for kind in kinds),
                *([f"d{kind}", "delivered" if kind == stages else "unpacked"] for kind in kinds),
                ["turned", "yes"],
            ],
            "transitions": transitions,
        }
    )


def packing_run(stages: int, leaving: int) -> tuple[SystemUnfolding, Run]:
    """The shortest violation."""
    unfolding = SystemUnfolding(packing(stages, leaving))
    local = {unfolding.system.locals[own].name: n for n, (_, own) in enumerate(unfolding.local_states)}
    steps: list[tuple[int, int, int, int, bool]] = []
    here = 0

    def take(name: str) -> None:
        nonlocal here
        is_new = not name.startswith("w")
        target, after = unfolding.moves(local[name], here)[-1]
        if target >= 0:
            own = unfolding.local_states[target][1]
            local[unfolding.system.locals[own].name] = target
        steps.append((local[name], target, here, after, is_new))
        here = after

    parcels = leaving**stages
    for _ in range(parcels):
        take("n0")
    for stage in range(stages):
        take("turn")
        for _ in range(parcels // leaving):
            for _ in range(leaving):
                take(f"w{stage}")
            for _ in range(leaving - 1):
                take(f"n{stage + 1}")
        parcels = parcels // leaving * (leaving - 1)
    take("turn")
    for _ in range(parcels):
        take(f"w{stages}")
    return unfolding, run_of(steps)
