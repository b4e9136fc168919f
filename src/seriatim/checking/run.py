"""Evidence of the kind `run`: a run, and nothing with its outcome that is allowed
(`seriatim.checking.unexplained`). That the run exists is shown by replaying it (`seriatim.checking.turns`).
"""

from collections import Counter
from collections.abc import Iterator

from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowed import Completion
from seriatim.checking.intervals import with_intervals
from seriatim.checking.obligation import Obligation
from seriatim.checking.posing import Task
from seriatim.checking.turns import check_numbers, replay
from seriatim.checking.unexplained import unexplained
from seriatim.checking.words import counted, outcome_words
from seriatim.source import quote


def answers(evidence: RunEvidence) -> Counter[Completion]:
    """How often each completion occurs."""
    return Counter((turn.handler, turn.response) for turn in evidence.turns if turn.response is not None)


def obligations(task: Task[RunEvidence]) -> Iterator[Obligation]:
    """Lists what has to hold of a run, in this order; each relies on those before it. Raises `GaveUp`."""
    evidence, turns, asked = task.evidence, task.evidence.turns, task.asked.runs
    yield check_numbers(turns)
    run = replay(task.reference, turns, task.context.allowance)
    yield run.obligation("every turn is a step of the input", what_it_does)
    unanswered = {turn.request for turn in turns} - {t.request for t in turns if t.response is not None}
    if not asked.pending:
        yield Obligation(
            "every request is answered",
            not unanswered,
            f"request {min(unanswered)} is not"
            if unanswered
            else counted(answers(evidence).total(), "answer"),
        )
    if evidence.barriers:
        yield Obligation(
            f"there are at most {asked.barriers} barriers",
            len(evidence.barriers) <= asked.barriers,
            f"after turns {', '.join(map(str, evidence.barriers))}",
        )
    seen = asked.seen
    outcome = with_intervals(evidence) if seen is None else answers(evidence) + seen(run.global_)
    claim = f"{asked.claim} {outcome_words(sorted(outcome.items()))}"
    yield unexplained(claim, asked.allowed, outcome, task.context)


def what_it_does(turn: Turn) -> str:
    does = "pause" if turn.response is None else f"answer {quote(turn.response)}"
    return f"{does} there and leave that global state"
