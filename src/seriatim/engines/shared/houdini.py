"""Finds which of many facts hold at the start, and after every step if they hold before it.

Claim: what `keep_inductive` leaves holds in every reachable configuration. It begins with more than that, and
drops whatever does not follow after some step from what is left, until everything does (Houdini). Facts are
about any k requests at rest, for any number of requests (`seriatim.program.symbolic.invariant`). Sums that no
step changes are kept and dropped in the same way.
"""

from seriatim.arithmetic.smt_text import script, script_with_names
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask, refute
from seriatim.arithmetic.terms import FALSE, TRUE, Name, Sort, Term, both, equal, implies, negate
from seriatim.budget import Deadline
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.invariant import Invariant, View
from seriatim.program.symbolic.moves import Doings, Move, Policy, Resting

Facts = dict[View, list[Term]]
"""Candidate facts about requests at rest, for each choice of at most k points."""


def keep_inductive(
    policy: Policy, level: int, facts: Facts, deadline: Deadline, flows: tuple[Flow, ...] = ()
) -> Invariant:
    """The facts that hold at the start and follow after every step from those that hold before it."""
    houdini = _Houdini(policy, level, facts, flows, Solver(deadline))
    houdini.drop_at_the_start()
    while houdini.drop_flow() or houdini.drop_some():
        pass
    return houdini.invariant


class Solver:
    """Decides whether something follows; "unknown" counts as no."""

    def __init__(self, deadline: Deadline) -> None:
        self.deadline = deadline
        self._known: dict[tuple[Term, Term], bool] = {}

    def follows(self, known: Term, fact: Term) -> bool:
        if known == FALSE or implies(known, fact) == TRUE:
            return True
        key = (known, fact)
        if key not in self._known:
            answer = ask(script([known, negate(fact)]), SolverName.Z3, self.deadline)
            self._known[key] = answer is SolverAnswer.UNSATISFIABLE
        return self._known[key]

    def following(self, known: Term, facts: list[Term]) -> list[bool]:
        """Whether each fact follows; a counterexample to one often refutes many."""
        found = [self._at_once(known, fact) for fact in facts]
        while unknown := [place for place, answer in enumerate(found) if answer is None]:
            wrong = self._wrong(known, [facts[place] for place in unknown])
            for place, is_wrong in zip(unknown, wrong, strict=True):
                if is_wrong or not any(wrong):
                    found[place] = self._known[known, facts[place]] = not is_wrong
        return [bool(answer) for answer in found]

    def _at_once(self, known: Term, fact: Term) -> bool | None:
        if known == FALSE or implies(known, fact) == TRUE:
            return True
        return self._known.get((known, fact))

    def _wrong(self, known: Term, facts: list[Term]) -> list[bool]:
        """Which facts a single counterexample refutes; None if all facts follow."""
        flags = [Name(f"fact{place}", Sort.BOOL) for place in range(len(facts))]
        meanings = [equal(flag, fact) for flag, fact in zip(flags, facts, strict=True)]
        text, names = script_with_names([known, *meanings, negate(both(*flags))])
        wrong = refute(text, [names[flag.name] for flag in flags], self.deadline)
        if wrong is None:
            return [not self.follows(known, fact) for fact in facts]
        return list(wrong)


class _Houdini:
    def __init__(
        self, policy: Policy, level: int, facts: Facts, flows: tuple[Flow, ...], solver: Solver
    ) -> None:
        self.policy = policy
        self.model = policy.model
        self.level = level
        self.facts = facts
        self.solver = solver
        self.invariant = Invariant(policy, level, {view: both(*each) for view, each in facts.items()}, flows)

    def drop_at_the_start(self) -> None:
        initial = {name: self.model.initial[name] for name in self.model.variables}
        serial = {name: initial[name] for name in self.policy.variables}
        self.keep((), [self.alone((), fact).holds(initial, serial, ()) == TRUE for fact in self.facts[()]])

    def drop_flow(self) -> bool:
        """Drops sums that a step may change, or with weights that may be negative; returns whether it did."""
        for flow in self.invariant.flows:
            if not all(self.solver.follows(known, goal) for _, known, goal in self.invariant.about(flow)):
                self.invariant.flows = tuple(each for each in self.invariant.flows if each != flow)
                return True
        return False

    def drop_some(self) -> bool:
        """Drops facts that do not follow after a step; returns whether it did."""
        is_changed = False
        for others in self.invariant.views():
            for handler in range(len(self.model.routines)):
                is_changed |= self.drop_after(others, None, self.policy.begin(handler))
            for point in range(len(self.model.points)):
                mover = self.invariant.mover(point)
                is_changed |= self.drop_after(others, mover, self.policy.go_on(point))
        return is_changed

    def drop_after(self, others: tuple[Resting, ...], mover: Resting | None, doings: Doings) -> bool:
        is_changed = False
        for move in doings.moves:
            known = self.invariant.before(others if mover is None else (*others, mover))
            if known == FALSE:
                return is_changed
            for requests in self.invariant.after(others, mover, move):
                is_changed |= self.drop(both(known, move.condition), move, requests)
        return is_changed

    def drop(self, known: Term, move: Move, requests: tuple[Resting, ...]) -> bool:
        view = tuple(sorted(each.point for each in requests))
        claimed = [
            self.alone(view, fact).holds(move.globals, move.serial, requests) for fact in self.facts[view]
        ]
        return self.keep(view, self.solver.following(known, claimed))

    def alone(self, view: View, fact: Term) -> Invariant:
        return Invariant(self.policy, self.level, {view: fact})

    def keep(self, view: View, follow: list[bool]) -> bool:
        """Keeps the facts of a view that follow; returns whether some were dropped."""
        kept = [fact for fact, follows in zip(self.facts[view], follow, strict=True) if follows]
        if len(kept) == len(follow):
            return False
        self.facts[view] = kept
        self.invariant.known[view] = both(*kept)
        return True
