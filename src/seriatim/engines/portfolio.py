"""The engines in the order that pays, under one budget; the only module that knows more than one of them.

Two rounds of looking for a violation and then for a proof: a short one, which decides small systems at
once, and one with room. A violation is usually found on the system as it unfolds, long before the system's
closure is known.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from seriatim.budget import Deadline, OutOfTime
from seriatim.engines.atomic import one_step_each, without_yields
from seriatim.engines.commit_points import commit_points
from seriatim.engines.search import Search
from seriatim.engines.shortening import shortened
from seriatim.network.from_input import Origin
from seriatim.network.growth import explained
from seriatim.network.limits import LimitReached, Limits
from seriatim.network.serial import SerialAutomaton
from seriatim.network.slicing import macro_system
from seriatim.network.unfolding import ProgramUnfolding
from seriatim.properties.answer import GaveUp, ProvedAtomic, ProvedByCommits, Refuted
from seriatim.properties.serializability import Problem

SHORT_SEARCH = 300
LONG_SEARCH = 20_000
SHORTENING = 5_000
"""States."""

SHORT_CLOSURE = 5_000
"""Pairs of a local and a global state."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What came out, by which method, and up to how many requests there is surely no violation."""

    answer: Refuted | ProvedAtomic | ProvedByCommits | GaveUp
    method: str
    clean_up_to: int = 0


def conclude(origin: Origin, limits: Limits, deadline: Deadline) -> Conclusion:
    """Decides whether a system is serializable, if it can within the limits and before the deadline."""
    portfolio = Portfolio(origin, limits, deadline)
    try:
        for conclusion in portfolio.stages():
            if not isinstance(conclusion.answer, GaveUp):
                return conclusion
    except OutOfTime:
        portfolio.obstacle = GaveUp("the time is over", "allow more with --timeout")
    return Conclusion(portfolio.obstacle, "search", portfolio.search.clean_up_to())


class Portfolio:
    """The engines at work on one system, and why it is not proved yet."""

    def __init__(self, origin: Origin, limits: Limits, deadline: Deadline) -> None:
        self.origin = origin
        self.limits = limits
        self.deadline = deadline
        self.specification = SerialAutomaton(origin, limits.max_states)
        self.search = Search(Problem(origin, self.specification))
        self.obstacle = GaveUp("nothing was tried")

    def stages(self) -> Iterator[Conclusion]:
        if isinstance(self.origin, ProgramUnfolding):
            yield Conclusion(without_yields(self.origin.program), "atomic")
        yield self.look(min(SHORT_SEARCH, self.limits.max_states))
        short = Limits(min(SHORT_CLOSURE, self.limits.max_states), self.limits.max_value)
        try:
            yield self.prove(short)
            is_proof_open = False
        except LimitReached:
            is_proof_open = True
        yield self.look(min(LONG_SEARCH, self.limits.max_states))
        if is_proof_open:
            try:
                yield self.prove(self.limits)
            except LimitReached as reached:
                reached = explained(reached, self.origin)
                self.obstacle = GaveUp(reached.message, reached.hint)
        yield self.look(self.limits.max_states)

    def look(self, states: int) -> Conclusion:
        """Searches for a violation."""
        refuted = self.search.advance(states, self.deadline)
        if refuted is None:
            return Conclusion(self.obstacle, "search")
        run = shortened(self.search.problem, refuted.run, SHORTENING, self.deadline)
        return Conclusion(replace(refuted, run=run), "search")

    def prove(self, limits: Limits) -> Conclusion:
        """Looks for a proof; raises `LimitReached` if the system is too large for that."""
        system = macro_system(self.origin, limits, self.deadline)
        at_once = one_step_each(system)
        if isinstance(at_once, ProvedByCommits):
            return Conclusion(at_once, "atomic")
        by_commits = commit_points(system, self.specification, limits, self.deadline)
        if isinstance(by_commits, GaveUp):
            self.obstacle = by_commits
        return Conclusion(by_commits, "commit")
