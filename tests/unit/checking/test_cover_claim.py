"""What is claimed of counts: covers are words that are allowed, and cuts are about places of the input."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.counting import CutPlaces, Situation, Situations
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import SerialCycle, SerialPath, SerialStep
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Allowed, SerialRuns, WrittenSpecification
from seriatim.checking.cover import Precision
from seriatim.checking.cover_claim import CoverClaim, cover_claim, cut_places
from seriatim.checking.covers import check_covers
from seriatim.checking.linear_cover import covered
from seriatim.checking.moves import Moves
from seriatim.checking.obligation import Obligation
from seriatim.checking.reference import ProgramReference
from seriatim.frontends.ser.parser import parse
from seriatim.frontends.ser.specification import read_specification
from seriatim.program.semantics import big_steps
from seriatim.program.specification import SpecificationAutomaton
from seriatim.source import SourceText


class CountedDeadline(Deadline):
    """Never over, and counts who asks."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def check(self) -> None:
        self.asked += 1


def allowance(deadline: Deadline | None = None) -> Allowance:
    return Allowance(1_000, deadline or Deadline())


def reference_of(text: str) -> ProgramReference:
    return ProgramReference(parse(text), big_steps)


def at(x: int) -> tuple[tuple[str, int], ...]:
    return (("X", x),)


TURNS = reference_of("request turn { X := 1 - X; X }")
UP, DOWN = SerialStep("turn", "1", at(1)), SerialStep("turn", "0", at(0))
GET = reference_of("request get { yield; 0 }")
NOTHING = CoverEvidence(1, invariants=(), situations=None, cuts=(), covers=(SerialPath((), ()),))


def complaint(cover: SerialPath) -> str:
    found = check_covers(SerialRuns(TURNS, allowance()), (SerialPath((), ()), cover), allowance())
    return "" if found.holds else found.detail


def test_a_cover_is_a_serial_run_with_cycles_on_its_way() -> None:
    assert complaint(SerialPath((UP, DOWN, UP), ())) == ""
    assert complaint(SerialPath((UP,), (SerialCycle(at(1), (DOWN, UP)),))) == ""
    assert complaint(SerialPath((UP, UP), ())) == "the path of cover 2 is not a serial run"
    assert complaint(SerialPath((DOWN,), ())) == "the path of cover 2 is not a serial run"


@pytest.mark.parametrize(
    "cycle",
    [
        SerialCycle(at(1), (DOWN, UP)),
        SerialCycle(at(0), (UP,)),
        SerialCycle(at(0), (DOWN, UP)),
    ],
    ids=["not on the way", "no cycle", "no steps from there"],
)
def test_a_cycle_begins_and_ends_on_the_way(cycle: SerialCycle) -> None:
    """The path is empty, so that only the initial state is on it."""
    assert complaint(SerialPath((), (cycle,))) == "a cycle of cover 2 can't be inserted into its path"


def test_whoever_replays_covers_heeds_the_deadline() -> None:
    """Before each cover, and before each step."""
    deadline = CountedDeadline()
    path = SerialPath((UP, DOWN, UP), (SerialCycle(at(1), (DOWN, UP)),))
    serial = SerialRuns(TURNS, allowance())
    assert check_covers(serial, (path, path), allowance(deadline)).holds
    assert deadline.asked == 2 * (1 + 3 + 2)


def test_a_cut_is_about_whoever_waits_in_one_of_its_ways() -> None:
    moves = Moves(reference_of("request a { yield; yield; 0 }"), Precision(1, ()), allowance())
    ways = tuple(Waiting("a", code, ()) for code in ("nothing", "yield; 0"))
    deadline = CountedDeadline()
    found = cut_places(moves, CutPlaces("trap", (), (), ways), allowance(deadline))
    assert {moves.waiting(place).code for place in found if isinstance(place, int)} == {"yield; 0"}
    assert deadline.asked == len(moves.flights)


def obligations(evidence: CoverEvidence, allowed: Allowed | None = None) -> list[Obligation]:
    return list(_claimed(evidence, allowed or SerialRuns(GET, allowance()), []))


def _claimed(
    evidence: CoverEvidence, allowed: Allowed, claims: list[CoverClaim | None]
) -> Iterator[Obligation]:
    claims.append((yield from cover_claim(GET, evidence, allowed, allowance())))


SIPHON = CutPlaces("siphon", ((),), (), ())
TRAP = replace(SIPHON, kind="trap")


def test_all_that_is_claimed_is_told() -> None:
    """Situations, and how many cuts there are; of wrong cuts, which ones."""
    situations = Situations("forward", (), (Situation((), ()),))
    evidence = replace(NOTHING, situations=situations, cuts=(TRAP, TRAP))
    replayed, situated, cut = obligations(evidence)
    assert (replayed.detail, situated.detail, cut.detail) == ("1 cover replayed", "1 situation", "2 cuts")
    assert situated.claim == "every complete run goes through the situations"
    assert len(cut.data) == 2
    wrong = obligations(replace(NOTHING, cuts=(TRAP, SIPHON)))[-1]
    assert (wrong.holds, wrong.detail, len(wrong.data)) == (False, "1 of 2 cuts", 1)
    assert wrong.data == obligations(replace(NOTHING, cuts=(SIPHON,)))[-1].data


def test_each_term_of_a_cut_is_paid_for() -> None:
    claims: list[CoverClaim | None] = []
    list(_claimed(replace(NOTHING, cuts=(TRAP, TRAP)), SerialRuns(GET, allowance()), claims))
    (claim,) = claims
    assert claim is not None
    spent = allowance()
    list(claim.cut_clauses(spent))
    assert spent.spent == 2


def test_what_only_a_specification_does_has_to_be_done() -> None:
    """Words begin with `open`, which the input does not know: none of them is an outcome of it."""
    meaning = read_specification(
        SourceText("-", "spec { init shut; shut -> open: open/0; open -> open: get/0; }")
    ).meaning
    assert isinstance(meaning, SpecificationAutomaton)
    allowed = WrittenSpecification(meaning)
    cycle = SerialCycle("open", (SerialStep("get", "0", "open"),))
    after_opening = SerialPath((SerialStep("open", "0", "open"),), (cycle,))
    evidence = replace(NOTHING, covers=(SerialPath((), ()), after_opening))
    claims: list[CoverClaim | None] = []
    assert all(obligation.holds for obligation in _claimed(evidence, allowed, claims))
    (claim,) = claims
    assert claim is not None
    last = covered(claim, evidence, allowance(), (SolverName.Z3,))
    assert "in no cover" in last.detail
    assert not last.holds
