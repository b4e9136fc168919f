"""Random runs are runs of the system, of the requests asked for, and the same for the same seed."""

import pytest

from seriatim.frontends.ser.parser import parse
from seriatim.systems.limits import Limits
from seriatim.systems.random_run import StuckAtRandom, TooLong, random_handlers, random_run
from seriatim.systems.run import Run, replays
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.samples import deep

PROGRAM = "request put { X := ?; yield; X }\nrequest get { while (X == 0) { yield }; x := X; yield; x }"
CROSSING = """
request left { while (A == 1) { yield }; A := 1; yield; while (B == 1) { yield }; B := 1; A := 0; B := 0; 1 }
request right { while (B == 1) { yield }; B := 1; yield; while (A == 1) { yield }; A := 1; B := 0; A := 0; 1 }
"""


def unfold(text: str) -> ProgramUnfolding:
    return ProgramUnfolding(parse(text), Limits())


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("serial", [False, True])
def test_complete_runs_replay_and_have_the_requests_asked_for(seed: int, serial: bool) -> None:
    unfolding = unfold(PROGRAM)
    handlers = [0, 0, 1, 0]
    result = random_run(unfolding, handlers, seed, serial)
    if isinstance(result, Run):
        assert replays(result, unfolding)
        answered = [unfolding.completions[completion][0] for completion in result.outcome().elements()]
        assert sorted(answered) == sorted(handlers)
        assert not serial or result.switches() == 0


def test_seed_decides() -> None:
    runs = [random_run(unfold(PROGRAM), [0, 0, 0], seed) for seed in range(20)]
    assert runs == [random_run(unfold(PROGRAM), [0, 0, 0], seed) for seed in range(20)]
    assert len(set(runs)) > 1


@deep
def test_every_interleaving_has_a_chance() -> None:
    found = {random_run(unfold(CROSSING), [0, 1], seed) for seed in range(200)}
    assert any(isinstance(result, StuckAtRandom) for result in found)
    assert any(isinstance(result, Run) and result.switches() == 0 for result in found)
    assert any(isinstance(result, Run) and result.turns[0].request == 0 for result in found)


def test_requests_that_wait_for_one_another_are_stuck() -> None:
    stuck = [
        result
        for seed in range(50)
        if isinstance(result := random_run(unfold(CROSSING), [0, 1], seed), StuckAtRandom)
    ]
    assert all(result.waiting == (0, 1) and result.never_begun == () for result in stuck)


def test_request_that_cannot_begin_is_named() -> None:
    result = random_run(unfold("request stay { while (1) { 0 } }\nrequest go { 1 }"), [0, 1], 1)
    assert isinstance(result, StuckAtRandom)
    assert result.never_begun == ("stay",)


def test_endless_runs_are_cut_off() -> None:
    result = random_run(unfold("request spin { while (1) { X := 1 - X; yield } }"), [0], 1, max_steps=50)
    assert isinstance(result, TooLong)
    assert len(result.run.turns) == 50


def test_handlers_are_drawn_from_all() -> None:
    drawn = random_handlers(unfold(PROGRAM), 40, 1)
    assert set(drawn) == {0, 1}
    assert drawn == random_handlers(unfold(PROGRAM), 40, 1)
