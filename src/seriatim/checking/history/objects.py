"""What a log is compared with, as the checker sees it: objects by their textbook definitions, and programs
whose requests run alone, by the reference semantics."""

import json
from typing import Any, Protocol

from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import Place, SerialRuns, Words
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.program.inputs import Input
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program

State = Any
"""The state of a sequential object."""


class Sequential(Words[Place], Protocol[Place]):
    """A sequential object: what requests can be answered, one after the other."""

    def part(self, request: str) -> str:
        """Requests about different parts do not notice each other."""

    def written(self, request: str) -> str | None:
        """The value that a request writes to its part, if that is a register; empty if the request reads it,
        None if it does anything else."""

    def only_reads(self, request: str) -> bool:
        """Whether a request leaves every state as it is."""

    def only_grows(self, request: str) -> bool:
        """Whether the state is a text, and a request leaves it as it is or appends to it."""


Thing = Sequential[Any]


class Running(SerialRuns):
    """A program or a network system, one request at a time."""

    def __init__(self, content: Input, allowance: Allowance) -> None:
        if isinstance(content, Program):
            program = ProgramReference(content, big_steps, check_stop=allowance.deadline.check)
            super().__init__(program, allowance)
        else:
            super().__init__(SystemReference(content), allowance)

    def part(self, request: str) -> str:  # noqa: ARG002 - one part
        return ""

    def written(self, request: str) -> str | None:  # noqa: ARG002 - programs do more
        return None

    def only_reads(self, request: str) -> bool:  # noqa: ARG002 - not known
        return False

    def only_grows(self, request: str) -> bool:  # noqa: ARG002 - not known
        return False


class Textbook:
    """A register, counter, set, queue, map, kv, mutex or bank; its state is what it contains."""

    def __init__(self, name: str, initial: str | None, is_split: bool) -> None:
        self.name = name
        self.is_split = is_split
        """Whether elements of a set are separate parts, because no request reads it as a whole."""
        self.initial = _start(name, None if initial is None else _json(initial))

    def part(self, request: str) -> str:
        if self.name in ("map", "kv") or (self.name == "set" and self.is_split):
            return request.partition("(")[2][:-1].partition(",")[0]
        return ""

    def written(self, request: str) -> str | None:
        head, _, rest = request.partition("(")
        value = rest[:-1].rpartition(",")[2]
        if (self.name, head) in (("register", "write"), ("map", "put")):
            return value or None
        return "" if (self.name, head) in (("register", "read"), ("map", "get")) else None

    def only_reads(self, request: str) -> bool:
        return request.partition("(")[0] in ("read", "get", "contains", "balance")

    def only_grows(self, request: str) -> bool:
        return self.name == "kv" and not request.startswith("put(")

    def after(self, state: State, request: str) -> list[tuple[str, State]]:
        head, _, rest = request.partition("(")
        arguments = rest[:-1].split(",") if rest else []
        method = getattr(self, f"_{self.name}")
        found: tuple[str, State] | None = method(state, head, arguments)
        return [] if found is None else [found]

    def _register(self, value: str, asked: str, given: list[str]) -> tuple[str, State]:
        if asked == "write":
            return "ok", given[0]
        if asked == "cas":
            return ("true", given[1]) if value == given[0] else ("false", value)
        return value, value

    def _map(self, value: str, asked: str, given: list[str]) -> tuple[str, State]:
        """Executes a request about one key of a map."""
        if asked == "put":
            return "ok", given[1]
        if asked == "remove":
            return "ok", "null"
        if asked == "cas":
            return ("true", given[2]) if value == given[1] else ("false", value)
        return value, value

    def _kv(self, value: str, asked: str, given: list[str]) -> tuple[str, State]:
        """Executes a request about one key of a store of texts."""
        if asked == "get":
            return value, value
        return "ok", given[1] if asked == "put" else value + given[1]

    def _registers(
        self,
        value: tuple[tuple[str, str], ...],
        asked: str,  # noqa: ARG002 - txn alone
        given: list[str],
    ) -> tuple[str, State]:
        """Executes reads and writes of several registers."""
        held, seen = dict(value), list[str]()
        for step in given[0].split(";"):
            if step.startswith("read "):
                key = step.removeprefix("read ")
                seen.append(f"{key}={held.get(key, 'null')}")
            else:
                key, written = step.removeprefix("write ").split(" ")
                held[key] = written
        return ";".join(seen), tuple(sorted(held.items()))

    def _mutex(self, value: str, asked: str, given: list[str]) -> tuple[str, State] | None:  # noqa: ARG002
        """Takes or releases a lock; None if it has to wait."""
        before, after = ("free", "held") if asked == "acquire" else ("held", "free")
        return ("ok", after) if value == before else None

    def _counter(self, value: int, asked: str, given: list[str]) -> tuple[str, State]:
        change = {"inc": 1, "dec": -1, "read": 0}.get(asked) if not given else int(given[0])
        assert change is not None
        new = value + change
        return {"read": str(value), "add_and_get": str(new), "get_and_add": str(value)}.get(asked, "ok"), new

    def _set(self, value: tuple[str, ...], asked: str, given: list[str]) -> tuple[str, State]:
        if asked == "read":
            return "[" + ",".join(value) + "]", value
        if asked == "contains":
            return ("true" if given[0] in value else "false"), value
        rest = [each for each in value if each != given[0]]
        return "ok", tuple(sorted([*rest, given[0]] if asked == "add" else rest))

    def _queue(self, value: tuple[str, ...], asked: str, given: list[str]) -> tuple[str, State]:
        if asked == "enqueue":
            return "ok", (*value, given[0])
        return (value[0], value[1:]) if value else ("null", value)

    def _bank(self, value: tuple[tuple[str, int], ...], asked: str, given: list[str]) -> tuple[str, State]:
        held = dict(value)
        if asked == "read":
            shown = {account: amount for account, amount in held.items() if amount != 0}
            return json.dumps(shown, sort_keys=True, separators=(",", ":")), value
        if asked == "balance":
            return str(held.get(given[0], 0)), value
        amount = int(given[-1])
        if asked == "transfer":
            if amount < 0 or held.get(given[0], 0) < amount:
                return "refused", value
            held[given[0]] = held.get(given[0], 0) - amount
        target = given[-2]
        held[target] = held.get(target, 0) + amount
        return "ok", tuple(sorted(held.items()))


class Keyed:
    """An object for each key, all alike; the first argument of each request is its key."""

    def __init__(self, inner: Textbook) -> None:
        self.inner = inner
        self.initial = inner.initial

    def part(self, request: str) -> str:
        key, rest = _split_key(request)
        return f"{key} {self.inner.part(rest)}"

    def written(self, request: str) -> str | None:
        return self.inner.written(_split_key(request)[1])

    def only_reads(self, request: str) -> bool:
        return self.inner.only_reads(_split_key(request)[1])

    def only_grows(self, request: str) -> bool:
        return self.inner.only_grows(_split_key(request)[1])

    def after(self, state: State, request: str) -> list[tuple[str, State]]:
        return self.inner.after(state, _split_key(request)[1])


def _split_key(request: str) -> tuple[str, str]:
    """The key of a request, and the request without it."""
    head, _, rest = request.partition("(")
    key, comma, others = rest[:-1].partition(",")
    return key, f"{head}({others})" if comma else head


def _start(name: str, given: object) -> State:
    match name:
        case "register":
            return _text(given)
        case "map":
            return "null"
        case "kv":
            return ""
        case "mutex":
            return "free"
        case "registers":
            return ()
        case "counter":
            return 0 if given is None else int(str(given))
        case "bank" if isinstance(given, dict):
            return tuple(sorted((account, int(amount)) for account, amount in given.items()))
        case _:
            return ()


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _text(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return str(value)
