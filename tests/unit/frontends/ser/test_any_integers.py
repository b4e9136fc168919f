"""Parameters that may be any integer: read, printed, and told from the few examples that are executed."""

from dataclasses import replace

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.simulation import SimulationEvidence
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.simulation.engine import simulate
from seriatim.frontends.ser.formatting import format_text
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method
from seriatim.program.inputs import digest
from seriatim.program.symbolic.model import from_program
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import InputError

WITHDRAW = """
request withdraw(amount: int) { lock(L); b := B; yield; B := b - amount; unlock(L); B }
request get { B }
"""


def test_each_request_stands_for_all_arguments_and_a_few_are_executed() -> None:
    program = parse("request set(v in 1..2, w: int) { X := v * w; X }")
    assert [each.name for each in program.unbounded_handlers] == ["set(1, w)", "set(2, w)"]
    assert all(each.parameters == ("w",) for each in program.unbounded_handlers)
    assert "set(1, -1)" in program.requests
    assert parse("request set(v in 1..2) { X := v; X }").unbounded_handlers == ()


def test_a_program_about_all_integers_has_a_digest_of_its_own() -> None:
    program = parse(WITHDRAW)
    assert digest(program) != digest(replace(program, unbounded_handlers=()))


def test_the_formatter_keeps_it() -> None:
    text = "request set(v: int) {\n    X := v\n}\n"
    assert format_text(text) == text


@pytest.mark.parametrize("parameters", ["v", "v:", "v: bool", "v: int in 0..2"])
def test_what_is_neither_a_range_nor_any_integer_is_refused(parameters: str) -> None:
    with pytest.raises(InputError) as error:
        parse(f"request set({parameters}) {{ 0 }}")
    assert {each.code for each in error.value.diagnostics} == {"SER044"}


def test_it_is_proved_for_all_arguments() -> None:
    program = parse(WITHDRAW)
    found = decide(program, Options(timeout=40))
    assert isinstance(found.answer, Holds)
    assert found.answer.certificate.evidence.kind == "symbolic-reduction"
    alone = decide(program, Options(timeout=40, method=Method.SIMULATION))
    assert isinstance(alone.answer, Holds)
    assert alone.answer.certificate.evidence.kind == "simulation"


def test_a_violation_has_arguments() -> None:
    broken = WITHDRAW.replace("lock(L); ", "").replace("unlock(L); ", "")
    found = decide(parse(broken), Options(timeout=40))
    assert isinstance(found.answer, Violated)


def test_what_holds_of_a_few_arguments_is_no_proof() -> None:
    program = parse(WITHDRAW)
    few = Certificate(digest(program), "serializable", CommitEvidence(1, (), ()))
    assert not verify(few, program).accepted
    stuck = decide(parse("request h(v: int) { X := v % 2; yield; X }"), Options(question=DEADLOCK_FREEDOM))
    assert isinstance(stuck.answer, Undecided)


NOT_SERIALIZABLE = {
    "an argument that the rest of the code does not need": """
request set(v: int) { lock(L); X := v; yield; if (D == 1) { X := 2 }; unlock(L); 0 }
request disturb { D := 1; yield; D := 0; 0 }
request get { await L == 0; X }
""",
    "an argument that is assigned to": "request h(v: int) { w := v; v := X; yield; X := v + w; v }",
}


@pytest.mark.parametrize("text", NOT_SERIALIZABLE.values(), ids=NOT_SERIALIZABLE)
def test_it_is_not_proved_if_it_does_not_hold(text: str) -> None:
    assert not isinstance(simulate(parse(text), True, Deadline(3)), SimulationEvidence)


def test_an_argument_that_is_assigned_to_is_kept_beside() -> None:
    model = from_program(parse("request h(v: int, w: int) { v := v + 1; yield; X := v; 0 }"))
    assert [model.kept_name(0, name) for name in ("v", "w")] == ["@v", "w"]


def test_who_waits_at_the_start_with_its_arguments_is_as_if_fresh() -> None:
    assert len(from_program(parse(WITHDRAW)).points) == 1
