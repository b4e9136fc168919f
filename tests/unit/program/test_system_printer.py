"""What network systems look like as text."""

from seriatim.program.network_system import LocalState, NetworkSystem
from seriatim.program.system_printer import write_system

LOCK = NetworkSystem(
    globals=("free", "taken"),
    locals=(LocalState("waiting"), LocalState("done"), LocalState("working")),
    requests=("work",),
    responses=("ok",),
    initial=0,
    req=((0, 0),),
    resp=((1, 0),),
    delta=((0, 0, 2, 1), (2, 1, 1, 0)),
)


def test_a_system_is_written_one_entry_a_line() -> None:
    assert (
        write_system(LOCK)
        == """{
  "initial_global": "free",
  "requests": [
    ["work", "waiting"]
  ],
  "responses": [
    ["done", "ok"]
  ],
  "transitions": [
    ["waiting", "free", "working", "taken"],
    ["working", "taken", "done", "free"]
  ]
}
"""
    )


def test_an_empty_list_is_written_on_its_line() -> None:
    text = write_system(NetworkSystem(("g",), (), (), (), 0, (), (), ()))
    assert '\n  "requests": [],\n' in text
