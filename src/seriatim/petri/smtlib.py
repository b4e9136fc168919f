"""The state equation of a net and its goals in SMT-LIB, for any solver of linear integer arithmetic."""

from collections.abc import Sequence

from seriatim.arithmetic.formula import Conjunction, Constraint, Form, Relation, total
from seriatim.petri.goals import rewritten
from seriatim.petri.net import PetriNet
from seriatim.petri.query_net import constraints
from seriatim.petri.state_equation import final_marking


def write_smtlib(net: PetriNet, goals: Sequence[Conjunction]) -> str:
    """Is there a number of firings of each transition that leads to a goal, whatever their order? If not, no
    goal can be reached; if so, nothing is known."""
    transitions, places = len(net.transitions), len(net.places)
    number = max((len(goal.quotients) for goal in goals), default=0)
    firings = [f"x{index + 1}" for index in range(transitions)]
    tokens = [f"m{index + 1}" for index in range(places)]
    names = [*firings, *tokens, *(f"q{index + 1}" for index in range(number))]
    lines = ["; unsat: no goal can be reached; sat: the counts may be those of no run", "(set-logic QF_LIA)"]
    lines += [f"; x{index + 1}: how often {t.name} fires" for index, t in enumerate(net.transitions)]
    lines += [f"; m{index + 1}: tokens on {name} at the end" for index, name in enumerate(net.places)]
    for name in names:
        lines += [f"(declare-const {name} Int)", f"(assert (>= {name} 0))"]
    lines += [
        f"(assert (= {name} {_form(form, names)}))"
        for name, form in zip(tokens, final_marking(net), strict=True)
    ]
    about_tokens = {place: total([transitions + place]) for place in range(places)}
    cases = [
        f"(and true {' '.join(_constraint(each, names) for each in constraints(goal))})"
        for goal in (rewritten(goal, about_tokens, transitions + places) for goal in goals)
    ]
    lines += ["(assert (or false", *(f"  {case}" for case in cases), "))", "(check-sat)"]
    return "\n".join(lines) + "\n"


def _constraint(constraint: Constraint, names: Sequence[str]) -> str:
    sign = "=" if constraint.relation is Relation.IS_ZERO else ">="
    return f"({sign} {_form(constraint.form, names)} 0)"


def _form(form: Form, names: Sequence[str]) -> str:
    terms = [f"(* {_integer(c)} {names[variable]})" for variable, c in form.terms]
    return f"(+ {' '.join([_integer(form.constant), '0', *terms])})"


def _integer(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"
