"""Asynchronous programs that several tests share: the example protocols, and how to change them."""

from dataclasses import replace
from pathlib import Path

from seriatim.actions.syntax import ActionProgram, Proof, Term
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.gates import plain_gates
from seriatim.sequencing.outcome import Outcome
from seriatim.source import SourceText

PROTOCOLS = Path(__file__).parents[3] / "examples" / "protocols"


def protocol_text(name: str, *changes: tuple[str, str]) -> str:
    """The text of an example, with some pieces replaced; each has to be there."""
    text = (PROTOCOLS / f"{name}.actions").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def parse_text(text: str) -> ActionProgram:
    return parse(SourceText("test.actions", text))


def protocol(name: str, *changes: tuple[str, str]) -> ActionProgram:
    return parse_text(protocol_text(name, *changes))


def decide(program: ActionProgram, settings: Settings | None = None) -> Outcome:
    return Decision(program, settings or Settings(), read_proof, Deadline(120)).decide()


def open_conditions(text: str) -> set[str]:
    """The premises that are not proved for all sizes, with plain gates and a measure of all actions."""
    program = parse_text(text)
    assert program.proof is not None
    measure = tuple(Term(name, True) for name in program.proof.actions)
    proof: Proof = replace(program.proof, gates=plain_gates(program.proof), measure=measure)
    found = discharge_all(Conditions(program, proof).all(), SolverName.Z3, Deadline(30))
    return {str(each.condition.premise) for each in found if each.status is not Status.PROVED}
