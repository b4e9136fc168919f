"""Relations between variables: they prove what they should, nothing else, and none is missed."""

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.arithmetic.solvers.validity import is_contradictory
from seriatim.budget import Deadline
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.checking.context import Context
from seriatim.checking.thread_modular import obligations as thread_modular_obligations
from seriatim.engines.threads.flows import find_flows
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY, PredicateClauses, Rule
from seriatim.engines.threads.relations import Houdini, find_relations
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText
from seriatim.terms.expressions import FALSE, Expression, negation, substitute
from seriatim.terms.smt import quote, smt
from testkit.samples import deep, deep_cases


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


MANY = "thread main() { while (true) { fork 0 w(); } }"
TICKETS = f"""
    global next: int = 0; global serving: int = 0; global busy: bool = false; {MANY}
    thread w() {{
      local ticket: int;
      DRAW
      atomic {{ assume serving == ticket; assert !busy; busy := true; }}
      atomic {{ busy := false; serving := serving + 1; }} }}"""

UNSAFE = {
    "a ticket is drawn in two steps": TICKETS.replace("DRAW", "ticket := next; next := next + 1;"),
    "everybody may pass": TICKETS.replace("DRAW", "havoc ticket;"),
    "a worker passes another one": f"""
        global x: int = 0; {MANY}
        thread w() {{ local t: int; t := x; x := t + 1; assert x <= t + 1; }}""",
    "a thread that a thread starts fails": """
        thread main() { fork 1 a(); } thread a() { fork 2 d(); } thread d() { assert false; }""",
}


@deep_cases("1-a ticket is drawn in two steps")
@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("level", [1, pytest.param(2, marks=deep)])
def test_no_relations_prove_an_unsafe_program(name: str, level: int) -> None:
    unsafe = program(UNSAFE[name])
    clauses = modular_clauses(unsafe, level, Deadline(), find_flows(unsafe))
    assert find_relations(clauses, Deadline()) is None


@deep
def test_tickets_of_any_number_of_threads() -> None:
    safe = program(TICKETS.replace("DRAW", "atomic { ticket := next; next := next + 1; }"))
    predicates = find_relations(modular_clauses(safe, 2, Deadline()), Deadline())
    assert predicates is not None
    obligations = thread_modular_obligations(safe, ThreadModularEvidence(2, (), predicates), Context())
    assert all(each.holds for each in obligations)


def keeps(clauses: PredicateClauses, left: dict[str, list[Expression]], rule: Rule, fact: Expression) -> bool:
    """Whether a rule keeps one fact, asked on its own."""
    names = {name: [each for each, _ in clauses.arguments(key)] for key, name in clauses.keys.items()}
    names[FALSE_QUERY] = []
    known = [
        substitute(each, dict(zip(names[atom.relation], atom.values, strict=True)))
        for atom in rule.premises
        for each in left[atom.relation]
    ]
    claim = substitute(fact, dict(zip(names[rule.head.relation], rule.head.values, strict=True)))
    script = [f"(declare-const {quote(name)} {kind})" for name, kind in clauses.scenes.sorts.items()]
    script += [f"(assert {smt(each)})" for each in (*known, *rule.conditions, negation(claim))]
    return is_contradictory("\n".join(script), SolverName.Z3, Deadline(), Questions()) is True


@deep
def test_one_by_one_the_same_candidates_are_left() -> None:
    counting = f"global x: int = 0; {MANY} thread w() {{ x := x + 1; assert x > 0; }}"
    clauses = modular_clauses(program(counting), 1, Deadline())
    left = {name: list(facts) for name, facts in Houdini(clauses, Deadline()).left.items()}
    is_changed = True
    while is_changed:
        is_changed = False
        for rule in clauses.rules:
            claimed = left[rule.head.relation]
            if any(FALSE in left[each.relation] for each in rule.premises):
                continue
            left[rule.head.relation] = [fact for fact in claimed if keeps(clauses, left, rule, fact)]
            is_changed |= left[rule.head.relation] != claimed
    houdini = Houdini(clauses, Deadline())
    assert houdini.keeps_all()
    assert houdini.left == left
