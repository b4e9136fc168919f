"""Covers: serial runs with cycles that can be inserted into them, and the completions of both."""

from dataclasses import dataclass
from typing import Annotated

from seriatim.codec import Key, Keys, State


@dataclass(frozen=True, slots=True)
class SerialStep:
    """One request runs alone, from its start to its answer."""

    handler: str
    response: str
    after: State
    """The global state that it leaves."""


@dataclass(frozen=True, slots=True)
class SerialCycle:
    """Requests that run alone, one after the other, and lead back to where the first one began."""

    at: State
    steps: Annotated[tuple[SerialStep, ...], Key("path")]


@dataclass(frozen=True, slots=True)
class SerialPath:
    """A serial run, and cycles that can be inserted into it any number of times."""

    steps: Annotated[tuple[SerialStep, ...], Key("path")]
    cycles: tuple[SerialCycle, ...]


Completions = tuple[Annotated[tuple[str, str], Keys(("handler", "response"))], ...]
"""Pairs (handler, response)."""
