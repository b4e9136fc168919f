"""Runs written by hand, each with an outcome that no serial run has."""

from dataclasses import dataclass

from seriatim.certificate.turns import Turn
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input
from seriatim.source import SourceText


@dataclass(frozen=True, slots=True)
class Case:
    """An input and a run, one line a turn: request, handler, global state; the response if it answers."""

    source: str
    run: str

    def content(self) -> Input:
        return read_input(SourceText("-", self.source))

    def turns(self) -> tuple[Turn, ...]:
        return tuple(turn(line) for line in self.run.strip().splitlines())


def turn(line: str) -> Turn:
    """`2 get X=1,Y=0 ➜ 7`, or `2 get busy` where global states have names."""
    action, _, response = line.partition("➜")
    request, handler, after = action.split()
    if "=" not in after:
        return Turn(int(request), handler, after, response.strip() or None)
    values = (assignment.split("=") for assignment in after.split(","))
    state = tuple((name, int(value)) for name, value in values)
    return Turn(int(request), handler, state, response.strip() or None)


LOST_UPDATE = "request inc { x := X; yield; X := x + 1; x }"
SHARED_STATES = """{
  "initial_global": "idle",
  "requests": [["p", "a"], ["q", "a"]],
  "responses": [["b", "first"], ["c", "second"]],
  "transitions": [
    ["a", "idle", "m", "busy"], ["m", "busy", "b", "done"], ["a", "done", "c", "done"],
    ["a", "busy", "b", "busy"]
  ]
}"""
ANSWERING_STATE = """{
  "initial_global": "g",
  "requests": [["p", "a"], ["q", "c"]],
  "responses": [["b", "short"], ["d", "seen"], ["e", "long"]],
  "transitions": [["a", "g", "b", "h"], ["c", "h", "d", "k"], ["b", "k", "e", "g"]]
}"""

VIOLATIONS = {
    "two requests read the same value": Case(
        LOST_UPDATE,
        """
        1 inc X=0
        2 inc X=0
        1 inc X=1 ➜ 0
        2 inc X=1 ➜ 0
        """,
    ),
    "the same, and a third one in between": Case(
        LOST_UPDATE,
        """
        1 inc X=0
        2 inc X=0
        2 inc X=1 ➜ 0
        3 inc X=1
        3 inc X=2 ➜ 1
        1 inc X=1 ➜ 0
        """,
    ),
    "half of a transfer is seen": Case(
        "A := 2\nrequest move { A := A - 1; yield; B := B + 1 }\nrequest sum { A + B }",
        """
        1 move A=1,B=0
        2 sum A=1,B=0 ➜ 1
        1 move A=1,B=1 ➜ 1
        """,
    ),
    "a choice that is made before a pause": Case(
        "request a { x := ?; yield; if (x == 1) { X := 1 }; yield; if (x == 1) { X := 0 }; x }\n"
        "request b { X }",
        """
        1 a X=0
        1 a X=1
        2 b X=1 ➜ 1
        1 a X=0 ➜ 1
        """,
    ),
    "a busy loop is left": Case(
        "request wait { while (X == 0) { yield }; 1 }\nrequest set { X := 1; yield; X := 0; 2 }",
        """
        1 set X=1
        2 wait X=1 ➜ 1
        1 set X=0 ➜ 2
        """,
    ),
    "responses of requests that share local states": Case(
        SHARED_STATES,
        """
        1 p busy
        2 q busy ➜ first
        1 p done ➜ first
        """,
    ),
    "a request goes on where it could have answered": Case(
        ANSWERING_STATE,
        """
        1 p h
        2 q k ➜ seen
        1 p g ➜ long
        """,
    ),
    "a request answers later than it could have": Case(
        ANSWERING_STATE,
        """
        1 p h
        2 q k ➜ seen
        1 p g ➜ long
        3 p h
        3 p h ➜ short
        """,
    ),
}
