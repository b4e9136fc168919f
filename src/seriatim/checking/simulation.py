"""Evidence of the kind `simulation`: formulas about the globals, a serial state and any k requests at rest.

Claim: all runs are serializable, in an order of steps that requests take themselves, and no step fails, if
the formulas

1. hold at the start, where nobody has begun and the serial state is the initial one;
2. hold of any at most k requests at rest after a step, if before it they hold of any k of those and the
request that moves, as far as they were at rest;
3. exclude mistakes, of the request that moves alone (`seriatim.program.symbolic.moves` says what they are);

where sums of globals, of the serial state and of weights of requests, which no step changes, are known as
well: that no step does follows from the formulas and the sums before it, and that no request weighs less than
0, from the formulas alone (`seriatim.program.symbolic.flows`).

Why: by induction over the steps of a run, the formulas hold of every choice of at most k requests at rest, in
every order of these, and the sums have their totals; so no mistake happens. Then each request that has
answered has committed exactly once, to the answer that it gave, and the serial state has moved at each commit
by a run of that handler alone with that answer: in the order of commits this is a serial run, with the same
answers. (docs/theory/simulation.md)

About `safe` there is no serial state; then mistakes are steps that fail, and nothing else.
"""

from collections.abc import Iterator

from seriatim.certificate.simulation import SimulationEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.context import Context
from seriatim.checking.formulas import ABOUT, committed_of, invariant_of, points_of, require_all
from seriatim.checking.obligation import Obligation, claiming
from seriatim.checking.posing import needs_program
from seriatim.checking.words import counted
from seriatim.program.inputs import Input
from seriatim.program.symbolic.execution import TooManyPaths
from seriatim.program.symbolic.invariant import Invariant
from seriatim.program.symbolic.model import Model, from_program
from seriatim.program.symbolic.moves import Policy

COMMITS = "the formulas hold at the start and after every step; requests commit once, and answer as if alone"
SAFE = "the formulas hold at the start and after every step, and no step fails"


def simulation_obligations(
    content: Input, evidence: SimulationEvidence, context: Context, is_serial: bool
) -> Iterator[Obligation]:
    """The obligations of a simulation: about serial runs, or only about failing steps."""
    program = needs_program(content)
    try:
        with claiming(ABOUT):
            formulas = simulation_formulas(from_program(program), evidence, is_serial)
        yield Obligation(ABOUT, True, counted(len(evidence.predicates), "formula"))
        yield require_all(COMMITS if is_serial else SAFE, formulas.conditions(), context)
    except TooManyPaths as error:
        raise GaveUp(str(error)) from None


def simulation_formulas(model: Model, evidence: SimulationEvidence, is_serial: bool) -> Invariant:
    """The formulas of a certificate; raises `DoesNotFollow` if they are about another program."""
    numbers = points_of(model, evidence.points)
    committed = committed_of(evidence.points, numbers) if is_serial else None
    policy = Policy(model, committed)
    return invariant_of(policy, evidence.level, numbers, evidence.predicates, evidence.flows)
