"""Inputs that counting proves serializable, and their proofs."""

from collections.abc import Callable

from seriatim.budget import Deadline
from seriatim.engines.counting.proof import ProvedByCover
from seriatim.engines.shared.covering import CoverCandidate
from seriatim.engines.stage import GaveUp
from seriatim.frontends.all import read_input
from seriatim.source import SourceText
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.slicing import MacroSystem, macro_system

PROVED = {
    "a lock": "request a { while (L == 1) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }",
    "half steps": """
        request go {
            while (STOP == 1) { yield }; X := (X + 1) % 3; yield;
            while (STOP == 1) { yield }; X := (X + 1) % 3;
            if (?) { STOP := 1; X } else { 0 }
        }
    """,
    "a bounded counter": """
        request up { while (X == 2) { yield }; X := X + 1 }
        request down { while (X == 0) { yield }; X := X - 1 }
    """,
    "a shared local state": """{
        "initial_global": "out",
        "requests": [["login", "start"], ["logout", "in"]],
        "responses": [["start", "welcome"], ["in", "result"], ["start", "bye"]],
        "transitions": [["start", "out", "in", "on"], ["in", "on", "start", "out"]]
    }""",
}

ALWAYS_ONE_LEFT = """
    request enter {
        if (SHUT == 0) { SHUT := 1; 0 }
        else {
            SHUT := 0; yield; while (SHUT == 0) { yield };
            yield; while (SHUT == 1) { yield }; SHUT := 1; 0
        }
    }
"""
"""The counts of those who shut the door and of those who open it can balance, but not in a complete run."""

Engine = Callable[[MacroSystem, SerialAutomaton, Deadline], ProvedByCover | CoverCandidate | GaveUp]


def proof(text: str, engine: Engine) -> tuple[ProvedByCover, Origin]:
    origin = unfold(read_input(SourceText("-", text)), Limits(), Deadline())
    system = macro_system(origin, Limits(), Deadline())
    found = engine(system, SerialAutomaton(origin, 1_000), Deadline())
    assert isinstance(found, ProvedByCover)
    return found, origin
