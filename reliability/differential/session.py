"""Fuzzing for some time: subjects one after the other, all comparisons on each, and what came of it."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from differential.certificates import certificates
from differential.contradiction import Breakdowns, Comparison, Contradiction
from differential.facts import Effort, Facts, no_longer_than
from differential.questions import questions
from differential.reports import reports
from differential.shrinking import shrunk
from differential.steps import steps
from differential.subject import Drawn, Subject, drawn
from differential.texts import texts
from differential.verdicts import verdicts
from seriatim.method import Method
from seriatim.properties.linearizable import Linearizability
from seriatim.properties.property import Property
from seriatim.properties.serializable import Serializability
from seriatim.result import Faulty, Holds, Result, Violated

COMPARISONS: dict[str, Comparison] = {
    "texts": texts,
    "steps": steps,
    "verdicts": verdicts,
    "certificates": certificates,
    "reports": reports,
    "questions": questions,
}

HANG_SECONDS = 300.0
"""For one comparison; all of its parts together should never take as long."""

SHRINK_AT_MOST = 3
"""Contradictions of one kind; others of that kind stay as they were drawn."""


def compared(name: str, facts: Facts) -> list[Contradiction]:
    """What a comparison finds, its own breakdown included."""
    found: list[Contradiction] = []
    with Breakdowns() as breakdowns, no_longer_than(HANG_SECONDS):
        found.extend(COMPARISONS[name](facts))
    return [*found, *breakdowns.found]


Answer = Literal["yes", "no", "undecided", "mistaken"]
"""`mistaken` is a program that makes a mistake."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A contradiction, the subject that was drawn, and a small one with the same contradiction."""

    drawn: Drawn
    comparison: str
    contradiction: Contradiction
    small: Subject


@dataclass
class Tally:
    """What a session has seen."""

    cases: Counter[str] = field(default_factory=Counter)
    """By kind."""
    verdicts: Counter[tuple[str, Method, Answer]] = field(default_factory=Counter)
    """By question, in a word."""
    enumerated: Counter[int] = field(default_factory=Counter)
    """With how many requests."""
    defined: Counter[tuple[str, int]] = field(default_factory=Counter)
    """By question, and with how many requests."""
    findings: list[Finding] = field(default_factory=list)

    def add(self, facts: Facts) -> None:
        known = facts.enumerated
        self.enumerated[0 if known is None else known.requests] += 1
        for question, requests in facts.defined.items():
            self.defined[in_a_word(question), requests] += 1
        for (question, method), decision in facts.decisions.items():
            self.verdicts[in_a_word(question), method, answer_of(decision)] += 1


def answer_of(decision: Result) -> Answer:
    match decision.answer:
        case Holds():
            return "yes"
        case Violated():
            return "no"
        case Faulty():
            return "mistaken"
        case _:
            return "undecided"


def in_a_word(question: Property) -> str:
    match question:
        case Serializability(observed=observed) if observed:
            return "observe"
        case Linearizability(pending=True):
            return "pending"
        case _:
            return question.name


def examine(
    subject: Subject, effort: Effort, comparisons: Iterable[str] = COMPARISONS
) -> Iterator[tuple[str, Contradiction]]:
    """All contradictions about a subject, with the comparisons that found them."""
    facts = Facts(subject, effort)
    for name in comparisons:
        for contradiction in compared(name, facts):
            yield name, contradiction


def session(
    numbers: Iterator[int],
    effort: Effort,
    shrink_seconds: float,
    tally: Tally,
    comparisons: Iterable[str] = COMPARISONS,
) -> Iterator[Finding]:
    """Examines the subjects with these numbers; the first contradiction of each comparison is shrunk."""
    for number in numbers:
        case = drawn(number)
        facts = Facts(case.subject, effort)
        tally.cases[case.kind] += 1
        for name in comparisons:
            for contradiction in compared(name, facts)[:1]:
                again = sum(each.contradiction.kind == contradiction.kind for each in tally.findings)
                seconds = shrink_seconds if again < SHRINK_AT_MOST else 0.0
                small = minimal(case.subject, name, contradiction, effort, seconds)
                finding = Finding(case, name, contradiction, small)
                tally.findings.append(finding)
                yield finding
        with Breakdowns():  # Those are findings by now.
            tally.add(facts)


def minimal(
    subject: Subject, comparison: str, contradiction: Contradiction, effort: Effort, seconds: float
) -> Subject:
    return shrunk(subject, lambda other: shows(contradiction.kind, comparison, Facts(other, effort)), seconds)


def shows(kind: str, comparison: str, facts: Facts) -> bool:
    """Whether a comparison finds a contradiction of this kind; it goes no further than to the first."""
    with Breakdowns() as breakdowns, no_longer_than(HANG_SECONDS):
        return any(each.kind == kind for each in COMPARISONS[comparison](facts))
    return any(each.kind == kind for each in breakdowns.found)
