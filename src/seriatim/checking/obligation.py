"""What a certificate has to satisfy, claim by claim, and whether it does."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal


class DoesNotFollow(Exception):
    """Raised when a claim does not hold, or a step of its proof is wrong; the message says why."""

    def __init__(self, reason: str, claim: str | None = None) -> None:
        super().__init__(reason)
        self.claim = claim
        """What does not hold; None if only the caller knows (`claiming`)."""


@contextmanager
def claiming(claim: str, whose: str = "") -> Iterator[None]:
    """Makes a claim fail if something in this context does not follow; `whose` begins the sentence that says
    why."""
    try:
        yield
    except DoesNotFollow as problem:
        raise DoesNotFollow(f"{whose}{problem}", claim) from None


@dataclass(frozen=True, slots=True)
class Obligation:
    claim: str
    holds: bool
    detail: str
    """What was looked at; if the claim does not hold, why."""
    data: tuple[object, ...] = ()
    """What the evidence says about it; `seriatim.report.evidence_words` puts that in words."""
    confirmed_by: tuple[str, ...] = ()
    gave_up: tuple[str, ...] = ()
    """The solvers that were needed and agreed, and those that did not find out; none where the checker needs
    none."""
    code: Literal["no-faults", "unexpected"] | None = None
    """A code for obligations whose failure callers treat specially."""


def unless(problem: str | None, claim: str, detail: str, data: tuple[object, ...] = ()) -> Obligation:
    """The claim holds, unless there is a problem."""
    return Obligation(claim, problem is None, detail if problem is None else problem, data)


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


def report_on(obligations: Iterable[Obligation]) -> Report:
    """Up to the first one that does not hold. One that fails may also be raised, with its claim."""
    found: list[Obligation] = []
    try:
        for each in obligations:
            found.append(each)
            if not each.holds:
                break
    except DoesNotFollow as problem:
        if problem.claim is None:
            raise
        found.append(Obligation(problem.claim, False, str(problem)))
    return Report(tuple(found))
