"""Looks for a proof by simulation: commit points that explain sampled runs, sums, then formulas.

Claim: what is found is a proof if the checker accepts it (docs/theory/simulation.md); no more is claimed.
"""

from dataclasses import dataclass, replace

from seriatim.arithmetic.solvers.horn import Contradiction, NotFound, Relations, solve_horn
from seriatim.arithmetic.terms import FALSE, both
from seriatim.budget import Deadline, OutOfTime
from seriatim.certificate.simulation import Predicate, RestingPoint, SimulationEvidence
from seriatim.engines.shared.houdini import Facts, Solver, keep_inductive
from seriatim.engines.shared.needed_facts import keep_needed
from seriatim.engines.shared.request_flows import evidence_of, find_flows, flow_facts
from seriatim.engines.simulation.candidates import LEVEL as GUESSED_LEVEL
from seriatim.engines.simulation.candidates import number_facts
from seriatim.engines.simulation.cell_facts import cell_facts
from seriatim.engines.simulation.clauses import QUERY, Clauses, TooManyClauses
from seriatim.engines.simulation.policies import policies
from seriatim.engines.simulation.samples import Samples
from seriatim.engines.simulation.tidying import tidy
from seriatim.engines.simulation.walks import Walks
from seriatim.engines.stage import GaveUp
from seriatim.program.printer import print_expression
from seriatim.program.recursion import deep_recursion
from seriatim.program.state import is_array
from seriatim.program.symbolic.execution import TooManyPaths
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.model import Model, from_program
from seriatim.program.symbolic.moves import Mistake, Policy
from seriatim.program.symbolic.words import facts_in_words
from seriatim.program.syntax import Program
from seriatim.terms.operators import NoTerm

LEVELS = (1, 2)
SOLVER_WORK = 100
"""How much of z3's own work is one unit of the work in turns."""
QUICK_SIMULATION = 15_000
SHORT_SIMULATION = 60_000
LONG_SIMULATION = 150_000
"""Work for one attempt."""
MOST_CUT = 2
"""Attempts that may run out of work, in one turn."""
WORK_FOR_ONE = 10_000
"""Work for finding out whether one mistake can be excluded."""
SECONDS_TO_GUESS = 6.0
"""Seconds of CPU time for guessing facts, and as much again for finding out which of them hold."""
SECONDS_FOR_FLOWS = 2.0
"""Seconds of CPU time for finding sums."""
FIRST_GUESSES = 2
"""Choices of commit points for which facts are guessed before Horn clauses are tried."""
MOST_FACTS = 1_500
MOST_MISTAKES = 8
MOST_POLICIES = 4
MOST_HANDLERS = 40

NOT_FOUND = "no formulas about one or two requests were found that prove it for all integers"
CELLS = "facts about locks, about the serial state, and about what requests have read do not prove it"
NO_POLICY = "no choice of the steps in which requests commit explains all runs that were sampled"


@dataclass(frozen=True, slots=True)
class NotYet(GaveUp):
    """No attempt has found formulas, but with more work one may."""


def simulate(
    program: Program, is_serial: bool, deadline: Deadline, work: int = LONG_SIMULATION
) -> SimulationEvidence | GaveUp:
    """A proof that a program is serializable, or that no step fails; for any number of requests. `work` is
    for each attempt."""
    if len(program.unbounded_handlers or program.handlers) > MOST_HANDLERS:
        return GaveUp(f"there are more than {MOST_HANDLERS} handlers for formulas about any integers")
    try:
        with deep_recursion():
            return _simulate(from_program(program), is_serial, deadline, work)
    except (TooManyPaths, TooManyClauses, NoTerm) as error:
        return GaveUp(str(error))


def _simulate(model: Model, is_serial: bool, deadline: Deadline, work: int) -> SimulationEvidence | GaveUp:
    if any(map(is_array, model.variables)):
        return _prove_about_cells(model, is_serial, deadline) or GaveUp(CELLS)
    chosen: list[frozenset[int] | None] = [None]
    if is_serial:
        samples = Samples(model, deadline)
        chosen = [each for each in policies(model) if samples.explained_by(each)]
        if not chosen:
            return GaveUp(NO_POLICY)
    found = _attempt_all([Policy(model, committed) for committed in chosen[:MOST_POLICIES]], deadline, work)
    if found is not None:
        return found
    if work < LONG_SIMULATION:
        return NotYet(NOT_FOUND)
    return GaveUp(NOT_FOUND, missing=missing_relation(Policy(model, chosen[0]), deadline))


def _attempt_all(policies_: list[Policy], deadline: Deadline, work: int) -> SimulationEvidence | None:
    """Tries all policies. Guesses facts first, since that is quick if it succeeds."""
    seconds = SECONDS_TO_GUESS * work / LONG_SIMULATION
    for policy in policies_[:FIRST_GUESSES]:
        guessed = guess(policy, deadline, seconds)
        if guessed is not None:
            return guessed
    cut = 0
    for place, policy in enumerate(policies_):
        guessed = guess(policy, deadline, seconds) if place >= FIRST_GUESSES else None
        if guessed is not None:
            return guessed
        flows = standing_flows(policy, deadline)
        for level in LEVELS:
            found = attempt(policy, level, deadline, work, flows=flows)
            if isinstance(found, SimulationEvidence):
                return found
            cut += isinstance(found, NotFound)
            if cut == MOST_CUT:
                return None
    return None


def _prove_about_cells(model: Model, is_serial: bool, deadline: Deadline) -> SimulationEvidence | None:
    """Proves by facts about locks, about the serial state, and about what requests have read."""
    for committed in policies(model)[:MOST_POLICIES] if is_serial else [None]:
        policy = Policy(model, committed)
        found = prove_by_facts(policy, cell_facts(policy), find_flows(policy), deadline)
        if found is not None:
            return found
    return None


def guess(policy: Policy, deadline: Deadline, seconds: float = SECONDS_TO_GUESS) -> SimulationEvidence | None:
    """Facts that held in random walks, if those that hold after every step exclude all mistakes."""
    share = deadline.of_cpu(seconds)
    try:
        facts = number_facts(policy, Walks(policy, share))
    except OutOfTime:
        deadline.check()
        return None
    return prove_by_facts(policy, facts, find_flows(policy), deadline, seconds)


def standing_flows(policy: Policy, deadline: Deadline) -> tuple[Flow, ...]:
    """Sums that no step changes, whatever formulas say."""
    nothing: Facts = {(): [], **{(point,): [] for point in range(len(policy.model.points))}}
    plain = tuple(flow for flow in find_flows(policy) if flow.has_numbers_only)
    try:
        return keep_inductive(policy, 1, nothing, deadline.of_cpu(SECONDS_FOR_FLOWS), plain).flows
    except OutOfTime:
        deadline.check()
        return ()


def prove_by_facts(
    policy: Policy,
    facts: Facts,
    flows: tuple[Flow, ...],
    deadline: Deadline,
    seconds: float = SECONDS_TO_GUESS,
) -> SimulationEvidence | None:
    """A proof, if those facts that hold after every step exclude all mistakes."""
    flow_facts(policy, flows, facts)
    if sum(map(len, facts.values())) > MOST_FACTS:
        return None
    share = deadline.of_cpu(seconds)
    try:
        invariant = keep_inductive(policy, GUESSED_LEVEL, facts, share, flows)
        solver = Solver(share)
        if not all(solver.follows(known, goal) for _, known, goal in invariant.mistakes()):
            return None
    except OutOfTime:
        deadline.check()
        return None
    deadline.questions += share.questions
    needed, sums = facts, invariant.flows
    try:
        needed, sums = keep_needed(policy, GUESSED_LEVEL, facts, invariant.flows, share)
    except OutOfTime:
        deadline.check()
    predicates = tuple(
        Predicate(view, tidy(formula))
        for view, known in sorted(needed.items())
        if (formula := both(*known)) != FALSE
    )
    return SimulationEvidence(GUESSED_LEVEL, _points(policy), predicates, evidence_of(policy.model, sums))


def missing_relation(policy: Policy, deadline: Deadline) -> str:
    """Says what the formulas lack to exclude the first mistake; empty if they exclude all."""
    model = policy.model
    flows = standing_flows(policy, deadline)
    doings = [policy.begin(handler) for handler in range(len(model.routines))]
    doings += [policy.go_on(point) for point in range(len(model.points))]
    for mistake in [each for every in doings for each in every.mistakes][:MOST_MISTAKES]:
        found = attempt(policy, max(LEVELS), deadline, WORK_FOR_ONE, mistake, flows)
        if not isinstance(found, SimulationEvidence):
            needs = facts_in_words(tidy(mistake.needs))
            step = facts_in_words(tidy(mistake.step))
            known = f"that {' and '.join(needs)}" if mistake.needs != FALSE else "that this never happens"
            when = f", whenever {' and '.join(step)}" if step else ""
            return f"{mistake.why}: it is not known {known}{when}"
    return ""


def attempt(
    policy: Policy,
    level: int,
    deadline: Deadline,
    work: int = LONG_SIMULATION,
    only: Mistake | None = None,
    flows: tuple[Flow, ...] = (),
) -> SimulationEvidence | Contradiction | NotFound:
    """Formulas that exclude all mistakes, or only one of them, which is no proof then."""
    clauses = Clauses(policy, level, deadline, only, flows)
    text, known = clauses.text()
    query = next((short for short, name in known.items() if name == QUERY), None)
    if query is None:
        text, query = f"(declare-rel {QUERY} ())\n{text}", QUERY
    found = solve_horn(text, query, deadline, SOLVER_WORK * work)
    if not isinstance(found, Relations):
        return found
    predicates = tuple(replace(each, formula=tidy(each.formula)) for each in clauses.predicates(found, known))
    return SimulationEvidence(level, _points(policy), predicates, evidence_of(policy.model, flows))


def _points(policy: Policy) -> tuple[RestingPoint, ...]:
    model = policy.model
    return tuple(
        RestingPoint(
            model.routines[point.handler].name, print_expression(point.code), policy.has_committed(place)
        )
        for place, point in enumerate(model.points)
    )
