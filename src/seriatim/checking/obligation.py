"""What a certificate has to satisfy, claim by claim, and what came of it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Obligation:
    claim: str
    holds: bool
    detail: str
    """What was looked at; if the claim does not hold, why."""


@dataclass(frozen=True, slots=True)
class Report:
    """The obligations of a certificate, each one asked only if those before it hold."""

    obligations: tuple[Obligation, ...]

    @property
    def accepted(self) -> bool:
        return all(obligation.holds for obligation in self.obligations)

    @property
    def complaint(self) -> str:
        """What does not hold, and why; empty if all does."""
        return "".join(f"{failed.claim}: {failed.detail}" for failed in self.obligations if not failed.holds)
