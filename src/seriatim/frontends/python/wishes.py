"""What is tried, and what is compared, only if the user asks for it."""

from dataclasses import dataclass

from seriatim.frontends.protocol import Settings


@dataclass(frozen=True, slots=True)
class Wishes:
    """Choices that the world has in each run, and what counts as its outcome, beyond the usual."""

    cancels: bool = False
    """A request may be cancelled at any time: at most one in each run."""
    timeouts: bool = False
    """Limits of time may be reached at any time."""
    failures: bool = False
    """An awaited call of a stand-in may fail: at most one in each run."""
    calls: bool = False
    """The calls of stand-ins are compared, too."""


NO_WISHES = Wishes()

SETTINGS = {"cancel": "cancels", "timeouts": "timeouts", "failures": "failures", "calls": "calls"}
"""The wishes by the names of the settings that express them."""


def wishes_of(settings: Settings) -> Wishes:
    return Wishes(**{wish: True for name, wish in SETTINGS.items() if name in settings})
