"""Runs go through certificates and come back."""

from dataclasses import replace

import pytest

from seriatim.certificate.run import RunEvidence
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.frontends.ser.parser import parse
from seriatim.systems.limits import Limits
from seriatim.systems.random_run import random_run
from seriatim.systems.replay import ImpossibleTurn, replay_turns
from seriatim.systems.run import Run, replays
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import case

CASES = [(kind, seed) for kind in ("system", "program", "counter") for seed in range(30)]
GUESS = parse("request guess { x := ?; yield; Y := 1; yield; x }")


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_what_comes_back_is_a_run_with_the_same_turns(kind: str, seed: int) -> None:
    origin = case(kind, seed).unfolding
    requests = len(origin.requests)
    for run_seed in range(3):
        run = random_run(origin, [0, requests - 1, 0], run_seed, max_steps=50)
        if isinstance(run, Run):
            back = replay_turns(run_evidence(run, origin).turns, origin)
            assert replays(back, origin)
            assert run_evidence(back, origin) == run_evidence(run, origin)


def test_local_states_are_chosen_with_the_answer_in_mind() -> None:
    """Nothing but the answer says what was guessed two turns earlier."""
    origin = ProgramUnfolding(GUESS, Limits())
    for seed in range(10):
        run = random_run(origin, [0, 0], seed)
        assert isinstance(run, Run)
        assert replays(replay_turns(run_evidence(run, origin).turns, origin), origin)


def test_the_first_turn_that_is_no_step_is_named() -> None:
    origin = ProgramUnfolding(GUESS, Limits())
    run = random_run(origin, [0, 0], 1)
    assert isinstance(run, Run)
    turns = run_evidence(run, origin).turns
    for index, turn in enumerate(turns):
        for changed in (
            replace(turn, handler="nobody"),
            replace(turn, after=(("Y", 7),)),
            replace(turn, response="7"),
        ):
            evidence = RunEvidence((*turns[:index], changed, *turns[index + 1 :]))
            with pytest.raises(ImpossibleTurn) as caught:
                replay_turns(evidence.turns, origin)
            assert caught.value.number == index + 1


def test_nobody_moves_after_the_answer() -> None:
    origin = ProgramUnfolding(GUESS, Limits())
    run = random_run(origin, [0], 1)
    assert isinstance(run, Run)
    turns = run_evidence(run, origin).turns
    with pytest.raises(ImpossibleTurn):
        replay_turns((*turns, turns[-1]), origin)
