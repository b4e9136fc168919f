"""The same on a cluster: workers examine cases, and whatever one of them finds is examined once more here."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from differential.facts import THOROUGH
from differential.session import HANG_SECONDS, Finding, Tally, session
from seriatim.method import Method
from seriatim.result import Lost
from seriatim.workers import Crew


@dataclass(frozen=True, slots=True)
class Case:
    """What a worker is told."""

    number: int
    comparisons: tuple[str, ...]


def seen_text(case: Case) -> str:
    """What a worker answers: what it has seen, and how many contradictions there are."""
    tally = Tally()
    findings = list(session(iter((case.number,)), THOROUGH, 0.0, tally, case.comparisons))
    seen = {
        "cases": list(tally.cases.items()),
        "verdicts": list(tally.verdicts.items()),
        "enumerated": list(tally.enumerated.items()),
        "defined": list(tally.defined.items()),
    }
    return json.dumps({"findings": len(findings), "seen": seen})


def session_on(
    crew: Crew, numbers: Iterator[int], shrink_seconds: float, tally: Tally, comparisons: tuple[str, ...]
) -> Iterator[Finding]:
    """Has the subjects with these numbers examined; those with contradictions are examined here again."""
    cases: list[Case] = []

    def handed_out() -> Iterator[Case]:
        for number in numbers:
            cases.append(Case(number, comparisons))
            yield cases[-1]

    for position, answer in crew.perform(seen_text, handed_out(), HANG_SECONDS * len(comparisons)):
        found = None if isinstance(answer, Lost) else json.loads(answer)
        if found is None or found["findings"]:
            again = iter((cases[position].number,))
            yield from session(again, THOROUGH, shrink_seconds, tally, comparisons)
        else:
            add(tally, found["seen"])


def add(tally: Tally, seen: Any) -> None:
    """Adds what a worker has seen, as JSON has it."""
    tally.cases.update(dict(seen["cases"]))
    tally.enumerated.update(dict(seen["enumerated"]))
    tally.defined.update({(question, requests): count for (question, requests), count in seen["defined"]})
    tally.verdicts.update(
        {(question, Method(method), answer): count for (question, method, answer), count in seen["verdicts"]}
    )
