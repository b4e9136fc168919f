"""Verdicts as values: their cases carry their evidence, and none of them is a truth value."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import seriatim
from testkit.inputs.undecided_programs import GROWING
from testkit.samples import deep

RACY = "request flip { x := N; yield; N := 1 - x; x }\n"
ATOMIC = "request flip { x := N; N := 1 - x; x }\n"
ENDLESS = GROWING


def test_text_and_file_have_the_same_verdict(tmp_path: Path) -> None:
    file = tmp_path / "flip.ser"
    file.write_text(RACY)
    by_text, by_path, by_name = (seriatim.check(program) for program in (RACY, file, str(file)))
    assert isinstance(by_text, seriatim.NotSerializable)
    assert isinstance(by_path, seriatim.NotSerializable)
    assert by_path == by_name
    assert by_text.certificate == by_path.certificate
    assert by_text.run == by_path.run


def test_network_system_as_text_is_told_from_a_program() -> None:
    system = '{"initial_global": "g", "requests": [["r", "l"]], "responses": [["l", "1"]], "transitions": []}'
    assert isinstance(seriatim.check(system), seriatim.Serializable)


def test_a_limit_leaves_it_open() -> None:
    verdict = seriatim.check(ENDLESS, max_states=10)
    assert isinstance(verdict, seriatim.Unknown)
    assert "`N` has taken" in verdict.reason
    assert verdict.hint


def test_a_failing_step_is_a_violation_of_safety_whatever_was_asked() -> None:
    verdict = seriatim.check("request add { assert N < 2; N := N + 1; N }\n")
    assert isinstance(verdict, seriatim.Violated)
    assert not isinstance(verdict, seriatim.NotSerializable)
    assert isinstance(verdict.certificate.question, seriatim.Safety)
    assert verdict.to_json()["verdict"] == "unsafe"


@pytest.mark.parametrize("program", [RACY, ATOMIC])
def test_no_verdict_is_a_truth_value(program: str) -> None:
    with pytest.raises(TypeError, match="Unknown"):
        bool(seriatim.check(program))


def test_equal_programs_have_equal_verdicts() -> None:
    assert seriatim.check(ATOMIC) == seriatim.check(ATOMIC)


def test_missing_file_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(seriatim.BadInput, match="no such file") as caught:
        seriatim.check(tmp_path / "missing.ser")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["SER201"]


def test_checker_that_has_no_time_gives_up() -> None:
    verdict = seriatim.check(RACY)
    assert isinstance(verdict, seriatim.NotSerializable)
    with pytest.raises(seriatim.GaveUp, match="not done after"):
        seriatim.verify(verdict.certificate, RACY, timeout=1e-9)


def test_checker_that_has_no_memory_gives_up() -> None:
    verdict = seriatim.check(RACY)
    assert isinstance(verdict, seriatim.NotSerializable)
    with pytest.raises(seriatim.GaveUp, match="memory"):
        seriatim.verify(verdict.certificate, RACY, max_memory=1)


def test_without_memory_the_verdict_is_unknown() -> None:
    verdict = seriatim.check(RACY, max_memory=1)
    assert isinstance(verdict, seriatim.Unknown)
    assert "memory" in verdict.reason


@pytest.mark.parametrize("program", [RACY, ATOMIC])
def test_json_is_that_of_the_command_line(program: str) -> None:
    verdict = seriatim.check(program)
    assert verdict.to_json()["verdict"] == ("not_serializable" if program is RACY else "serializable")


def test_every_public_name_is_there() -> None:
    assert all(getattr(seriatim, name) is not None for name in seriatim.__all__)


def test_import_loads_nothing_before_it_is_used() -> None:
    code = "import sys, seriatim; print([m for m in sys.modules if m.startswith('seriatim.')])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_deciding_a_small_program_loads_no_solver() -> None:
    code = f"import sys, seriatim; seriatim.check({RACY!r}); print('z3' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


LOST = "request inc { y := X; yield; if (y < 3) { X := y + 1 }; 0 } request read { X }"


def test_other_properties_have_verdicts_of_their_own() -> None:
    """`Holds` and `Violated`; those about serializability, with final values or not, are more specific."""
    strict = seriatim.check(LOST, property=seriatim.StrictSerializability(barriers=1))
    assert type(strict) is seriatim.Violated
    assert strict.to_json()["verdict"] == "not_strictly_serializable"
    assert seriatim.verify(strict.certificate, LOST).accepted
    observed = seriatim.check(LOST, property=seriatim.Serializability(observed=("X",)))
    assert type(observed) is seriatim.NotSerializable
    allowed = seriatim.specification("spec { init q; q -> q: inc/0, read/0, read/1, read/2, read/3; }")
    generous = seriatim.check(LOST, property=seriatim.Linearizability(allowed, barriers=2, pending=True))
    assert type(generous) is seriatim.Holds


def test_a_question_about_what_is_not_there_is_bad_input() -> None:
    with pytest.raises(seriatim.BadInput, match="SER228"):
        seriatim.check(LOST, property=seriatim.Serializability(observed=("Z",)))
    with pytest.raises(seriatim.BadInput, match="SER223"):
        seriatim.check(LOST, property=seriatim.Linearizability(seriatim.specification("request pop { 1 }")))
    with pytest.raises(seriatim.BadInput, match="SER222"):
        seriatim.specification("spec { }")


def test_a_property_goes_by_its_name() -> None:
    assert seriatim.check(RACY, property="strict") == seriatim.check(
        RACY, property=seriatim.StrictSerializability()
    )
    assert isinstance(seriatim.check(RACY, property="safe"), seriatim.Holds)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("strictly", "there is no property 'strictly'; there are 'serializable', "),
        ("linearizable", r"needs a specification: pass seriatim.Linearizability\(seriatim.specification"),
    ],
)
def test_a_name_that_names_no_property_alone_is_refused(name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        seriatim.check(RACY, property=name)


def test_all_that_is_exported_is_listed() -> None:
    assert set(seriatim.__all__) <= set(dir(seriatim))
    assert all(getattr(seriatim, name) is not None for name in seriatim.__all__)


@pytest.mark.parametrize("text", ["{}", "[]", "no JSON", '{"format": "seriatim-certificate"}'])
def test_a_text_that_is_no_certificate_is_bad_input(text: str) -> None:
    with pytest.raises(seriatim.BadInput) as caught:
        seriatim.certificate_from(text)
    assert caught.value.source.name == "<certificate>"


def test_notebooks_show_why() -> None:
    shown = seriatim.check(RACY)._repr_html_()
    assert "Suppose that one did" in shown
    assert "A contradiction: the handlers are not serializable." in shown
    assert "`" not in shown.partition("</style>")[2]


def test_two_requests_are_the_fewest_whatever_the_method() -> None:
    """A request alone is a serial run."""
    verdict = seriatim.check(RACY, method=seriatim.Method.PAPER)
    assert verdict.to_json()["requests"] == 2
    assert verdict.to_json()["minimal"] == "proved"


ARRAY = "A[2] := 0\nrequest incr(i in 0..1) { x := A[i]; yield; A[i] := (x + 1) % 3; 0 }\n"


@pytest.mark.parametrize("observed", [("A",), ("A[1]",), ("A", "A[0]")])
def test_an_array_is_observed_by_its_name_or_by_elements(observed: tuple[str, ...]) -> None:
    verdict = seriatim.check(ARRAY, property=seriatim.Serializability(observed=observed))
    assert isinstance(verdict, seriatim.NotSerializable)
    assert seriatim.verify(verdict.certificate, ARRAY).accepted
    told = " ".join(str(verdict).split())
    assert "(ended)" not in told
    assert "(final values)" not in told
    assert "then the final values would be A" in told


def test_what_is_observed_has_to_be_there() -> None:
    with pytest.raises(seriatim.BadInput, match="its globals are A"):
        seriatim.check(ARRAY, property=seriatim.Serializability(observed=("B",)))


SILENT = "request incr { x := X; yield; X := (x + 1) % 3; 0 }\nrequest get { X }\n"


def test_a_handler_whose_answers_hide_what_it_does_is_told() -> None:
    (note,) = seriatim.check(SILENT).decision.warnings
    assert (note.code, note.message.partition(" always")[0]) == ("SER709", "`incr`")
    assert note.hint is not None
    assert "--observe all" in note.hint
    assert not seriatim.check(SILENT.replace("3; 0", "3; x")).decision.warnings


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("name", "settings", "kind"),
    [
        ("sql/on_call.sql", {"isolation": "repeatable-read"}, seriatim.NotSerializable),
        ("sql/on_call.sql", {"isolation": "serializable"}, seriatim.Serializable),
        ("services/visit_counter.py", {}, seriatim.Unknown),
        ("threads/lost_update.conc", {}, seriatim.Violated),
        ("threads/account_race.c", {"steps": "statement"}, seriatim.Violated),
        ("protocols/broken_pair.actions", {}, seriatim.Violated),
        ("p4/cache.p4", {"p4_model": "bmv2"}, seriatim.Serializable),
        ("paper/b1_landing_pad.json", {}, seriatim.Serializable),
    ],
)
def test_every_kind_of_file_has_its_verdict_and_its_evidence(
    name: str, settings: dict[str, Any], kind: type
) -> None:
    path = EXAMPLES / name
    verdict = seriatim.check(path, **settings)
    assert isinstance(verdict, kind)
    by_text = seriatim.check(path.read_text("utf-8"), name=path.name, **settings)
    assert type(by_text) is type(verdict)
    if isinstance(verdict, seriatim.Holds | seriatim.Violated):
        certificate = seriatim.certificate_from(seriatim.certificate_text(verdict.certificate))
        assert seriatim.verify(certificate, path).accepted


def test_what_may_run_is_repeated(tmp_path: Path) -> None:
    service = tmp_path / "visits.py"
    service.write_text((EXAMPLES / "services/visit_counter.py").read_text("utf-8"), "utf-8")
    assert isinstance(seriatim.check(service, run=True), seriatim.NotSerializable)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(TypeError, match="there is no setting 'isolaton'; there are calls, cancel, "):
        seriatim.check(RACY, isolaton="serializable")
    with pytest.raises(seriatim.BadInput, match="--isolation means nothing for this kind of file"):
        seriatim.check(RACY, isolation="serializable")
    with pytest.raises(seriatim.BadInput, match="not a question about protocols"):
        seriatim.check(EXAMPLES / "protocols/ping_pong.actions", property="strict")


BANK = """
import asyncio


class Bank:
    def __init__(self):
        self.balance = 100

    async def withdraw(self, amount):
        if self.balance < amount:
            return False
        await asyncio.sleep(0.01)
        self.balance -= amount
        return True
"""


@deep
def test_a_text_in_python_is_run_where_that_is_allowed() -> None:
    assert isinstance(seriatim.check(BANK, name="bank.py", run=True), seriatim.NotSerializable)
    (first, *_) = seriatim.fix(BANK, name="bank.py", run=True)
    assert first.title.startswith("repeat the test of line 10")


def test_fixes_are_proved_and_pictures_drawn() -> None:
    (first, *_) = seriatim.fix(RACY)
    assert isinstance(seriatim.check(first.text), seriatim.Serializable)
    assert seriatim.fix(ATOMIC) == ()
    assert "lock" in str(first)
    for view in ("ns", "serial", "net"):
        assert seriatim.draw(RACY, view).svg.startswith("<svg")
    run = seriatim.check(EXAMPLES / "threads/account_race.c")
    assert seriatim.draw(run)._repr_svg_().startswith("<svg")
    assert seriatim.draw(ENDLESS).left_out is not None
    with pytest.raises(TypeError, match="no run"):
        seriatim.draw(seriatim.check(ATOMIC))
