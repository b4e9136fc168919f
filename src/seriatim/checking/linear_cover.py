"""Evidence of the kind `linear-cover`: what counting allows is covered by linear sets of serial outcomes.

A cover is a serial run together with cycles of requests that run one after the other. Each cycle begins and
ends in a global state that the run goes through, so it can be inserted there any number of times: all
vectors b + Σ kᵢ·pᵢ, with b the outcome of the run and pᵢ those of the cycles, are outcomes of serial runs.

Claim: if no counts of steps satisfy the state equation and the cuts, and have an outcome in none of the
covers, then the input is serializable. For the counts of a complete run satisfy them
(`seriatim.checking.counting`), so its outcome is in a cover, and is that of a serial run.

That there are no such counts is for a solver to say. It is asked about one conjunction of constraints on
the outcome at a time, the first of them empty. If there are counts, and their outcome is in a cover, what
is left is the conjunction minus that cover, as disjoint conjunctions (`seriatim.linear_sets`). Situations,
cuts and covers may come from anywhere: the first are checked, cuts hold for every set of places, covers are
replayed.
"""

from collections import Counter
from collections.abc import Iterator

from seriatim.certificate.format import CoverEvidence, CutPlaces, GlobalState, SerialPath, SerialStep
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.counting import InSituation, Place, counting
from seriatim.checking.moves import Moves
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import Reference, State
from seriatim.checking.run import Completion, counted, run_alone, shown
from seriatim.checking.situations import DoesNotFit, counting_in_situations
from seriatim.formula import Clause, Constraint, Form, combination, is_zero, total
from seriatim.linear_sets import LinearSet, membership, outside
from seriatim.solvers.smt import NoSolution, Solver, Unknown

MAX_WORK = 100_000_000
"""How much work, as z3 counts it, one question may take."""


def cover_obligations(
    reference: Reference[State], evidence: CoverEvidence, allowance: Allowance
) -> Iterator[Obligation]:
    """What has to hold of cuts and covers, in this order; each relies on those before it."""
    amiss = next(misplaced(reference, evidence.covers, allowance), None)
    yield Obligation(
        "every cover is a serial run, with cycles through global states on its way",
        amiss is None,
        amiss or f"{counted(len(evidence.covers), 'cover')} replayed",
    )
    moves = Moves(reference, evidence, allowance)
    steps = counting(moves)
    if evidence.situations is not None:
        claim = "every complete run goes through the situations"
        try:
            steps = counting_in_situations(moves, evidence.situations)
        except DoesNotFit as problem:
            yield Obligation(claim, False, str(problem))
            return
        yield Obligation(claim, True, counted(len(evidence.situations.cases), "situation"))
    cuts = [(cut.kind, cut_places(moves, cut)) for cut in evidence.cuts]
    marked = [places for kind, places in cuts if kind == "siphon" and steps.start in places]
    yield Obligation(
        "no siphon cut is about where runs start",
        not marked,
        f"{counted(len(marked), 'cut')} are" if marked else counted(len(cuts), "cut"),
    )
    clauses = [*steps.state_equation(), *(steps.cut(kind, places) for kind, places in cuts)]
    claim = "whatever outcome counting allows is in a cover"
    outcome = steps.outcome()
    for cover in evidence.covers:
        for step in (*cover.steps, *(step for cycle in cover.cycles for step in cycle.steps)):
            outcome.setdefault((step.handler, step.response), total(()))
    sets = [linear_set(cover, tuple(outcome)) for cover in evidence.covers]
    try:
        escaped = outcome_outside(len(steps.steps), clauses, outcome, sets, allowance)
    except ValueError as problem:
        yield Obligation(claim, False, str(problem))
        return
    yield Obligation(
        claim,
        escaped is None,
        f"z3 finds no other, for {counted(len(steps.steps), 'step')}"
        if escaped is None
        else f"not {{{shown(escaped.elements())}}}",
    )


def cut_places(moves: Moves, cut: CutPlaces) -> frozenset[Place]:
    """The set that a cut is about."""
    flights = [f for f in moves.flights if any(moves.is_described(f, waiting) for waiting in cut.waiting)]
    return frozenset((*cut.globals, *map(InSituation, cut.situations), *flights))


def misplaced(
    reference: Reference[State], covers: tuple[SerialPath, ...], allowance: Allowance
) -> Iterator[str]:
    """What is wrong with the paths and cycles."""
    alone: dict[tuple[str, GlobalState], list[tuple[str, GlobalState]]] = {}

    def end(start: GlobalState, steps: tuple[SerialStep, ...]) -> GlobalState | None:
        """Where requests that run one after the other lead; None if they can't."""
        global_ = start
        for step in steps:
            key = (step.handler, global_)
            if key not in alone:
                alone[key] = run_alone(reference, step.handler, global_, allowance)
            if (step.response, step.after) not in alone[key]:
                return None
            global_ = step.after
        return global_

    for number, cover in enumerate(covers, 1):
        if end(reference.initial, cover.steps) is None:
            yield f"the path of cover {number} is not a serial run"
        visited = {reference.initial, *(step.after for step in cover.steps)}
        for cycle in cover.cycles:
            if cycle.at not in visited or end(cycle.at, cycle.steps) != cycle.at:
                yield f"a cycle of cover {number} can't be inserted into its path"


def linear_set(cover: SerialPath, completions: tuple[Completion, ...]) -> LinearSet:
    def image(steps: tuple[SerialStep, ...]) -> tuple[int, ...]:
        counts = Counter((step.handler, step.response) for step in steps)
        return tuple(counts[completion] for completion in completions)

    return LinearSet(image(cover.steps), tuple(image(cycle.steps) for cycle in cover.cycles))


def outcome_outside(
    variables: int,
    clauses: list[Clause],
    outcome: dict[Completion, Form],
    sets: list[LinearSet],
    allowance: Allowance,
) -> Counter[Completion] | None:
    """An outcome that the clauses allow and that is in none of the sets; raises `ValueError` if the periods
    of one are dependent."""
    solver = Solver(MAX_WORK)
    for _ in range(variables):
        solver.variable()
    counts = [total([solver.variable()]) for _ in outcome]
    for clause in clauses:
        solver.add(clause)
    for count, form in zip(counts, outcome.values(), strict=True):
        solver.add((is_zero(combination([(1, form), (-1, count)])),))
    conditions = [membership(each) for each in sets]
    outsides = [tuple(outside(condition, counts, solver.variable)) for condition in conditions]
    regions: list[tuple[Constraint, ...]] = [()]
    while regions:
        allowance.spend()
        region = regions.pop()
        answer = solver.solve(region, allowance.deadline)
        if isinstance(answer, NoSolution):
            continue
        if isinstance(answer, Unknown):
            raise GaveUp("z3 does not decide an integer problem within its bound")
        vector = tuple(count.value(answer.values) for count in counts)
        covering = next((i for i, condition in enumerate(conditions) if condition.holds(vector)), None)
        if covering is None:
            return Counter(dict(zip(outcome, vector, strict=True)))
        regions.extend((*region, *part) for part in outsides[covering])
    return None
