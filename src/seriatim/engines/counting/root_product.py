"""Proof by the state equation of a product: counts of moves, told apart by the situations they are made in.

Where the plain state equation allows counts that break the order of firings, situations
(`seriatim.petri.situations`) often do not: they know which requests cannot be in flight yet, or no longer.
Backwards they are few, because everybody is answered in the end; forwards they are few where requests
wait for each other. Each direction alone is tried.

Claim: `ProvedByCover` means serializable. Why: every complete run is one of the product, with the same
outcome; so whatever covers the outcomes of the product covers those of the system.
"""

from dataclasses import replace

from seriatim.budget import Deadline
from seriatim.engines.counting.proof import CaseTree, InSituations, PlaceCut, ProvedByCover
from seriatim.engines.shared.case_tree import case_tree
from seriatim.engines.shared.covering import CoverCandidate, Covered, cover
from seriatim.engines.shared.state_equation import StateEquation
from seriatim.engines.stage import GaveUp
from seriatim.petri.cuts import Cut
from seriatim.petri.from_macro_system import MacroNet, macro_net
from seriatim.petri.situations import Direction, Situation, product, situations
from seriatim.systems.automaton import Automaton
from seriatim.systems.slicing import MacroSystem

START = 0
"""The first place of a product."""

FEW_EDGES = 250
"""The most edges of a small product; solvers stall on some larger ones."""


def root_product(
    system: MacroSystem, specification: Automaton, deadline: Deadline, max_edges: int = FEW_EDGES
) -> ProvedByCover | CoverCandidate | GaveUp:
    """Tries to prove with products of at most `max_edges` edges.

    Raises `LimitReached` if the serial automaton is too large, `OutOfBudget` after the deadline.

    A candidate is one that neither direction excludes.
    """
    macro = macro_net(system)
    answer: ProvedByCover | CoverCandidate | GaveUp = GaveUp("the requests in flight have too many cases")
    for direction in (Direction.BACKWARD, Direction.FORWARD):
        found = situations(macro.counted, direction, max_edges)
        if found is None:
            continue
        equation = StateEquation(product(macro.counted, direction, found))
        covered = cover(equation, specification, deadline)
        if isinstance(covered, Covered):
            known = InSituations(
                direction, macro.locals, tuple((macro.globals[s.control], s.numbers) for s in found)
            )
            named = replace(covered, cuts=tuple(without_start(cut) for cut in covered.cuts))
            cuts = tuple(place_cut(macro, found, cut) for cut in named.cuts)
            nodes = case_tree(equation, named, deadline)
            tree = None if nodes is None else CaseTree((), macro.locals, tuple(equation.outcome), nodes)
            return ProvedByCover(system.coverage, known, cuts, covered.covers, tree)
        answer = covered
    return answer


def without_start(cut: Cut) -> Cut:
    """Evidence cannot name the start of the product, which is no situation. As the control is there only
    before the first move, a trap without it says no less."""
    return Cut(cut.kind, cut.places - {START})


def place_cut(macro: MacroNet, found: tuple[Situation, ...], cut: Cut) -> PlaceCut:
    """The cut in terms of the system; situations by number."""
    first_local = len(found) + 1
    return PlaceCut(
        cut.kind,
        frozenset(place - 1 for place in cut.places if place < first_local),
        frozenset(macro.locals[place - first_local] for place in cut.places if place >= first_local),
    )
