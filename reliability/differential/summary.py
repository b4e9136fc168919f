"""What a session has seen and found, as text."""

from pathlib import Path

from differential.session import Finding, Tally
from seriatim.properties.conclusion import Method

VERDICTS = ("serializable", "not_serializable", "unknown", "error")
"""As JSON names them; `error` is a program that makes a mistake."""


def finding_text(finding: Finding, saved_as: Path) -> str:
    case = finding.drawn
    return (
        f"Case {case.number} ({case.kind}), {finding.comparison}: {finding.contradiction.kind}\n"
        f"  {finding.contradiction.details.strip()}\n"
        f"{finding.small.text.strip()}\n"
        f"  Again: make fuzz FILES={saved_as}, or as it was drawn: make fuzz FIRST={case.number} CASES=1\n\n"
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
        f"{'method':16}{'serializable':>14}{'not':>8}{'undecided':>11}{'mistaken':>10}",
    ]
    for method in Method:
        counts = [tally.verdicts[method, verdict] for verdict in VERDICTS]
        lines.append(f"{method:16}{counts[0]:>14}{counts[1]:>8}{counts[2]:>11}{counts[3]:>10}")
    return "\n".join(lines) + "\n"
