"""Logs as data: requests, their answers and their times.

An entry with a start and an end was in flight between them. Entry a comes before entry b if a ended before b
started; entries that touch or overlap may have taken effect in either order. An entry without an end was
never answered, as far as the log shows: it may have taken effect at any time after its start, or not at all.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256

Time = int | Decimal
"""A time, exactly as the log has it: floats would make nanoseconds of our days equal."""


class Echo(str):
    """The value of an event that repeats the value of the request, as Jepsen's histories do: it says that the
    request happened, and nothing else, if the model has no such answer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Entry:
    line: int
    """The line of the entry in the log."""
    request: str
    answer: str | None
    """The answer; None if the request was never answered."""
    start: Time | None = None
    end: Time | None = None
    process: str = ""
    """The client; empty if the log does not tell."""

    @property
    def text(self) -> str:
        return f"{self.request} → {'no answer' if self.answer is None else self.answer}"


@dataclass(frozen=True, slots=True)
class Invoked:
    """The start of a request."""

    line: int
    process: str
    request: str
    value: str | None = None
    """What the event says about the request, as text."""
    key: str | None = None
    """The key that the value begins with, where the rest is not known yet: `[key nil]`, as Jepsen writes
    it for independent keys."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The end of a process's request: it was answered, did not happen, or its outcome is unknown."""

    line: int
    process: str
    answer: str | None
    happened: bool | None
    """Whether the request happened; None if that is unknown."""


Record = Entry | Invoked | Returned


def answer_to(begun: Invoked, returned: Returned) -> str | None:
    """The answer to a request that has ended."""
    answer = returned.answer
    if answer is not None and answer == begun.value:
        return Echo(answer) if begun.key is None else text_of(None)
    if begun.key is not None and answer is not None and answer.startswith("["):
        found = json.loads(answer, parse_float=Decimal)
        if len(found) == 2 and text_of(found[0]) == begun.key:
            return text_of(found[1])
    return answer


def text_of(value: object) -> str:
    """A value of JSON or EDN as text; texts stay as they are."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case int() | float():
            return str(value)
        case Decimal():
            return _number_text(value)
        case _:
            return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain)


def _number_text(value: Decimal) -> str:
    """A number as Python prints it, if that is exact."""
    rounded = str(float(value))
    return rounded if Decimal(rounded) == value else str(value)


def _plain(value: object) -> object:
    if not isinstance(value, Decimal):
        return str(value)
    return float(value) if Decimal(str(float(value))) == value else str(value)


def request_text(name: str, arguments: Sequence[object] = ()) -> str:
    """`name(a,b)`, without spaces between arguments; `name` without arguments."""
    if arguments:
        return f"{name}({','.join(map(text_of, arguments))})"
    if "(" not in name:
        return name
    head, _, rest = name.partition("(")
    parts = rest.rstrip().removesuffix(")").split(",")
    inner = ",".join(part.strip() for part in parts)
    return f"{head.strip()}({inner})" if inner else head.strip()


def request_parts(request: str) -> tuple[str, ...]:
    """The name and the arguments of a request."""
    head, bracket, rest = request.partition("(")
    return (head, *rest[:-1].split(",")) if bracket else (head,)


class DigestedLines:
    """The lines of a log, each as it is read; then the digest of all, to which certificates refer."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = lines
        self._seen = sha256()

    def __iter__(self) -> Iterator[str]:
        update = self._seen.update
        for line in self._lines:
            update(line.encode("utf-8", "surrogatepass"))
            yield line

    @property
    def digest(self) -> str:
        return self._seen.hexdigest()


class Unpaired(ValueError):
    """Raised when a request ends that never began, or begins twice; names the line."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def entries_of(records: Iterator[Record]) -> list[Entry]:
    """Pairs events into entries, with the positions of the events as times. Raises `Unpaired`."""
    found: list[Entry] = []
    open_: dict[str, tuple[Invoked, int]] = {}
    for position, record in enumerate(records):
        match record:
            case Entry():
                found.append(record)
            case Invoked(process=process):
                if process in open_:
                    raise Unpaired(
                        record.line, f"process {process} begins again before its request has ended"
                    )
                open_[process] = record, position
            case Returned(process=process):
                if process not in open_:
                    raise Unpaired(record.line, f"process {process} ends a request that never began")
                begun, start = open_.pop(process)
                if record.happened is True:
                    answer = answer_to(begun, record)
                    found.append(Entry(begun.line, begun.request, answer, start, position, process))
                elif record.happened is None:
                    found.append(Entry(begun.line, begun.request, None, start, process=process))
    found += [
        Entry(begun.line, begun.request, None, start, process=begun.process)
        for begun, start in open_.values()
    ]
    return found
