"""What has to fail, fails at the named premise: changed protocols, for all sizes and at small ones."""

from dataclasses import replace

import pytest

from seriatim.actions.interpreter import Interpreter
from seriatim.actions.syntax import ActionProgram, Gate, GateKind, Proof, Term
from seriatim.actions.values import Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.finite import COMES_NEXT, check_at
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.gates import plain_gates
from testkit.inputs.action_programs import parse_text, protocol, protocol_text
from testkit.samples import IS_DEEP, deep

REC_FAIL = """
x: int := 0

action main():
    async again()
    async fail()

action again():
    async again()

action fail():
    assert false

sequential:
    order again
    always pending(again()) <= 1
"""


def with_gates(program: ActionProgram, *gates: Gate, measure: tuple[Term, ...] = ()) -> Proof:
    assert program.proof is not None
    counts = tuple(Term(name, True) for name in program.proof.actions)
    return replace(program.proof, gates=gates, measure=measure or counts)


def failing(program: ActionProgram, proof: Proof, *premises: str) -> set[str]:
    """The premises, of those asked for or of all, with a condition that is not proved for all sizes."""
    asked = frozenset(map(Premise, premises or Premise))
    conditions = [each for each in Conditions(program, proof).all() if each.premise in asked]
    found = discharge_all(conditions, SolverName.Z3, Deadline(60))
    return {str(each.condition.premise) for each in found if each.status is not Status.PROVED}


def findings(program: ActionProgram, **sizes: int) -> dict[str, str]:
    """The premises that fail at small sizes, with details."""
    assert program.proof is not None
    high = sizes.pop("high", 1)
    report = check_at(Interpreter(program, Sizes(sizes, 0, high)), program.proof, 100_000, Deadline(60))
    return {str(each.premise): each.detail for each in report.findings}


def gates(program: ActionProgram, *kinds: GateKind) -> tuple[Gate, ...]:
    assert program.proof is not None
    return tuple(Gate(name, kind) for name in program.proof.actions for kind in kinds)


def test_an_action_that_starts_itself_for_ever_fails_cooperation_alone() -> None:
    program = parse_text(REC_FAIL)
    assert program.proof is not None
    assert findings(program) == {"CO": ""}
    proof = with_gates(program, *plain_gates(program.proof))
    assert failing(program, proof, "LM1", "LM2", "LM3", "LM4", "CO") == {"CO"}


@pytest.mark.parametrize("order", ["order collect, broadcast", "order broadcast, collect by index"])
def test_collecting_before_all_have_sent_is_blocked_where_it_comes_next(order: str) -> None:
    program = protocol("broadcast", ("order broadcast, collect", order))
    assert findings(program, N=2)["LM4"] == COMES_NEXT


def test_without_enabled_collecting_can_be_blocked_and_nothing_else_is_wrong() -> None:
    program = protocol("broadcast")
    proof = with_gates(program, *gates(program, GateKind.EARLIEST))
    assert failing(program, proof) == {"LM4", "CO"}


@deep
@pytest.mark.parametrize("name", ["producer_consumer", "ping_pong"])
def test_without_gates_exchanges_fail(name: str) -> None:
    program = protocol(name)
    assert {"LM3", "LM4"} <= failing(program, with_gates(program), "LM1", "LM3", "LM4")


def test_a_wrong_choice_fails_the_gate_where_it_comes_next() -> None:
    program = protocol("producer_consumer", ("order produce, consume by index", "order consume, produce"))
    assert program.proof is not None
    assert "I3" in failing(program, with_gates(program, *plain_gates(program.proof)), "I3")


def test_a_wrong_invariant_fails_that_conjunct_alone() -> None:
    program = protocol("producer_consumer", ("size(q) == 1", "size(q) == 2"))
    assert program.proof is not None
    proof = with_gates(program, *plain_gates(program.proof))
    conditions = [each for each in Conditions(program, proof).all() if each.premise is Premise.ORDER]
    lines = {
        each.condition.line
        for each in discharge_all(conditions, SolverName.Z3, Deadline(60))
        if each.status is not Status.PROVED and "leads to" in each.condition.label
    }
    (line,) = (
        when.span.line for when in proof.when if "Size" in repr(when.condition) and "value=2" in repr(when)
    )
    assert line in lines


@pytest.mark.skipif(not IS_DEEP, reason="takes seconds")
def test_two_phase_commit_without_earliest_does_not_commute() -> None:
    program = protocol("two_phase_commit")
    proof = with_gates(program, *gates(program, GateKind.ENABLED))
    assert "LM3" in failing(program, proof, "LM3")


def test_two_phase_commit_without_the_added_branch_is_blocked_and_nothing_else() -> None:
    program = protocol("two_phase_commit")
    assert program.proof is not None
    bare = replace(program, proof=replace(program.proof, abstractions=()))
    assert set(findings(bare, N=2)) == {"LM4", "CO"}


def test_leaders_by_index_do_not_commute_at_three() -> None:
    program = protocol(
        "leader_election", ("key work(i) := 1, i - top if i > top else i - top + N", "key work(i) := 1, i")
    )
    assert "LM3" in findings(program, N=3, high=3)


@pytest.mark.skipif(not IS_DEEP, reason="takes seconds")
def test_buyers_without_waiting_repair_failures() -> None:
    program = protocol("n_buyers")
    assert program.proof is not None
    proof = with_gates(program, *plain_gates(program.proof))
    assert failing(program, proof, "LM2", "LM4", "CO") == {"LM2"}


def test_paxos_phase_by_phase_does_not_commute() -> None:
    program = protocol("paxos", ("conclude by index", "conclude"))
    assert program.proof is not None
    report = check_at(Interpreter(program, Sizes({"N": 2, "R": 2})), program.proof, 100_000, Deadline(60))
    found = {
        (each.action[0], each.other[0]) for each in report.findings if each.premise == "LM3" and each.other
    }
    assert ("vote", "join") in found or ("join", "vote") in found


@pytest.mark.skipif(not IS_DEEP, reason="takes seconds")
def test_paxos_that_proposes_anything_breaks_agreement_and_its_invariant() -> None:
    program = protocol("paxos", ("v := proposal[last]", "havoc v in int"))
    assert "I2" in findings(program, N=1, R=2)
    assert program.proof is not None
    proof = with_gates(program, *plain_gates(program.proof))
    whens = tuple(when for when in proof.when if when.action in ("propose", "vote"))
    conditions = Conditions(program, replace(proof, when=whens))
    broken = [
        e
        for e in discharge_all(conditions.complete(conditions.order("propose")), SolverName.Z3, Deadline(60))
        if e.status is not Status.PROVED
    ]
    agreement = "decided[p] and p <= q and proposed[q]"
    lines = {w.span.line for w in program.proof.when if agreement in source_line(w.span.line)}
    assert broken
    assert {each.condition.line for each in broken} <= lines


def source_line(line: int) -> str:
    return protocol_text("paxos").split("\n")[line - 1]
