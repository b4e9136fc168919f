"""Locals that have the same left to do: other points of a program, but the same remaining code and values.

From such locals a request can do the same, seen from outside. A description of a local by what is left to do
does not tell them apart.
"""

from collections.abc import Iterable

from seriatim.systems.slicing import MacroSystem
from seriatim.systems.source_map import local_state
from seriatim.systems.unfolding import ProgramUnfolding


def representatives(system: MacroSystem, locals_: Iterable[int]) -> dict[int, int]:
    """For each of these locals the first one that is like it."""
    ordered = sorted(locals_)
    if not isinstance(system.origin, ProgramUnfolding):
        return {local: local for local in ordered}
    first: dict[tuple[int, str | None, tuple[tuple[str, int], ...]], int] = {}
    found: dict[int, int] = {}
    for local in ordered:
        state = local_state(system.origin, local)
        found[local] = first.setdefault((system.request_of(local), state.code, state.values), local)
    return found
