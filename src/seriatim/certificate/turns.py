"""The turns of a run, one request after the other, as runs of several kinds of evidence consist of them."""

from dataclasses import dataclass

from seriatim.codec import Positive, State


@dataclass(frozen=True, slots=True)
class Turn:
    """One request runs from where it is to its next pause, or to its answer."""

    request: Positive
    """Which request of the run, counted from 1 in the order of their first turns."""
    handler: str
    after: State
    """The global state that it leaves."""
    response: str | None
    """Its answer, or None if it pauses."""
