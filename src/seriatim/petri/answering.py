"""Decides whether a net reaches what a predicate says: by exploring, by counting, or by an invariant.

The quick ways come first: a few thousand markings are explored, which shows shortest runs and settles small
nets. Then firings are counted (`seriatim.petri.reachability`): case by case if a predicate has few cases,
all at once otherwise. Then come invariants that can be read off the net; then more markings are explored, and
at last an invariant of any form is looked for.
"""

from seriatim.arithmetic.formula import Conjunction, Constraint, combination, total
from seriatim.arithmetic.solvers.naturals import NaturalSolver
from seriatim.arithmetic.solvers.smt import NoSolution
from seriatim.budget import Deadline
from seriatim.petri.cuts import Cut, clause
from seriatim.petri.goals import restrict
from seriatim.petri.invariants import NetInvariant, find_invariant
from seriatim.petri.net import PetriNet, after_firings
from seriatim.petri.plain_invariants import read_invariant
from seriatim.petri.queries import Predicate, TooManyCases, cases, clauses, holds
from seriatim.petri.reachability import (
    MAX_ORDERS,
    Open,
    Reached,
    Unreachable,
    ask_for_counts,
    confirms,
    count_firings,
    settle_counts,
    slice_for,
)
from seriatim.petri.search import Exhausted, order_firings, run_to
from seriatim.petri.state_equation import final_marking

FIRST_MARKINGS = 3_000
"""How many markings are explored before anything else is tried."""

Found = Reached | Unreachable | Exhausted | NetInvariant | Open


def find(net: PetriNet, sought: Predicate, max_markings: int, deadline: Deadline) -> Found:
    """Looks for a marking that is sought. Whatever is found has been checked on the whole net."""
    quick = run_to(net, lambda marking: holds(sought, marking), min(FIRST_MARKINGS, max_markings), deadline)
    if quick is not None:
        return _told(net, sought, quick)
    counted = _count(net, sought, deadline)
    if isinstance(counted, Unreachable):
        return counted
    for counts in counted:
        run = order_firings(net, counts, MAX_ORDERS, deadline)
        if run is not None:
            return _told(net, sought, run)
    plain = read_invariant(net, sought, deadline)
    if plain is not None:
        return plain
    more = run_to(net, lambda marking: holds(sought, marking), max_markings, deadline)
    if more is not None:
        return _told(net, sought, more)
    invariant = find_invariant(net, sought, deadline)
    if invariant is not None:
        return invariant
    return Open(
        f"no run among {max_markings:,} markings gets there; neither counting nor an invariant excludes it"
    )


def _told(net: PetriNet, sought: Predicate, found: tuple[int, ...] | Exhausted) -> Found:
    if isinstance(found, Exhausted):
        return found
    marking = after_firings(net, found)
    if marking is None or not holds(sought, marking):
        return Open("a run was found that does not replay; please report this")
    return Reached(found)


def _count(net: PetriNet, sought: Predicate, deadline: Deadline) -> Unreachable | list[tuple[int, ...]]:
    """Refutes by counting; or gives counts that could be those of runs."""
    try:
        goals = cases(sought, len(net.places))
    except TooManyCases:
        return count_at_once(net, sought, deadline)
    found: list[tuple[int, ...]] = []
    cuts: dict[Cut, None] = {}
    is_open = False
    for goal in goals:
        answer = _count_in_slice(net, goal, deadline)
        if isinstance(answer, Unreachable):
            cuts.update(dict.fromkeys(answer.cuts))
        else:
            is_open = True
            found += [] if isinstance(answer, Open) else [answer]
    if not is_open and all(confirms(net, goal, tuple(cuts), deadline) for goal in goals):
        return Unreachable(tuple(cuts))
    return found


def _count_in_slice(
    net: PetriNet, goal: Conjunction, deadline: Deadline
) -> Unreachable | tuple[int, ...] | Open:
    part = slice_for(net, goal)
    if not part.is_reachable:
        return Unreachable(part.cuts)
    answer = count_firings(part.net(net), restrict(goal, part.places), deadline)
    if isinstance(answer, Unreachable):
        kept = (Cut(cut.kind, frozenset(part.places[p] for p in cut.places)) for cut in answer.cuts)
        return Unreachable((*part.cuts, *kept))
    if isinstance(answer, Open):
        return answer
    firings = dict(zip(part.transitions, answer, strict=True))
    return tuple(firings.get(index, 0) for index in range(len(net.transitions)))


def refutes(net: PetriNet, sought: Predicate, cuts: tuple[Cut, ...], deadline: Deadline) -> bool:
    """Whether the state equation and these cuts exclude what is sought, asked afresh."""
    solver = _question(net, sought)
    for cut in cuts:
        solver.add(clause(net, cut))
    return isinstance(solver.solve((), deadline), NoSolution)


def count_at_once(
    net: PetriNet, sought: Predicate, deadline: Deadline
) -> Unreachable | list[tuple[int, ...]]:
    answer = settle_counts(net, _question(net, sought), deadline)
    if isinstance(answer, Unreachable):
        return answer if refutes(net, sought, answer.cuts, deadline) else []
    return [] if isinstance(answer, Open) else [answer]


def _question(net: PetriNet, sought: Predicate) -> NaturalSolver:
    """Counts of firings whose final marking is sought."""
    solver = ask_for_counts(net)
    found, more = clauses(sought, len(net.places))
    values = [*final_marking(net), *(total([solver.variable()]) for _ in range(more))]
    for each in found:
        solver.add(
            tuple(
                Constraint(
                    combination(
                        ((c, values[variable]) for variable, c in part.form.terms), part.form.constant
                    ),
                    part.relation,
                )
                for part in each
            )
        )
    return solver
