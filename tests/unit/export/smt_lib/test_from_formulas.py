"""Proofs by formulas as scripts: both solvers confirm every question, and not those of a forgery."""

from dataclasses import replace

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer, ask
from seriatim.arithmetic.terms import TRUE
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.simulation import Predicate, SimulationEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.engines.exchanges.engine import reduce
from seriatim.engines.simulation.engine import simulate
from seriatim.export.smt_lib.export import smt_lib
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.properties.safe import SAFETY

RETRY = """
request inc { while (1) { x := X; yield; if (X == x) { X := x + 1; return x } } }
request get { X }
"""
CELLS = """
LOCK[account: int] := 0
BALANCE[account: int] := 100
request take(a: account) { lock(LOCK[a]); b := BALANCE[a]; yield; BALANCE[a] := b - 1; unlock(LOCK[a]); b }
"""
SAFE = "request inc { lock(L); x := X; yield; assert X == x; X := x + 1; unlock(L); 0 }"


def questions(script: str) -> list[str]:
    """Each as a script of its own."""
    return [f"(set-logic ALL)\n{part.split('(pop 1)')[0]}" for part in script.split("(push 1)")[1:]]


def found(text: str) -> Certificate:
    program = parse(text)
    evidence: object
    if text == CELLS:
        evidence = reduce(program, Deadline(30))
        assert isinstance(evidence, SymbolicReductionEvidence)
        return Certificate(digest(program), "serializable", evidence)
    evidence = simulate(program, text != SAFE, Deadline(30))
    assert isinstance(evidence, SimulationEvidence)
    if text == SAFE:
        return Certificate(digest(program), "safe", evidence, SAFETY)
    return Certificate(digest(program), "serializable", evidence)


def answers(text: str, certificate: Certificate, solver: SolverName) -> set[SolverAnswer]:
    script = smt_lib(certificate, parse(text), Deadline(30))
    asked = questions(script)
    assert len(asked) == script.count("(check-sat)") > 0
    return {ask(each, solver, Deadline(30)) for each in asked}


@pytest.mark.parametrize("solver", SolverName)
@pytest.mark.parametrize("text", [RETRY, CELLS, SAFE], ids=["simulation", "reduction", "safe"])
def test_every_question_is_unsatisfiable(text: str, solver: SolverName) -> None:
    assert answers(text, found(text), solver) == {SolverAnswer.UNSATISFIABLE}


@pytest.mark.parametrize("text", [RETRY, CELLS], ids=["simulation", "reduction"])
def test_a_formula_that_says_too_little_is_noticed(text: str) -> None:
    certificate = found(text)
    evidence = certificate.evidence
    assert isinstance(evidence, SimulationEvidence | SymbolicReductionEvidence)
    weak = tuple(Predicate(each.at, TRUE) for each in evidence.predicates)
    forged: Evidence = replace(evidence, predicates=weak)
    assert SolverAnswer.SATISFIABLE in answers(text, replace(certificate, evidence=forged), SolverName.Z3)
