"""Whatever things are called, nothing is confused: in no report, no export, no certificate."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import itf_py
import pytest
from click.testing import CliRunner

import seriatim
from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.explain.names import completion_text, visible
from seriatim.frontends.certificates import read_certificate as read_certificate
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.petri.from_system import interleaving_net
from seriatim.petri.net import PetriNet
from seriatim.petri.pnml import read_pnml
from seriatim.petri.query_xml import read_queries
from seriatim.petri.tina import read_tina
from seriatim.program.syntax import is_global
from seriatim.systems.from_program import network_system
from seriatim.systems.limits import Limits
from testkit.oracles.smt_answers import z3_answers

ODD = ["TRUE", "FALSE", "final", "g0", "Z", "start", "net", "été", "ﬁ", "fi", "变量"]
"""Words of the formats that we write, and names that Unicode would take for one another."""

ALIKE = [
    "1",
    " 1",
    "1 ",
    "1\u200b",
    "1\u200c",
    "\uff11",
    "1/1",
    "1\\x20",
    "<1>",
    '"1"',
    "é",
    "e\u0301",
    "TRUE",
]
"""Responses that look the same on most screens, or like something else."""

OPERATORS = ["+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]


def racing(name: str) -> str:
    """The request has the name, and so has a variable, shared or not."""
    if is_global(name):
        return f"request {name} {{ x := {name}; yield; {name} := 1 - x; x }}"
    return f"request {name} {{ {name} := N; yield; N := 1 - {name}; {name} }}"


MANY = "\n".join(f"request {name} {{ x := N; yield; N := 1 - x; x }}" for name in ODD)


NAMES = ["r", "r/1"]
ANSWERS = [*ALIKE, "1/s", "s"]


def system(answers: list[str]) -> str:
    """Requests whose names end where their answers begin; alone, only one of them is ever answered."""
    steps = [
        [f"middle {name}", before, f"end {answer}", "after"]
        for name in NAMES
        for answer in answers
        for before in ("g0", "after")
    ]
    return json.dumps(
        {
            "initial_global": "g0",
            "requests": [[name, f"start {name}"] for name in NAMES],
            "responses": [[f"end {answer}", answer] for answer in answers],
            "transitions": [[f"start {name}", "g0", f"middle {name}", "g0"] for name in NAMES] + steps,
        }
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "many.ser").write_text(MANY, "utf-8")
    (tmp_path / "alike.json").write_text(system(ANSWERS), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ser(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (0, 1), result.output
    return result.stdout


# Verdicts


@pytest.mark.parametrize("name", ODD)
def test_a_name_does_not_change_the_verdict(name: str) -> None:
    assert isinstance(seriatim.check(racing(name)), seriatim.NotSerializable)
    assert isinstance(seriatim.check(racing(name).replace("yield;", "")), seriatim.Serializable)


@pytest.mark.parametrize("name", ["TRUE", "FALSE"])
def test_the_papers_method_reads_no_word_as_its_answer(name: str) -> None:
    paper = seriatim.Method.PAPER
    assert isinstance(seriatim.check(racing(name), method=paper), seriatim.NotSerializable)
    atomic = racing(name).replace("yield;", "")
    assert isinstance(seriatim.check(atomic, method=paper), seriatim.Serializable)


@pytest.mark.parametrize("text", [MANY, system(ANSWERS)], ids=["program", "system"])
def test_a_certificate_is_about_the_names_it_names(text: str) -> None:
    verdict = seriatim.check(text)
    assert isinstance(verdict, seriatim.NotSerializable)
    written = seriatim.certificate_text(verdict.certificate)
    assert read_certificate(written) == verdict.certificate
    assert seriatim.verify(verdict.certificate, text).accepted
    document = json.loads(written)
    first = document["turns"][0]
    other = next(name for name in (*NAMES, *ODD) if name != first["handler"])
    document["turns"][0] = {**first, "handler": other}
    assert not seriatim.verify(seriatim.certificate_from(json.dumps(document)), text).accepted


# Local states whose code differs in an operator only


def test_operators_make_different_local_states() -> None:
    branches = " else ".join(f"if (N == {i}) {{ yield; A {op} B }}" for i, op in enumerate(OPERATORS))
    text = f"request r {{ {branches} }}\nrequest s {{ N := (N + 1) % {len(OPERATORS)} }}"
    found = network_system(parse(text), Limits(), Deadline())
    waiting = {local.code for local in found.locals if re.fullmatch(r"A \S+ B", str(local.code))}
    assert len(waiting) == len(OPERATORS)
    assert len({local.name for local in found.locals}) == len(found.locals)


@pytest.mark.parametrize(("one", "other"), [("&&", "||"), ("<", "<="), ("+", "*"), ("==", "!=")])
def test_operators_survive_every_export(one: str, other: str, folder: Path) -> None:
    """The system that is written has as many states, and the same verdict, as the program."""
    text = (
        f"request set {{ A := 1 - A; 0 }}\n"
        f"request r {{ if (?) {{ yield; A {one} B }} else {{ yield; A {other} B }} }}\n"
    )
    (folder / "p.ser").write_text(text)
    written = network_system(parse(text), Limits(), Deadline())
    net = interleaving_net(written).net
    exported = ser("export", "p.ser", "--to", "json")
    again = read_system(exported)
    assert (len(again.locals), len(again.globals), len(again.delta)) == (
        len(written.locals),
        len(written.globals),
        len(written.delta),
    )
    (folder / "again.json").write_text(exported)
    assert type(seriatim.check(text)) is type(seriatim.check(folder / "again.json"))
    assert are_the_same(read_tina(ser("export", "p.ser", "--to", "net")), net)
    assert are_the_same(read_pnml(ser("export", "p.ser", "--to", "pnml")), net)
    assert len(set(net.places)) == len(net.places)


def are_the_same(one: PetriNet, other: PetriNet) -> bool:
    """Up to the order in which a transition lists its places."""

    def ordered(net: PetriNet) -> PetriNet:
        transitions = (
            replace(t, pre=tuple(sorted(t.pre)), post=tuple(sorted(t.post))) for t in net.transitions
        )
        return replace(net, transitions=tuple(transitions))

    return ordered(one) == ordered(other)


# Formats for machines


def test_exports_are_read_back_as_the_same(folder: Path) -> None:  # noqa: ARG001 - the current folder
    many = network_system(parse(MANY), Limits(), Deadline())
    for file, written in (("many.ser", many), ("alike.json", read_system(system(ANSWERS)))):
        net = interleaving_net(written).net
        assert are_the_same(read_tina(ser("export", file, "--to", "net")), net)
        assert are_the_same(read_pnml(ser("export", file, "--to", "pnml")), net)
    assert read_system(ser("export", "alike.json", "--to", "json")) == read_system(system(ANSWERS))
    assert set(read_system(ser("export", "many.ser", "--to", "json")).requests) == set(ODD)


def test_queries_and_constraints_name_each_place_once(folder: Path) -> None:
    (folder / "odd.ser").write_text("\n".join(map(racing, ["TRUE", "ﬁ"])), "utf-8")
    net = read_tina(ser("export", "odd.ser", "--to", "net", "--for-query"))
    (query,) = read_queries(ser("export", "odd.ser", "--to", "xml"), net)
    assert query.name == "not-serializable"
    script = ser("export", "odd.ser", "--to", "smt2")
    declared = re.findall(r"\(declare-const (\S+) Int\)", script)
    assert len(set(declared)) == len(declared)
    assert z3_answers(script) == ["sat"]


def test_a_proof_as_smt_lib_is_confirmed_whatever_the_names(folder: Path) -> None:
    lock = "while (TRUE == 1) { yield }; TRUE := 1; yield; Z := 1 - Z; yield; TRUE := 0; Z"
    (folder / "lock.ser").write_text(f"request ﬁ {{ {lock} }}\nrequest fi {{ {lock} }}\n", "utf-8")
    ser("check", "lock.ser", "--certificate", "lock.cert.json")
    script = ser("certificate", "export", "lock.cert.json", "lock.ser", "--to", "smt2")
    answers = z3_answers(script)
    assert answers
    assert set(answers) == {"unsat"}


def test_json_and_traces_have_the_names_themselves(folder: Path) -> None:
    found = json.loads(ser("check", "alike.json", "--json", "--itf", "t.itf.json", "--certificate", "c.json"))
    told = {(turn["handler"], turn["response"]) for turn in found["trace"] if turn["response"]}
    certificate: Any = json.loads((folder / "c.json").read_text("utf-8"))
    assert {(t["handler"], t["response"]) for t in certificate["turns"] if t["response"] is not None} == told
    trace = itf_py.trace_from_json(json.loads((folder / "t.itf.json").read_text("utf-8")))
    answers = trace.states[-1].values["answers"].values()
    assert {(answer.handler, answer.response) for answer in answers} == told


def test_reports_for_machines_are_well_formed(folder: Path) -> None:
    ser("check", "many.ser", "alike.json", "--sarif", "s.sarif", "--junit", "j.xml")
    log = json.loads((folder / "s.sarif").read_text("utf-8"))
    rules = [found["ruleId"] for found in log["runs"][0]["results"]]
    assert rules == ["not-serializable", "SER710", "not-serializable"]
    cases = ElementTree.parse(folder / "j.xml").getroot().iter("testcase")
    assert [case.get("name") for case in cases] == ["many.ser", "alike.json"]


# Formats for people


@pytest.mark.parametrize(
    ("view", "answers", "expected"),
    [
        ("ns", ANSWERS, {visible(answer) for answer in ANSWERS}),
        ("net", ["1/s", "s", " s"], {"r/1\\x2fs", "r\\x2f1/s", "r/s", "r/\\x20s"}),
        ("serial", ["1/s", "s", " s"], {"r/1\\x2fs", "r\\x2f1/s", "r/s", "r/\\x20s"}),
    ],
)
def test_pictures_have_a_node_for_each_and_no_two_look_alike(
    view: str, answers: list[str], expected: set[str], folder: Path
) -> None:
    (folder / "some.json").write_text(system(answers))
    svg = ElementTree.fromstring(ser("show", "some.json", "--as", view, "--format", "svg"))
    texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {text: texts.count(text) for text in expected} == dict.fromkeys(expected, 1)
    dot = ser("show", "some.json", "--as", view, "--format", "dot")
    mermaid = ser("show", "some.json", "--as", view, "--format", "mermaid")
    nodes = set(re.findall(r"^  (n\d+) \[", dot, re.MULTILINE))
    assert nodes == set(re.findall(r"^    (n\d+)\W+\"", mermaid, re.MULTILINE))
    labels = re.findall(r'^  n\d+ \[.* label="((?:[^"\\]|\\.)*)"\]$', dot, re.MULTILINE)
    assert len(set(labels)) == len(labels) == len(nodes)


class Text(HTMLParser):
    """The pieces of text in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)


def test_tables_and_pages_show_each_name(folder: Path) -> None:
    shown = ser("check", "alike.json", "--explain", "--html", "r.html")
    found = json.loads(ser("check", "alike.json", "--json"))
    pieces = Text((folder / "r.html").read_text("utf-8")).pieces
    for turn in found["trace"]:
        assert any(
            f"request {turn['request']}: {visible(turn['handler'])}" in line for line in shown.splitlines()
        )
        assert visible(turn["handler"]) in pieces
        if turn["response"] is not None:
            assert completion_text(turn["handler"], turn["response"]) in shown
    table = ser("show", "alike.json", "--as", "delta")
    assert {visible(f"end {answer}") for answer in ALIKE} <= {
        cell for line in table.splitlines() for cell in re.split(r" {2,}", line)
    }


def test_outcomes_tell_completions_apart(folder: Path) -> None:
    (folder / "strokes.json").write_text(system(["1/s", "s"]))
    found = json.loads(ser("show", "strokes.json", "--as", "semilinear", "--format", "json"))
    assert len(set(found["completions"])) == len(found["completions"]) == 4
