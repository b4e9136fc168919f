"""Measurements that others make: a worker sends figures and evidence, and the evidence is checked here.

Figures are those of the machine that measured. A verdict is believed because of its certificate alone.
"""

import json
from dataclasses import replace

from seriatim.bench.measure import measure_with_evidence
from seriatim.bench.result import (
    VERDICTS,
    BenchTask,
    Outcome,
    Result,
    json_line,
    make_unmeasured,
    read_json_line,
)
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import write
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.expected import Expected
from seriatim.checking.verify import GaveUp, verify
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Lost
from seriatim.source import InputError


def measurement_text(task: BenchTask) -> str:
    """Says what a worker answers."""
    result, certificate = measure_with_evidence(task)
    evidence = None if certificate is None else write(certificate)
    return json.dumps({"measured": json_line(result), "certificate": evidence})


def believe(task: BenchTask, answer: str | Lost) -> Result:
    """The measurement that a worker has sent, if it is one of this task and its evidence holds."""
    if isinstance(answer, Lost):
        return make_unmeasured(task, Outcome.UNKNOWN, answer.reason)
    try:
        found = json.loads(answer)
        result, evidence = read_json_line(found["measured"]), found["certificate"]
    except (ValueError, KeyError, TypeError):
        return make_unmeasured(task, Outcome.UNKNOWN, "a worker has sent something else than a measurement")
    if not result.answers(task):
        return make_unmeasured(task, Outcome.UNKNOWN, "a worker has measured something else")
    if result.outcome not in VERDICTS:
        return result
    complaint = objection(task, result.outcome, evidence)
    return result if complaint is None else replace(result, outcome=Outcome.REFUSED, reason=complaint)


def objection(task: BenchTask, verdict: Outcome, evidence: object) -> str | None:
    """Checks the evidence that a worker sent for its verdict; returns what is wrong with it, or None."""
    if not isinstance(evidence, str):
        return "a worker has sent a verdict without evidence"
    context = Context(Allowance(deadline=Deadline(task.timeout, task.max_memory)))
    try:
        content = read_input(task.source)
        report = verify(
            read_certificate(evidence), content, context, expected=Expected(verdict.value, SERIALIZABILITY)
        )
    except InputError as error:
        return error.diagnostics[0].message
    except GaveUp as gave_up:
        return str(gave_up)
    except OutOfBudget as out:
        return out.spent
    return None if report.accepted else report.complaint
