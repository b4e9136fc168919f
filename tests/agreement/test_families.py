"""The families of the benchmarks: what their table says about them is true."""

from pathlib import Path

import pytest

from families import FAMILIES, Family
from generate import main, program_text
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.method import Minimality
from seriatim.result import Holds, Refused, Violated
from testkit.oracles.brute_force import Interpreted, fewest_in_violation
from testkit.samples import sampled

BOTH = [
    pytest.param(family, size, id=f"{name}-{size}")
    for name, family in FAMILIES.items()
    for size in family.sizes
]
REQUESTS = 4

SMALLEST = [pytest.param(family, id=name) for name, family in FAMILIES.items()]


@pytest.mark.parametrize(("family", "size"), BOTH)
def test_every_program_parses(family: Family, size: int) -> None:
    assert parse(program_text(family, size)).handlers


@pytest.mark.parametrize("family", sampled(SMALLEST, 3))
def test_the_smallest_program_has_the_verdict_of_its_family_or_none(family: Family) -> None:
    decision = decide(parse(family.text(family.sizes[0])), Options(timeout=5.0))
    assert not isinstance(decision.answer, Refused)
    assert not isinstance(decision.answer, Violated if family.is_serializable else Holds)


@pytest.mark.parametrize("family", sampled(SMALLEST, 3))
def test_brute_force_agrees(family: Family) -> None:
    """Sound programs have no violation with few requests; the smallest of broken ones are the right size."""
    program = parse(family.text(family.sizes[0]))
    fewest = fewest_in_violation(Interpreted(program).rules, REQUESTS, max_states=100_000)
    if family.is_serializable:
        assert fewest is None
        return
    verdict = decide(program, Options()).answer
    assert isinstance(verdict, Violated)
    assert verdict.minimality is Minimality.PROVED
    smallest = verdict.run.requests
    assert fewest == (smallest if smallest <= REQUESTS else None)


def test_names_tell_broken_families_from_sound_ones() -> None:
    for name, family in FAMILIES.items():
        assert family.is_serializable is not name.endswith("_broken")
        assert family.sizes == tuple(sorted(family.sizes))


def test_a_suite_is_written_with_its_verdicts(tmp_path: Path) -> None:
    assert main([str(tmp_path), "counter=3,4", "ring_broken"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.ser")) == [
        "counter_3.ser",
        "counter_4.ser",
        "ring_broken_2.ser",
        "ring_broken_4.ser",
        "ring_broken_8.ser",
    ]
    assert (tmp_path / "expected.tsv").read_text("utf-8") == (
        "file\tserializable\ncounter_3.ser\tyes\ncounter_4.ser\tyes\n"
        "ring_broken_2.ser\tno\nring_broken_4.ser\tno\nring_broken_8.ser\tno\n"
    )


@pytest.mark.parametrize("wish", ["nonsense", "locks=1", "locks=two", "locks=-2", "locks=2,"])
def test_what_cannot_be_written_is_a_usage_error(
    wish: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main([str(tmp_path), wish])
    assert caught.value.code == 2
    assert "error: argument" in capsys.readouterr().err
