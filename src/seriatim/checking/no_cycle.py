"""Evidence of the kind `no-cycle`: no request can close a cycle of conflicts.

The checker explores what may happen to those who are to make a cycle. A cycle enters each of its requests by
an action b and leaves it by an action a; some are *backward*: a comes before b. From the a of a backward
request to the b of the next one, actions come in the order of the cycle, so such a chain is described by its
*tip*: the accesses of its latest action, or its latest request, which is still to act. A *plot* says, for k
backward requests, who is between a and b, and which tips their chains have. Everybody else is
over-approximated by a cover (`seriatim.checking.cover`): any request that it allows beside each
request of the plot may act.

Claim: if no plot can be completed, for any k up to the length of a shortest cycle, then no run has a cycle.
With v variables that some action writes, r of which some action reads without writing them, a shortest cycle
has at most max(3, v + r) requests, so no more backward ones. Accesses of variables that nobody writes are
left out, and so are requests that will have no others. Plots in which a request of one chain conflicts with
the tip of another one are left out: they make a cycle with fewer backward requests. If not all of k backward
requests can begin, then neither can k of k + 1, so that larger k need not be explored.
(`docs/theory/conflicts.md` has the proofs.)
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, Literal

from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.checking.actions import Acts, acts_of
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Cover, Precision, close_cover, looks
from seriatim.checking.flights import Flights
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.reference import State
from seriatim.checking.words import counted
from seriatim.closure import reached
from seriatim.program.actions import NO_ACCESSES, Accesses

NO_CYCLE = "no run has a cycle of conflicts"

Tip = Accesses | int | None
"""The accesses of the latest action, or the flight that is still to act; None if the chain has not begun, or
if it is complete."""

Hidden = int | Literal["unborn", "caught"]
"""Where a backward request is between its a and its b."""


@dataclass(frozen=True, slots=True)
class Plot:
    global_: int
    hidden: tuple[Hidden, ...]
    tips: tuple[Tip, ...]
    own: frozenset[int] = frozenset()
    """The chains whose tip is the a of their backward request, so that no request has continued them."""

    def flights(self) -> list[int]:
        """The flights that still have to act."""
        return [each for each in (*self.hidden, *self.tips) if isinstance(each, int)]


def obligations(task: Task[NoCycleEvidence]) -> Iterator[Obligation]:
    evidence, allowance = task.evidence, task.context.allowance
    flights = Flights(task.reference, allowance)
    precision = Precision(evidence.level, evidence.invariants)
    cover = close_cover(flights, precision, is_serial=False, hopeful=None)
    plots = Plots(acts_of(task), cover, allowance)
    longest = plots.longest_cycle()
    explored = 0
    for count in range(1, longest + 1):
        found = plots.explored(count)
        if found is None:
            detail = f"one with {counted(count, 'backward request')} is not excluded"
            yield Obligation(NO_CYCLE, False, detail)
            return
        explored += found.plots
        if not found.is_full:
            break
    detail = f"{counted(explored, 'situation')} explored, looked at {looks(evidence.level)}"
    yield Obligation(NO_CYCLE, True, detail, cover.invariants)


Move = tuple[int | None, int, Accesses]


@dataclass(frozen=True, slots=True)
class Explored:
    is_full: bool
    """Whether all backward requests can have begun."""
    plots: int


def active_flights(moves: dict[tuple[int, int], list[Move]]) -> set[int]:
    """The flights that may still have accesses."""
    steps = [(flight, target, own) for (flight, _), found in moves.items() for target, _, own in found]
    return reached(
        {flight for flight, _, own in steps if own != NO_ACCESSES},
        {(target, flight) for flight, target, _ in steps if target is not None},
    )


class Plots(Generic[State]):
    """All plots that can be reached, beside whatever a cover allows."""

    def __init__(self, acts: Acts[State], cover: Cover[State], allowance: Allowance) -> None:
        self.acts = acts
        self.flights = cover.flights
        self.allowance = allowance
        self.cover = cover
        self.nodes = {node[0]: node for node in cover.nodes}
        """The node of each global state."""
        self.here = {global_: cover.at(node) for global_, node in self.nodes.items()}
        found = {
            (flight, global_): self._found(flight, global_)
            for global_, here in self.here.items()
            for flight in self.flights.fresh.union(here)
        }
        accesses = [each for moves in found.values() for _, _, each in moves]
        self.written = frozenset(name for each in accesses for name in each.writes)
        self.only_read = frozenset(name for each in accesses for name in each.reads - each.writes)
        relevant = {
            place: [(target, after, self._relevant(each)) for target, after, each in moves]
            for place, moves in found.items()
        }
        active = active_flights(relevant)
        self.moves: dict[tuple[int, int], set[Move]] = {
            place: {(target if target in active else None, after, each) for target, after, each in moves}
            for place, moves in relevant.items()
        }
        """For each flight and global state: (the next flight, None if it has nothing to do with cycles any
        more; the next global state; accesses of variables that are written)."""

    def longest_cycle(self) -> int:
        """The number of requests that a shortest cycle can have."""
        edges = len(self.written) + len(self.written & self.only_read)
        return max(3, edges) if edges else 0

    def _found(self, flight: int, global_: int) -> list[Move]:
        self.allowance.spend()
        request, state = self.flights.known[flight]
        return [
            (
                None if self.acts.is_over(act.target) else self.flights.number(request, act.target),
                self.flights.globals.number(act.after),
                act.accesses,
            )
            for act in self.acts.of(state, self.flights.globals[global_])
        ]

    def _relevant(self, accesses: Accesses) -> Accesses:
        """Leaves out reads that conflict with nothing: of variables that nobody writes, or that this step
        writes as well."""
        return Accesses(accesses.reads & self.written - accesses.writes, accesses.writes)

    def explored(self, count: int) -> Explored | None:
        """All plots with `count` backward requests; None if one can be completed."""
        unborn: Hidden = "unborn"
        start = Plot(self.flights.initial, (unborn,) * count, (None,) * count)
        seen = {start}
        pending = [start]
        is_full = False
        while pending:
            self.allowance.spend()
            for plot in self.following(pending.pop()):
                if all(hidden == "caught" for hidden in plot.hidden):
                    return None
                if plot not in seen:
                    is_full |= "unborn" not in plot.hidden
                    seen.add(plot)
                    pending.append(plot)
        return Explored(is_full, len(seen))

    def following(self, plot: Plot) -> Iterator[Plot]:
        for index, hidden in enumerate(plot.hidden):
            if isinstance(hidden, int):
                for target, after, accesses in self.moves[hidden, plot.global_]:
                    yield from by_hidden(replace(plot, global_=after), index, target, accesses)
        for index, tip in enumerate(plot.tips):
            if isinstance(tip, int):
                for target, after, accesses in self.moves[tip, plot.global_]:
                    yield from by_tip(replace(plot, global_=after), index, target, accesses)
        for flight in self.others(plot):
            for target, after, accesses in self.moves[flight, plot.global_]:
                yield from by_other(replace(plot, global_=after), target, accesses)

    def others(self, plot: Plot) -> set[int]:
        """The requests that can be there together with all of the plot."""
        return {
            flight
            for flight in self.flights.fresh.union(self.here[plot.global_])
            if all(self.together(plot.global_, flight, each) for each in plot.flights())
        }

    def together(self, global_: int, flight: int, other: int) -> bool:
        """Whether the cover allows two requests there."""
        fresh = self.flights.fresh
        if flight in fresh or other in fresh:
            return True
        if not self.cover.fitting(global_, self.cover.weights[flight]) >> other & 1:
            return False
        return self.cover.has_beside(self.nodes[global_], flight, other)


def touched(plot: Plot, accesses: Accesses) -> set[int]:
    """The chains with whose tips an action conflicts."""
    return {
        index for index, tip in enumerate(plot.tips) if isinstance(tip, Accesses) and tip.conflicts(accesses)
    }


def by_hidden(plot: Plot, index: int, target: int | None, accesses: Accesses) -> Iterator[Plot]:
    """A backward request acts: it goes on, or it is caught by the chain of the one before it."""
    before = index - 1 if index else len(plot.tips) - 1
    chains = touched(plot, accesses) - (plot.own & {index})
    if chains == {before}:
        yield with_tip(with_hidden(plot, index, "caught"), before, None)
    elif not chains and target is not None:
        yield with_hidden(plot, index, target)


def by_tip(plot: Plot, index: int, target: int | None, accesses: Accesses) -> Iterator[Plot]:
    """The request that carries on a chain acts: this is its a, or it goes on."""
    if touched(plot, accesses):
        return
    if accesses != NO_ACCESSES:
        yield with_tip(plot, index, accesses)
    if target is not None:
        yield with_tip(plot, index, target)


def by_other(plot: Plot, target: int | None, accesses: Accesses) -> Iterator[Plot]:
    """The plots after an action of another request: it does nothing, begins a chain, or continues one."""
    yield plot
    chains = touched(plot, accesses)
    if not chains and target is not None and accesses != NO_ACCESSES:
        has_begun = any(hidden != "unborn" for hidden in plot.hidden)
        for index, hidden in enumerate(plot.hidden):
            if hidden == "unborn" and (has_begun or index == 0):
                begun = with_tip(with_hidden(plot, index, target), index, accesses)
                yield replace(begun, own=plot.own | {index})
    if len(chains) == 1:
        (index,) = chains
        yield with_tip(plot, index, accesses)
        if target is not None:
            yield with_tip(plot, index, target)


def with_hidden(plot: Plot, index: int, hidden: Hidden) -> Plot:
    return replace(plot, hidden=(*plot.hidden[:index], hidden, *plot.hidden[index + 1 :]))


def with_tip(plot: Plot, index: int, tip: Tip) -> Plot:
    tips = (*plot.tips[:index], tip, *plot.tips[index + 1 :])
    return replace(plot, tips=tips, own=plot.own - {index})
