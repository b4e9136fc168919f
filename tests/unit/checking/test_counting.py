"""Counts of steps: what is said of them holds for every complete run, and is as much as it can be."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal

import pytest

from seriatim.arithmetic.formula import Clause, at_least, at_most, is_zero, total
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.counting import Situation, Situations
from seriatim.certificate.in_flight import Waiting
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.counting import (
    START,
    Counting,
    InSituation,
    Place,
    Step,
    counting,
    counting_in_situations,
)
from seriatim.checking.cover import Precision
from seriatim.checking.moves import Move, Moves
from seriatim.checking.obligation import DoesNotFollow
from seriatim.checking.reference import SystemReference
from seriatim.checking.situations import Cases
from seriatim.frontends.network_json.format import read_system
from seriatim.program.state import GlobalState

SYSTEM = """{
  "initial_global": "idle",
  "requests": [["p", "start"]],
  "responses": [["end", "done"]],
  "transitions": [
    ["start", "idle", "waiting", "idle"],
    ["waiting", "idle", "working", "busy"],
    ["working", "busy", "waiting", "idle"],
    ["working", "busy", "end", "idle"]
  ]
}"""
"""Any number of requests wait, and one at a time works."""

Direction = Literal["forward", "backward"]
DIRECTIONS: tuple[Direction, ...] = ("forward", "backward")


def moves_of_system() -> Moves:
    return Moves(SystemReference(read_system(SYSTEM)), Precision(2, ()), Allowance(100, Deadline()))


MOVES = moves_of_system()
WAITING, WORKING = (Waiting("p", code, ()) for code in ("waiting", "working"))


def shown(counted: Counting) -> list[str]:
    """Each step as `place place ➜ place place`, situations by number, an answer behind `/`."""

    def named(places: frozenset[Place]) -> str:
        flights = [MOVES.waiting(place).code for place in places if isinstance(place, int)]
        control = [place for place in places if not isinstance(place, int)]
        names = [str(p.number) if isinstance(p, InSituation) else str(p) for p in control]
        return " ".join(names + flights)

    answers = [f" /{step.answer[1]}" if step.answer else "" for step in counted.steps]
    return sorted(
        f"{named(step.takes)} ➜ {named(step.gives)}{answer}"
        for step, answer in zip(counted.steps, answers, strict=True)
    )


def test_a_move_takes_and_gives_the_global_state_and_flights() -> None:
    counted = counting(MOVES)
    assert shown(counted) == [
        "busy working ➜ idle /done",
        "busy working ➜ idle waiting",
        "idle waiting ➜ busy working",
        "idle ➜ idle waiting",
    ]
    assert counted.start == "idle"
    assert counted.ends == {"idle", "busy"}


ROUND = Counting(
    [
        Step(frozenset({"g"}), frozenset({"h", 1}), None),
        Step(frozenset({"h", 1}), frozenset({"h", 2}), None),
        Step(frozenset({"h", 2}), frozenset({"g"}), ("p", "0")),
        Step(frozenset({"g"}), frozenset({"g"}), ("p", "0")),
        Step(frozenset({"g"}), frozenset({"g"}), ("a", "1")),
    ],
    start="g",
    ends=frozenset({"g"}),
)


def test_what_the_state_equation_says() -> None:
    """Runs end in g, with nobody in flight."""
    assert set(ROUND.state_equation()) == {
        at_least(ROUND.tokens({"g"}), 0),
        is_zero(ROUND.tokens({"h"})),
        is_zero(ROUND.tokens({1})),
        is_zero(ROUND.tokens({2})),
    }
    assert ROUND.tokens({"g", 2}).value([5, 3, 1, 10, 10]) == 1 - 5 + 3 - 1 + 1
    assert ROUND.tokens({"h"}).value([5, 3, 1, 10, 10]) == 5 - 1


def test_what_cuts_say() -> None:
    """A siphon is not used, or entered from outside; a trap is not entered, not empty at the end, or left."""
    assert ROUND.cut("siphon", {1, 2}) == (at_most(total([1, 2]), 0), at_least(total([0]), 1))
    outside = at_least(ROUND.tokens({1, 2}), 1), at_least(total([2]), 1)
    assert ROUND.cut("trap", {1, 2}) == (at_most(total([0, 1]), 0), *outside)
    assert ROUND.cut("trap", {"g", 1}) == (at_least(ROUND.tokens({"g", 1}), 1), at_least(total([1]), 1))


def test_an_outcome_is_how_often_each_answer_is_given() -> None:
    assert ROUND.outcome() == {("a", "1"): total([4]), ("p", "0"): total([2, 3])}


# --- situations ---------------------------------------------------------------------------------------------


def situated(
    direction: Direction, ways: Sequence[Waiting], *cases: tuple[str, tuple[int | None, ...]]
) -> Counting:
    situations = Situations(direction, tuple(ways), tuple(Situation(*case) for case in cases))
    return counting_in_situations(MOVES, situations, Allowance(1_000, Deadline()))


Numbers = tuple[int | None, ...]

WAITING_ONLY: list[tuple[str, Numbers]] = [
    ("idle", (0,)),
    ("idle", (1,)),
    ("idle", (None,)),
    ("busy", (None,)),
    ("busy", (7,)),
]
BOTH: list[tuple[str, Numbers]] = [
    ("idle", (0, 0)),
    ("idle", (1, 0)),
    ("idle", (None, 0)),
    ("busy", (0, 1)),
    ("busy", (None, 1)),
    ("busy", (0, 0)),
]


def test_a_move_leads_to_the_first_situation_that_fits() -> None:
    counted = situated("forward", [WAITING], *WAITING_ONLY)
    assert shown(counted) == [
        "0 ➜ 1",
        "1 ➜ 2 waiting",
        "2 waiting ➜ 4 working",
        "2 ➜ 3 waiting",
        "3 waiting ➜ 4 working",
        "3 ➜ 3 waiting",
        "4 working ➜ 3 /done",
        "4 working ➜ 3 waiting",
    ]
    assert counted.start == START
    assert counted.ends == {InSituation(number) for number in (1, 3, 4)}


def test_backwards_a_move_comes_from_the_first_situation_that_fits() -> None:
    """Where one waits may be where more than one waited before; nothing leads on from there to an end."""
    counted = situated("backward", [WAITING], *WAITING_ONLY)
    assert shown(counted) == [
        "0 ➜ 1",
        "0 ➜ 3",
        "3 waiting ➜ 4 working",
        "3 ➜ 3 waiting",
        "4 working ➜ 1 /done",
        "4 working ➜ 3 /done",
        "4 working ➜ 3 waiting",
    ]
    assert counted.ends == {InSituation(number) for number in (1, 4)}


def test_nobody_moves_who_is_not_there() -> None:
    """Where nobody works, nobody stops working; so nothing comes to situation 6, or from it."""
    counted = situated("forward", [WAITING, WORKING], *BOTH)
    assert shown(counted) == [
        "0 ➜ 1",
        "1 ➜ 2 waiting",
        "2 waiting ➜ 4 working",
        "2 ➜ 3 waiting",
        "3 waiting ➜ 5 working",
        "3 ➜ 3 waiting",
        "4 working ➜ 1 /done",
        "4 working ➜ 2 waiting",
        "5 working ➜ 3 /done",
        "5 working ➜ 3 waiting",
    ]
    assert counted.ends == {InSituation(number) for number in (1, 3)}
    backwards = situated("backward", [WAITING, WORKING], *BOTH)
    assert set(shown(backwards)) - set(shown(counted)) == {"0 ➜ 3", "5 working ➜ 2 /done"}
    assert set(shown(counted)) - set(shown(backwards)) == {"2 ➜ 3 waiting"}
    assert backwards.ends == {InSituation(1)}


def test_of_two_ways_of_waiting_the_first_one_counts() -> None:
    cases: list[tuple[str, Numbers]] = [(state, (None, 0)) for state in ("idle", "busy")]
    everybody = Waiting("p", "waiting", ())
    assert shown(situated("forward", [everybody, WAITING], *cases)) == shown(
        situated("forward", [WAITING], *((state, numbers[:1]) for state, numbers in cases))
    )


@pytest.mark.parametrize(
    ("direction", "missing"),
    [("forward", 3), ("forward", 5), ("backward", 3), ("backward", 5), ("backward", 6)],
)
def test_situations_that_miss_something_do_not_fit(direction: Direction, missing: int) -> None:
    """That a run might end where nobody works and all is busy matters to those who come from there."""
    with pytest.raises(DoesNotFollow, match="has no case for something"):
        situated(direction, [WAITING, WORKING], *BOTH[: missing - 1], *BOTH[missing:])


def test_each_situation_has_a_number_for_each_way_of_waiting() -> None:
    with pytest.raises(DoesNotFollow, match="too many, or too few"):
        situated("forward", [WAITING], ("idle", (0, 0)), ("idle", (None,)), ("busy", (None,)))


def test_situations_spend_and_heed_the_deadline() -> None:
    situations = Situations("forward", (WAITING,), tuple(Situation(*case) for case in WAITING_ONLY))
    with pytest.raises(GaveUp):
        counting_in_situations(MOVES, situations, Allowance(6, Deadline()))
    stopped = Cases([("idle", (0,))], 1, "forward", Allowance(100, Deadline(0)))
    with pytest.raises(OutOfBudget):
        stopped.first("idle", (0,))


# --- runs ---------------------------------------------------------------------------------------------------


def complete_runs(length: int) -> Iterator[tuple[Move, ...]]:
    """All that have at most so many moves."""
    pending: list[tuple[tuple[Move, ...], GlobalState, tuple[int, ...]]] = [((), MOVES.initial, ())]
    while pending:
        run, state, flying = pending.pop()
        if not flying:
            yield run
        for move in MOVES.all if len(run) < length else ():
            if move.before == state and (move.takes is None or move.takes in flying):
                others = list(flying)
                if move.takes is not None:
                    others.remove(move.takes)
                if move.gives is not None:
                    others.append(move.gives)
                pending.append(((*run, move), move.after, tuple(others)))


RUNS = list(complete_runs(8))


def counts(counted: Counting, run: tuple[Move, ...]) -> list[int] | None:
    """How often each step occurs on a path that makes these moves; None if there is none."""
    paths: dict[Place, list[int]] = {counted.start: []}
    if counted.start == START:
        starts = {i: step.gives for i, step in enumerate(counted.steps) if step.takes == {START}}
        paths = {place: [i] for i, places in starts.items() for place in places}
    for move in run:
        following: dict[Place, list[int]] = {}
        for control, path in paths.items():
            taken = {control} if move.takes is None else {control, move.takes}
            for i, step in enumerate(counted.steps):
                given = {place for place in step.gives if isinstance(place, int)}
                if step.takes == taken and given == ({move.gives} - {None}) and step.answer == move.answer:
                    (there,) = step.gives - given
                    following[there] = [*path, i]
        paths = following
    ends = [path for place, path in paths.items() if place in counted.ends]
    return [ends[0].count(i) for i in range(len(counted.steps))] if ends else None


def assert_what_is_said_holds(counted: Counting, random: Random) -> None:
    places = list({place for step in counted.steps for place in step.takes | step.gives})
    clauses: list[Clause] = [(row,) for row in counted.state_equation()]
    for _ in range(5):
        chosen = {place for place in places if random.random() < 0.4}
        clauses += [counted.cut("trap", chosen), counted.cut("siphon", chosen - {counted.start})]
    for run in RUNS:
        found = counts(counted, run)
        assert found is not None
        assert all(any(part.holds(found) for part in clause) for clause in clauses)


def test_whatever_is_said_of_counts_holds_for_all_runs() -> None:
    assert len(RUNS) > 10
    assert_what_is_said_holds(counting(MOVES), Random(0))


def test_all_runs_go_through_whatever_situations_fit() -> None:
    fitting = 0
    for seed in range(100):
        random = Random(seed)
        ways = random.sample([WAITING, WORKING], random.randint(1, 2))
        cases: list[tuple[str, Numbers]] = [
            (random.choice(["idle", "busy"]), tuple(random.choice([0, 1, 2, None]) for _ in ways))
            for _ in range(random.randint(2, 6))
        ]
        vague: Numbers = (None,) * len(ways)
        try:
            counted = situated(random.choice(DIRECTIONS), ways, *cases, ("idle", vague), ("busy", vague))
        except DoesNotFollow:
            continue
        fitting += 1
        assert_what_is_said_holds(counted, random)
    assert fitting > 30
