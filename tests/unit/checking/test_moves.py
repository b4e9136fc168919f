"""Moves are what complete runs consist of: each once, without those that nobody can make or needs."""

from typing import Literal

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.in_flight import Waiting
from seriatim.checking.allowance import Allowance
from seriatim.checking.cover import Precision
from seriatim.checking.moves import Move, Moves
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.explain.projection import requests_in_flight
from seriatim.frontends.network_json.format import read_system
from seriatim.frontends.ser.parser import parse
from seriatim.program.semantics import big_steps

SYSTEM = """{
  "initial_global": "open",
  "requests": [["p", "start"]],
  "responses": [["start", "none"], ["end", "done"], ["odd", "odd"]],
  "transitions": [
    ["start", "open", "inside", "shut"],
    ["inside", "shut", "start", "open"],
    ["inside", "shut", "end", "shut"],
    ["inside", "shut", "inside", "shut"],
    ["inside", "shut", "lost", "open"],
    ["inside", "open", "odd", "open"],
    ["lost", "open", "lost", "shut"]
  ]
}"""
"""A request inside may begin anew; a lost one is never answered; no request is inside while it is open."""


def moves_of_system(level: Literal[1, 2]) -> Moves:
    reference = SystemReference(read_system(SYSTEM))
    return Moves(reference, Precision(level, ()), Allowance(100, Deadline()))


def shown(moves: Moves, move: Move) -> str:
    """`local global ➜ local global`; nothing for the local state of fresh requests, `/` before an answer."""
    takes = "" if move.takes is None else moves.waiting(move.takes).code
    gives = f"/{move.answer[1]}" if move.answer else "?"
    if move.gives is not None:
        gives = moves.waiting(move.gives).code
    return f"{takes} {move.before} ➜ {gives} {move.after}".strip()


ALWAYS = [
    "open ➜ inside shut",
    "open ➜ /none open",
    "shut ➜ /none shut",
    "start open ➜ inside shut",
    "start open ➜ /none open",
    "start shut ➜ /none shut",
    "inside shut ➜ start open",
    "inside shut ➜ /none open",
    "inside shut ➜ /done shut",
]


@pytest.mark.parametrize(("level", "more"), [(1, ["inside open ➜ /odd open"]), (2, [])])
def test_all_moves_are_found_once(level: Literal[1, 2], more: list[str]) -> None:
    """In pairs it is seen that nobody is inside while it is open."""
    moves = moves_of_system(level)
    assert sorted(shown(moves, move) for move in moves.all) == sorted([*ALWAYS, *more])
    assert {move.answer[0] for move in moves.all if move.answer is not None} == {"p"}
    assert moves.globals() == ["open", "shut"]


def test_who_may_be_in_flight_depends_on_the_global_state() -> None:
    """Requests that have begun anew are in flight wherever there may be fresh ones."""
    moves = moves_of_system(2)
    found = {
        state: {moves.waiting(flight).code for flight in requests_in_flight(moves, state)}
        for state in moves.globals()
    }
    assert found == {"open": {"start"}, "shut": {"start", "inside"}}


def test_the_order_of_moves_is_that_of_what_they_do() -> None:
    """Not that of numbers, which differ from one process to the next."""
    moves = moves_of_system(2)
    states = [(str(move.before), str(move.after)) for move in moves.all]
    assert states == sorted(states)


def test_a_description_may_leave_values_open_but_not_change_them() -> None:
    program = parse("request a { x := ?; y := ?; yield; x + y } request b { yield; 0 }")
    moves = Moves(ProgramReference(program, big_steps), Precision(1, ()), Allowance(100, Deadline()))
    ones = Waiting("a", "x + y", (("x", 1), ("y", 1)))
    flight = next(flight for flight in moves.flights if moves.waiting(flight) == ones)
    for handler, code, values, fits in [
        ("a", "x + y", (("x", 1), ("y", 1)), True),
        ("a", "x + y", (("y", 1),), True),
        ("a", "x + y", (), True),
        ("a", "x + y", (("y", 0),), False),
        ("a", "x + y", (("x", 1), ("z", 1)), False),
        ("b", "x + y", (), False),
        ("a", "0", (), False),
    ]:
        assert moves.is_described(flight, Waiting(handler, code, values)) == fits
