"""The fuzzer finds nothing in a fixed sample, finds planted faults, and makes small programs of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from differential import __main__ as command
from differential.facts import BRIEF, Effort, Facts, TooLong, no_longer_than
from differential.session import Tally, compared, minimal, session, shows
from differential.shrinking import shrunk
from differential.subject import KINDS, SIZES, Subject, drawn
from seriatim.budget import Deadline
from seriatim.checking.obligation import Obligation, Report
from seriatim.engines.commits.proof import ProvedByCommits
from seriatim.method import Method
from seriatim.program.expression_printer import LEVELS, Level
from seriatim.program.semantics import apply
from seriatim.program.syntax import Operator
from seriatim.properties.statement import Outcomes
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import Limits
from seriatim.systems.posing import OutcomeProblem, pose
from seriatim.systems.slicing import MacroSystem
from testkit.samples import IS_DEEP, deep, sampled

PATIENT = replace(BRIEF, seconds=4.0)
"""A fault that shows has to show again in smaller programs, however busy the machine is."""

SAMPLE = 2 * len(KINDS)
PARTS: list[Sequence[int]] = (
    [range(0, SAMPLE, 2), range(1, SAMPLE, 2)] if IS_DEEP else [(2, 6, 14, 15), (12, 24), (32,)]
)
"""All kinds are among them, and in each part something serializable."""

EFFORT = BRIEF if IS_DEEP else Effort(Limits(max_states=100, max_value=5), 0.5, states=100, forgeries=1)


@pytest.mark.parametrize("numbers", PARTS)
def test_a_fixed_sample_has_no_contradiction(numbers: Sequence[int]) -> None:
    """All kinds, small sizes. `make fuzz` looks at other cases, and harder."""
    tally = Tally()
    findings = list(session(iter(numbers), EFFORT, 0.0, tally))
    assert not findings, [f"{each.comparison}: {each.contradiction}" for each in findings]
    assert tally.verdicts["serializable", Method.AUTO, "yes"]
    assert tally.verdicts["serializable", Method.AUTO, "undecided"] <= tally.cases.total() / 2


def test_the_same_number_draws_the_same_case_and_all_kinds_take_turns() -> None:
    numbers = range(len(KINDS) * SIZES)
    cases = [drawn(number) for number in numbers]
    assert cases == [drawn(number) for number in numbers]
    assert {case.kind for case in cases} == set(KINDS)


# --- planted faults -----------------------------------------------------------------------------------------


def prove_anything(system: MacroSystem) -> ProvedByCommits:
    return ProvedByCommits(system.coverage, {})


def accept_anything(*_arguments: object, **_options: object) -> Report:
    return Report(())


def accept_any_run(*_arguments: object) -> Iterator[Obligation]:
    yield from ()


def break_down(*_arguments: object, **_options: object) -> NoReturn:
    raise KeyError("planted")


def confuse_signs(operator: Operator, left: int, right: int) -> int:
    return apply(Operator.ADD if operator is Operator.SUBTRACT else operator, left, right)


def forget_time_and_values(
    statement: Outcomes, origin: Origin, limits: Limits, deadline: Deadline
) -> OutcomeProblem:
    forgetful = Outcomes() if statement.allowed is None else statement
    return pose(forgetful, origin, limits, deadline)


STAGES = "seriatim.engines.{}.stages.{}"

LOST_UPDATE = """
    request flip { if (L == 0) { x := X; yield; X := 1 - x; L := 0 }; 0 }
    request look { y := X; y }
    """

PLANTED: dict[str, tuple[dict[str, object], Subject, str, str, int]] = {
    "an engine that proves everything": (
        {STAGES.format("commits", "one_step_each"): prove_anything},
        drawn(208).subject,
        "verdicts",
        "the checker refuses evidence of atomic",
        10,
    ),
    "an engine that proves everything, about systems": (
        {STAGES.format("commits", "one_step_each"): prove_anything},
        drawn(272).subject,
        "verdicts",
        "the checker refuses evidence of atomic",
        17,
    ),
    "the same with a checker that accepts everything": (
        {
            STAGES.format("commits", "one_step_each"): prove_anything,
            "seriatim.deciding.answer.verify": accept_anything,
        },
        drawn(272).subject,
        "verdicts",
        "atomic proves what enumeration refutes",
        17,
    ),
    "an engine that breaks down": (
        {STAGES.format("modular", "modular"): break_down},
        drawn(2).subject,
        "verdicts",
        "KeyError is raised",
        3,
    ),
    "a checker that accepts any run": (
        {"seriatim.checking.run.obligations": accept_any_run},
        drawn(0).subject,
        "certificates",
        "the checker accepts that it is not_serializable",
        3,
    ),
    "an interpreter that takes - for +": (
        {
            "seriatim.program.execution.apply": confuse_signs,
            "seriatim.program.straight_code.apply": confuse_signs,
        },
        drawn(9).subject,
        "steps",
        "the interpreters make other steps",
        3,
    ),
    "engines that call strict what is serializable": (
        {
            "seriatim.deciding.pipeline.pose": forget_time_and_values,
            "seriatim.deciding.answer.verify": accept_anything,
        },
        Subject(LOST_UPDATE, False, 7),
        "questions",
        "serializable is proved, and refuted by definition",
        6,
    ),
    "a checker that accepts any cycle of conflicts": (
        {"seriatim.checking.cycle.obligations": accept_any_run},
        drawn(15).subject,
        "questions",
        "the checker accepts that it is not_conflict_serializable",
        5,
    ),
    # What the printer prints wrongly cannot be shrunk: candidates are printed, too.
    "a printer that forgets parentheses": (
        {"seriatim.program.expression_printer.LEVELS": dict.fromkeys(LEVELS, Level.SUM)},
        drawn(0).subject,
        "texts",
        "a program is printed as another one",
        7,
    ),
}
"""What is replaced by what; a subject and a comparison that find it; as what, in how many lines at most."""

SLOW_TO_SHRINK = {
    "an engine that proves everything",
    "the same with a checker that accepts everything",
    "engines that call strict what is serializable",
}
"""Found each time, shrunk with DEEP=1 only."""


@pytest.mark.parametrize("fault", sampled(list(PLANTED), 3))
def test_a_planted_fault_is_found_and_shrunk(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replaced, subject, comparison, kind, most_lines = PLANTED[fault]
    for target, replacement in replaced.items():
        monkeypatch.setattr(target, replacement)
    (found, *_) = compared(comparison, Facts(subject, PATIENT))
    assert found.kind == kind
    if fault in SLOW_TO_SHRINK and not IS_DEEP:
        return
    small = minimal(subject, comparison, found, PATIENT, 300.0)
    assert len(small.text.splitlines()) <= most_lines, small.text
    assert shows(kind, comparison, Facts(small, PATIENT))


# --- shrinking ----------------------------------------------------------------------------------------------


def smallest(text: str, shows: Callable[[str], bool]) -> str:
    return shrunk(Subject(text, False), lambda subject: shows(subject.text), 10.0).text


def test_shrinking_leaves_what_matters_and_nothing_else() -> None:
    text = """
        const N := 4
        A[N] in 0..2 wrap := 1
        fun f(p) { p + 1 }
        request a(k in 0..3) { x := f(k); if (x > 2) { yield; A[k] := x * 7 } else { lock(A[0]) }; x }
        request b { while (A[1] == 0) { yield }; 5 }
        """
    assert smallest(text, lambda other: "* 7" in other) == "request a {\n    0 * 7\n}\n"
    assert (
        smallest(text, lambda other: "while" in other)
        == "request b {\n    while (0) {\n        0\n    }\n}\n"
    )
    assert smallest(text, lambda other: "lock" in other).count("\n") <= 6


def test_what_shows_everywhere_shrinks_to_nearly_nothing() -> None:
    for number in range(len(KINDS), 2 * len(KINDS)):
        small = shrunk(drawn(number).subject, lambda _: True, 5.0)
        assert len(small.text.split()) <= 20, small.text


# --- the command --------------------------------------------------------------------------------------------


@deep
def test_a_finding_is_saved_and_can_be_examined_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--first", "0", "--cases", "1", "--output", str(tmp_path)]
    with monkeypatch.context() as patches:
        patches.setattr(STAGES.format("modular", "modular"), break_down)
        assert command.main(arguments) == 1
        told = capsys.readouterr().out
        assert "Case 0 (program), verdicts: KeyError is raised" in told
        assert "1 cases (1 program), 2 contradictions." in told
        saved = {path.name for path in tmp_path.iterdir()}
        assert saved > {"verdicts-0.drawn.ser", "verdicts-0.ser", "verdicts-0.txt"}
        assert command.main([str(tmp_path / "verdicts-0.ser")]) == 1
        assert "KeyError: 'planted'" in capsys.readouterr().out
    assert command.main([str(tmp_path / "verdicts-0.ser")]) == 0
    assert capsys.readouterr().out == "No contradiction.\n"


def test_what_is_no_input_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.ser").write_text("request")
    for name in ("odd.ser", "absent.ser"):
        with pytest.raises(SystemExit, match="2"):
            command.main([str(tmp_path / name)])
    assert "No such file" in capsys.readouterr().err


def hang() -> NoReturn:
    while True:
        pass


def test_what_hangs_is_interrupted() -> None:
    with pytest.raises(TooLong), no_longer_than(0.05):
        hang()


def test_an_alarm_that_is_lost_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_one() -> NoReturn:
        with suppress(TooLong):  # As in a destructor.
            hang()
        hang()

    monkeypatch.setattr("differential.facts.RING_AGAIN", 0.05)
    with pytest.raises(TooLong), no_longer_than(0.05):
        lose_one()
