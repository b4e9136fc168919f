"""The state equation of a net with a control, refined by cuts, as a relaxation of its complete runs."""

from collections.abc import Iterable, Sequence

from seriatim.arithmetic.formula import Clause, Form, at_least, is_zero, total
from seriatim.petri.controlled_net import ControlledNet
from seriatim.petri.cuts import Cut, broken_cuts, clause
from seriatim.petri.state_equation import final_marking


class StateEquation:
    """Counts of firings: what the marking at the end of a complete run says about them.

    The control ends in one of its ends, and no other place has a token.
    """

    def __init__(self, given: ControlledNet) -> None:
        self.given = given
        self.variables = len(given.net.transitions)
        self.clauses: tuple[Clause, ...] = tuple(
            (at_least(tokens, 0) if place in given.ends else is_zero(tokens),)
            for place, tokens in enumerate(final_marking(given.net))
        )
        self.outcome: dict[int, Form] = {c: total(ts) for c, ts in given.answering.items()}

    def broken_cuts(self, counts: Sequence[int]) -> Iterable[Cut]:
        return broken_cuts(self.given.net, counts)

    def clause(self, cut: Cut) -> Clause:
        return clause(self.given.net, cut)
