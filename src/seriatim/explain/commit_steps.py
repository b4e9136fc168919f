"""Finds the lines at which requests take effect (commit), for reports and editors."""

from collections.abc import Iterator

from seriatim.budget import Deadline
from seriatim.certificate.commit import CommitEvidence
from seriatim.engines.shared.in_flight import waiting
from seriatim.explain.explanation import CommitStep
from seriatim.systems.from_input import Origin
from seriatim.systems.limits import Limits
from seriatim.systems.slicing import macro_system
from seriatim.systems.source_map import events, local_state

MAX_LOOKS = 20
"""How many moves are examined for the lines of one commit; they differ in the global state only."""


def commit_steps(
    evidence: CommitEvidence, origin: Origin, limits: Limits, deadline: Deadline
) -> list[CommitStep]:
    """All steps that commit, by handler. Raises `LimitReached` or `OutOfBudget`."""
    found: dict[tuple[int, str, str], tuple[set[int], set[str], list[int]]] = {}
    for local, global_, target, after, response in _commits(evidence, origin, limits, deadline):
        deadline.check()
        ends = "its answer" if target < 0 else _place(origin, target)
        key = (origin.request_of(local), _place(origin, local), ends)
        lines, responses, looks = found.setdefault(key, (set(), set(), []))
        responses.add(response)
        if len(looks) < MAX_LOOKS:
            looks.append(local)
            spans = [event.span for event in events(origin, local, global_, target, after)]
            lines.update(span.line for span in spans if 0 < span.line == span.end_line)
    return [
        CommitStep(origin.requests[request], begins, ends, tuple(sorted(lines)), tuple(sorted(responses)))
        for (request, begins, ends), (lines, responses, _) in sorted(
            found.items(), key=lambda item: item[0][0]
        )
    ]


def _commits(
    evidence: CommitEvidence, origin: Origin, limits: Limits, deadline: Deadline
) -> Iterator[tuple[int, int, int, int, str]]:
    """The moves that commit, as (local, global, target, after, response)."""
    known: dict[int, str | None] = {}

    def effect(local: int) -> str | None:
        if local not in known:
            here = waiting(origin, local)
            known[local] = next(
                (
                    entry.response
                    for entry in evidence.committed
                    if (entry.handler, entry.code) == (here.handler, here.code)
                    and set(entry.values) <= set(here.values)
                ),
                None,
            )
        return known[local]

    for (local, global_), moves in macro_system(origin, limits, deadline).table.items():
        for target, after in moves:
            response = origin.completions[~target][1] if target < 0 else effect(target)
            if response is not None and (local in origin.starts or effect(local) is None):
                yield local, global_, target, after, response


def _place(origin: Origin, local: int) -> str:
    if local in origin.starts:
        return "its start"
    state = local_state(origin, local)
    return f"`{state.name}`" if state.line is None else f"the pause in line {state.line}"
