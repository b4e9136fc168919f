"""Selects the facts that a proof needs from all facts that hold after every step, so that people can read it.

Beginning with what excludes mistakes, z3 names facts from which each needed one follows after each step;
these are needed as well. What is left is again inductive, and excludes mistakes; the checker confirms both.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

from seriatim.arithmetic.smt_text import script_with_names
from seriatim.arithmetic.solvers.scripts import needed_flags
from seriatim.arithmetic.terms import FALSE, TRUE, Name, Sort, Term, both, implies, negate
from seriatim.budget import Deadline
from seriatim.engines.shared.houdini import Facts
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.invariant import Invariant, View
from seriatim.program.symbolic.model import global_name, serial_name
from seriatim.program.symbolic.moves import Move, Policy, Resting

Fact = tuple[View, Term]
Needed = Fact | Flow
Requests = tuple[Resting, ...]


def keep_needed(
    policy: Policy, level: int, facts: Facts, flows: tuple[Flow, ...], deadline: Deadline
) -> tuple[Facts, tuple[Flow, ...]]:
    """The needed facts and sums; all of them if z3 does not find out which are needed."""
    search = _FactSearch(policy, level, facts, flows, deadline)
    if not search.run():
        return facts, flows
    needed = search.needed
    kept = {view: [fact for fact in known if (view, fact) in needed] for view, known in facts.items()}
    return kept, tuple(flow for flow in flows if flow in needed)


class _FactSearch:
    def __init__(
        self, policy: Policy, level: int, facts: Facts, flows: tuple[Flow, ...], deadline: Deadline
    ) -> None:
        self.policy = policy
        self.model = policy.model
        self.facts = facts
        self.flows = flows
        self.level = level
        self.deadline = deadline
        self.invariant = Invariant(policy, level, {})
        self.globals: dict[str, Term] = {name: global_name(name) for name in self.model.variables}
        self.serial: dict[str, Term] = {name: serial_name(name) for name in policy.variables}
        self.needed: set[Needed] = set()

    def run(self) -> bool:
        """Looks for needed facts; returns whether all were found."""
        if not all(self.explain(before, goal, FALSE) for before, goal in self.mistakes()):
            return False
        explained: set[Needed] = set()
        while fresh := self.needed - explained:
            explained |= fresh
            if not all(self.explain_flow(each) for each in fresh if isinstance(each, Flow)):
                return False
            if not all(self.explain_after(*step, fresh) for step in self.steps()):
                return False
        return True

    def mistakes(self) -> Iterator[tuple[Requests, Term]]:
        for handler in range(len(self.model.routines)):
            yield from (((), each.condition) for each in self.policy.begin(handler).mistakes)
        for point in range(len(self.model.points)):
            mover = (self.invariant.mover(point),)
            yield from ((mover, each.condition) for each in self.policy.go_on(point).mistakes)

    def steps(self) -> Iterator[tuple[Requests, Resting | None, Move]]:
        for others in self.invariant.views():
            for handler in range(len(self.model.routines)):
                yield from ((others, None, move) for move in self.policy.begin(handler).moves)
            for point in range(len(self.model.points)):
                mover = self.invariant.mover(point)
                yield from ((others, mover, move) for move in self.policy.go_on(point).moves)

    def explain_flow(self, flow: Flow) -> bool:
        """Finds why no step changes a sum, and why no weight is negative; the latter without sums."""
        movers = [self.invariant.mover(point) for point in range(len(self.model.points))]
        weighed = [((mover,), flow.is_not_negative(mover)) for mover in movers]
        return all(self.explain(mover, TRUE, goal, ()) for mover, goal in weighed if goal != TRUE) and all(
            self.explain(() if mover is None else (mover,), move.condition, flow.is_kept(mover, move))
            for mover, move in self.invariant.steps()
        )

    def explain_after(self, others: Requests, mover: Resting | None, move: Move, goals: set[Needed]) -> bool:
        """Finds what the goals follow from, after one step."""
        claimed: list[Term] = []
        for requests in self.invariant.after(others, mover, move):
            view = tuple(sorted(each.point for each in requests))
            claimed += [
                self.instance((view, fact), move.globals, move.serial, requests)
                for fact in self.facts[view]
                if (view, fact) in goals
            ]
        before = others if mover is None else (*others, mover)
        return not claimed or self.explain(before, move.condition, both(*claimed))

    def instance(
        self, fact: Fact, globals_: Mapping[str, Term], serial: Mapping[str, Term], requests: Requests
    ) -> Term:
        view, formula = fact
        return Invariant(self.policy, self.level, {view: formula}).holds(globals_, serial, requests)

    def explain(
        self, before: Requests, condition: Term, goal: Term, flows: tuple[Flow, ...] | None = None
    ) -> bool:
        """Finds facts before a step, and sums of all or of these, from which a goal follows under a
        condition."""
        premises: dict[Needed, list[Term]] = {
            flow: [flow.at_most_total(self.model, before)]
            for flow in (self.flows if flows is None else flows)
        }
        for size in range(min(self.level, len(before)) + 1):
            for chosen in combinations(before, size):
                view = tuple(sorted(each.point for each in chosen))
                for fact in self.facts[view]:
                    known = self.instance((view, fact), self.globals, self.serial, chosen)
                    premises.setdefault((view, fact), []).append(known)
        flags = {Name(f"fact{place}", Sort.BOOL): fact for place, fact in enumerate(premises)}
        meanings = [implies(flag, both(*premises[fact])) for flag, fact in flags.items()]
        text, names = script_with_names([*meanings, condition, negate(goal)])
        known_flags = {names[flag.name]: fact for flag, fact in flags.items() if flag.name in names}
        core = needed_flags(text, list(known_flags), self.deadline)
        if core is None:
            return False
        self.needed |= {known_flags[flag] for flag in core}
        return True
