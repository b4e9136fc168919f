"""Can a net reach a goal? Shown by a run, or refuted by counting firings, slice by slice.

Refutation: let x be how often each transition fires. The marking in the end is what the state equation says,
and every siphon and trap cut holds. If no x satisfies these and the goal, the goal cannot be reached. A
solver is asked; counts that break a cut are answered with that cut. The net is sliced for the goal first,
and the cuts that slicing amounts to are part of the proof, so that the proof is about the whole net:

    ∃x. M = M₀ + C·x ∧ cuts(x) is an inductive invariant, and it excludes the goal.

Counts that break no cut may still be those of no run. Then runs are tried: orders of exactly these counts,
and all runs up to a size.
"""

from dataclasses import dataclass

from seriatim.arithmetic.formula import Conjunction, at_least
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution, Unknown
from seriatim.budget import Deadline
from seriatim.petri.cuts import Cut, broken_cuts, clause
from seriatim.petri.goals import must_be_empty, restrict, rewritten
from seriatim.petri.net import PetriNet
from seriatim.petri.query_net import constraints
from seriatim.petri.search import Exhausted, order_firings, run_to
from seriatim.petri.slicing import Slice, bidirectional_slice, whole_slice
from seriatim.petri.state_equation import final_marking

MAX_WORK = 20_000_000
"""How much work, as z3 counts it, one question may take."""

MAX_ROUNDS = 2_000
"""Questions about one goal."""

MAX_ORDERS = 20_000
"""Partial orders of given counts that are tried."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A run to the goal: these transitions fire, in this order."""

    firings: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """The state equation and these cuts exclude the goal."""

    cuts: tuple[Cut, ...]


@dataclass(frozen=True, slots=True)
class Open:
    """Neither was found."""

    why: str


def slice_for(net: PetriNet, goal: Conjunction) -> Slice:
    """The part of the net that runs to the goal can use."""
    return bidirectional_slice(net, frozenset(range(len(net.places))) - must_be_empty(goal))


def reach(
    net: PetriNet,
    goal: Conjunction,
    max_markings: int,
    deadline: Deadline,
    part: Slice | None = None,
) -> Reached | Unreachable | Open:
    """Decides one goal, on a part of the net that suffices for it; by default, on all of it."""
    part = part or whole_slice(net)
    if not part.is_reachable:
        return Unreachable(part.cuts)
    small, small_goal = part.net(net), restrict(goal, part.places)
    answer = count_firings(small, small_goal, deadline)
    if isinstance(answer, Open):
        counts = None
    elif isinstance(answer, Unreachable):
        kept = (Cut(cut.kind, frozenset(part.places[p] for p in cut.places)) for cut in answer.cuts)
        return Unreachable((*part.cuts, *kept))
    else:
        counts = answer
    run = None if counts is None else order_firings(small, counts, MAX_ORDERS, deadline)
    if run is None:
        found = run_to(small, small_goal.holds, max_markings, deadline)
        if isinstance(found, Exhausted):
            return Open(
                f"counting does not exclude the goal, but none of {found.markings:,} markings is in it"
            )
        run = found
    if run is None:
        return Open(
            answer.why
            if isinstance(answer, Open)
            else f"counting does not exclude the goal, and no run among {max_markings:,} markings reaches it"
        )
    return Reached(tuple(part.transitions[index] for index in run))


def count_firings(
    net: PetriNet, goal: Conjunction, deadline: Deadline
) -> Unreachable | tuple[int, ...] | Open:
    """Refutes a goal by counts, or gives counts that break no cut."""
    return settle_counts(net, _question(net, goal), deadline)


def settle_counts(
    net: PetriNet, solver: NaturalSolver, deadline: Deadline
) -> Unreachable | tuple[int, ...] | Open:
    """Refutes what a solver is asked, or gives counts that break no cut; its first variables are counts."""
    cuts: list[Cut] = []
    for _ in range(MAX_ROUNDS):
        answer = solver.solve((), deadline)
        if isinstance(answer, NoSolution):
            return Unreachable(tuple(cuts))
        if isinstance(answer, Unknown):
            return Open("the solver does not decide an integer problem within its bound")
        counts = answer.values[: len(net.transitions)]
        broken = list(broken_cuts(net, counts))
        if not broken:
            return counts
        for cut in broken:
            solver.add(clause(net, cut))
        cuts += broken
    return Open(f"counts still break cuts after {MAX_ROUNDS:,} questions to the solver")


def confirms(net: PetriNet, goal: Conjunction, cuts: tuple[Cut, ...], deadline: Deadline) -> bool:
    """Whether the state equation of the whole net and these cuts exclude the goal, asked afresh."""
    solver = _question(net, goal)
    for cut in cuts:
        solver.add(clause(net, cut))
    return isinstance(solver.solve((), deadline), NoSolution)


def _question(net: PetriNet, goal: Conjunction) -> NaturalSolver:
    """Counts of firings whose final marking is in the goal."""
    solver = ask_for_counts(net)
    marking = final_marking(net)
    over_counts = rewritten(goal, dict(enumerate(marking)), len(net.transitions))
    for _ in over_counts.quotients:
        solver.variable()
    for constraint in constraints(over_counts):
        solver.add((constraint,))
    return solver


def ask_for_counts(net: PetriNet) -> NaturalSolver:
    """A solver whose first variables are counts of firings, by the state equation."""
    solver = NaturalSolver(MAX_WORK)
    for _ in net.transitions:
        solver.variable()
    for tokens in final_marking(net):
        solver.add((at_least(tokens, 0),))
    return solver
