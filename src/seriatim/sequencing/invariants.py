"""Finds facts of a proof: candidates that small runs do not refute and that prove each other."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.expressions import Expression
from seriatim.actions.printer import expression_text
from seriatim.actions.syntax import ActionProgram, Fact, Proof, Term, When
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.terms import both
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import Condition
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge, holds_quickly
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.candidates import always_candidates
from seriatim.sequencing.facts import applies, holds
from seriatim.sequencing.gates import plain_gates
from seriatim.sequencing.next_facts import Group, Place, places, with_parts
from seriatim.sequencing.parts import conditions_about
from seriatim.sequencing.small import MAX_SMALL, Execution, Small, executions
from seriatim.source import Span
from seriatim.terms.expressions import FALSE, TRUE, Apply

LITTLE_WORK = 400_000
"""The work of a solver, in its own units, for one question about candidates."""

_FIRST = 1_000_000
"""The line of the first candidate; no program is that long."""


def _place(number: int) -> Span:
    return Span(_FIRST + number, 1, _FIRST + number, 1)


def find_facts(program: ActionProgram, proof: Proof, runs: list[Small], deadline: Deadline) -> Proof:
    """Adds facts to a proof: first `always`, then `when`."""
    always = _true_always(program, runs, deadline)
    proof = replace(proof, always=(*proof.always, *always))
    proof = _keep(program, proof, frozenset({Premise.ALWAYS}), deadline)
    seen = [Execution(small.interpreter, small.report.prefixes) for small in runs]
    seen += executions(program, proof, deadline)
    found = _true_when(program, proof, seen, deadline)
    numbered = (replace(each, span=_place(10_000 + number)) for number, each in enumerate(found))
    proof = replace(proof, when=(*proof.when, *numbered))
    proof = _keep(program, proof, frozenset({Premise.INITIAL, Premise.ORDER}), deadline)
    ranks = {name: number for number, name in enumerate((*proof.order.names, None))}
    short_first = sorted(
        proof.when, key=lambda each: (ranks[each.action], len(expression_text(each.condition)))
    )
    return replace(proof, when=tuple(short_first))


def _true_always(program: ActionProgram, runs: Iterable[Small], deadline: Deadline) -> list[Fact]:
    """Candidates that hold in all configurations of small runs of the program."""
    facts = [Fact(each, _place(number)) for number, each in enumerate(always_candidates(program))]
    for small in runs:
        try:
            reached = Reached(small.interpreter, MAX_SMALL, deadline)
        except TooLarge:
            continue
        for state, pending in reached.configurations:
            deadline.check()
            facts = [f for f in facts if small.interpreter.holds(f.condition, state, state, pending, {})]
    return facts


def _true_when(program: ActionProgram, proof: Proof, seen: list[Execution], deadline: Deadline) -> list[When]:
    """Candidates that hold in all configurations of small runs in the order: general ones, then those that
    hold in one case only."""
    found: dict[tuple[str | None, Expression], When] = {}
    for place in places(program, proof.actions):
        general = _Choice(place, seen, None, deadline)
        for group in place.groups():
            general.choose(group, ())
        chosen = [place.when(each) for each in general.facts]
        for case in place.cases():
            special = _Choice(place, seen, case, deadline)
            for number, group in enumerate(place.groups()):
                special.choose(group, general.covered[number])
            chosen += [place.when(Apply("==>", (case, each))) for each in special.facts]
        stated = list(place.stated())
        for case in place.cases_of_what_is_stated():
            special = _Choice(place, seen, case, deadline)
            for group in stated:
                special.choose(group, ())
            told = [each for each in special.facts if each not in (case, *general.facts)]
            chosen += [place.when(Apply("==>", (case, each))) for each in told]
        found.update({(each.action, each.condition): each for each in chosen})
    return list(found.values())


class _Choice:
    """The first true fact of each group, and of each part of an array."""

    def __init__(
        self, place: Place, seen: list[Execution], case: Expression | None, deadline: Deadline
    ) -> None:
        self.deadline = deadline
        self.place = place
        self.where = [
            (execution, prefix)
            for execution in seen
            for prefix in execution.prefixes
            if applies(place.when(TRUE), prefix)
            and (case is None or holds(execution, place.when(case), prefix))
        ]
        self.facts: list[Expression] = []
        self.covered: list[frozenset[int]] = []
        """For each group, the parts about which something is known."""
        self.stronger: frozenset[int] = frozenset()
        """The same for the last group that is not weaker than one before it."""

    def choose(self, group: Group, known: Iterable[int]) -> None:
        covered = frozenset(known)
        if group.is_weaker and 0 in self.stronger:
            covered = with_parts(frozenset((0,)))
        for number, stretch in enumerate(self.place.stretches(group) if self.where else ()):
            if number in covered or self._is_true(group.fact(stretch, FALSE)):
                continue
            fact = next((each for each in self._facts(group, stretch) if self._is_true(each)), None)
            if fact is not None:
                self.facts.append(fact)
                covered = with_parts(covered | {number})
        self.covered.append(covered)
        if not group.is_weaker:
            self.stronger = covered

    def _facts(self, group: Group, stretch: Expression) -> Iterable[Expression]:
        return (group.fact(stretch, option) for option in group.options)

    def _is_true(self, fact: Expression) -> bool:
        self.deadline.check()
        when = self.place.when(fact)
        return all(holds(execution, when, prefix) for execution, prefix in self.where)


def _keep(program: ActionProgram, proof: Proof, premises: frozenset[Premise], deadline: Deadline) -> Proof:
    """Drops candidates that do not follow from the others, until all that are left do."""
    counts = tuple(Term(name, True) for name in proof.actions)
    while True:
        whole = replace(proof, gates=plain_gates(proof), measure=counts)
        conditions = conditions_about(Conditions(program, whole), premises, proof.actions)
        asked = [each for each in conditions if each.line >= _FIRST]
        wrong = {each.line for each in _open(asked, deadline)}
        if not wrong:
            return proof
        proof = replace(
            proof,
            always=tuple(each for each in proof.always if each.span.line not in wrong),
            when=tuple(each for each in proof.when if each.span.line not in wrong),
        )


def _open(conditions: list[Condition], deadline: Deadline) -> Iterable[Condition]:
    """Conditions that no solver proves: asked with little work and all together first, then in halves."""
    for _, group in groupby(conditions, key=lambda each: each.hypotheses):
        yield from _open_of(list(group), deadline)


def _open_of(conditions: list[Condition], deadline: Deadline) -> Iterable[Condition]:
    whole = replace(conditions[0], goal=both(*(each.goal for each in conditions)))
    if holds_quickly(whole, SolverName.Z3, deadline, LITTLE_WORK):
        return
    if len(conditions) == 1:
        if discharge(conditions[0], SolverName.Z3, deadline).status is not Status.PROVED:
            yield conditions[0]
        return
    half = len(conditions) // 2
    yield from _open_of(conditions[:half], deadline)
    yield from _open_of(conditions[half:], deadline)
