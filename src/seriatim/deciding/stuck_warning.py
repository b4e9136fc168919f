"""Looks for requests that wait for ever, with every check. Warns, with a run, only if it is certain.

The search is short, and its work is counted: the same input gives the same warning everywhere. The checker
has accepted every warning.
"""

from collections.abc import Sequence
from functools import cache

from seriatim.budget import Deadline, OutOfBudget, enforce
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.engines.stuck.search import StuckSearch
from seriatim.engines.stuck.stages import stuck_evidence
from seriatim.explain.waiting import explain_stuck, show_stuck
from seriatim.frontends.ser.warnings import never_answered
from seriatim.program.execution import big_steps, faults
from seriatim.program.inputs import Input, digest
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.result import StuckWarning
from seriatim.source import Diagnostic, SourceText, Span, warning
from seriatim.systems.from_input import Origin, unfold
from seriatim.systems.limits import Limits
from seriatim.systems.run import StuckRun
from seriatim.systems.source_map import condition, stops_on_purpose

STATES = 200
"""How many states to explore: most deadlocks show with few requests."""

CHECKED_STATES = 50_000
"""How many states the checker may visit."""

HINT = "release every lock on every path, and take locks in the same order everywhere"


def warn_of_stuck_run(
    content: Input, origin: Origin, source: SourceText, known: Sequence[Diagnostic], deadline: Deadline
) -> tuple[Diagnostic, StuckWarning] | None:
    """A run after which requests can never complete, if there is one with few requests.

    Handlers that no complete run contains have a warning of their own. A request at `while (1) { yield }` is
    meant to stop there.
    """
    if not content.handlers:  # For this question, incomplete runs count.
        origin = unfold(content, Limits(), deadline, dead_ends=True)
    try:
        with enforce(deadline):
            unanswered = _unanswered(origin, (*content.warnings, *known))
            found = _checked_run(content, origin, unanswered, deadline)
    except (GaveUp, OutOfBudget):
        return None
    if found is None:
        return None
    stuck, certificate = found
    why = explain_stuck(stuck, origin, deadline)
    names = list(dict.fromkeys(f"`{each.handler}`" for each in why.waits))
    who = f"a request of {names[0]}" if len(why.waits) == 1 else f"requests of {' and '.join(names)}"
    message = f"STUCK: {who} can wait for ever, whatever arrives"
    told = warning("SER710", message, _place(stuck, origin), HINT)
    return told, StuckWarning(certificate, show_stuck(stuck, origin, source), why)


def _unanswered(origin: Origin, known: Sequence[Diagnostic]) -> frozenset[int]:
    """The handlers for which there is already a warning that no complete run contains their requests."""
    found = [each for each in known if each.code == "SER708"]
    if not found:
        return frozenset()
    places = {each.span for each in found if each.span is not None}
    named = enumerate(zip(origin.requests, origin.content.spans, strict=True))
    return frozenset(
        request
        for request, (name, span) in named
        if (span in places if span is not None else never_answered(name, None) in found)
    )


def _checked_run(
    content: Input, origin: Origin, unanswered: frozenset[int], deadline: Deadline
) -> tuple[StuckRun, Certificate] | None:
    @cache
    def matters(local: int) -> bool:
        return origin.request_of(local) not in unanswered and not stops_on_purpose(origin, local)

    found = StuckSearch(origin, matters).advance(STATES, deadline)
    if found is None:
        return None
    stuck, _ = found
    evidence = stuck_evidence(stuck, origin)
    certificate = Certificate(digest(content), DEADLOCK_FREEDOM.verdicts[1], evidence, DEADLOCK_FREEDOM)
    context = Context(Allowance(CHECKED_STATES, deadline), big_steps=big_steps, faults=faults)
    return (stuck, certificate) if verify(certificate, content, context).accepted else None


def _place(stuck: StuckRun, origin: Origin) -> Span | None:
    """Where the first stuck request waits."""
    local = next(local for request, local in stuck.in_flight if request in stuck.lost)
    span, _ = condition(origin, local, stuck.global_)
    return span or origin.content.spans[origin.request_of(local)]
