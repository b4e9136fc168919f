"""Finds facts of a proof: candidates that small runs do not refute and that prove each other."""

from collections.abc import Iterable
from dataclasses import replace

from seriatim.actions.configurations import Reached, TooLarge
from seriatim.actions.expressions import Expression, Quantified
from seriatim.actions.syntax import ActionProgram, Fact, Proof, Term, When
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.assumptions import Condition
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.candidates import always_candidates, when_candidates
from seriatim.sequencing.facts import applies, holds
from seriatim.sequencing.gates import plain_gates
from seriatim.sequencing.parts import conditions_about
from seriatim.sequencing.small import MAX_SMALL, Small
from seriatim.source import Span
from seriatim.terms.expressions import Apply

_FIRST = 1_000_000
"""The line of the first candidate; no program is that long."""


def _place(number: int) -> Span:
    return Span(_FIRST + number, 1, _FIRST + number, 1)


def find_facts(program: ActionProgram, proof: Proof, runs: list[Small], deadline: Deadline) -> Proof:
    """Adds facts to a proof: first `always`, then `when`."""
    always = _true_always(program, runs, deadline)
    proof = replace(proof, always=(*proof.always, *always))
    proof = _keep(program, proof, frozenset({Premise.ALWAYS}), deadline)
    proof = replace(proof, when=(*proof.when, *_true_when(program, proof, runs)))
    return _keep(program, proof, frozenset({Premise.INITIAL, Premise.ORDER}), deadline)


def _true_always(program: ActionProgram, runs: Iterable[Small], deadline: Deadline) -> list[Fact]:
    """Candidates that hold in all configurations of small runs of the program."""
    facts = [Fact(each, _place(number)) for number, each in enumerate(always_candidates(program))]
    for small in runs:
        try:
            reached = Reached(small.interpreter, MAX_SMALL, deadline)
        except TooLarge:
            continue
        for state, pending in reached.configurations:
            facts = [f for f in facts if small.interpreter.holds(f.condition, state, state, pending, {})]
    return facts


def _true_when(program: ActionProgram, proof: Proof, runs: Iterable[Small]) -> list[When]:
    """Candidates that hold in all configurations of small runs in the order; weaker ones are left out."""
    found = [
        replace(each, span=_place(number))
        for number, each in enumerate(dict.fromkeys(when_candidates(program, proof.actions)), 10_000)
    ]
    for small in runs:
        for prefix in small.report.prefixes:
            found = [each for each in found if not applies(each, prefix) or holds(small, each, prefix)]
    known = {(each.action, _widen(each.condition)) for each in found if _is_everywhere(each.condition)}
    return [
        each
        for each in found
        if _is_everywhere(each.condition) or (each.action, _widen(each.condition)) not in known
    ]


def _widen(condition: Expression) -> Expression:
    """Widens a condition about a stretch to the whole range."""
    match condition:
        case Quantified(for_all=True, binders=binders, body=Apply(op="==>", arguments=(_, right))):
            return Quantified(True, binders, right)
        case _:
            return condition


def _is_everywhere(condition: Expression) -> bool:
    return _widen(condition) == condition


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
    for each in discharge_all(conditions, SolverName.Z3, deadline):
        if each.status is not Status.PROVED:
            yield each.condition
