"""Proofs with sums by value: no search finds a failure in what they prove, and the checker accepts them."""

import pytest

from seriatim.arithmetic.solvers.horn import Relations, solve_horn
from seriatim.budget import Deadline
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.checking.context import Context
from seriatim.checking.obligation import report_on
from seriatim.checking.threads import thread_obligations
from seriatim.engines.threads.flows import find_flows_by_value
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY
from seriatim.engines.threads.search import Failing, Search
from seriatim.frontends.conc.frontend import read_threads
from seriatim.properties.statement import NeverFails
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem
from testkit.generators.threads import random_gate_text
from testkit.samples import sample

WORK = 100_000
"""For a question, as z3 counts."""


@pytest.mark.parametrize("seed", sample(60, 10))
def test_what_is_proved_does_not_fail(seed: int) -> None:
    text = random_gate_text(seed)
    program = read_threads(SourceText("random.conc", text))
    flows = find_flows_by_value(program)
    clauses = modular_clauses(program, 1, Deadline(), flows)
    found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(), WORK)
    if not isinstance(found, Relations):
        return
    evidence = ThreadModularEvidence(1, flows, clauses.predicates(found))
    assert report_on(thread_obligations(program, NeverFails(), evidence, Context())).accepted, text
    search = Search(FiniteSystem(program, Deadline()), Deadline(), patience=300)
    assert not isinstance(search.advance(3_000), Failing), text
