"""Movers: what a solver says of all states, no run contradicts; counterexamples are real."""

import pytest

from seriatim.budget import Deadline
from seriatim.report.movers import kind_of, movers_html, movers_json, movers_text
from seriatim.report.text_look import TextLook
from seriatim.sequencing.movers import Movement, find_movers, prove_moves, refute_moves
from testkit.generators.actions import random_actions
from testkit.inputs.action_programs import parse_text, protocol


def test_sending_moves_left_and_collecting_moves_right() -> None:
    movers = find_movers(protocol("broadcast"), Deadline(60))
    assert kind_of(movers, "broadcast") == "left mover"
    assert kind_of(movers, "collect") == "right mover"
    pair = movers.pair("collect", "broadcast")
    assert pair.movement is Movement.NO
    assert pair.finding is not None
    interpreter = movers.interpreter
    assert interpreter is not None
    assert pair.finding.other is not None
    state = pair.finding.where[0]
    assert not interpreter.execute(state, pair.finding.action).outcomes
    assert pair.finding.through in {o.state for o in interpreter.execute(state, pair.finding.other).outcomes}


def test_actions_that_commute_are_told_in_every_form() -> None:
    movers = find_movers(protocol("no_choice"), Deadline(60))
    assert all(pair.movement is Movement.ALWAYS for pair in movers.pairs)
    assert "increment: commutes with everything" in movers_text("f", movers, TextLook())
    assert movers_json("f", movers, 1.0)["actions"]["decrement"] == "commutes with everything"
    page = movers_html("<f>", movers)
    assert "&lt;f&gt;" in page
    assert page.count("<td class='always'>yes</td>") == 4


def test_a_repaired_failure_is_a_reason() -> None:
    text = "x: int := 0\naction main():\n    async fix()\n    async use()\n"
    movers = find_movers(
        parse_text(text + "action fix():\n    x := 1\naction use():\n    assert x == 1\n"), Deadline(60)
    )
    finding = movers.pair("fix", "use").finding
    assert finding is not None
    assert finding.premise == "LM2"


@pytest.mark.parametrize("seed", range(8))
def test_no_run_contradicts_what_holds_in_all_states(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seriatim.sequencing.movers.MAX_CONFIGURATIONS", 300)
    program = parse_text(random_actions(seed))
    actions = tuple(each.name for each in program.actions if each.name != "main")
    always = prove_moves(program, actions, Deadline(60))
    _, failures = refute_moves(program, Deadline(60))
    assert not always & set(failures)
