"""What a certificate has to satisfy, claim by claim, and whether it does."""

from collections.abc import Callable, Iterable
from typing import Literal

from seriatim.frozen import frozen


class DoesNotFollow(Exception):
    """Raised when a proof is invalid; names the step."""


@frozen
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


def proved(claim: str, prove: Callable[[], str]) -> Obligation:
    """The claim holds if its proof, which tells what it looked at, goes through."""
    try:
        return Obligation(claim, True, prove())
    except DoesNotFollow as problem:
        return Obligation(claim, False, str(problem))


NO_PROGRAM = Obligation("the input is a program", False, "the input is a network system, without variables")


@frozen
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
    """Up to the first one that does not hold."""
    found: list[Obligation] = []
    for each in obligations:
        found.append(each)
        if not each.holds:
            break
    return Report(tuple(found))
