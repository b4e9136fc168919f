"""Linear covers as evidence: accepted if they prove it, refused if anything is missing or made up."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from seriatim.arithmetic.solvers import named
from seriatim.arithmetic.solvers.cvc5_smt import Cvc5Solver
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.smt import NoSolution, Solver
from seriatim.budget import OutOfTime
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.counting import CutPlaces, Situations
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import SerialCycle, SerialStep
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.engines.counting.evidence import cover_evidence
from seriatim.engines.counting.root_product import root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input, digest
from seriatim.program.syntax import Program
from seriatim.source import SourceText
from testkit.inputs.counted_inputs import ALWAYS_ONE_LEFT, PROVED, proof
from testkit.oracles.brute_force import Interpreted, interleaved, rules_of_system, serial
from testkit.samples import deep

proved = pytest.mark.parametrize("text", PROVED.values(), ids=PROVED.keys())


@cache
def evidence_for(text: str) -> CoverEvidence:
    return cover_evidence(*proof(text, state_equation))


def report(
    content: Input | str, evidence: CoverEvidence, solvers: tuple[SolverName, ...] = (SolverName.Z3,)
) -> Report:
    known = read_input(SourceText("-", content)) if isinstance(content, str) else content
    certificate = Certificate(digest(known), "serializable", evidence)
    return verify(certificate, known, Context(Allowance(10_000), chosen=solvers))


@proved
def test_what_the_engine_proves_is_accepted(text: str) -> None:
    found = report(text, evidence_for(text))
    assert found.accepted, found.complaint


@deep
@proved
def test_no_cover_can_be_spared(text: str) -> None:
    evidence = evidence_for(text)
    for index in range(len(evidence.covers)):
        fewer = evidence.covers[:index] + evidence.covers[index + 1 :]
        assert not report(text, replace(evidence, covers=fewer)).accepted


def test_cuts_can_be_needed() -> None:
    """Two who go back and forth between 1 and 2 balance each other, although nobody has left 0."""
    text = "request t { if (X == 0) { X := 1; 0 } else { X := 3 - X; 7 } }"
    assert report(text, evidence_for(text)).accepted
    assert not report(text, replace(evidence_for(text), cuts=())).accepted


def damaged(evidence: CoverEvidence) -> Iterator[tuple[str, CoverEvidence]]:
    """(the claim that should fail, the evidence with something made up)."""
    replay = "every cover is a serial run, with cycles through global states on its way"
    path = next(cover for cover in evidence.covers if cover.steps)
    first = path.steps[0]
    for step in (
        replace(first, response="no such"),
        replace(first, handler="nobody"),
        replace(first, after="nowhere"),
        replace(first, after=(("X", 7),)),
    ):
        yield replay, replace(evidence, covers=(replace(path, steps=(step,)), *evidence.covers))
    cyclic = next(cover for cover in evidence.covers if cover.cycles)
    cycle = cyclic.cycles[0]
    for made_up in (
        replace(cycle, steps=(*cycle.steps, SerialStep("nobody", "0", cycle.at))),
        replace(cycle, at="nowhere"),
        SerialCycle("nowhere", ()),
    ):
        yield replay, replace(evidence, covers=(replace(cyclic, cycles=(made_up,)), *evidence.covers))
    twice = replace(cyclic, cycles=(cycle, cycle))
    yield replay, replace(evidence, covers=(*evidence.covers, twice))


@proved
def test_what_is_made_up_is_refused(text: str) -> None:
    for claim, evidence in damaged(evidence_for(text)):
        found = report(text, evidence)
        assert not found.accepted
        assert found.obligations[-1].claim == claim


def test_a_siphon_cut_about_the_initial_state_is_refused() -> None:
    text = PROVED["a bounded counter"]
    cut = CutPlaces("siphon", ((("X", 0),),), (), ())
    found = report(text, replace(evidence_for(text), cuts=(cut,)))
    assert found.obligations[-1].claim == "no siphon cut is about where runs start"
    assert not found.accepted


def test_any_other_set_makes_a_valid_cut() -> None:
    """It may be of no use, but it does no harm."""
    text = PROVED["a bounded counter"]
    evidence = evidence_for(text)
    states = [(("X", value),) for value in range(4)]
    useless = [CutPlaces("trap", tuple(states), (), (Waiting("nobody", "0", ()),))]
    useless += [CutPlaces("siphon", (state,), (), ()) for state in states[1:]]
    assert report(text, replace(evidence, cuts=(*evidence.cuts, *useless))).accepted


NOT_SERIALIZABLE = {
    "a lost update": "request inc { x := X; yield; X := (x + 1) % 2; x }",
    "two effects": "request a { X := 1; yield; X := 0; 0 } request b { X }",
    "a lock that does not hold": """
        request a { while (L == 1) { yield }; yield; L := 1; x := X; yield; X := 1 - x; L := 0; x }
    """,
}


@pytest.mark.parametrize("text", NOT_SERIALIZABLE.values(), ids=NOT_SERIALIZABLE.keys())
def test_evidence_for_a_program_without_its_yields_is_refused(text: str) -> None:
    """Its serial runs are the same, so that the covers can be replayed; but they do not cover everything."""
    found = report(text, evidence_for(text.replace("yield", "0")))
    assert found.obligations[-1].claim == "whatever outcome counting allows is in a cover"
    assert not found.accepted


def changed(text: str) -> Iterator[Input]:
    """Without one of the yields, with another number, or with another target of a transition."""
    for before, after in (("yield", "0"), ("1", "2"), ("0", "1"), ("3", "4"), ('"in", "on"', '"in", "out"')):
        for place in range(text.count(before)):
            pieces = text.split(before)
            other = before.join(pieces[: place + 1]) + after + before.join(pieces[place + 1 :])
            yield read_input(SourceText("-", other))


@deep
@proved
def test_evidence_for_another_input_is_refused_or_proves_it(text: str) -> None:
    for content in changed(text):
        try:
            accepted = report(content, evidence_for(text)).accepted
        except GaveUp:
            continue
        if accepted:
            rules = Interpreted(content).rules if isinstance(content, Program) else rules_of_system(content)
            assert interleaved(rules, 3) <= serial(rules, 3)


@cache
def situated() -> tuple[CoverEvidence, Situations]:
    evidence = cover_evidence(*proof(ALWAYS_ONE_LEFT, root_product))
    assert evidence.situations is not None
    return evidence, evidence.situations


def test_situations_can_be_needed() -> None:
    evidence, _ = situated()
    found = report(ALWAYS_ONE_LEFT, evidence)
    assert found.accepted, found.complaint
    assert not report(ALWAYS_ONE_LEFT, replace(evidence, situations=None)).accepted


def wrong_situations() -> Iterator[Situations]:
    """With a case less, a number too few, or somebody in flight where there is nobody."""
    _, known = situated()
    for index, case in enumerate(known.cases):
        others = known.cases[:index], known.cases[index + 1 :]
        yield replace(known, cases=(*others[0], *others[1]))
        yield replace(known, cases=(*others[0], replace(case, numbers=case.numbers[1:]), *others[1]))
        if 0 in case.numbers:
            more = tuple(1 if number == 0 else number for number in case.numbers)
            yield replace(known, cases=(*others[0], replace(case, numbers=more), *others[1]))


def test_situations_that_miss_a_run_are_refused() -> None:
    evidence, _ = situated()
    for known in wrong_situations():
        found = report(ALWAYS_ONE_LEFT, replace(evidence, situations=known))
        assert not found.accepted
        assert found.obligations[-1].claim == "every complete run goes through the situations"


def test_situations_that_know_less_are_not_wrong() -> None:
    """They may prove less; here, nothing."""
    evidence, known = situated()
    vague = tuple(replace(case, numbers=(None,) * len(case.numbers)) for case in known.cases)
    found = report(ALWAYS_ONE_LEFT, replace(evidence, situations=replace(known, cases=vague)))
    assert not found.accepted
    assert found.obligations[-1].claim == "whatever outcome counting allows is in a cover"


def test_the_other_direction_needs_other_situations() -> None:
    evidence, known = situated()
    other = replace(known, direction="forward" if known.direction == "backward" else "backward")
    assert not report(ALWAYS_ONE_LEFT, replace(evidence, situations=other)).accepted


def test_a_solver_that_gives_up_is_neither_yes_nor_no(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "Z3_WORK", 1)
    text = PROVED["half steps"]
    with pytest.raises(GaveUp, match="z3 gave up"):
        report(text, evidence_for(text))


@pytest.mark.parametrize("name", sorted(PROVED.keys() - {"half steps"}))
def test_both_solvers_confirm(name: str) -> None:
    """Half steps are about residues, with which cvc5 has more trouble."""
    text = PROVED[name]
    found = report(text, evidence_for(text), tuple(SolverName))
    assert found.accepted, found.complaint
    assert found.obligations[-1].confirmed_by == ("z3", "cvc5")


@pytest.mark.parametrize("text", NOT_SERIALIZABLE.values(), ids=NOT_SERIALIZABLE.keys())
def test_either_solver_alone_refutes(text: str) -> None:
    for name in SolverName:
        found = report(text, evidence_for(text.replace("yield", "0")), (name,))
        assert not found.accepted
        assert name in found.complaint


@pytest.mark.parametrize(("silent", "speaks"), [("Z3", "cvc5"), ("CVC5", "z3")])
def test_one_solver_that_confirms_is_enough(
    silent: str, speaks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named, f"{silent}_WORK", 1)
    text = PROVED["a bounded counter"]
    found = report(text, evidence_for(text), tuple(SolverName))
    assert found.accepted
    assert found.obligations[-1].confirmed_by == (speaks,)
    assert found.obligations[-1].gave_up == (silent.lower(),)
    assert f"{silent.lower()} gave up" in found.obligations[-1].detail


def test_a_solver_that_is_out_of_time_does_not_silence_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_time(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(Cvc5Solver, "solve", out_of_time)
    text = PROVED["half steps"]
    found = report(text, evidence_for(text), tuple(SolverName))
    assert found.obligations[-1].gave_up == ("cvc5",)
    with pytest.raises(GaveUp, match="cvc5 gave up: the time limit is reached"):
        report(text, evidence_for(text), (SolverName.CVC5,))


def test_a_solver_that_contradicts_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that says no is reason enough to doubt one that says yes."""
    text = PROVED["half steps"]
    evidence = replace(evidence_for(text), covers=evidence_for(text).covers[1:])
    monkeypatch.setattr(Solver, "solve", lambda *_: NoSolution())
    found = report(text, evidence, tuple(SolverName))
    assert not found.accepted
    assert "cvc5 finds" in found.complaint


@proved
def test_without_solvers_everything_else_is_checked_and_the_last_claim_refused(text: str) -> None:
    found = report(text, evidence_for(text), ())
    assert [obligation.holds for obligation in found.obligations][-2:] == [True, False]
    assert "this needs a solver" in found.complaint
