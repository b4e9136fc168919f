"""The protocols of the paper on inductive sequentialization, proved again, beside the paper's figures."""

from collections.abc import Iterable
from dataclasses import dataclass
from time import process_time

from seriatim.actions.syntax import ActionProgram
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.checking.allowance import GaveUp
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.verify import ProofReader
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.outcome import Proved, RunBreaks


@dataclass(frozen=True, slots=True)
class Reported:
    """What the paper's Table 1 says about an example."""

    name: str
    applications: int
    seconds: float


PAPER = {
    "broadcast": Reported("Broadcast consensus", 2, 1.0),
    "ping_pong": Reported("Ping-Pong", 1, 0.9),
    "producer_consumer": Reported("Producer-Consumer", 1, 0.9),
    "n_buyers": Reported("N-Buyer", 4, 2.6),
    "leader_election": Reported("Chang-Roberts", 2, 1.1),
    "two_phase_commit": Reported("Two-phase commit", 4, 1.4),
    "paxos": Reported("Paxos", 1, 4.2),
}
"""The paper's rows, by the names of our files."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One program, proved or not."""

    stem: str
    verdict: str
    conditions: int
    facts: int
    """Lines `always` and `when` that the user wrote."""
    seconds: float
    """The time of this process, with the execution at small sizes."""


def measure(stem: str, program: ActionProgram, read_proof: ProofReader, timeout: float) -> Measured:
    begun = process_time()
    proof = program.proof
    facts = 0 if proof is None else len(proof.always) + len(proof.when)
    try:
        outcome = Decision(program, Settings(), read_proof, Deadline(timeout)).decide()
    except (GaveUp, OutOfBudget) as stopped:
        reason = stopped.spent if isinstance(stopped, OutOfBudget) else str(stopped)
        return Measured(stem, f"not proved: {reason}", 0, facts, process_time() - begun)
    seconds = process_time() - begun
    if isinstance(outcome, Proved):
        evidence = outcome.certificate.evidence
        assert isinstance(evidence, OrderEvidence)
        count = len(Conditions(program, outcome.proof).all())
        return Measured(stem, "proved for all sizes", count, facts, seconds)
    return Measured(stem, "broken" if isinstance(outcome, RunBreaks) else "not proved", 0, facts, seconds)


COLUMNS = ("example", "verdict", "conditions", "facts", "CPU s", "applications (paper)", "s (paper)")


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |\n"


def table(results: Iterable[Measured]) -> str:
    """Markdown; one application of the rule each, where the paper needs up to four."""
    rows: list[str] = []
    for each in results:
        reported = PAPER.get(each.stem)
        name = each.stem.replace("_", " ") if reported is None else reported.name
        theirs = ("–", "–") if reported is None else (reported.applications, reported.seconds)
        rows.append(_line((name, each.verdict, each.conditions, each.facts, f"{each.seconds:.1f}", *theirs)))
    return _line(COLUMNS) + "|---" * len(COLUMNS) + "|\n" + "".join(rows)
