"""Compares what a model says about a Python file with runs of the file itself, which have the last word.

A proof is printed only if no run of two or three requests contradicts it. A violation of the model is printed
only if the same requests, where all their runs were tried, show one, too. Otherwise the verdict is withheld;
if the runs show a race, the race is the verdict. Runs are also asked where the text leaves the question open.
"""

from dataclasses import replace

from seriatim.budget import Deadline
from seriatim.frontends.protocol import Approximation, ApproximationKind, Translation
from seriatim.frontends.python.live.frontend import RUN, Runs, translate_seen
from seriatim.frontends.python.live.service_runs import FileRuns, NotRun, ServiceRuns, run_file, seconds_for
from seriatim.frontends.python.live.wishes import wishes_of
from seriatim.properties.serializable import Serializability
from seriatim.result import Holds, Result, Undecided, Violated
from seriatim.source import InputError, SourceText

CANNOT_RUN = (
    "the text of the file looks serializable, but runs of the file have to confirm that, and it cannot be run"
)

LEAST_SECONDS = 2.0
"""The time that has to be left for runs where the text of a file leaves the question open."""


def compare_with_runs(
    result: Result, translation: Translation, source: SourceText, deadline: Deadline
) -> Result | Translation:
    """The result, with what runs say about it; or the translation of a race that it has missed."""
    settings = {} if translation.provenance is None else dict(translation.provenance.settings)
    if settings.get(RUN) == Runs.ANY_INTEGERS:
        return result if isinstance(result.answer, Holds) else _with_numbers(source, settings, deadline)
    if isinstance(result.answer, Undecided):
        return _ask_runs(result, settings, source, deadline)
    if not isinstance(result.answer, Holds | Violated):
        return result
    try:
        wishes = wishes_of(settings)
        service = settings.get("service", "")
        seen = run_file(source, service, seconds_for(deadline), proves=False, wishes=wishes)
    except NotRun as failed:
        if isinstance(result.answer, Violated):
            return result  # It was repeated on the real code.
        reason = f"{CANNOT_RUN}: {failed.diagnostics[0].message}"
        return replace(result, answer=Undecided(reason, failed.diagnostics[0].hint, 0))
    raced = any(each.race is not None for each in seen.services)
    if isinstance(result.answer, Holds):
        # The question says what counts in the state; runs compare all of it, so their answers have to differ.
        if any(each.race is not None and not each.race.sees_state for each in seen.services):
            return translate_seen(seen, source, {**settings, RUN: Runs.ALLOWED})
        refused = next((each.refusal for each in seen.services if each.refusal is not None), None)
        if refused is not None:
            return replace(result, answer=Undecided(f"{CANNOT_RUN}: {refused}", None, 0))
        return _compared(result, seen)
    if not raced:
        return _withhold(result, result.answer, seen)
    return result


def _with_numbers(source: SourceText, settings: dict[str, str], deadline: Deadline) -> Translation:
    """Returns what runs say for the integers that were tried, where nothing was proved for all of them."""
    service = settings.get("service", "")
    seen = run_file(source, service, seconds_for(deadline), records=False)
    return translate_seen(seen, source, {**settings, RUN: Runs.TRIED_INTEGERS})


def _ask_runs(
    result: Result, settings: dict[str, str], source: SourceText, deadline: Deadline
) -> Result | Translation:
    """Asks runs where the text of the file leaves the question open: a race, or a system of their own."""
    if not isinstance(result.property, Serializability) or deadline.remaining() < LEAST_SECONDS:
        return result
    try:
        service = settings.get("service", "")
        seen = run_file(source, service, seconds_for(deadline), wishes=wishes_of(settings))
        found = translate_seen(seen, source, {**settings, RUN: Runs.ALLOWED})
    except InputError:
        return result
    return found if found.tried is None else _compared(result, seen)


def _compared(result: Result, seen: FileRuns) -> Result:
    """The result, with how many runs agree."""
    sentence = (
        f"{seen.runs:,} runs of the file itself, in fresh processes, give no answers that no order explains"
    )
    told = Approximation(ApproximationKind.ASSUMPTION, sentence)
    return replace(result, approximations=(*result.approximations, told))


def _withhold(result: Result, violated: Violated, seen: FileRuns) -> Result:
    """A violation, unless all runs of the same requests were tried, and none shows one."""
    requests = set(violated.run.timeline.handlers())
    service = next((each for each in seen.services if _covers(each, requests, violated)), None)
    if service is None:
        return result
    reason = (
        f"the text of the file suggests a race, but none of all {service.runs:,} runs of up to"
        f" {service.explored} such requests shows one, on the asyncio of Python {seen.python}"
    )
    return replace(result, answer=Undecided(reason, None, service.explored), confirmation=None)


def _covers(service: ServiceRuns, requests: set[str], violated: Violated) -> bool:
    """Whether all runs of these requests were tried, and kept what the requests wrote."""
    tried = set(service.requests) - set(service.left_out)
    return requests <= tried and service.explored >= violated.run.requests and not service.unkept
