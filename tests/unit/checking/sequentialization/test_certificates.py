"""Certificates about asynchronous programs: true ones are accepted, forged ones refused."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from seriatim.actions.syntax import ActionProgram
from seriatim.actions.values import Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, write
from seriatim.checking.allowance import GaveUp
from seriatim.checking.obligation import Report
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.cli.verify_actions import is_about_actions
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.frontends.certificates import read_certificate as read
from seriatim.sequencing.decide import Settings
from seriatim.sequencing.outcome import Proved, RunBreaks
from seriatim.source import InputError
from testkit.inputs.action_programs import decide, protocol
from testkit.samples import IS_DEEP, deep


def check(certificate: Certificate, program: ActionProgram) -> Report:
    return verify_sequential(certificate, program, read_proof, (SolverName.Z3,), Deadline(60))


def proved(program: ActionProgram, *sizes: Sizes) -> dict[str, Any]:
    outcome = decide(program, Settings(sizes=sizes))
    assert isinstance(outcome, Proved)
    found: dict[str, Any] = json.loads(write(outcome.certificate))
    return found


def replace_line(old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        assert any(old in line for line in document["proof"]), old
        document["proof"] = [line.replace(old, new) for line in document["proof"]]

    return change


def drop_line(start: str) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        assert any(line.strip().startswith(start) for line in document["proof"])
        document["proof"] = [line for line in document["proof"] if not line.strip().startswith(start)]

    return change


FORGERIES = {
    "wrong order": replace_line("order broadcast, collect", "order collect, broadcast"),
    "gate weakened": replace_line("gate collect: earliest, enabled", "gate collect: earliest"),
    "conjunct of an invariant dropped": drop_line("when collect(k) next: all d in 1..N, j in int"),
    "fact dropped": drop_line("always all j in int: pending(broadcast"),
    "measure swapped": replace_line("measure #broadcast, #collect", "measure #collect"),
    "measure missing": drop_line("measure"),
    "ensures dropped": drop_line("ensures"),
    "ensures weakened": replace_line(
        "ensures all d in 1..N, e in 1..N: decision[d] == decision[e]", "ensures true"
    ),
}


@pytest.fixture(scope="module")
def broadcast() -> dict[str, Any]:
    return proved(protocol("broadcast"))


@deep
def test_a_proof_for_all_sizes_is_accepted_and_reads_back(broadcast: dict[str, Any]) -> None:
    text = json.dumps(broadcast)
    assert is_about_actions(text)
    certificate = read(text)
    assert read(write(certificate)) == certificate
    assert check(certificate, protocol("broadcast")).accepted


@deep
@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_proof_is_refused(name: str, broadcast: dict[str, Any]) -> None:
    document = json.loads(json.dumps(broadcast))
    FORGERIES[name](document)
    try:
        report = check(read(json.dumps(document)), protocol("broadcast"))
    except (GaveUp, InputError):
        return
    assert not report.accepted


def test_a_proof_at_one_size_does_not_pass_for_all_sizes() -> None:
    document = proved(protocol("broadcast"), Sizes({"N": 2}))
    assert check(read(json.dumps(document)), protocol("broadcast")).accepted
    document["all_sizes"] = True
    assert not check(read(json.dumps(document)), protocol("broadcast")).accepted


def test_evidence_is_for_its_own_verdict_and_question(broadcast: dict[str, Any]) -> None:
    for change in ({"verdict": "broken"}, {"question": "safe", "verdict": "safe"}):
        assert not check(read(json.dumps(broadcast | change)), protocol("broadcast")).accepted


def test_a_proof_cannot_bring_declarations_along(broadcast: dict[str, Any]) -> None:
    document = broadcast | {"proof": [*broadcast["proof"], "initially false"]}
    with pytest.raises(InputError, match="more than"):
        check(read(json.dumps(document)), protocol("broadcast"))


def test_a_proof_is_about_one_program(broadcast: dict[str, Any]) -> None:
    other = protocol("broadcast", ("decision[1..N]: int := -1", "decision[1..N]: int := -2"))
    assert not check(read(json.dumps(broadcast)), other).accepted


def test_a_run_that_breaks_the_program_is_replayed_and_others_are_refused() -> None:
    program = protocol("producer_consumer", ("assert m == n or m == 0", "assert m == n"))
    outcome = decide(program)
    assert isinstance(outcome, RunBreaks)
    document: dict[str, Any] = json.loads(write(outcome.certificate))
    assert check(read(json.dumps(document)), program).accepted
    for change in (
        {"failing": "produce(1)"},
        {"failing": None},
        {"initial": "((1,),)"},
        {"steps": document["steps"][:1]},
        {"steps": [*document["steps"], ["produce(7)", "x"]]},
        {"sizes": {"parameters": {"N": 0}, "low": 0, "high": 1}},
    ):
        assert not check(read(json.dumps(document | change)), program).accepted, change


@pytest.mark.parametrize("name", ["no_choice", "producer_consumer"] if IS_DEEP else ["no_choice"])
def test_a_second_solver_confirms(name: str) -> None:
    program = protocol(name)
    outcome = decide(program, Settings(solvers=(SolverName.Z3, SolverName.CVC5)))
    assert isinstance(outcome, Proved)
    conditions = [each for each in outcome.report.obligations if each.confirmed_by]
    assert all("cvc5" in each.confirmed_by for each in conditions)
