"""The paper's pipeline against brute force, the default engines and the checker, on random systems."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.deciding.pipeline import Options, decide
from seriatim.explain.retracing import retrace
from seriatim.export.formats import ExportTarget, export_input
from seriatim.frontends.all import read_input
from seriatim.method import ALL_OPTIMIZATIONS, Method, Optimizations
from seriatim.petri.queries import Query
from seriatim.petri.query_xml import read_queries
from seriatim.petri.tina import read_tina
from seriatim.program.inputs import Input
from seriatim.result import Holds, Refused, Violated
from seriatim.show.net_reach import answer_query
from seriatim.source import SourceText
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import Limits
from seriatim.systems.run import replays
from testkit.generators.cases import LIMITS, case
from testkit.samples import deep_cases

BENCHMARKS = Path(__file__).parents[3] / "shared" / "benchmarks"


def verdict(
    content: Input, optimizations: Optimizations, limits: Limits = LIMITS, timeout: float = 20
) -> bool | None:
    """Whether the paper's pipeline finds an input serializable; None if it leaves that open."""
    options = Options(limits, timeout, method=Method.PAPER, optimizations=optimizations)
    decision = decide(content, options)
    assert not isinstance(decision.answer, Refused), decision.answer
    if isinstance(decision.answer, Violated):
        assert replays(*retrace(decision.answer.certificate.evidence, content, limits, Deadline()))
        return False
    return True if isinstance(decision.answer, Holds) else None


def content_of(kind: str, seed: int) -> Input:
    unfolding = case(kind, seed).unfolding
    return unfolding.system if isinstance(unfolding, SystemUnfolding) else unfolding.program


@deep_cases("5-counter")
@pytest.mark.parametrize("kind", ["system", "program", "counter"])
@pytest.mark.parametrize("seed", range(8))
def test_it_never_contradicts_brute_force_or_the_default_engines(kind: str, seed: int) -> None:
    content = content_of(kind, seed)
    found = verdict(content, ALL_OPTIMIZATIONS)
    if case(kind, seed).fewest() is not None:
        assert found is not True
    other = decide(content, Options(LIMITS, timeout=20)).answer
    if found is not None and isinstance(other, Holds | Violated):
        assert found == isinstance(other, Holds)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("letters", ["B", "R", "G", "S", "BRGS"])
def test_no_optimization_changes_a_verdict(letters: str, seed: int) -> None:
    content = content_of("system", seed)
    plain = verdict(content, Optimizations.without(letters), timeout=2)
    optimized = verdict(content, ALL_OPTIMIZATIONS)
    assert plain is None or optimized is None or plain == optimized


def test_most_random_systems_are_decided() -> None:
    verdicts = [verdict(content_of("system", seed), ALL_OPTIMIZATIONS) for seed in range(6)]
    assert len([found for found in verdicts if found is not None]) >= 4


@pytest.mark.skipif(
    not BENCHMARKS.is_dir(), reason="the paper's inputs are not ours to ship: ../shared/benchmarks is absent"
)
@pytest.mark.parametrize("name", ["a2", "a5", "c4", "d1", "e1", "f1", "f5", "g5", "g6"])
def test_inputs_of_the_paper_are_decided_as_there(name: str) -> None:
    rows = (line.split("\t") for line in (BENCHMARKS / "expected.tsv").read_text().splitlines())
    expected = {row[0]: row[1] for row in rows}
    path = BENCHMARKS / f"{name}.ser"
    content = read_input(SourceText(path.name, path.read_text()))
    assert verdict(content, ALL_OPTIMIZATIONS, Limits()) == (expected[path.name] == "yes")


def test_a_program_whose_answers_no_serial_run_gives_is_refuted() -> None:
    """The paper's Listing 1.2: 0 is answered in no serial run, so Ser alone says nothing about it."""
    text = "request main { X := 1; yield; y := X; X := 0; y }"
    content = read_input(SourceText("listing.ser", text))
    assert verdict(content, ALL_OPTIMIZATIONS, Limits()) is False


@pytest.mark.parametrize("seed", range(8))
def test_the_exported_net_and_query_say_the_same(seed: int) -> None:
    """The query is read back from its XML and asked of the net that is read back from its text."""
    content = content_of("system", seed)
    found = verdict(content, ALL_OPTIMIZATIONS)
    net_text, query_text = (
        export_input(target, content, "net", for_query=True, limits=LIMITS, deadline=Deadline())
        for target in (ExportTarget.NET, ExportTarget.XML)
    )
    net = read_tina(net_text)
    (query,) = read_queries(query_text, net)
    assert isinstance(query, Query)
    holds = answer_query(net, query, 20_000, Deadline()).holds
    if found is not None and holds is not None:
        assert holds is not found


def test_every_step_can_be_saved_and_asked_again(tmp_path: Path) -> None:
    program = tmp_path / "racing.ser"
    program.write_text("request main { X := 1; yield; y := X; X := 0; y }")
    arguments = ["check", str(program), "--method", "paper", "--save", str(tmp_path / "steps")]
    assert CliRunner().invoke(main, arguments).exit_code == 1
    folder = tmp_path / "steps" / "racing"
    assert (folder / "regex.txt").read_text() == "main/1*\n"
    steps = json.loads((folder / "steps.json").read_text())
    assert steps["components"] == 1
    assert [each["answer"] for each in steps["asked"]] == ["reached"]
    asked = ["net", "reach", str(folder / "disjunct-001.net"), "--formula", str(folder / "disjunct-001.xml")]
    assert CliRunner().invoke(main, asked).exit_code == 0
