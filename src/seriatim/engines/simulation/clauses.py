"""Horn clauses whose solutions are proofs: what holds of the globals, the serial state and any k requests.

Claim: relations that satisfy the clauses hold in every reachable configuration of every choice of at most k
requests that rest somewhere, and then nobody makes a mistake (docs/theory/simulation.md). That there are none
does not mean that a mistake is possible.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, combinations_with_replacement

from seriatim.arithmetic.smt_text import horn_script
from seriatim.arithmetic.solvers.horn import Relations
from seriatim.arithmetic.terms import FALSE, Apply, Name, Sort, Term, both, written_size
from seriatim.budget import Deadline
from seriatim.certificate.simulation import Predicate
from seriatim.program.symbolic.flows import Flow
from seriatim.program.symbolic.invariant import View
from seriatim.program.symbolic.model import global_name, local_name, other_name, serial_name
from seriatim.program.symbolic.moves import Doings, Mistake, Move, Policy, Resting
from seriatim.terms.logic import constant, make
from seriatim.terms.smt import read_answer

QUERY = "mistake"

MAX_CLAUSES = 20_000
MAX_SIZE = 1_000_000
"""The most symbols in all clauses."""


class TooManyClauses(Exception):
    """There are too many clauses to try."""


class Clauses:
    def __init__(
        self,
        policy: Policy,
        level: int,
        deadline: Deadline,
        only: Mistake | None = None,
        flows: tuple[Flow, ...] = (),
    ) -> None:
        self.policy = policy
        self.flows = flows
        """Sums that no step changes, whatever formulas say."""
        self.only = only
        """The mistake that is to be excluded; all of them if it is None."""
        self.model = policy.model
        self.level = level
        self.deadline = deadline
        self.globals: dict[str, Term] = {name: global_name(name) for name in self.model.variables}
        self.serial: dict[str, Term] = {name: serial_name(name) for name in policy.variables}
        self.views: list[View] = [
            view
            for size in range(level + 1)
            for view in combinations_with_replacement(range(len(self.model.points)), size)
        ]
        self.rules: list[tuple[Term, Apply]] = []
        self.size = 0
        self._add_all()

    def text(self) -> tuple[str, dict[str, str]]:
        return horn_script(self.rules)

    def predicates(self, found: Relations, known: Mapping[str, str]) -> tuple[Predicate, ...]:
        """A solution as formulas; raises `NoTerm`."""
        by_name = {name: short for short, name in known.items()}
        predicates: list[Predicate] = []
        for view in self.views:
            term = found.found.get(by_name.get(_relation(view), ""), False)
            arguments: list[Term] = [*self.arguments(view)]
            formula = read_answer(term, arguments, constant, make)
            if formula != FALSE:
                predicates.append(Predicate(view, formula))
        return tuple(predicates)

    def arguments(self, view: View) -> list[Name]:
        """Returns what a formula about a view speaks of."""
        found = [global_name(name) for name in self.model.variables]
        found += [serial_name(name) for name in self.policy.variables]
        for place, point in enumerate(view):
            found += [other_name(place, name) for name in self.policy.names(point)]
        return found

    # Rules

    def _add_all(self) -> None:
        initial = {name: self.model.initial[name] for name in self.globals}
        serial = {name: initial[name] for name in self.serial}
        self._add([], both(), self._apply(initial, serial, []))
        movers = [self.policy.begin(handler) for handler in range(len(self.model.routines))]
        for point in range(len(self.model.points)):
            self._add_mistakes([self._mover(point)], self.policy.go_on(point))
        for doings in movers:
            self._add_mistakes([], doings)
        for view in self.views:
            others = [self._other(place, point) for place, point in enumerate(view)]
            for doings in movers:
                self._add_moves(others, None, doings)
            for point in range(len(self.model.points)):
                self._add_moves(others, self._mover(point), self.policy.go_on(point))
            self._add_forgetting(others)

    def _other(self, place: int, point: int) -> Resting:
        return Resting(point, {name: other_name(place, name) for name in self.policy.names(point)})

    def _mover(self, point: int) -> Resting:
        return Resting(point, {name: local_name(name) for name in self.policy.names(point)})

    def _premises(self, requests: list[Resting]) -> list[Term]:
        """Collects what holds before a step, of any k of these requests; and of sums, of all of them."""
        known = [flow.at_most_total(self.model, tuple(requests)) for flow in self.flows]
        chosen = combinations(requests, min(self.level, len(requests)))
        return [*known, *(self._apply(self.globals, self.serial, list(each)) for each in chosen)]

    def _add_mistakes(self, mover: list[Resting], doings: Doings) -> None:
        for mistake in doings.mistakes:
            if self.only is None or mistake is self.only:
                self._add_mistake(mover, mistake)

    def _add_mistake(self, mover: list[Resting], mistake: Mistake) -> None:
        self._add(self._premises(mover), mistake.condition, Apply(QUERY, (), Sort.BOOL))

    def _add_moves(self, others: list[Resting], mover: Resting | None, doings: Doings) -> None:
        premises = self._premises(others if mover is None else [*others, mover])
        for move in doings.moves:
            for head in self._heads(others, move):
                self._add(premises, move.condition, head)

    def _heads(self, others: list[Resting], move: Move) -> Iterator[Apply]:
        """The heads of clauses after a step, with the mover where possible; another clause forgets it."""
        if move.after is not None and len(others) < self.level:
            yield self._apply(move.globals, move.serial, [*others, move.after])
        elif move.changes:
            yield self._apply(move.globals, move.serial, others)

    def _add_forgetting(self, others: list[Resting]) -> None:
        """Adds clauses that forget requests, and exchange those at the same point."""
        here: list[Term] = [self._apply(self.globals, self.serial, others)]
        for gone in range(len(others)):
            rest = others[:gone] + others[gone + 1 :]
            self._add(here, both(), self._apply(self.globals, self.serial, rest))
        for place in range(len(others) - 1):
            one, other = others[place : place + 2]
            if one.point == other.point:
                swapped = [*others[:place], other, one, *others[place + 2 :]]
                self._add(here, both(), self._apply(self.globals, self.serial, swapped))

    def _apply(
        self, globals_: Mapping[str, Term], serial: Mapping[str, Term], requests: list[Resting]
    ) -> Apply:
        ordered = sorted(requests, key=lambda each: each.point)
        arguments = [globals_[name] for name in self.model.variables]
        arguments += [serial[name] for name in self.policy.variables]
        for each in ordered:
            arguments += [each.values[name] for name in self.policy.names(each.point)]
        return Apply(_relation(tuple(each.point for each in ordered)), tuple(arguments), Sort.BOOL)

    def _add(self, premises: list[Term], condition: Term, head: Apply) -> None:
        self.deadline.check()
        if len(self.rules) == MAX_CLAUSES:
            raise TooManyClauses(f"a proof would need more than {MAX_CLAUSES:,} clauses")
        body = both(*premises, condition)
        self.size += written_size(body) + written_size(head)
        if self.size > MAX_SIZE:
            raise TooManyClauses(f"a proof would need clauses with more than {MAX_SIZE:,} symbols")
        self.rules.append((body, head))


def _relation(view: View) -> str:
    return f"view {' '.join(map(str, view))}"
