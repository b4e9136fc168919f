"""One run of the paper's pipeline in one configuration, measured: times and sizes, as a line of JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import PurePath
from typing import Any, assert_never

from seriatim.deciding.answer import THE_ANSWER_ALONE
from seriatim.deciding.pipeline import Options, work_out
from seriatim.engines.paper.record import PaperRecord
from seriatim.frontends.all import read_input
from seriatim.method import OPTIMIZATIONS, Method, Optimizations
from seriatim.program.inputs import Input
from seriatim.program.syntax import Binary, Choice, Handler, If, Operator, Prefix, Unary, While, Yield, walk
from seriatim.result import Faulty, Holds, Lost, Recorded, Refused, Result, Undecided, Unusable, Violated
from seriatim.source import InputError, SourceText

FEATURES = ("if", "while", "?", "arithmetic", "yield", "several requests")

_ARITHMETIC = frozenset({Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.MODULO})


@dataclass(frozen=True, slots=True)
class PaperTask:
    source: SourceText
    configuration: str
    """The paper's letters, with dashes for what is switched off."""
    timeout: float


@dataclass(frozen=True, slots=True)
class PaperResult:
    """The result of a measurement; sizes are None for steps that were not reached."""

    file: str
    input: str
    """SHA-256 of the text."""
    configuration: str
    timeout: float
    verdict: str
    """`serializable`, `not_serializable`, `unknown` or `error`."""
    reason: str = ""
    features: str = ""
    """The `FEATURES` that occur, separated by commas."""
    certificate_seconds: float = 0.0
    """Until the evidence was there."""
    total_seconds: float = 0.0
    """The total time, with the re-check."""
    places: int | None = None
    transitions: int | None = None
    disjuncts: int | None = None
    sliced_places: float | None = None
    """On average over the disjuncts that were asked about."""
    sliced_transitions: float | None = None
    components: int | None = None
    periods: float | None = None
    """On average a component."""
    max_periods: int | None = None

    @property
    def name(self) -> str:
        """The input without folder and suffix, as the paper calls it."""
        return PurePath(self.file).name.partition(".")[0]

    @property
    def is_solved(self) -> bool:
        return self.verdict in ("serializable", "not_serializable")

    def answers(self, task: PaperTask) -> bool:
        """Whether this is the measurement that a task asks for."""
        wanted = (digest(task.source), task.configuration, task.timeout)
        return (self.input, self.configuration, self.timeout) == wanted


def digest(source: SourceText) -> str:
    return sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()


def measure_task(task: PaperTask) -> PaperResult:
    blank = make_unmeasured(task, "error")
    try:
        content = read_input(task.source)
    except InputError as error:
        return change(blank, reason=str(error))
    off = "".join(letter for letter in OPTIMIZATIONS if letter not in task.configuration)
    options = Options(
        timeout=task.timeout,
        method=Method.PAPER,
        optimizations=Optimizations.without(off),
        wants=THE_ANSWER_ALONE,
    )
    result, work = work_out(content, options)
    return change(
        blank,
        **judge(result),
        **sizes(work.paper),
        features=",".join(features(content)),
        certificate_seconds=round(result.seconds - result.stages.get("re-check", 0.0), 6),
        total_seconds=result.seconds,
    )


def make_unmeasured(task: PaperTask, verdict: str, reason: str = "") -> PaperResult:
    return PaperResult(
        task.source.name, digest(task.source), task.configuration, task.timeout, verdict, reason
    )


def change(result: PaperResult, **values: Any) -> PaperResult:
    return PaperResult(**{**asdict(result), **values})


def judge(result: Result) -> dict[str, str]:
    answer = result.answer
    match answer:
        case Holds():
            return {"verdict": "serializable"}
        case Violated():
            return {"verdict": "not_serializable"}
        case Undecided(reason=reason):
            return {"verdict": "unknown", "reason": reason}
        case Refused(complaint=complaint):
            return {"verdict": "error", "reason": complaint}
        case Faulty(diagnostic=diagnostic):
            return {"verdict": "error", "reason": diagnostic.message}
        case Unusable() | Lost() | Recorded():
            raise AssertionError("what is decided has been read, in this process")
        case _:
            assert_never(answer)


def sizes(record: PaperRecord | None) -> dict[str, float | int]:
    """The sizes of the pipeline's results."""
    found: dict[str, float | int] = {}
    if record is None:
        return found
    if record.interleaving is not None:
        found["places"] = len(record.interleaving.net.places)
        found["transitions"] = len(record.interleaving.net.transitions)
    if record.serial is not None and record.serial.components:
        periods = [len(part.periods) for part in record.serial.components]
        found |= {"components": len(periods), "periods": mean(periods), "max_periods": max(periods)}
    if record.query is not None:
        found["disjuncts"] = len(record.query)
    if record.asked:
        found["sliced_places"] = mean([len(asked.part.places) for asked in record.asked])
        found["sliced_transitions"] = mean([len(asked.part.transitions) for asked in record.asked])
    return found


def mean(values: list[int]) -> float:
    return round(sum(values) / len(values), 4)


def features(content: Input) -> list[str]:
    """Returns what the paper's Table 4 marks, read off the syntax tree; a network system has no syntax to
    read."""
    if not content.handlers:
        return ["several requests"] if len(content.requests) > 1 else []
    return [name for name, occurs in zip(FEATURES, _occurring(content.handlers), strict=True) if occurs]


def _occurring(handlers: Sequence[Handler]) -> tuple[bool, ...]:
    parts = [part for handler in handlers for part in walk(handler.body)]
    return (
        any(isinstance(part, If) for part in parts),
        any(isinstance(part, While) for part in parts),
        any(isinstance(part, Choice) for part in parts),
        any(
            (isinstance(part, Unary) and part.operator is Prefix.MINUS)
            or (isinstance(part, Binary) and part.operator in _ARITHMETIC)
            for part in parts
        ),
        any(isinstance(part, Yield) for part in parts),
        len(handlers) > 1,
    )


COLUMNS = tuple(field.name for field in fields(PaperResult))


def json_line(result: PaperResult) -> str:
    return json.dumps(asdict(result), ensure_ascii=False) + "\n"


def read_lines(text: str) -> list[PaperResult]:
    """The results of an earlier run. Other lines, such as a last one that was cut off, are left out: they are
    measured again."""
    found: list[PaperResult] = []
    for line in text.splitlines():
        try:
            values = json.loads(line)
        except ValueError:
            continue
        if isinstance(values, dict) and set(values) == set(COLUMNS):
            found.append(PaperResult(**values))
    return found
