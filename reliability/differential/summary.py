"""What a session has seen and found, as text."""

from pathlib import Path
from typing import get_args

from differential.session import Answer, Finding, Tally

ANSWERS: tuple[Answer, ...] = get_args(Answer)


def finding_text(finding: Finding, saved_as: Path) -> str:
    case = finding.drawn
    number = case.subject.number
    return (
        f"Case {number} ({case.kind}), {finding.comparison}: {finding.contradiction.kind}\n"
        f"  {finding.contradiction.details.strip()}\n"
        f"{finding.small.text.strip()}\n"
        f"  Again: make fuzz FILES={saved_as} FIRST={number},"
        f" or as it was drawn: make fuzz FIRST={number} CASES=1\n\n"
    )


def summary(tally: Tally) -> str:
    cases = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.cases.items()))
    enumerated = ", ".join(
        f"{requests} for {count}" for requests, count in sorted(tally.enumerated.items(), reverse=True)
    )
    lines = [
        f"{tally.cases.total()} cases ({cases}), {len(tally.findings)} contradictions.",
        f"Requests up to which all runs were enumerated: {enumerated}.",
        "",
        f"{'question':24}{'method':16}" + "".join(f"{answer:>11}" for answer in ANSWERS),
    ]
    for question, method in sorted({(question, method) for question, method, _ in tally.verdicts}):
        counts = [tally.verdicts[question, method, answer] for answer in ANSWERS]
        lines.append(f"{question:24}{method:16}" + "".join(f"{count:>11}" for count in counts))
    if tally.defined:
        lines += ["", "Held against definitions, by the number of requests:"]
    for question in sorted({question for question, _ in tally.defined}):
        by_requests = sorted(
            ((requests, count) for (each, requests), count in tally.defined.items() if each == question),
            reverse=True,
        )
        lines.append(
            f"{question:24}" + ", ".join(f"{requests} for {count}" for requests, count in by_requests)
        )
    return "\n".join(lines) + "\n"
