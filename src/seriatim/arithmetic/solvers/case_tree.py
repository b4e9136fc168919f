"""Finds proofs by cases that a question about counts has no answer, in integers and without a solver.

`seriatim.arithmetic.case_proofs` says what such a proof consists of, and `seriatim.checking.cases` why one is
believed; here one is found. Each case is a list of constraints, to which the simplex method finds a smallest
solution in rationals:

- none: the method says which sum of constraints is absurd, and the case is closed;
- one whose outcome is in a set to avoid: a case for each way to be outside of it;
- one that breaks a clause: a case for each alternative of the clause;
- else, if it is not in integers: a constraint is rounded, which excludes the solution.

Any order is sound, but a bad one multiplies cases: a clause that has nothing to do with why a case is absurd
doubles what is to be done below it. So a set comes before any clause, and of clauses the one that a proof
needed last comes first.

Each step excludes the solution at hand. A set is used once on the way to a case: if an outcome is in it
again, its conditions have been excluded, but with quotients that are no integers. That the steps end is not
promised, so they are counted.

What does not matter is left out afterwards: if one case of a node is closed without any constraint of its
own, its proof is one for the whole node.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Question, Rounded
from seriatim.arithmetic.formula import Constraint, Form, at_least, combination, round_form
from seriatim.arithmetic.linear_sets import Vector, outside
from seriatim.arithmetic.solvers.simplex import Tableau, TooMuchWork, Work

MAX_DEPTH = 200
"""The most nodes on the path to a case."""

MAX_BITS = 1_000
"""The most bits of a number in a constraint or a sum, so that sums stay within the checker's own bound."""


class HasAnswer(Exception):
    """Raised when a question has an answer, so that no proof exists; `values` is one for each variable."""

    def __init__(self, values: tuple[int, ...]) -> None:
        super().__init__()
        self.values = values


def find_proof(question: Question, work: Work) -> tuple[CaseNode, ...] | None:
    """A proof that the question has no answer; None if it takes too long to find.

    Its rows are those of the question and of its region, and then those of the cases, as the nodes introduce
    them. Raises `HasAnswer`, and `OutOfBudget` after the deadline.
    """
    search = _TreeSearch(question, work)
    case = _Case(Tableau(work), frozenset(), 0)
    region = (row for index, part in sorted(question.region) for row in search.outside(index)[part])
    try:
        first = tuple(search.add(case, constraint) for constraint in (*question.rows, *region))
        proof = search.prove(case)
    except TooMuchWork:
        return None
    return tuple(_numbered(proof, first))


@dataclass(frozen=True, slots=True)
class _Case:
    tableau: Tableau
    used: frozenset[int]
    """The sets used so far, by index."""
    depth: int


@dataclass(frozen=True, slots=True)
class _Proof:
    """A proof of one case. Numbers of constraints are never reused."""

    node: CaseNode
    """The node; its sums use these numbers."""
    cases: tuple[tuple[tuple[int, ...], "_Proof"], ...]
    """The constraints of each case, and its proof."""
    needed: frozenset[int]
    """The constraints from before that the proof relies on."""


class _TreeSearch:
    def __init__(self, question: Question, work: Work) -> None:
        self.question = question
        self.work = work
        self.constraints: list[Constraint] = []
        self.variables = question.variables
        self.cuts = dict(enumerate(question.clauses))
        """The clauses. The one that is to be tried first comes last."""
        self.outside = cache(self._outside)

    def _outside(self, index: int) -> tuple[tuple[Constraint, ...], ...]:
        return tuple(outside(self.question.sets[index], self.question.outcome, self._variable))

    def _variable(self) -> int:
        self.variables += 1
        return self.variables - 1

    def add(self, case: _Case, constraint: Constraint) -> int:
        """The number of a constraint that the case has from now on."""
        number = len(self.constraints)
        _keep_short(constraint.form.constant, *(coefficient for _, coefficient in constraint.form.terms))
        self.constraints.append(constraint)
        case.tableau.add(number, constraint)
        return number

    def prove(self, case: _Case) -> _Proof:
        """Proves a case; raises `TooMuchWork` if it takes too long."""
        if case.depth > MAX_DEPTH:
            raise TooMuchWork
        absurd = case.tableau.solve()
        if absurd is not None:
            _keep_short(*absurd.values())
            return _Proof(Absurd(tuple(sorted(absurd.items()))), (), frozenset(absurd))
        self.work.spend(1 + (len(self.cuts) + len(self.question.avoided)) // 10)
        outcome = self._integral_outcome(case.tableau)
        if outcome is not None:
            for index in self.question.avoided:
                if index not in case.used and self.question.sets[index].holds(outcome):
                    inside = _Case(case.tableau, case.used | {index}, case.depth)
                    return self.split(inside, ByCover(index + 1), self.outside(index))
        for index in reversed(self.cuts):
            if not any(map(case.tableau.satisfies, self.cuts[index])):
                return self.split_by_cut(case, index)
        return self.round(case)

    def split_by_cut(self, case: _Case, index: int) -> _Proof:
        node = ByCut(index + 1)
        proof = self.split(case, node, ((constraint,) for constraint in self.cuts[index]))
        if proof.node == node:  # Else some case was closed without it.
            self.cuts[index] = self.cuts.pop(index)
        return proof

    def _integral_outcome(self, tableau: Tableau) -> Vector | None:
        values = [tableau.value(form) for form in self.question.outcome]
        return tuple(map(int, values)) if all(value.denominator == 1 for value in values) else None

    def round(self, case: _Case) -> _Proof:
        """Continues with a rounded constraint that excludes the current solution."""
        rounding = case.tableau.rounding()
        if rounding is None:
            raise HasAnswer(self.values(case.tableau))
        multiples, divisor = rounding
        _keep_short(divisor, *multiples.values())
        form = combination((times, self.constraints[n].form) for n, times in multiples.items())
        node = Rounded(tuple(sorted(multiples.items())), divisor)
        return self.split(case, node, [(at_least(round_form(form, divisor), 0),)])

    def values(self, tableau: Tableau) -> tuple[int, ...]:
        """The solution at hand, which is in integers."""
        each = range(self.question.variables)
        return tuple(int(tableau.value(Form(((variable, 1),)))) for variable in each)

    def split(self, case: _Case, node: CaseNode, parts: Iterable[tuple[Constraint, ...]]) -> _Proof:
        """One case after the other, unless one can be closed without what makes it one."""
        needed = {number for number, _ in node.sum} if isinstance(node, Rounded) else set()
        cases: list[tuple[tuple[int, ...], _Proof]] = []
        for part in parts:
            inner = _Case(case.tableau.copy(), case.used, case.depth + 1)
            own = tuple(self.add(inner, constraint) for constraint in part)
            proof = self.prove(inner)
            if proof.needed.isdisjoint(own):
                return proof
            cases.append((own, proof))
            needed |= proof.needed.difference(own)
        return _Proof(node, tuple(cases), frozenset(needed))


def _keep_short(*numbers: int) -> None:
    if any(number.bit_length() > MAX_BITS for number in numbers):
        raise TooMuchWork


def _numbered(proof: _Proof, first: tuple[int, ...]) -> Iterator[CaseNode]:
    """The nodes, each followed by those of its cases; constraints by their place among those of the case."""
    pending = [(proof, first)]
    while pending:
        current, constraints = pending.pop()
        rows = {number: row for row, number in enumerate(constraints, 1)}
        match current.node:
            case Absurd(sum=multiples):
                yield Absurd(_in_rows(multiples, rows))
            case Rounded(sum=multiples, divisor=divisor):
                yield Rounded(_in_rows(multiples, rows), divisor)
            case node:
                yield node
        pending.extend((inner, (*constraints, *own)) for own, inner in reversed(current.cases))


def _in_rows(multiples: Multiples, rows: dict[int, int]) -> Multiples:
    return tuple((rows[number], times) for number, times in multiples)
