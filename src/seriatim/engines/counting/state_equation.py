"""Proof by the state equation, lazily: counts of moves instead of runs, refined until nothing is left.

The relaxation: how often each move is made, in all. In a complete run the counts satisfy the state equation
of the system's net, with nobody in flight at the end, and all siphon and trap cuts. The outcome is the sum
of the counts of the moves that answer. `seriatim.engines.shared.covering` covers these outcomes with linear
sets of serial ones.

Claim: `ProvedByCover` means serializable. Why: `seriatim.petri.cuts` says why every cut holds for every
run; the state equation holds for every run because each firing changes the marking as it says; the rest is
the claim of the covering. A `Candidate` is no verdict: its counts may break the order of firings in a way
that these cuts do not see.
"""

from seriatim.budget import Deadline
from seriatim.engines.counting.proof import CaseTree, PlaceCut, ProvedByCover
from seriatim.engines.shared.case_tree import case_tree
from seriatim.engines.shared.covering import CoverCandidate, Covered, cover
from seriatim.engines.shared.state_equation import StateEquation
from seriatim.engines.stage import GaveUp
from seriatim.petri.cuts import Cut
from seriatim.petri.from_macro_system import MacroNet, macro_net
from seriatim.systems.automaton import Automaton
from seriatim.systems.slicing import MacroSystem


def state_equation(
    system: MacroSystem, specification: Automaton, deadline: Deadline
) -> ProvedByCover | CoverCandidate | GaveUp:
    """Raises `LimitReached` if the serial automaton is too large, `OutOfBudget` after the deadline."""
    macro = macro_net(system)
    equation = StateEquation(macro.counted)
    answer = cover(equation, specification, deadline)
    if not isinstance(answer, Covered):
        return answer
    cuts = tuple(place_cut(macro, cut) for cut in answer.cuts)
    nodes = case_tree(equation, answer, deadline)
    tree = None if nodes is None else CaseTree(macro.globals, macro.locals, tuple(equation.outcome), nodes)
    return ProvedByCover(system.coverage, None, cuts, answer.covers, tree)


def place_cut(macro: MacroNet, cut: Cut) -> PlaceCut:
    """The cut in terms of the system."""
    control = macro.counted.control
    return PlaceCut(
        cut.kind,
        frozenset(macro.globals[place] for place in cut.places if place < control),
        frozenset(macro.locals[place - control] for place in cut.places if place >= control),
    )
