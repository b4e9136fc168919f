"""The product proves where plain counts confuse the order of moves."""

from seriatim.budget import Deadline
from seriatim.engines.counting.proof import ProvedByCover
from seriatim.engines.counting.root_product import root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.engines.shared.covering import CoverCandidate
from seriatim.engines.stage import GaveUp
from seriatim.frontends.all import read_input
from seriatim.source import SourceText
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.slicing import MacroSystem, macro_system

ALWAYS_ONE_LEFT = """{
  "initial_global": "open",
  "requests": [["enter", "fresh"]],
  "responses": [["in", "welcome"]],
  "transitions": [
    ["fresh", "open", "in", "shut"],
    ["fresh", "shut", "waiting", "open"],
    ["waiting", "shut", "ready", "shut"],
    ["ready", "open", "in", "shut"]
  ]
}"""
"""Who comes to a shut door opens it, waits until it is shut, and then until it is open again: by somebody
else who has come later, and for whom the same holds. So only one who finds the door open is ever answered;
but as many open the door as shut it, so that counts balance."""


def problem(text: str) -> tuple[MacroSystem, SerialAutomaton]:
    origin = unfold(read_input(SourceText("-", text)), Limits(), Deadline())
    return macro_system(origin, Limits(), Deadline()), SerialAutomaton(origin, 1_000)


def test_a_spurious_candidate_is_excluded() -> None:
    assert isinstance(state_equation(*problem(ALWAYS_ONE_LEFT), Deadline()), CoverCandidate)
    found = root_product(*problem(ALWAYS_ONE_LEFT), Deadline())
    assert isinstance(found, ProvedByCover)
    assert found.situations is not None


def test_a_violation_stays_a_candidate() -> None:
    text = "request inc { x := X; yield; X := 1 - x; x }"
    assert isinstance(root_product(*problem(text), Deadline()), CoverCandidate)


def test_too_large_a_product_is_not_tried() -> None:
    assert isinstance(root_product(*problem(ALWAYS_ONE_LEFT), Deadline(), max_edges=1), GaveUp)
