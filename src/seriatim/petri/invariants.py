"""Invariants of nets by property-directed reachability: they hold everywhere and exclude what is sought.

z3's Spacer looks for the formula, and nobody believes it: the formula has to hold at the start, each
transition has to keep it, and no marking that satisfies it may be sought. A solver confirms each of these.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from seriatim.arithmetic.formula import Constraint, Form, Relation
from seriatim.arithmetic.solvers.horn import Relations, Term, solve_horn
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.arithmetic.solvers.validity import is_contradictory
from seriatim.budget import Deadline
from seriatim.petri.net import PetriNet, Transition
from seriatim.petri.queries import All, Not, Predicate, Some

MAX_WORK = 60_000_000
"""How much work, as z3 counts it, the search for an invariant may take: up to a minute."""

INVARIANT, SOUGHT = "inv", "sought"


@dataclass(frozen=True, slots=True)
class NetInvariant:
    """A formula that every reachable marking satisfies and that excludes what is sought, part by part.

    Place p is the variable `!p`; that no place has less than 0 tokens is understood.
    """

    parts: tuple[Term, ...]


def find_invariant(net: PetriNet, sought: Predicate, deadline: Deadline) -> NetInvariant | None:
    """Finds an invariant that excludes what is sought, and checks it."""
    found = solve_horn(horn_clauses(net, sought), SOUGHT, deadline, MAX_WORK)
    if not isinstance(found, Relations) or INVARIANT not in found.found:
        return None
    invariant = NetInvariant(tuple(_conjuncts(found.found[INVARIANT])))
    return invariant if is_invariant(net, sought, invariant, deadline) else None


def _conjuncts(term: Term) -> Iterator[Term]:
    if isinstance(term, tuple) and term[0] == "and":
        for each in term[1]:
            yield from _conjuncts(each)
    else:
        yield term


def horn_clauses(net: PetriNet, sought: Predicate) -> str:
    """The net as rules: the start and every step lead into the relation; what is sought must not be in it."""
    places = _names(net)
    here = f"({INVARIANT} {' '.join(places)})"
    natural = " ".join(f"(>= {place} 0)" for place in places)
    lines = [f"(declare-rel {INVARIANT} ({' '.join('Int' for _ in places)}))", f"(declare-rel {SOUGHT} ())"]
    lines += [f"(declare-var {place} Int)" for place in places]
    lines.append(f"(rule ({INVARIANT} {' '.join(map(str, net.initial))}))")
    for transition in net.transitions:
        after = " ".join(_after(transition, places))
        lines.append(
            f"(rule (=> (and {here} {natural} {_enabled(transition, places)}) ({INVARIANT} {after})))"
        )
    lines.append(f"(rule (=> (and {here} {natural} {predicate_text(sought, places)}) {SOUGHT}))")
    return "\n".join(lines)


def is_invariant(net: PetriNet, sought: Predicate, invariant: NetInvariant, deadline: Deadline) -> bool:
    """Whether a formula is an invariant of the whole net that excludes what is sought."""
    places = _names(net)
    start = [f"(assert (not {_all(_text(part, list(map(str, net.initial))) for part in invariant.parts)}))"]
    questions = [start]
    for transition in net.transitions:
        later = _all(_text(part, _after(transition, places)) for part in invariant.parts)
        enabled = f"(assert (and true {_enabled(transition, places)}))"
        questions.append([*_where_it_holds(net, invariant), enabled, f"(assert (not {later}))"])
    asked = Questions()
    return excludes(net, sought, invariant, deadline) and all(
        is_contradictory("\n".join(lines), SolverName.Z3, deadline, asked) is True for lines in questions
    )


def excludes(net: PetriNet, sought: Predicate, invariant: NetInvariant, deadline: Deadline) -> bool:
    """Whether no marking that satisfies a formula is sought."""
    lines = [*_where_it_holds(net, invariant), f"(assert {predicate_text(sought, _names(net))})"]
    return is_contradictory("\n".join(lines), SolverName.Z3, deadline, Questions()) is True


def _where_it_holds(net: PetriNet, invariant: NetInvariant) -> list[str]:
    places = _names(net)
    declared = [f"(declare-const {place} Int)\n(assert (>= {place} 0))" for place in places]
    return [*declared, *(f"(assert {_text(part, places)})" for part in invariant.parts)]


def _names(net: PetriNet) -> list[str]:
    return [f"x{place}" for place in range(len(net.places))]


def _enabled(transition: Transition, places: Sequence[str]) -> str:
    needs = sorted(Counter(transition.pre).items())
    return " ".join(f"(>= {places[place]} {weight})" for place, weight in needs)


def _after(transition: Transition, places: Sequence[str]) -> list[str]:
    changes = Counter(transition.post)
    changes.subtract(transition.pre)
    return [
        f"(+ {name} {_number(changes[place])})" if changes[place] else name
        for place, name in enumerate(places)
    ]


def _all(parts: Iterator[str]) -> str:
    return f"(and true {' '.join(parts)})"


def predicate_text(predicate: Predicate, places: Sequence[str]) -> str:
    """A predicate in SMT-LIB."""
    match predicate:
        case Constraint(form=form, relation=relation):
            sign = "=" if relation is Relation.IS_ZERO else ">="
            return f"({sign} {_form(form, places)} 0)"
        case All(parts=parts):
            return f"(and true {' '.join(predicate_text(part, places) for part in parts)})"
        case Some(parts=parts):
            return f"(or false {' '.join(predicate_text(part, places) for part in parts)})"
        case Not(part=part):
            return f"(not {predicate_text(part, places)})"
        case _:
            assert_never(predicate)


def _form(form: Form, places: Sequence[str]) -> str:
    terms = [f"(* {_number(c)} {places[variable]})" for variable, c in form.terms]
    return f"(+ {_number(form.constant)} 0 {' '.join(terms)})"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _text(term: Term, places: Sequence[str]) -> str:
    match term:
        case bool():
            return "true" if term else "false"
        case int():
            return _number(term)
        case str():
            return places[int(term[1:])]
        case (operator, arguments):
            return f"({operator} {' '.join(_text(each, places) for each in arguments)})"


def invariant_text(term: Term, names: Sequence[str]) -> str:
    """A part of an invariant for people."""
    match term:
        case bool() | int():
            return str(term).lower()
        case str():
            return names[int(term[1:])]
        case ("*", (int(factor), inside)) if factor == -1:
            return f"-{_inside(inside, names)}"
        case (operator, (only,)):
            return f"{operator} {_inside(only, names)}"
        case (operator, arguments):
            return f" {operator} ".join(_inside(each, names) for each in arguments)


def _inside(term: Term, names: Sequence[str]) -> str:
    text = invariant_text(term, names)
    return f"({text})" if isinstance(term, tuple) and len(term[1]) > 1 and term[0] != "*" else text
