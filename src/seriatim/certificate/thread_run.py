"""Evidence of the kind `thread-run`: a run of a thread program whose last step fails."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.codec import As, Codec, Inline, Natural
from seriatim.program.threads.runs import ThreadRun, ThreadStep
from seriatim.program.threads.semantics import Failure
from seriatim.strict_json import is_integer, wrong
from seriatim.terms.expressions import Value


def read_value(value: object, where: str) -> Value:
    if isinstance(value, bool) or is_integer(value):
        return value
    raise wrong(where, "an integer, true or false")


def read_values(value: object, where: str) -> tuple[tuple[str, Value], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object with the value of each variable")
    return tuple((name, read_value(each, f"{where}.{name}")) for name, each in value.items())


VALUE = {"type": ["integer", "boolean"]}
Named = Annotated[
    tuple[tuple[str, Value], ...],
    Codec(read_values, dict, schema={"type": "object", "additionalProperties": VALUE}),
]
"""Values of variables, by name."""

Step = Annotated[
    ThreadStep,
    As(
        thread=Natural,
        edge=Natural,
        havocs=tuple[Annotated[Value, Codec(read_value, schema=VALUE)], ...],
        locals=Named,
        joined=Natural | None,
    ),
]


@dataclass(frozen=True, slots=True)
class ThreadRunEvidence:
    """Not safe: the last step of this run fails."""

    kind: ClassVar[Literal["thread-run"]] = "thread-run"
    proves: ClassVar[Literal[False]] = False

    run: Annotated[
        ThreadRun,
        As(
            globals=Named,
            locals=Named,
            steps=tuple[Step, ...],
            failure=Annotated[Failure, As(code=str, message=str)],
        ),
        Inline(),
    ]
