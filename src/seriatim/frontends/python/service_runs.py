"""Has a file run in a process of its own, and reads what was seen there."""

import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from seriatim.budget import Deadline
from seriatim.frontends.python.recorded_system import RecordedSystem, read_system
from seriatim.frontends.python.sandbox import bare_environment
from seriatim.frontends.python.wishes import NO_WISHES, Wishes
from seriatim.source import Diagnostic, InputError, SourceText, Span

Json = dict[str, Any]

SECONDS = 20.0
"""CPU seconds for the runs of a file, if the time limit allows that much. Most end by their number."""

PATIENCE = 1_800.0
"""Seconds after which code is stopped that waits for ever, where no time limit has stopped it before."""

NOT_LOADED = "SER940"
REFUSED = "SER941"
NOTHING_SHARED = "SER942"

MISTAKES = tuple(
    f"raise {each.__name__}"
    for each in (
        NameError, UnboundLocalError, TypeError, AttributeError, ImportError, ModuleNotFoundError,
        KeyError, IndexError, ZeroDivisionError, RecursionError,
    )
)  # fmt: skip
"""Answers of a handler that was tried with what it cannot use, or that is wrong whatever it is given."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What a request did before another one went on."""

    request: int
    """Counted from 0; -1 is a task of the service itself."""
    lines: tuple[int, ...]
    state: tuple[tuple[str, str], ...]
    """The shared state after it."""
    answer: str | None


@dataclass(frozen=True, slots=True)
class SeenRun:
    """A run that was seen: its requests in the order of their arrival, their answers, its turns."""

    requests: tuple[str, ...]
    answers: tuple[str, ...]
    turns: tuple[Turn, ...]
    final: tuple[tuple[str, str], ...] | None


@dataclass(frozen=True, slots=True)
class Race:
    """A run whose outcome no one-at-a-time run has, and all outcomes of those."""

    run: SeenRun
    serial: tuple[SeenRun, ...]
    sees_state: bool
    """Whether only the final state shows the difference."""


@dataclass(frozen=True, slots=True)
class LocalSeen:
    """A state of a request, as it was read off from runs."""

    request: int
    answer: str | None
    """What it has answered, if it is over."""
    line: int | None
    waits: str
    is_start: bool


@dataclass(frozen=True, slots=True)
class SystemSeen:
    """The states and moves of a service, for any number of requests."""

    states: tuple[str, ...]
    first: int
    locals: tuple[LocalSeen, ...]
    delta: tuple[tuple[int, int, int, int], ...]
    turns: int
    """How many turns of the real code were taken for it."""


@dataclass(frozen=True, slots=True)
class ServiceRuns:
    """What was seen of one service of a file."""

    name: str
    requests: tuple[str, ...]
    notes: tuple[str, ...]
    lines: tuple[tuple[str, int], ...] = ()
    refusal: str | None = None
    initial: tuple[tuple[str, str], ...] = ()
    explored: int = 0
    left_out: tuple[str, ...] = ()
    """Requests of which not all runs with others were tried."""
    runs: int = 0
    limit: str = ""
    changes_state: bool = False
    elsewhere: tuple[str, ...] = ()
    """Calls that may change something outside."""
    unkept: tuple[str, ...] = ()
    """What requests write to, but runs do not keep."""
    growing: tuple[str, ...] = ()
    """What grows from one request to the next."""
    hangs: tuple[str, ...] = ()
    exits: tuple[str, ...] = ()
    """The requests of runs in which one of them ends the program."""
    answers: tuple[tuple[str, tuple[str, ...]], ...] = ()
    race: Race | None = None
    doubt: Race | None = None
    system: SystemSeen | None = None
    """All of its states and moves; None where they cannot be read off."""
    recorded: RecordedSystem | None = None
    """The same for any integers."""
    why_open: str = ""
    """Why there is no system."""
    why_numbers: str = ""
    """Why there is none for any integers, if some arguments may be any."""
    sees_state: bool = False
    """Whether the final state counts."""

    @property
    def is_whole(self) -> bool:
        """Whether all that counts is in its system, and was compared with all runs of two requests."""
        return self.system is not None and self._is_compared

    @property
    def is_whole_for_all(self) -> bool:
        """The same about its system for any integers."""
        return self.recorded is not None and self._is_compared

    @property
    def _is_compared(self) -> bool:
        has_work = not self.only_errors and (self.changes_state or not self.elsewhere)
        return has_work and self.explored >= 2 and not self.left_out

    @property
    def only_errors(self) -> tuple[str, ...]:
        """The handlers of which every run ended with a mistake in the code itself."""
        return self._handlers_that_only(MISTAKES)

    @property
    def only_raise(self) -> tuple[str, ...]:
        """The handlers of which every run ended with an exception of any kind."""
        return self._handlers_that_only(("raise ",))

    def _handlers_that_only(self, answers: tuple[str, ...]) -> tuple[str, ...]:
        """The handlers all of whose answers begin in one of these ways."""
        return tuple(
            name for name, seen in self.answers if seen and all(each.startswith(answers) for each in seen)
        )


@dataclass(frozen=True, slots=True)
class FileRuns:
    """What was seen of a file."""

    services: tuple[ServiceRuns, ...]
    python: str
    """The version of Python that ran it."""
    missing: tuple[str, ...]
    """What is not installed or not defined, and was replaced by stand-ins."""
    notes: tuple[str, ...]

    @property
    def runs(self) -> int:
        return sum(each.runs for each in self.services)


class NotRun(InputError):
    """The file could not be run, or does what cannot be checked."""


@lru_cache(maxsize=8)
def run_file(
    source: SourceText,
    service: str = "",
    seconds: float = SECONDS,
    *,
    proves: bool = True,
    records: bool = True,
    most_requests: int = 3,
    wishes: Wishes = NO_WISHES,
    scope: str = "",
    only: tuple[str, ...] = (),
    for_states: str = "",
) -> FileRuns:
    """Runs the requests of a file; raises `NotRun`. `proves` asks for systems, too; `records` for systems
    about any integers, where there are some. All runs of at most so many requests are tried; with none, only
    what each request does alone. `scope` has marks; `only` names requests that are tried instead of all. With
    `for_states`, there may be systems of services that have a race: of all states, or of those that requests
    reach one at a time."""
    question = {
        "file": str(path_of(source)),
        "text": source.text,
        "seconds": seconds,
        "service": service,
        "proves": proves,
        "records": records,
        "requests": most_requests,
        "wishes": asdict(wishes),
        "scope": scope,
        "only": only,
        "for_states": for_states,
    }
    command = [sys.executable, "-P", "-m", "seriatim.frontends.python.child"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(question),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env=bare_environment(),
        )
    except subprocess.TimeoutExpired:
        raise NotRun([Diagnostic(REFUSED, "running the file takes too long", hint=HINT)]) from None
    if not done.stdout:
        last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise NotRun([Diagnostic(REFUSED, f"the process that runs the file has ended: {last}", hint=HINT)])
    return read_answer(json.loads(done.stdout))


def path_of(source: SourceText) -> Path:
    """The file of a source; a text that has none is run as if it were in this folder."""
    path = Path(source.name).resolve()
    return path if path.suffix == ".py" else path.with_name("service.py")


HINT = "Seriatim imports a file and runs its coroutines, in a process of its own"


def seconds_for(deadline: Deadline) -> float:
    """The CPU seconds that runs may take, before a deadline."""
    return SECONDS if deadline.ends is None else max(1.0, min(SECONDS, deadline.remaining() / 3))


def read_answer(told: Json) -> FileRuns:
    if "failure" in told:
        line = told.get("line")
        span = None if line is None else Span(line, 1, line, 1)
        raise NotRun([Diagnostic(NOT_LOADED, told["failure"], span, HINT)])
    if "refusal" in told:
        raise NotRun([Diagnostic(REFUSED, f"the file cannot be run: {told['refusal']}", hint=HINT)])
    services = tuple(read_service(each) for each in told["services"])
    return FileRuns(services, told["python"], tuple(told["missing"]), tuple(told["notes"]))


def read_service(told: Json) -> ServiceRuns:
    initial = told.get("initial", {})
    common: Json = {
        "name": told["name"],
        "requests": tuple(label for label, _ in told["requests"]),
        "notes": tuple(told["notes"]),
        "lines": tuple(told["lines"].items()),
        "refusal": told.get("refusal"),
        "runs": told.get("runs", 0),
    }
    if "explored" not in told:
        return ServiceRuns(**common)
    return ServiceRuns(
        **common,
        initial=tuple(initial.items()),
        explored=told["explored"],
        left_out=tuple(told["left_out"]),
        limit=told["limit"],
        changes_state=told["changes_state"],
        elsewhere=tuple(told["elsewhere"]),
        unkept=tuple(told["unkept"]),
        growing=tuple(told["growing"]),
        hangs=tuple(told["hangs"]),
        exits=tuple(told["exits"]),
        answers=tuple((name, tuple(each)) for name, each in told["answers"].items()),
        race=read_race(told["race"], initial),
        doubt=read_race(told["doubt"], initial),
        system=read_seen(told),
        recorded=read_system(told["recorded"]) if "recorded" in told else None,
        why_numbers=told.get("why_numbers", ""),
        why_open=told.get("reason", ""),
        sees_state=told.get("sees_state", False),
    )


def read_seen(told: Json) -> SystemSeen | None:
    found = told.get("system")
    if found is None:
        return None
    locals_ = tuple(
        LocalSeen(each["request"], each["answer"], each["line"], each.get("waits", ""), "waits" not in each)
        for each in found["locals"]
    )
    delta = tuple((one, state, other, new) for one, state, other, new in found["delta"])
    return SystemSeen(tuple(found["states"]), found["first"], locals_, delta, told["turns"])


def read_race(told: Json | None, initial: Json) -> Race | None:
    if told is None:
        return None
    serial = tuple(read_run(each["order"], each["outcome"], initial) for each in told["serial"])
    return Race(read_run(told["requests"], told["outcome"], initial), serial, told["sees_state"])


def read_run(requests: list[str], outcome: Json, initial: Json) -> SeenRun:
    """A run; states are told as what is different from the start."""
    turns = tuple(
        Turn(
            each["request"],
            tuple(each["lines"]),
            tuple({**initial, **each["state"]}.items()),
            each["answer"],
        )
        for each in outcome["turns"]
    )
    state = outcome["state"]
    return SeenRun(
        tuple(requests),
        tuple(outcome["answers"]),
        turns,
        None if state is None else tuple({**initial, **state}.items()),
    )
