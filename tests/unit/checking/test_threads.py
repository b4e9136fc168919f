"""The checker on evidence about threads: what engines find is accepted, and no forgery is."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from seriatim.arithmetic.solvers.horn import Relations, solve_horn
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import PairedState, ThreadPairsEvidence
from seriatim.certificate.thread_reduction import ThreadReductionEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.obligation import report_on
from seriatim.checking.thread_pairs import obligations as thread_pairs_obligations
from seriatim.checking.threads import thread_obligations
from seriatim.checking.verify import verify
from seriatim.engines.threads.cover_evidence import cover_evidence, pairs_evidence
from seriatim.engines.threads.flows import find_flows
from seriatim.engines.threads.karp_miller import Cover
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.pairs import Pairs
from seriatim.engines.threads.petrify import Asked, petrify_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY
from seriatim.engines.threads.search import Failing, Search
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.inputs import digest
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.safe import SAFETY
from seriatim.properties.serializable import Serializability
from seriatim.reductions.threads.reducing import reduce_threads
from seriatim.source import InputError, SourceText
from seriatim.systems.threads.finite import FiniteSystem
from seriatim.systems.threads.runs import thread_run
from testkit.samples import deep, deep_cases, sampled

LOCK = """
global lock: 0..1 = 0; global x: int = 5;
thread main() { while (*) { fork 0 w(); } }
thread w() {
  local t: int;
  atomic { assume lock == 0; lock := 1; }
  t := x;
  assert x == t && x >= 5;
  x := t + t;
  lock := 0;
}
"""
FINITE = """
global lock: 0..1 = 0; global busy: bool = false;
thread main() { local n: 0..2; havoc n; while (*) { fork n w(); } join n; }
thread w() { atomic { assume lock == 0; lock := 1; } assert !busy; busy := true; busy := false; lock := 0; }
"""
LOCKED = """
global lock: 0..1 = 0; global x: 0..3 = 0; global noise: int = 0; global open: int = 0;
thread main() { while (*) { fork 0 w(); } }
thread w() {
  noise := noise + 1;
  atomic { assume lock == 0; lock := 1; }
  x := x + 1;
  assert x == 1;
  x := x - 1;
  lock := 0;
  open := 1;
  assert open == 1;
}
"""
WORKERS = """
global c: int = 0;
thread main() {
  local i: int; local joins: bool;
  i := 0;
  joins := true;
  while (*) { fork i w(); if (joins) { join i; } i := i + 1; assert c == i; }
}
thread w() { c := c + 1; }
"""
LOST = """
global c: int = 0;
thread main() { local d: bool; fork 1 w(3); fork 2 w(4); join 1 assign d; join 2; assert c == 7 || !d; }
thread w(n: int) returns (done: bool) { local t: int; t := c; havoc done; c := t + n; }
"""


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


@cache
def run_evidence() -> Evidence:
    system = FiniteSystem(program(LOST), Deadline())
    found = Search(system, Deadline()).advance(5_000)
    assert isinstance(found, Failing)
    return ThreadRunEvidence(thread_run(system, found.steps))


@cache
def cover() -> Evidence:
    built = Cover(FiniteSystem(program(FINITE), Deadline()), Deadline())
    assert built.build(5_000)
    return cover_evidence(built)


@cache
def modular() -> Evidence:
    flows = find_flows(program(LOCK))
    clauses = modular_clauses(program(LOCK), 1, Deadline(), flows)
    found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(60))
    assert isinstance(found, Relations)
    return ThreadModularEvidence(1, flows, clauses.predicates(found))


@cache
def petrified() -> Evidence:
    parts = []
    for asked in (Asked.BOUND, Asked.SAFE):
        clauses = petrify_clauses(program(WORKERS), 1, asked, Deadline())
        found = solve_horn(clauses.text(), FALSE_QUERY, Deadline(60))
        assert isinstance(found, Relations)
        parts.append(clauses.predicates(found))
    return PetrifiedEvidence(1, *parts)


@cache
def pairs() -> Evidence:
    built = Pairs(FiniteSystem(program(FINITE), Deadline()), Deadline())
    assert built.build(5_000)
    return pairs_evidence(built)


@cache
def reduction() -> Evidence:
    reduced = reduce_threads(program(LOCKED), Deadline())
    built = Cover(FiniteSystem(reduced.program, Deadline()), Deadline())
    assert built.build(5_000)
    return ThreadReductionEvidence(reduced.dropped, reduced.fused, cover_evidence(built))


CASES: dict[str, tuple[str, Callable[[], Evidence]]] = {
    "thread-pairs": (FINITE, pairs),
    "thread-reduction": (LOCKED, reduction),
    "thread-run": (LOST, run_evidence),
    "thread-cover": (FINITE, cover),
    "thread-modular": (LOCK, modular),
    "petrified": (WORKERS, petrified),
}


def certificate(kind: str) -> Certificate:
    text, make = CASES[kind]
    evidence = make()
    return Certificate(digest(program(text)), SAFETY.verdicts[0 if evidence.proves else 1], evidence, SAFETY)


def is_accepted(kind: str, document: object) -> bool:
    """Whether a certificate about the program of a kind is read and accepted."""
    try:
        read = read_certificate(json.dumps(document))
    except InputError:
        return False
    return verify(read, program(CASES[kind][0])).accepted


@deep_cases("petrified")
@pytest.mark.parametrize("kind", CASES)
def test_what_engines_find_is_accepted(kind: str) -> None:
    assert is_accepted(kind, json.loads(write(certificate(kind))))


@deep
@pytest.mark.parametrize("kind", ["thread-modular", "petrified"])
def test_a_second_solver_agrees(kind: str) -> None:
    both = Context(chosen=(SolverName.Z3, SolverName.CVC5))
    report = verify(certificate(kind), program(CASES[kind][0]), both)
    assert report.accepted
    assert report.obligations[-1].confirmed_by == ("cvc5", "z3")


@deep
@pytest.mark.parametrize("kind", ["thread-modular", "petrified"])
def test_without_a_solver_formulas_prove_nothing(kind: str) -> None:
    assert not verify(certificate(kind), program(CASES[kind][0]), Context(chosen=())).accepted


@pytest.mark.parametrize("kind", CASES)
def test_evidence_about_another_program_is_refused(kind: str) -> None:
    for text, _ in CASES.values():
        if text != CASES[kind][0]:
            assert not verify(certificate(kind), program(text)).accepted


def edits(value: Any) -> Iterator[Any]:
    """The document with one number, truth value or word changed, or one entry left out or doubled."""
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
            yield value - 1
        case dict():
            for key in value:
                for other in edits(value[key]):
                    yield value | {key: other}
        case list():
            for index in range(len(value)):
                yield value[:index] + value[index + 1 :]
                for other in edits(value[index]):
                    yield [*value[:index], other, *value[index + 1 :]]


def edited(kind: str, every: int) -> list[Any]:
    document = json.loads(write(certificate(kind)))
    header = ("format", "version", "input_sha256", "question", "verdict", "kind")
    body = {key: value for key, value in document.items() if key not in header}
    head = {key: document[key] for key in header}
    return [head | changed for changed in list(edits(body))[::every]]


def test_most_edits_of_a_run_are_refused_and_the_others_are_runs() -> None:
    """An edit of a value that nobody reads leaves a run: then replaying it fails as well."""
    forged = edited("thread-run", 1)
    accepted = [document for document in forged if is_accepted("thread-run", document)]
    assert len(forged) > 60
    assert len(accepted) < len(forged) / 3
    for document in accepted:
        assert document["failure"] == json.loads(write(certificate("thread-run")))["failure"]


FORGERIES: dict[str, tuple[str, Callable[[dict[str, Any]], object]]] = {
    "run: no steps": ("thread-run", lambda d: d.update(steps=[])),
    "run: the last step is left out": ("thread-run", lambda d: d["steps"].pop()),
    "run: a step twice": ("thread-run", lambda d: d["steps"].insert(0, d["steps"][0])),
    "run: it goes on after it has failed": ("thread-run", lambda d: d["steps"].append(d["steps"][-1])),
    "run: another failure": ("thread-run", lambda d: d["failure"].update(code="SER812")),
    "run: another message": ("thread-run", lambda d: d["failure"].update(message="it fails")),
    "run: another initial value": ("thread-run", lambda d: d["globals"].update(c=9)),
    "run: a global too many": ("thread-run", lambda d: d["globals"].update(e=9)),
    "run: a local of the wrong type": ("thread-run", lambda d: d["locals"].update(d=1)),
    "run: a thread that does not exist": ("thread-run", lambda d: d["steps"][0].update(thread=5)),
    "run: an edge that does not exist": ("thread-run", lambda d: d["steps"][0].update(edge=99)),
    "run: main joins itself": (
        "thread-run",
        lambda d: [s.update(joined=0) for s in d["steps"] if s["joined"]],
    ),
    "run: nobody is joined": ("thread-run", lambda d: [s.update(joined=None) for s in d["steps"]]),
    "run: a parameter as a local": ("thread-run", lambda d: d["steps"][0]["locals"].update(n=1)),
    "run: havocs left out": ("thread-run", lambda d: [s.update(havocs=[]) for s in d["steps"]]),
    "run: nothing fails": (
        "thread-run",
        lambda d: (d["steps"].pop(), d.update(failure={"code": "", "message": ""})),
    ),
    "run: it is a proof": ("thread-run", lambda d: d.update(verdict="safe")),
    "cover: nothing": ("thread-cover", lambda d: d.update(states=[])),
    "cover: no threads": ("thread-cover", lambda d: d.update(threads=[], states=[])),
    "cover: a state is left out": ("thread-cover", lambda d: d["states"].pop()),
    "cover: any number becomes one": (
        "thread-cover",
        lambda d: [
            entry.__setitem__(1, 1)
            for state in d["states"]
            for crowd in state["crowds"]
            for entry in crowd
            if entry[1] is None
        ],
    ),
    "cover: a template that does not exist": ("thread-cover", lambda d: d["threads"][0].update(template="v")),
    "cover: a place that does not exist": ("thread-cover", lambda d: d["threads"][0].update(place=77)),
    "cover: a local that does not exist": ("thread-cover", lambda d: d["threads"][0]["locals"].update(q=1)),
    "cover: a value of the wrong type": ("thread-cover", lambda d: d["states"][0]["globals"].update(busy=1)),
    "cover: a crowd is left out": ("thread-cover", lambda d: d["states"][-1]["crowds"].pop()),
    "cover: ids are forgotten": ("thread-cover", lambda d: [each.update(id=None) for each in d["threads"]]),
    "cover: locals are forgotten": (
        "thread-cover",
        lambda d: [each.update(locals={}, place=0) for each in d["threads"]],
    ),
    "cover: a description by a wrong number": (
        "thread-cover",
        lambda d: d["states"][0]["crowds"][0][0].__setitem__(0, 999),
    ),
    "modular: no formulas": ("thread-modular", lambda d: d.update(predicates=[])),
    "modular: all formulas true": (
        "thread-modular",
        lambda d: [p.update(formula=True) for p in d["predicates"]],
    ),
    "modular: all formulas false": (
        "thread-modular",
        lambda d: [p.update(formula=False) for p in d["predicates"]],
    ),
    "modular: a formula is left out": ("thread-modular", lambda d: d["predicates"].pop()),
    "modular: no sums": ("thread-modular", lambda d: d.update(flows=[])),
    "modular: a total": ("thread-modular", lambda d: d["flows"][0].update(total=1)),
    "modular: a factor": ("thread-modular", lambda d: d["flows"][0]["globals"].update(lock=5)),
    "modular: a thread weighs less than nothing": (
        "thread-modular",
        lambda d: d["flows"][0]["threads"][0].__setitem__(2, -1),
    ),
    "modular: a weight is left out": ("thread-modular", lambda d: d["flows"][0]["threads"].pop()),
    "modular: a value counts": ("thread-modular", lambda d: d["flows"][0]["values"].append(["lock", 1, 1])),
    "modular: a value counts from the start": (
        "thread-modular",
        lambda d: d["flows"][0]["values"].append(["lock", 0, 1]),
    ),
    "modular: a value of an unknown global": (
        "thread-modular",
        lambda d: d["flows"][0]["values"].append(["unlock", 1, 0]),
    ),
    "modular: main weighs something": ("thread-modular", lambda d: d["flows"][0]["main"].append([0, 3])),
    "modular: a formula with an unknown variable": (
        "thread-modular",
        lambda d: d["predicates"][0].update(formula=["==", "g.q", 1]),
    ),
    "modular: a formula that is a number": ("thread-modular", lambda d: d["predicates"][0].update(formula=7)),
    "modular: a formula that mixes types": (
        "thread-modular",
        lambda d: d["predicates"][0].update(formula=["&&", "g.x", True]),
    ),
    "modular: text that a solver would obey": (
        "thread-modular",
        lambda d: d["predicates"][0].update(formula=") (assert false) ("),
    ),
    "pairs: no states": ("thread-pairs", lambda d: d.update(states=[])),
    "pairs: a state is left out": ("thread-pairs", lambda d: d["states"].pop()),
    "pairs: a row is left out": ("thread-pairs", lambda d: d["states"][0]["rows"].pop()),
    "pairs: an empty row": ("thread-pairs", lambda d: d["states"][-1]["rows"][0].__setitem__(1, [])),
    "pairs: a row that others do not return": (
        "thread-pairs",
        lambda d: [state["rows"][0][1].clear() for state in d["states"]],
    ),
    "pairs: another place": ("thread-pairs", lambda d: d["threads"][1].update(place=3)),
    "pairs: another id": ("thread-pairs", lambda d: d["threads"][1].update(id=9)),
    "pairs: another value of a global": (
        "thread-pairs",
        lambda d: d["states"][0]["globals"].update(busy=True),
    ),
    "pairs: a thread that is not described": (
        "thread-pairs",
        lambda d: d["states"][0]["rows"][0][1].append(10_000),
    ),
    "pairs: an unknown template": ("thread-pairs", lambda d: d["threads"][1].update(template="z")),
    "reduction: a variable that matters": (
        "thread-reduction",
        lambda d: d["dropped"].append({"template": "", "name": "x"}),
    ),
    "reduction: a lock": (
        "thread-reduction",
        lambda d: d["dropped"].append({"template": "", "name": "lock"}),
    ),
    "reduction: an unknown variable": (
        "thread-reduction",
        lambda d: d["dropped"].append({"template": "w", "name": "z"}),
    ),
    "reduction: nothing is dropped": ("thread-reduction", lambda d: d.update(dropped=[])),
    "reduction: nothing is fused": ("thread-reduction", lambda d: d.update(fused=[])),
    "reduction: a place that others need": (
        "thread-reduction",
        lambda d: d["fused"].append({"template": "w", "place": 6}),
    ),
    "reduction: the beginning of a thread": (
        "thread-reduction",
        lambda d: d["fused"].append({"template": "w", "place": 0}),
    ),
    "reduction: an unknown template": (
        "thread-reduction",
        lambda d: d["fused"].append({"template": "z", "place": 1}),
    ),
    "reduction: a place twice": ("thread-reduction", lambda d: d["fused"].append(d["fused"][0])),
    "reduction: a proof of another kind": (
        "thread-reduction",
        lambda d: d["proof"].update(kind="thread-run"),
    ),
    "reduction: a proof about less": ("thread-reduction", lambda d: d["proof"].update(states=[])),
    "reduction: within a reduction": (
        "thread-reduction",
        lambda d: d.update(proof={key: d[key] for key in ("kind", "dropped", "fused", "proof")}),
    ),
    "petrified: no formulas for the bound": ("petrified", lambda d: d.update(bounded=[])),
    "petrified: no formulas for safety": ("petrified", lambda d: d.update(safe=[])),
    "petrified: true is no bound": ("petrified", lambda d: [p.update(formula=True) for p in d["bounded"]]),
    "petrified: true is not safe": ("petrified", lambda d: [p.update(formula=True) for p in d["safe"]]),
    "petrified: a formula is left out": ("petrified", lambda d: d["safe"].pop()),
    "petrified: no bound": ("petrified", lambda d: d.update(bound=0)),
    "petrified: formulas are exchanged": (
        "petrified",
        lambda d: d.update(safe=d["bounded"], bounded=d["safe"]),
    ),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries_are_refused(name: str) -> None:
    kind, forge = FORGERIES[name]
    document = json.loads(write(certificate(kind)))
    forged = deepcopy(document)
    forge(forged)
    assert forged != document
    assert not is_accepted(kind, forged)


def test_a_cover_that_tries_too_few_values_is_refused() -> None:
    """Integers in arithmetic cannot be tried out, so no cover proves anything about them."""
    text = "global x: int; thread main() { assert x * x != 49; }"
    built = Cover(FiniteSystem(program(text), Deadline()), Deadline())
    assert built.build(100)
    evidence = cover_evidence(built)
    report = verify(Certificate(digest(program(text)), "safe", evidence, SAFETY), program(text))
    assert not report.accepted
    assert "infinitely many values" in report.complaint


TWO_KINDS = """
global turn: 0..2 = 0; global x: 0..1 = 0;
thread main() { fork 1 a(); fork 2 b(); while (*) { fork 3 a(); } join 2; assert x == 0 || x == 1; }
thread a() { atomic { assume turn == 0; turn := 1; } x := 1; assert x == 1; x := 0; turn := 0; }
thread b() { atomic { assume turn == 0; turn := 2; } assert x == 0; x := 1; x := 0; turn := 0; }
"""


def pairs_about(text: str) -> ThreadPairsEvidence:
    built = Pairs(FiniteSystem(program(text), Deadline()), Deadline())
    assert built.build(5_000)
    found = pairs_evidence(built)
    assert isinstance(found, ThreadPairsEvidence)
    return found


def holds(evidence: ThreadPairsEvidence, text: str) -> bool:
    return report_on(thread_pairs_obligations(program(text), evidence, Context())).accepted


def without_pair(state: PairedState, one: int, other: int) -> PairedState:
    """Two threads that may no longer be there together."""
    pair = {(one, other), (other, one)}
    rows = ((number, tuple(each for each in row if (number, each) not in pair)) for number, row in state.rows)
    return replace(state, rows=tuple(rows))


def without_return(state: PairedState, one: int, other: int) -> PairedState:
    """The second thread may no longer be beside the first one, but the first one beside the second."""
    rows = tuple(
        (number, tuple(each for each in row if (number, each) != (one, other))) for number, row in state.rows
    )
    return replace(state, rows=rows)


def without_row(state: PairedState, one: int) -> PairedState:
    """A thread that may no longer be there."""
    rows = ((number, tuple(each for each in row if each != one)) for number, row in state.rows)
    return replace(state, rows=tuple((number, row) for number, row in rows if number != one))


@pytest.mark.parametrize("text", [FINITE, TWO_KINDS])
def test_no_pair_and_no_row_can_be_spared(text: str) -> None:
    """Whatever is listed can happen, so evidence that leaves it out is wrong."""
    evidence = pairs_about(text)
    assert holds(evidence, text)
    for place, state in enumerate(evidence.states):
        fewer = [without_row(state, one) for one, _ in state.rows]
        fewer += [
            replace(state, rows=tuple(each for each in state.rows if each[0] != one)) for one, _ in state.rows
        ]
        fewer += [
            leave_out(state, one, other)
            for one, row in state.rows
            for other in row
            for leave_out in (without_pair, without_return)
        ]
        for each in sampled(fewer, 4):
            states = (*evidence.states[:place], each, *evidence.states[place + 1 :])
            assert not holds(replace(evidence, states=states), text)


def test_reports_say_what_was_looked_at() -> None:
    text = "global x: 0..1 = 0; thread main() { x := 1; x := 0; }"
    last = list(thread_pairs_obligations(program(text), pairs_about(text), Context()))[-1]
    assert last.detail == "2 steps"
    report = verify(certificate("thread-reduction"), program(LOCKED))
    assert [each.detail for each in report.obligations if " can go" in each.claim] == [
        "1 variable",
        "6 places",
    ]


def test_work_is_bounded() -> None:
    for kind in ("thread-run", "thread-pairs", "thread-cover"):
        allowance = Allowance()
        assert verify(certificate(kind), program(CASES[kind][0]), Context(allowance)).accepted
        with pytest.raises(GaveUp):
            verify(certificate(kind), program(CASES[kind][0]), Context(Allowance(allowance.spent - 1)))


def test_threads_have_one_question() -> None:
    for kind, (text, make) in CASES.items():
        found = list(
            report_on(
                thread_obligations(program(text), Serializability().states(), make(), Context())
            ).obligations
        )
        assert [each.holds for each in found] == [False], kind


def test_evidence_about_requests_proves_nothing_about_threads() -> None:
    found = list(
        report_on(thread_obligations(program(LOCK), SAFETY.states(), AtomicEvidence(), Context())).obligations
    )
    assert [each.holds for each in found] == [False]
