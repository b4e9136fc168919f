"""Evidence is kept and the system changed under it: brute force says whether the kernel is deceived."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from proved.subjects import Subject
from seriatim.checking.allowance import Allowance
from seriatim.export.kernel.claim import NotCovered, evidence_text
from seriatim.export.kernel.names import SystemNames
from seriatim.export.kernel.text import ANSWERS, ClaimKind, Text, in_time, integers
from seriatim.program.network_system import NetworkSystem
from seriatim.properties.strict import StrictSerializability
from testkit.oracles import brute_force
from testkit.oracles.histories import alone, fewest_unexplained, histories

BATCH = 500
REQUESTS = 3
"""As many as brute force looks at together."""
MAX_STATES = 100_000
MAX_HISTORIES = 2_000
"""The order of events makes more of them."""


@dataclass(frozen=True, slots=True)
class Deceived:
    """The kernel accepts a verdict about a system that brute force refutes."""

    name: str
    system: NetworkSystem
    verdict: str


def changed(system: NetworkSystem, random: Random) -> NetworkSystem:
    """With one or two differences: a step less, one more, one that leads elsewhere; another response."""
    for _ in range(random.choice((1, 1, 2))):
        system = changed_once(system, random)
    return system


def changed_once(system: NetworkSystem, random: Random) -> NetworkSystem:
    delta, resp = list(system.delta), list(system.resp)
    here, there = (random.randrange(len(system.locals)) for _ in range(2))
    before, after = (random.randrange(len(system.globals)) for _ in range(2))
    step = random.randrange(len(delta)) if delta else None
    match random.randrange(5):
        case 0 if step is not None:
            del delta[step]
        case 1:
            delta.append((here, before, there, after))
        case 2 if step is not None:
            delta[step] = (*delta[step][:3], after)
        case 3 if step is not None:
            delta[step] = (*delta[step][:2], there, delta[step][3])
        case 4 if resp:
            place = random.randrange(len(resp))
            resp[place] = (resp[place][0], random.randrange(len(system.responses)))
    return replace(system, delta=tuple(dict.fromkeys(delta)), resp=tuple(dict.fromkeys(resp)))


def attack(
    subjects: list[Subject], cases: int, kernel: Path, random: Random, tally: Counter[str]
) -> Iterator[Deceived]:
    """Changed systems under the evidence of others, in batches; counts what the kernel says of them."""
    prepared: list[tuple[Subject, ClaimKind, Text]] = []
    for subject in subjects:
        if isinstance(subject.content, NetworkSystem):
            names = SystemNames(subject.content)
            evidence = subject.certificate.evidence
            with suppress(NotCovered):
                written = evidence_text(evidence, names.reference, names, Allowance(10_000_000))
                prepared.append((subject, *written))
    for start in range(0, cases, BATCH):
        chosen = [random.choice(prepared) for _ in range(min(BATCH, cases - start))]
        systems = [
            (subject, changed(subject.content, random), kind, text)
            for subject, kind, text in chosen
            if isinstance(subject.content, NetworkSystem)
        ]
        lines = (claim_line(*each) for each in systems)
        said = subprocess.run([kernel], input="\n".join(lines) + "\n", capture_output=True, text=True)
        for (subject, system, _, _), verdict in zip(systems, said.stdout.split("\n"), strict=False):
            tally[verdict] += 1
            if is_wrong(system, barriers_of(subject), verdict, tally):
                yield Deceived(subject.name, system, verdict)


def barriers_of(subject: Subject) -> int | None:
    """None if time does not count."""
    question = subject.certificate.question
    return question.barriers if isinstance(question, StrictSerializability) else None


def claim_line(subject: Subject, system: NetworkSystem, kind: ClaimKind, evidence: Text) -> str:
    barriers = barriers_of(subject)
    seen = ANSWERS if barriers is None else in_time(barriers)
    return " ".join(map(str, integers(SystemNames(system).claim(kind, evidence, seen))))


def fewest_requests(system: NetworkSystem, barriers: int | None) -> int | None:
    """In a violation by a few requests, by the definition. Raises `TooLarge`."""
    rules = brute_force.rules_of_system(system)
    if barriers is None:
        return brute_force.fewest_in_violation(rules, REQUESTS, MAX_STATES)
    found = histories(rules, REQUESTS, pending=False, max_states=MAX_HISTORIES)
    return fewest_unexplained(found, barriers, rules.initial, alone(rules))


def is_wrong(system: NetworkSystem, barriers: int | None, verdict: str, tally: Counter[str]) -> bool:
    """Whether a few requests refute that the system is serializable, or strictly so.

    That a system is not serializable, a few requests cannot refute; but if they have a violation, they
    confirm it, and this is counted."""
    if verdict not in ("serializable", "not_serializable"):
        return False
    try:
        fewest = fewest_requests(system, barriers)
    except brute_force.TooLarge:
        tally[f"{verdict}, too large for brute force"] += 1
        return False
    if verdict == "not_serializable" and fewest is not None:
        tally["not_serializable, confirmed by brute force"] += 1
    return verdict == "serializable" and fewest is not None
