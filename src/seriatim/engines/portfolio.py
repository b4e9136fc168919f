"""The engines in the order that pays, under one budget; the only module that knows more than one of them."""

from dataclasses import dataclass

from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.atomic import one_step_each, without_yields
from seriatim.engines.search import Search
from seriatim.network.from_system import SystemUnfolding
from seriatim.network.growth import growth
from seriatim.network.limits import LimitReached, Limits
from seriatim.network.serial import SerialAutomaton
from seriatim.network.slicing import macro_system
from seriatim.network.unfolding import ProgramUnfolding
from seriatim.properties.answer import GaveUp, ProvedAtomic, Refuted
from seriatim.properties.serializability import Problem

FIRST_LOOK = 4_000
"""States of the first search, on the system as it unfolds."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What came out, by which method, and up to how many requests there is surely no violation."""

    answer: Refuted | ProvedAtomic | GaveUp
    method: str
    clean_up_to: int = 0


def conclude(origin: ProgramUnfolding | SystemUnfolding, limits: Limits, deadline: Deadline) -> Conclusion:
    if isinstance(origin, ProgramUnfolding):
        answer = without_yields(origin.program)
        if isinstance(answer, ProvedAtomic):
            return Conclusion(answer, "atomic")
    problem = Problem(origin, SerialAutomaton(origin, limits.max_states))
    search = Search(problem)
    try:
        refuted = search.advance(FIRST_LOOK, deadline)
        if refuted is not None:
            return Conclusion(refuted, "search")
        return after_first_look(origin, limits, search, deadline)
    except OutOfTime:
        why = GaveUp("the time is over", "allow more with --timeout")
        return Conclusion(why, "search", search.clean_up_to())


def after_first_look(
    origin: ProgramUnfolding | SystemUnfolding, limits: Limits, search: Search, deadline: Deadline
) -> Conclusion:
    gave_up = GaveUp(f"no method decides it within {limits.max_states:,} states of a search")
    try:
        system = macro_system(origin, limits, deadline)
    except LimitReached as reached:
        gave_up = GaveUp(*too_large(origin, reached))
    else:
        answer = one_step_each(system)
        if isinstance(answer, ProvedAtomic):
            return Conclusion(answer, "atomic")
    refuted = search.advance(limits.max_states, deadline)
    if refuted is not None:
        return Conclusion(refuted, "search")
    return Conclusion(gave_up, "search", search.clean_up_to())


def too_large(origin: ProgramUnfolding | SystemUnfolding, reached: LimitReached) -> tuple[str, str]:
    """The reason and a hint, for a system that does not end."""
    if reached.flag == "--max-value":
        why = f"a variable goes beyond {reached.limit:,}"
    else:
        why = f"the system has more than {reached.limit:,} states"
    grows = growth(origin) if isinstance(origin, ProgramUnfolding) else None
    if grows is None:
        return why, f"raise {reached.flag}"
    lines = ", ".join(str(line) for line in grows.lines)
    where = f" (line {lines})" if grows.lines else ""
    return (
        f"{why}; `{grows.variable}` keeps growing{where}",
        f"bound `{grows.variable}`, or raise {reached.flag}",
    )
