"""Asynchronous programs that several tests share: the example protocols, and how to change them."""

from pathlib import Path

from seriatim.actions.syntax import ActionProgram
from seriatim.budget import Deadline
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.outcome import Outcome
from seriatim.source import SourceText

PROTOCOLS = Path(__file__).parent.parent / "examples" / "protocols"


def protocol_text(name: str, *changes: tuple[str, str]) -> str:
    """The text of an example, with some pieces replaced; each has to be there."""
    text = (PROTOCOLS / f"{name}.actions").read_text("utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def parse_text(text: str) -> ActionProgram:
    return parse(SourceText("test.actions", text))


def protocol(name: str, *changes: tuple[str, str]) -> ActionProgram:
    return parse_text(protocol_text(name, *changes))


def decide(program: ActionProgram, settings: Settings | None = None) -> Outcome:
    return Decision(program, settings or Settings(), read_proof, Deadline(120)).decide()
