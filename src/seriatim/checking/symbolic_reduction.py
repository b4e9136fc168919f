"""Evidence of the kind `symbolic-reduction`: requests can be pulled together, whatever integers they handle.

The evidence says which requests at rest have *committed*. Claim: all complete runs are serializable, with the
same final values, in an order of steps that requests take themselves, and no step fails, if

1. formulas about any at most k requests at rest hold at the start and after every step, and exclude failing
steps (`seriatim.checking.simulation`, without a serial state; sums of variables and weights may help);
2. a request that has committed rests nowhere else before it answers;
3. wherever the formulas hold, and sums come to their totals at most, a step after which its request has
neither committed nor answered can be exchanged with any step of another request that comes next;
4. and a step of a request that has committed, with any step of another request that came just before.

Why: take a complete run and leave out its waiting rounds, which change nothing. Each request has one step by
which it commits or, without having committed, answers: its *effect*. Order requests by their effects. While
the run is not serial in this order, there are neighbouring steps a of a request p and b of a request q with q
before p in the order. Were a not before p's effect, nor b after q's, then p's effect would come before q's.
So 3 applies to a, or 4 to b, and they can be exchanged: the result is a run again, so the formulas hold in
it; one pair less is out of order, and effects, answers and final values are the same. In the end the run is
serial. (docs/theory/symbolic-reduction.md)

All this may be shown of the program in which requests also pause right before they wait: then it holds of the
program as well (`seriatim.program.symbolic.pauses`).
"""

from collections.abc import Iterator

from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.context import Context
from seriatim.checking.formulas import ABOUT, committed_of, invariant_of, points_of, require_all
from seriatim.checking.obligation import Obligation, claiming
from seriatim.checking.posing import needs_program
from seriatim.checking.simulation import SAFE
from seriatim.checking.words import counted
from seriatim.program.inputs import Input
from seriatim.program.symbolic.exchange import Exchanges
from seriatim.program.symbolic.execution import Rests, TooManyPaths
from seriatim.program.symbolic.invariant import Invariant
from seriatim.program.symbolic.model import Model, from_program
from seriatim.program.symbolic.moves import Policy

STAYS = "a request that has committed stays so until it answers"
EXCHANGED = "steps before a request commits can be made later, and steps after it earlier"


def symbolic_reduction_obligations(
    content: Input, evidence: SymbolicReductionEvidence, context: Context
) -> Iterator[Obligation]:
    try:
        model = from_program(needs_program(content), evidence.pauses)
        with claiming(ABOUT):
            invariant, late = reduction_formulas(model, evidence)
        yield Obligation(ABOUT, True, counted(len(evidence.predicates), "formula"))
        relapse = leaves_late(model, late)
        yield Obligation(STAYS, relapse is None, relapse or counted(len(late), "point"))
        yield require_all(SAFE, invariant.conditions(), context)
        yield require_all(EXCHANGED, Exchanges(model).conditions(invariant, late), context)
    except TooManyPaths as error:
        raise GaveUp(str(error)) from None


def reduction_formulas(model: Model, evidence: SymbolicReductionEvidence) -> tuple[Invariant, frozenset[int]]:
    """The formulas, and where requests have committed; raises `DoesNotFollow` if they are about another
    program."""
    numbers = points_of(model, evidence.points)
    policy = Policy(model, None)
    invariant = invariant_of(policy, evidence.level, numbers, evidence.predicates, evidence.flows)
    return invariant, committed_of(evidence.points, numbers)


def leaves_late(model: Model, late: frozenset[int]) -> str | None:
    """A handler whose requests have committed and may rest where they have not; None if there is none."""
    for point in sorted(late):
        for step in model.steps(point):
            if isinstance(step.end, Rests) and step.target not in late:
                return f"not so in `{model.routines[model.points[point].handler].name}`"
    return None
