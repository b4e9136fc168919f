"""What evidence says, in words."""

from collections.abc import Callable

import pytest

from seriatim.certificate.chain_counts import Counts, LevelCut, PrefixRow
from seriatim.certificate.chain_proofs import (
    Chain,
    ChainNode,
    Counted,
    Fixed,
    Layered,
    NodeCase,
    NoRuns,
    OutsideCover,
    Situated,
)
from seriatim.certificate.commit import CommittedState
from seriatim.certificate.counting import CutPlaces, Situation, Situations
from seriatim.certificate.folded_run import AnyTurn, Stop
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.serial_paths import SerialCycle, SerialPath, SerialStep
from seriatim.certificate.turns import Turn
from seriatim.checking.chains_structure import ProofStep
from seriatim.checking.words import any_turn_words, outcome_words, state_words, waiting_words
from seriatim.folding import Repeated
from seriatim.report.evidence_words import (
    chain_step_words,
    committed_words,
    cover_words,
    cut_words,
    evidence_words,
    folded_turns_words,
    invariant_words,
    situation_words,
    steps_words,
    turn_words,
)

A, B = SerialStep("a", "0", ()), SerialStep("b", "1", ())
HERE = Waiting("a", "X := x", (("x", 1), ("y", 2)))
THERE = Waiting("b", "0", ())
BEGUN = AnyTurn("a", None, "idle", Stop("X := x", (("x", 1),)))
ENDED = AnyTurn("a", Stop("X := x", (("x", 1),)), "busy", "7")
NO_RUNS = ProofStep(3, "no-runs", 0, 1, NoRuns())
COUNTS = Counts((0, 1, 1), (PrefixRow(0, 0, "entry"),), (LevelCut(0, "trap", (), ()),) * 2)

WORDS: list[tuple[Callable[[], str], str]] = [
    (lambda: state_words("busy"), "busy"),
    (lambda: state_words((("X", 1), ("Y", 0))), "X = 1, Y = 0"),
    (lambda: state_words(()), "no variables"),
    (lambda: turn_words(Turn(1, "a", "idle", None)), "request 1, `a`, pauses and leaves idle"),
    (lambda: turn_words(Turn(2, "a", "idle", "7")), "request 2, `a`, answers 7 and leaves idle"),
    (lambda: any_turn_words(BEGUN), "a new `a` pauses before `X := x` with x = 1 and leaves idle"),
    (lambda: any_turn_words(ENDED), "a `a` before `X := x` with x = 1 answers 7 and leaves busy"),
    (lambda: waiting_words(HERE), "`a` before `X := x` with x = 1, y = 2"),
    (lambda: waiting_words(THERE), "`b` before `0`"),
    (
        lambda: committed_words(CommittedState("a", "0", (), "0")),
        "`a` before `0` has taken effect, and will answer 0",
    ),
    (
        lambda: invariant_words(Invariant("X", 1)),
        "by how much X exceeds its initial value is a sum over all requests in flight",
    ),
    (
        lambda: invariant_words(Invariant("X", -1)),
        "by how much X falls short of its initial value is a sum over all requests in flight",
    ),
    (lambda: steps_words((A, A, B, A)), "a/0 ×2, b/1, a/0"),
    (lambda: cover_words(SerialPath((), ())), "nobody"),
    (
        lambda: cover_words(SerialPath((A,), (SerialCycle("g", (B, B)), SerialCycle("h", (A,))))),
        "a/0; any number of times b/1 ×2 at g; any number of times a/0 at h",
    ),
    (
        lambda: outcome_words([(("a", "0"), 1), (("b", "1"), 0), (("c", "2"), 1_500)]),
        "{a/0, c/2 ×1,500}",
    ),
    (lambda: cut_words(CutPlaces("siphon", (), (), ())), "siphon of nothing"),
    (
        lambda: cut_words(CutPlaces("trap", ("g", "h"), (3,), (THERE,))),
        "trap of g; h; situation 3; `b` before `0`",
    ),
]


@pytest.mark.parametrize(("say", "expected"), WORDS, ids=[expected for _, expected in WORDS])
def test_words(say: Callable[[], str], expected: str) -> None:
    assert say() == expected


STEPS: list[tuple[ChainNode, str]] = [
    (NoRuns(), "nothing leads from the start to the end"),
    (Counted(COUNTS, ()), "2 levels, 1 rows, 2 cuts; every outcome is in a cover"),
    (
        Counted(COUNTS, (Chain((), NoRuns()),)),
        "2 levels, 1 rows, 2 cuts; every outcome is in a cover, or its run is in one of 1 chains",
    ),
    (Situated("backward", (NodeCase(0, ()),), NoRuns()), "1 cases, backwards"),
    (Layered(COUNTS, 3, (1, 2), None, NoRuns()), "whether one of 2 edges of level 3 has been taken"),
    (Layered(COUNTS, 3, (1, 2), 4, NoRuns()), "2 edges of level 3 are taken at most 4 times"),
    (
        Fixed(COUNTS, 5, (0, 2), ((1, 1), (1, 2), (1, 3)), NoRuns()),
        "after edge 5, places 0, 2 have one of 3 tuples of numbers",
    ),
    (OutsideCover(6, (NoRuns(), NoRuns())), "outside of cover 6, in 2 parts"),
]


@pytest.mark.parametrize(("step", "expected"), STEPS, ids=[expected for _, expected in STEPS])
def test_words_of_steps(step: ChainNode, expected: str) -> None:
    assert chain_step_words(step) == expected


def test_situations_are_numbered_and_say_what_they_know() -> None:
    cases = (Situation("g", (2, None)), Situation("h", (0, 1)), Situation("i", (None, None)))
    assert list(situation_words(Situations("forward", (HERE, THERE), cases))) == [
        "situation 1: g; 2 of `a` before `X := x` with x = 1, y = 2",
        "situation 2: h; 0 of `a` before `X := x` with x = 1, y = 2; 1 of `b` before `0`",
        "situation 3: i",
    ]


def test_what_is_repeated_is_told_once_after_a_line_that_says_how_often() -> None:
    inner = Repeated((BEGUN,), 2_000)
    lines = list(folded_turns_words((ENDED, Repeated((inner, ENDED), 3), Repeated((ENDED,), 1))))
    assert lines == [
        any_turn_words(ENDED),
        "3 times the next 3 lines:",
        "2,000 times the next 1 line:",
        any_turn_words(BEGUN),
        any_turn_words(ENDED),
        "1 time the next 1 line:",
        any_turn_words(ENDED),
    ]


def test_each_kind_of_data_has_its_words() -> None:
    turn, cut = Turn(1, "a", "idle", "7"), CutPlaces("trap", (), (), ())
    data = (
        turn,
        Repeated((BEGUN, ENDED), 2),
        Invariant("X", 1),
        SerialPath((A,), ()),
        cut,
        HERE,
        NO_RUNS,
        "so",
    )
    assert list(evidence_words(data)) == [
        turn_words(turn),
        *folded_turns_words((Repeated((BEGUN, ENDED), 2),)),
        invariant_words(Invariant("X", 1)),
        "a/0",
        cut_words(cut),
        f"place 5: {waiting_words(HERE)}",
        "step 3 (`no-runs`; 0 nodes, 1 edge): nothing leads from the start to the end",
        "so",
    ]
