"""Proof by the state equation, lazily: counts of moves instead of runs, refined until nothing is left.

The relaxation: how often each move is made, in all. In a complete run the counts satisfy the state equation
of the system's net, with nobody in flight at the end, and all siphon and trap cuts. The outcome is the sum
of the counts of the moves that answer. `seriatim.properties.covering` covers these outcomes with linear
sets of serial ones.

Claim: `ProvedByCover` means serializable. Why: `seriatim.petri.cuts` says why every cut holds for every
run; the state equation holds for every run because each firing changes the marking as it says; the rest is
the claim of the covering. A `Candidate` is no verdict: its counts may break the order of firings in a way
that these cuts do not see.
"""

from collections.abc import Iterable, Sequence

from seriatim.budget import Deadline
from seriatim.formula import Clause, Form, at_least, is_zero, total
from seriatim.network.serial import SerialAutomaton
from seriatim.network.slicing import MacroSystem
from seriatim.petri.cuts import Cut, broken_cuts, clause
from seriatim.petri.from_macro_system import MacroNet, macro_net
from seriatim.petri.state_equation import final_marking
from seriatim.properties.answer import Candidate, GaveUp, PlaceCut, ProvedByCover
from seriatim.properties.covering import Covered, cover


def state_equation(
    system: MacroSystem, specification: SerialAutomaton, deadline: Deadline
) -> ProvedByCover | Candidate | GaveUp:
    """Raises `LimitReached` if the serial automaton is too large, `OutOfTime` after the deadline."""
    relaxation = StateEquation(macro_net(system))
    answer = cover(relaxation, specification, deadline)
    if not isinstance(answer, Covered):
        return answer
    cuts = tuple(relaxation.place_cut(cut) for cut in answer.cuts)
    return ProvedByCover(system.coverage, cuts, answer.covers)


class StateEquation:
    """Counts of firings of a net, as a relaxation of its complete runs."""

    def __init__(self, macro: MacroNet) -> None:
        self.macro = macro
        self.variables = len(macro.net.transitions)
        marking = final_marking(macro.net)
        in_flight = marking[len(macro.globals) :]
        self.clauses: tuple[Clause, ...] = (
            *((at_least(tokens, 0),) for tokens in marking[: len(macro.globals)]),
            *((is_zero(tokens),) for tokens in in_flight),
        )
        self.outcome: dict[int, Form] = {c: total(moves) for c, moves in macro.answering.items()}

    def broken_cuts(self, counts: Sequence[int]) -> Iterable[Cut]:
        return broken_cuts(self.macro.net, counts[: self.variables])

    def clause(self, cut: Cut) -> Clause:
        return clause(self.macro.net, cut)

    def place_cut(self, cut: Cut) -> PlaceCut:
        """The cut in terms of the system."""
        places = sorted(cut.places)
        first_local = len(self.macro.globals)
        return PlaceCut(
            cut.kind,
            frozenset(self.macro.globals[place] for place in places if place < first_local),
            frozenset(self.macro.locals[place - first_local] for place in places if place >= first_local),
        )
