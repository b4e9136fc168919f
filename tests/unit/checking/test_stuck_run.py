"""Evidence about requests that wait for ever: genuine ones are accepted, each forgery is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.never_stuck import NeverStuckEvidence
from seriatim.certificate.stuck_run import InFlight, StuckRunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.never_stuck import CLAIM
from seriatim.checking.obligation import Report
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import verify
from seriatim.cli.main import main
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.semantics import big_steps
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.result import Holds, Violated
from seriatim.source import SourceText

CROSSED = """
request a { lock(L); yield; lock(M); unlock(M); unlock(L); 1 }
request b { lock(M); yield; lock(L); unlock(L); unlock(M); 2 }
"""
ORDERED = CROSSED.replace(
    "lock(M); yield; lock(L); unlock(L); unlock(M); 2", "lock(L); yield; lock(M); unlock(M); unlock(L); 2"
)
FORGETFUL = "request a { lock(L); if (X == 1) { return 0 }; X := 1; unlock(L); 1 }"
WAITING = "request get { yield; await F == 1; F := 0; 1 }\nrequest put { F := 1; 1 }"


def report_on(text: str, evidence: StuckRunEvidence | NeverStuckEvidence) -> Report:
    program = parse(text)
    verdict = DEADLOCK_FREEDOM.verdicts[0 if evidence.proves else 1]
    return verify(Certificate(digest(program), verdict, evidence, DEADLOCK_FREEDOM), program)


def stuck_run(text: str) -> StuckRunEvidence:
    answer = decide(parse(text), Options(question=DEADLOCK_FREEDOM)).answer
    assert isinstance(answer, Violated)
    evidence = answer.certificate.evidence
    assert isinstance(evidence, StuckRunEvidence)
    return evidence


@pytest.mark.parametrize("text", [CROSSED, FORGETFUL])
def test_a_stuck_run_is_accepted(text: str) -> None:
    assert report_on(text, stuck_run(text)).accepted


def test_who_arrives_and_cannot_begin_is_in_flight() -> None:
    found = stuck_run(FORGETFUL)
    assert [(each.request, each.stuck) for each in found.in_flight] == [(3, True)]
    assert {turn.request for turn in found.turns} == {1, 2}


def changed_last(found: StuckRunEvidence, waiting: Waiting) -> StuckRunEvidence:
    *first, last = found.in_flight
    return replace(found, in_flight=(*first, replace(last, waiting=waiting)))


FORGERIES: dict[str, Callable[[StuckRunEvidence], StuckRunEvidence]] = {
    "nobody is stuck": lambda found: replace(
        found, in_flight=tuple(replace(each, stuck=False) for each in found.in_flight)
    ),
    "one is left out": lambda found: replace(found, in_flight=found.in_flight[1:]),
    "one is listed twice": lambda found: replace(found, in_flight=(*found.in_flight, found.in_flight[0])),
    "numbers that begin later": lambda found: StuckRunEvidence(
        tuple(replace(turn, request=turn.request + 5) for turn in found.turns),
        tuple(replace(each, request=each.request + 5) for each in found.in_flight),
    ),
    "one too many arrived": lambda found: replace(
        found, in_flight=(*found.in_flight, replace(found.in_flight[0], request=9))
    ),
    "another handler": lambda found: changed_last(
        found, waiting=replace(found.in_flight[-1].waiting, handler="a")
    ),
    "other code": lambda found: changed_last(found, replace(found.in_flight[-1].waiting, code="1")),
    "a turn less": lambda found: replace(found, turns=found.turns[:-1]),
    "a turn that is no step": lambda found: replace(
        found, turns=(*found.turns, Turn(1, "a", (("L", 0), ("M", 0)), None))
    ),
    "another state": lambda found: replace(
        found, turns=(*found.turns[:-1], replace(found.turns[-1], after=(("L", 0), ("M", 0))))
    ),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_stuck_run_is_refused(forge: Callable[[StuckRunEvidence], StuckRunEvidence]) -> None:
    assert not report_on(CROSSED, forge(stuck_run(CROSSED))).accepted


def test_who_arrives_has_the_next_number() -> None:
    found = stuck_run(FORGETFUL)
    assert not report_on(
        FORGETFUL, replace(found, in_flight=(replace(found.in_flight[0], request=9),))
    ).accepted


def test_other_cells_may_hold_what_a_request_waits_for() -> None:
    """Requests about any integers are tried with a few cells, so others may exist that let them go on."""
    text = "A[n: int] := 0\nrequest a(i: int) { await A[i] == 1; 1 }"
    program = parse(text)
    reference = ProgramReference(program, big_steps)
    (state,) = reference.fresh(program.handlers[0].name)
    waiting = InFlight(1, True, Waiting(program.handlers[0].name, *reference.description(state)))
    report = report_on(text, StuckRunEvidence((), (waiting,)))
    assert not report.accepted
    assert report.obligations[-1].claim == "the run has all cells that requests need"


NOT_STUCK = {
    "it goes on by itself": ("request a { yield; yield; yield; 1 }", (("a", "yield; yield; 1"),)),
    "another one in flight lets it go on": (
        "request a { await G == 0; G := 1; yield; F := 1; yield; 1 }\nrequest b { yield; await F == 1; 1 }",
        (("a", "F := 1; yield; 1"), ("b", "while (!(F == 1)) { yield }; 1")),
    ),
    "one who arrives lets it go on after some steps": (
        "request get { yield; await F == 1; 1 }\nrequest put { yield; yield; F := 1; yield; 1 }",
        (("get", "while (!(F == 1)) { yield }; 1"),),
    ),
}


@pytest.mark.parametrize(("text", "flying"), NOT_STUCK.values(), ids=NOT_STUCK)
def test_who_may_go_on_is_not_stuck(text: str, flying: tuple[tuple[str, str], ...]) -> None:
    names = ("F", "G") if "G" in text else ("F",) if "F" in text else ()
    after = tuple((name, int(name == "G")) for name in names)
    turns = tuple(Turn(number, name, after, None) for number, (name, _) in enumerate(flying, 1))
    in_flight = tuple(
        InFlight(number, number == len(flying), Waiting(name, code, ()))
        for number, (name, code) in enumerate(flying, 1)
    )
    report = report_on(text, StuckRunEvidence(turns, in_flight))
    assert not report.accepted
    assert "may still complete" in report.complaint


ANSWERS_LATER = """{
  "initial_global": "g", "requests": [["r", "a"]], "responses": [["b", "done"]],
  "transitions": [["a", "g", "b", "g"]]
}"""


def test_who_can_be_answered_is_not_stuck() -> None:
    system = read_input(SourceText("-", ANSWERS_LATER))
    evidence = StuckRunEvidence((Turn(1, "r", "g", None),), (InFlight(1, True, Waiting("r", "b", ())),))
    verdict = DEADLOCK_FREEDOM.verdicts[1]
    report = verify(Certificate(digest(system), verdict, evidence, DEADLOCK_FREEDOM), system)
    assert "may still complete" in report.complaint


def test_what_is_proved_is_said() -> None:
    """Also of a race, and of requests that never wait."""
    waits = "request incr { await L == 0; x := X; yield; X := (x + 1) % 3; X }"
    for text in (waits, "request a { yield; X }"):
        report = report_on(text, NeverStuckEvidence(1, ()))
        assert report.accepted
        assert report.obligations[-1].claim == CLAIM


def test_waiting_for_one_who_may_still_come_is_not_stuck() -> None:
    answer = decide(parse(WAITING), Options(question=DEADLOCK_FREEDOM)).answer
    assert isinstance(answer, Holds)
    turns = (Turn(1, "get", (("F", 0),), None),)
    code = "while (!(F == 1)) { yield }; F := 0; 1"
    waiting = InFlight(1, True, Waiting("get", code, ()))
    report = report_on(WAITING, StuckRunEvidence(turns, (waiting,)))
    assert not report.accepted
    assert "may still complete" in report.complaint


def test_locks_in_one_order_are_proved_by_their_holders() -> None:
    answer = decide(parse(ORDERED), Options(question=DEADLOCK_FREEDOM)).answer
    assert isinstance(answer, Holds)
    evidence = answer.certificate.evidence
    assert isinstance(evidence, NeverStuckEvidence)
    assert Invariant("L", 1) in evidence.invariants
    assert not report_on(ORDERED, replace(evidence, invariants=())).accepted


@pytest.mark.parametrize("text", [CROSSED, FORGETFUL])
@pytest.mark.parametrize("level", [1, 2])
def test_nobody_proves_what_is_not_so(text: str, level: int) -> None:
    invariants = (Invariant("L", 1), Invariant("M", 1)) if "M" in text else (Invariant("L", 1),)
    evidence = NeverStuckEvidence(1 if level == 1 else 2, invariants)
    report = report_on(text, evidence)
    assert not report.accepted
    assert "requests of `a`" in report.complaint


def test_a_step_that_may_fail_is_no_end() -> None:
    """Without loops everybody ends, unless a step fails."""
    assert report_on("request a { yield; X }", NeverStuckEvidence(1, ())).accepted
    assert not report_on("request a { yield; assert X == 1; X }", NeverStuckEvidence(1, ())).accepted


def test_a_stuck_run_can_be_explained_and_replayed(tmp_path: Path) -> None:
    program, saved = tmp_path / "crossed.ser", tmp_path / "stuck.json"
    program.write_text(CROSSED)
    for arguments in (
        ["check", str(program), "--property", "deadlock-free", "--explain", "--certificate", str(saved)],
        ["check", str(program), "--property", "deadlock-free", "--html", str(tmp_path / "report.html")],
    ):
        assert CliRunner().invoke(main, arguments).exit_code == 1
    result = CliRunner().invoke(main, ["replay", str(saved), str(program)])
    assert result.exit_code == 0
    assert "lock(M)" in result.output
