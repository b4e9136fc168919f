"""Evidence of the kind `thread-run`: a run of a thread program whose last step fails."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.program.threads.runs import ThreadRun, ThreadStep
from seriatim.program.threads.semantics import Failure
from seriatim.program.threads.syntax import NOWHERE
from seriatim.strict_json import document, is_integer, natural, natural_or_nothing, record, string, wrong
from seriatim.terms.expressions import Value

KEYS = ("globals", "locals", "steps", "failure")
STEP = ("thread", "edge", "havocs", "locals", "joined")
FAILURE = ("code", "message")


@dataclass(frozen=True, slots=True)
class ThreadRunEvidence:
    """Not safe: the last step of this run fails."""

    kind: ClassVar[Literal["thread-run"]] = "thread-run"
    proves: ClassVar[Literal[False]] = False

    run: ThreadRun


def fields(evidence: ThreadRunEvidence) -> dict[str, object]:
    run = evidence.run
    steps = [
        dict(
            zip(
                STEP, (each.thread, each.edge, list(each.havocs), dict(each.locals), each.joined), strict=True
            )
        )
        for each in run.steps
    ]
    failure = dict(zip(FAILURE, (run.failure.code, run.failure.message), strict=True))
    return dict(zip(KEYS, (dict(run.globals), dict(run.locals), steps, failure), strict=True))


def read(body: dict[str, object]) -> ThreadRunEvidence:
    found = document(body, "the certificate", KEYS)
    failure = found.read("failure", lambda value, where: record(value, where, FAILURE))
    return ThreadRunEvidence(
        ThreadRun(
            found.read("globals", read_values),
            found.read("locals", read_values),
            found.items("steps", _read_step),
            Failure(failure.read("code", string), failure.read("message", string), NOWHERE),
        )
    )


def _read_step(value: object, where: str) -> ThreadStep:
    fields = record(value, where, STEP)
    return ThreadStep(
        fields.read("thread", natural),
        fields.read("edge", natural),
        fields.items("havocs", read_value),
        fields.read("locals", read_values),
        fields.read("joined", natural_or_nothing),
    )


def read_value(value: object, where: str) -> Value:
    if isinstance(value, bool) or is_integer(value):
        return value
    raise wrong(where, "an integer, true or false")


def read_values(value: object, where: str) -> tuple[tuple[str, Value], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object with the value of each variable")
    return tuple((name, read_value(each, f"{where}.{name}")) for name, each in value.items())
