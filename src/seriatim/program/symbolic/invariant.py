"""Formulas about the globals, a serial state and any k requests at rest, and what has to follow from them.

If the formulas hold at the start, and after every step that is possible where they hold before, they hold in
all reachable configurations, of every choice of at most k requests (docs/theory/simulation.md). With a policy
they are about a serial state as well, and exclude mistakes. Sums that no step changes may help
(`seriatim.program.symbolic.flows`): that no step does follows from formulas and sums together.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, combinations_with_replacement, groupby, permutations, product

from seriatim.arithmetic.substitution import substitute
from seriatim.arithmetic.terms import FALSE, TRUE, Name, Term, both
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.model import global_name, local_name, other_name, serial_name
from seriatim.program.symbolic.moves import Doings, Move, Policy, Resting

View = tuple[int, ...]
"""The points of some requests, sorted."""

Condition = tuple[str, Term, Term]
"""A claim in words, the known facts, and what has to follow from them."""


class Invariant:
    """A formula for each view; views without one never occur."""

    def __init__(
        self, policy: Policy, level: int, known: dict[View, Term], flows: tuple[Flow, ...] = ()
    ) -> None:
        self.policy = policy
        self.model = policy.model
        self.level = level
        self.known = known
        self.flows = flows

    def holds(
        self, globals_: Mapping[str, Term], serial: Mapping[str, Term], requests: tuple[Resting, ...]
    ) -> Term:
        """Returns what the formulas say about some requests, in every order of requests at the same point."""
        ordered = sorted(requests, key=lambda each: each.point)
        formula = self.known.get(tuple(each.point for each in ordered), FALSE)
        shared: dict[Name, Term] = {global_name(name): value for name, value in globals_.items()}
        shared |= {serial_name(name): value for name, value in serial.items()}
        groups = [list(group) for _, group in groupby(ordered, key=lambda each: each.point)]
        parts: list[Term] = []
        for chosen in product(*(permutations(group) for group in groups)):
            values = dict(shared)
            for place, each in enumerate(request for group in chosen for request in group):
                values |= {other_name(place, name): value for name, value in each.values.items()}
            parts.append(substitute(formula, values))
        return both(*parts)

    # Conditions

    def conditions(self) -> Iterator[Condition]:
        initial = {name: self.model.initial[name] for name in self.model.variables}
        serial = {name: initial[name] for name in self.policy.variables}
        yield "the formulas at the start", TRUE, self.holds(initial, serial, ())
        yield from self.mistakes()
        for flow in self.flows:
            yield from self.about(flow)
        for handler, routine in enumerate(self.model.routines):
            doings = self.policy.begin(handler)
            for view in self.views():
                yield from self.moves(view, None, doings, f"a first step of `{routine.name}`")
        for point in range(len(self.model.points)):
            doings = self.policy.go_on(point)
            what = f"a step of `{self.model.routines[self.model.points[point].handler].name}`"
            for view in self.views():
                yield from self.moves(view, self.mover(point), doings, what)

    def mover(self, point: int) -> Resting:
        """A request at a point that is about to step."""
        return Resting(point, {name: local_name(name) for name in self.policy.names(point)})

    def views(self) -> Iterator[tuple[Resting, ...]]:
        """All choices of at most k requests at rest."""
        for size in range(self.level + 1):
            for view in combinations_with_replacement(range(len(self.model.points)), size):
                yield tuple(
                    Resting(point, {name: other_name(place, name) for name in self.policy.names(point)})
                    for place, point in enumerate(view)
                )

    def before(self, requests: tuple[Resting, ...]) -> Term:
        """Returns what holds before a step, of any at most k of these requests; and of sums, of all of
        them."""
        globals_ = {name: global_name(name) for name in self.model.variables}
        serial = {name: serial_name(name) for name in self.policy.variables}
        known = [flow.at_most_total(self.model, requests) for flow in self.flows]
        for size in range(min(self.level, len(requests)), -1, -1):
            for chosen in combinations(requests, size):
                known.append(self.holds(globals_, serial, chosen))
                if known[-1] == FALSE:
                    return FALSE
        return both(*known)

    def steps(self) -> Iterator[tuple[Resting | None, Move]]:
        """The steps of requests that begin, or rest at a point."""
        for handler in range(len(self.model.routines)):
            yield from ((None, move) for move in self.policy.begin(handler).moves)
        for point in range(len(self.model.points)):
            yield from ((self.mover(point), move) for move in self.policy.go_on(point).moves)

    def about(self, flow: Flow) -> Iterator[Condition]:
        """The conditions that no request weighs less than 0, and that no step changes the sum.

        The first one has to follow from formulas alone, because it is the reason why sums over some requests
        are at most the total."""
        formulas = Invariant(self.policy, self.level, self.known)
        for point in range(len(self.model.points)):
            request = self.mover(point)
            known = formulas.before((request,))
            yield "no request weighs less than 0", known, flow.is_not_negative(request)
        for mover, move in self.steps():
            known = self.before(() if mover is None else (mover,))
            yield "a sum after a step", both(known, move.condition), flow.is_kept(mover, move)

    def mistakes(self) -> Iterator[Condition]:
        """The mistakes to exclude, each by facts about the moving request alone."""
        for handler in range(len(self.model.routines)):
            yield from self._exclude((), self.policy.begin(handler))
        for point in range(len(self.model.points)):
            yield from self._exclude((self.mover(point),), self.policy.go_on(point))

    def _exclude(self, mover: tuple[Resting, ...], doings: Doings) -> Iterator[Condition]:
        known = self.before(mover)
        for mistake in doings.mistakes:
            yield mistake.why, both(known, mistake.condition), FALSE

    def after(
        self, others: tuple[Resting, ...], mover: Resting | None, move: Move
    ) -> Iterator[tuple[Resting, ...]]:
        """The groups of requests about which formulas have to hold after a step."""
        if move.changes or mover is not None:
            yield others
        if move.after is not None and len(others) < self.level:
            yield (*others, move.after)

    def moves(
        self, others: tuple[Resting, ...], mover: Resting | None, doings: Doings, what: str
    ) -> Iterator[Condition]:
        known = self.before(others if mover is None else (*others, mover))
        if known == FALSE:
            return
        for move in doings.moves:
            follows = (
                self.holds(move.globals, move.serial, requests)
                for requests in self.after(others, mover, move)
            )
            yield f"the formulas after {what}", both(known, move.condition), both(*follows)
