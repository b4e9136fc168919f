"""Violations: as a search sees them, complete runs of a derived system; and as evidence about the input."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from seriatim.budget import Deadline
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.engines.shared.folded_evidence import fold_evidence
from seriatim.engines.shared.shortening import shorten
from seriatim.engines.stage import Refutation, Unexplained
from seriatim.method import Minimality
from seriatim.properties.statement import Time
from seriatim.systems.from_input import Origin
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import LONG_RUN, Run

if TYPE_CHECKING:
    from seriatim.certificate.folded_run import FoldedRunEvidence


def violation_evidence(
    run: Run, barriers: tuple[int, ...], problem: OutcomeProblem
) -> "RunEvidence | FoldedRunEvidence":
    """A run and its barriers; folded if it is long, unless it matters who began when."""
    if len(run.turns) > LONG_RUN and not isinstance(problem.statement.seen, Time):
        return fold_evidence(run, problem.origin)
    return run_evidence(run, problem.origin, barriers)


def run_evidence(run: Run, origin: Origin, barriers: tuple[int, ...] = ()) -> RunEvidence:
    turns: list[Turn] = []
    for turn in run.turns:
        response = origin.completions[~turn.target][1] if turn.target < 0 else None
        handler = origin.requests[origin.request_of(turn.local)]
        turns.append(Turn(turn.request + 1, handler, origin.global_state(turn.after), response))
    return RunEvidence(tuple(turns), barriers)


SHORTENING = 5_000
"""How many states to explore to shorten a run."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """A complete run whose outcome is not allowed."""

    run: Run
    minimality: Minimality
    in_flight: int
    """If the minimality is BOUNDED, no violation with at most this many requests in flight has fewer
    requests."""


def refutation(refuted: Refuted, problem: OutcomeProblem) -> Refutation:
    """A violation with its minimality. Where serial runs are allowed, it needs at least two requests."""
    run, barriers = problem.way_back(refuted.run)
    evidence = violation_evidence(run, barriers, problem)
    why = Unexplained(problem, refuted.run.outcome(), barriers)
    is_least = problem.is_serial and run.requests() <= 2
    minimality = Minimality.PROVED if is_least else refuted.minimality
    return Refutation(evidence, run, minimality, refuted.in_flight, why)


def shorter(refuted: Refuted, problem: OutcomeProblem, deadline: Deadline) -> Refutation:
    """The same violation, or one without some of its requests and steps."""
    run = shorten(problem, refuted.run, SHORTENING, deadline)
    return refutation(replace(refuted, run=run), problem)
