"""A violation as a search sees it, a complete run of a derived system; and as evidence about the input."""

from seriatim.budget import Deadline
from seriatim.engines.shared.run_evidence import violation_evidence
from seriatim.engines.shared.shortening import shortened
from seriatim.engines.stage import Refutation, Unexplained
from seriatim.frozen import frozen, replace
from seriatim.method import Minimality
from seriatim.systems.posing import OutcomeProblem
from seriatim.systems.run import Run

SHORTENING = 5_000
"""States."""


@frozen
class Refuted:
    """A complete run whose outcome is not allowed."""

    run: Run
    minimality: Minimality
    in_flight: int
    """If the minimality is BOUNDED: no violation with at most so many requests in flight has fewer
    requests."""


def refutation(refuted: Refuted, problem: OutcomeProblem) -> Refutation:
    """Where serial runs are allowed, a request alone violates nothing: two are the fewest that can."""
    run, barriers = problem.way_back(refuted.run)
    evidence = violation_evidence(run, barriers, problem)
    why = Unexplained(problem, refuted.run.outcome(), barriers)
    is_least = problem.is_serial and run.requests() <= 2
    minimality = Minimality.PROVED if is_least else refuted.minimality
    return Refutation(evidence, run, minimality, refuted.in_flight, why)


def shorter(refuted: Refuted, problem: OutcomeProblem, deadline: Deadline) -> Refutation:
    """The same, or a violation that leaves out some of its requests and steps."""
    run = shortened(problem, refuted.run, SHORTENING, deadline)
    return refutation(replace(refuted, run=run), problem)
