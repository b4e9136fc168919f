"""Decides changes in several processes at once, before the search for repairs asks about them.

The search asks about one change after the other, and what it has found decides what it asks next. Whatever it
asks is among the changes that it would look at if it found nothing. Those are decided ahead, and the search
gets the answers that it asks for: it finds the same repairs, in the same order.
"""

import json
from collections.abc import Set
from dataclasses import dataclass, replace
from itertools import islice

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import NO_TEXT, Options, decide
from seriatim.deciding.rechecking import Unfounded, recheck
from seriatim.frontends.protocol import Translation
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.property import Property
from seriatim.repair.candidate import Change
from seriatim.repair.search import Ask, candidates, options_for_candidates
from seriatim.repair.yields import places
from seriatim.report.result_from_json import result_from_json
from seriatim.report.result_json import result_json
from seriatim.result import Result
from seriatim.workers import Crew


@dataclass(frozen=True, slots=True)
class Proposal:
    """A changed program, and how to decide about it."""

    program: Program
    options: Options


def decide_ahead(
    crew: Crew, program: Program, text: str, options: Options, count: int, changes: Set[Change]
) -> Ask:
    """A function that decides changes: it uses the crew's answer where the evidence holds."""
    deadline = Deadline(options.timeout, options.max_memory)
    asked = proposals(program, text, options, count, changes)
    known: dict[tuple[str, Property], Result] = {}
    for position, answer in crew.perform(decision_text, asked, deadline.remaining()):
        proposal = asked[position]
        question = proposal.options.question
        if not isinstance(answer, str):
            continue  # The search decides it itself.
        try:
            content = Translation(proposal.program)
            result = recheck(result_from_json(answer), NO_TEXT, content, question, deadline)
        except (ValueError, Unfounded):
            continue
        known[digest(proposal.program), question] = result

    def ask(changed: Program, wanted: Options) -> Result:
        found = known.get((digest(changed), wanted.question))
        return decide(changed, wanted) if found is None else found

    return ask


def proposals(
    program: Program, text: str, options: Options, count: int, changes: Set[Change]
) -> list[Proposal]:
    """Every change that the search for repairs may ask about."""
    options = options_for_candidates(options)
    found: list[Proposal] = []
    for candidate in islice(candidates(program, text, places(program, text), changes, []), count):
        found.append(Proposal(candidate.program, options))
        if candidate.change.keeps_yields:
            found.append(Proposal(candidate.program, replace(options, question=DEADLOCK_FREEDOM)))
    return found


def decision_text(proposal: Proposal) -> str:
    """Decides a change in a worker; returns the result as JSON."""
    return json.dumps(result_json(decide(proposal.program, proposal.options)))
