"""Objects by their textbook definitions: what each request answers, one after the other."""

import pytest

from seriatim.checking.allowance import Allowance
from seriatim.checking.history.objects import Running, Textbook
from seriatim.frontends.ser.parser import parse
from seriatim.program.network_system import LocalState, NetworkSystem

SCRIPTS = {
    "register": "read null, write(1) ok, read 1, cas(2,3) false, read 1, cas(1,3) true, read 3",
    "counter": "read 0, inc ok, read 1, dec ok, dec ok, read -1, add(5) ok, read 4, add_and_get(2) 6,"
    " get_and_add(3) 6, read 9, add(-9) ok, read 0",
    "map": "get(a) null, put(a,1) ok, get(a) 1, cas(a,2,3) false, get(a) 1, cas(a,1,3) true, get(a) 3,"
    " remove(a) ok, get(a) null",
    "queue": "dequeue null, enqueue(1) ok, enqueue(2) ok, enqueue(1) ok, dequeue 1, dequeue 2, dequeue 1,"
    " dequeue null",
    "set": "read [], add(2) ok, add(1) ok, add(2) ok, read [1;2], contains(2) true, contains(3) false,"
    " remove(2) ok, remove(3) ok, contains(2) false, read [1]",
    "bank": 'read {"a":2}, balance(a) 2, balance(b) 0, balance(c) 0, transfer(a,b,3) refused,'
    " transfer(a,b,2) ok, transfer(c,b,1) refused, transfer(a,b,-1) refused, transfer(a,c,0) ok,"
    ' balance(a) 0, balance(b) 2, read {"b":2}, deposit(a,1) ok, deposit(c,4) ok, balance(c) 4,'
    ' transfer(c,c,4) ok, read {"a":1;"b":2;"c":4}, transfer(d,a,0) ok, balance(d) 0, balance(a) 1',
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_requests_get_the_answers_of_the_textbook(name: str) -> None:
    thing = Textbook(name, '{"a": 2, "b": 0}' if name == "bank" else None, is_split=False)
    state = thing.initial
    for line in SCRIPTS[name].split(", "):
        request, answer = line.strip().split(" ")
        [(said, state)] = thing.after(state, request)
        assert said == answer.replace(";", ","), line


@pytest.mark.parametrize(
    ("name", "initial", "request_", "answer"),
    [
        ("register", "3", "read", "3"),
        ("register", "x", "read", "x"),
        ("register", "true", "read", "true"),
        ("register", "false", "read", "false"),
        ("register", "null", "read", "null"),
        ("register", '{"b": 1, "a": [2, 3]}', "read", '{"a":[2,3],"b":1}'),
        ("register", "[1, 2]", "read", "[1,2]"),
        ("counter", "7", "read", "7"),
        ("bank", None, "read", "{}"),
        ("bank", '{"b": 1, "a": 0}', "read", '{"b":1}'),
    ],
)
def test_initial_values(name: str, initial: str | None, request_: str, answer: str) -> None:
    thing = Textbook(name, initial, is_split=False)
    assert [said for said, _ in thing.after(thing.initial, request_)] == [answer]


def test_states_that_are_reached_on_two_ways_are_the_same() -> None:
    for name, ways in {
        "set": (("add(1)", "add(2)"), ("add(2)", "add(1)", "add(1)")),
        "bank": (("deposit(a,1)", "deposit(b,1)"), ("deposit(b,1)", "deposit(a,1)")),
    }.items():
        thing = Textbook(name, None, is_split=False)
        ends = []
        for way in ways:
            state = thing.initial
            for request in way:
                [(_, state)] = thing.after(state, request)
            ends.append(state)
        assert ends[0] == ends[1]


@pytest.mark.parametrize(
    ("name", "is_split", "one", "other", "same"),
    [
        ("map", False, "get(a)", "put(a,1)", True),
        ("map", False, "get(a)", "get(b)", False),
        ("map", False, "get(a))", "get(a)", False),
        ("map", False, "put(a),1)", "get(a))", True),
        ("set", True, "add(a)", "contains(a)", True),
        ("set", True, "add(a)", "add(b)", False),
        ("set", False, "add(a)", "add(b)", True),
        ("register", True, "write(a)", "write(b)", True),
        ("queue", False, "enqueue(a)", "dequeue", True),
    ],
)
def test_parts(name: str, is_split: bool, one: str, other: str, same: bool) -> None:
    thing = Textbook(name, None, is_split)
    assert (thing.part(one) == thing.part(other)) is same


def test_handlers_run_alone() -> None:
    thing = Running(parse("X := 1\nrequest next { X := X + 1; yield; X }"), Allowance())
    assert thing.part("next") == thing.part("other")
    [(said, state)] = thing.after(thing.initial, "next")
    assert said == "2"
    assert [answer for answer, _ in thing.after(state, "next")] == ["3"]


def test_a_network_system_runs_alone() -> None:
    begun, done = LocalState("begun"), LocalState("done")
    moves = ((0, 0, 1, 1), (0, 1, 1, 0))
    system = NetworkSystem(("off", "on"), (begun, done), ("flip",), ("ok",), 0, ((0, 0),), ((1, 0),), moves)
    thing = Running(system, Allowance())
    [(said, state)] = thing.after(thing.initial, "flip")
    assert said == "ok"
    assert state != thing.initial
    assert list(thing.after(state, "flip")) == [(said, thing.initial)]
