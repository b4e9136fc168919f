"""Waiting requests: infers which locals cannot move in a global state from others where they could not.

Claim: suppose that a request at ℓ has no move in g and makes no mistake there. Then the same holds in each g'
that agrees with g on the globals that its next atomic step can touch. Why: a step neither reads nor changes
any other global (`seriatim.program.liveness`), so its outcomes in g' are those in g with the other globals as
they are in g'. In g, all of them were (ℓ, g) itself; so in g', all of them are (ℓ, g').

A lock or a ticket that many requests wait for is one global out of many, so a few looks tell about them all.
"""

from seriatim.program.liveness import touched_globals
from seriatim.program.recursion import deep_recursion
from seriatim.systems.control_flow import remaining_code
from seriatim.systems.step_functions import StepFunctions, Values

Places = tuple[int, ...]
"""Positions of some globals among all globals."""


class Idling:
    """What is known so far about requests that wait. Sets of locals are masks."""

    def __init__(self, steps: StepFunctions) -> None:
        self._steps = steps
        self._touched: dict[int, Places] = {}
        """The globals that the step from a point can touch."""
        self._idle: dict[Places, dict[Values, int]] = {}
        """By the globals that the step can touch, and their values: the locals that cannot move."""

    def note(self, local: int, point: int, globals_: Values) -> None:
        """Records that a request at this local and point has no move and no failing step."""
        places = self._touched.get(point)
        if places is None:
            places = self._touched[point] = self._find_touched(point)
        group = self._idle.setdefault(places, {})
        part = tuple([globals_[place] for place in places])
        group[part] = group.get(part, 0) | 1 << local

    def awake(self, locals_: int, globals_: Values) -> int:
        """The locals that may have a move. If only a few are given, trying them is faster."""
        if locals_.bit_count() <= len(self._idle):
            return locals_
        for places, group in self._idle.items():
            locals_ &= ~group.get(tuple([globals_[place] for place in places]), 0)
        return locals_

    def _find_touched(self, point: int) -> Places:
        at = self._steps.points[point]
        handler = self._steps.program.handlers[at.handler]
        with deep_recursion():
            touched = touched_globals(handler.body if at.pause is None else remaining_code(at.pause))
        return tuple([place for place, name in enumerate(self._steps.global_names) if name in touched])
