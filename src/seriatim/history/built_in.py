"""Built-in models: register, counter, set, queue, map, kv, registers, mutex, bank.

| model | requests |
|---|---|
| register | `read`, `write(v)`, `cas(a,b)` → true or false |
| counter | `read`, `inc`, `dec`, `add(n)`, `add_and_get(n)`, `get_and_add(n)` → integers |
| set | `add(x)`, `remove(x)`, `contains(x)` → true or false, `read` → a list |
| queue | `enqueue(x)`, `dequeue` → the oldest, or null; `drain` → a list, see `expand_drains` |
| map | `get(k)`, `put(k,v)`, `remove(k)`, `cas(k,a,b)` → true or false |
| kv | `get(k)` → a text, or null if it is empty, `put(k,text)`, `append(k,text)` |
| registers | `txn(read k;write k v;…)` → the list of reads and writes, with the values read |
| mutex | `acquire`, `release` |
| bank | `transfer(a,b,n)` → ok or refused, `deposit(a,n)`, `balance(a)`, `read` → an object |

Requests without an answer in the table answer `ok`. A log may say `ok`, `null`, or the value of the request
again, as Jepsen does; and `true`, unless a set is meant, whose `add` answers in some libraries whether the
element is new. Any other answer is refused: it may say something that the model does not know.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

from seriatim.history.log import Echo, Entry, request_parts, request_text, text_of
from seriatim.history.model import Access, Model, Outcome, Part, Request, State, Unfit
from seriatim.source import Diagnostic, InputError

OK, YES, NO, NOTHING, REFUSED = "ok", "true", "false", "null", "refused"

DONE = frozenset({"ok", "OK", "null", "None", "true", "True"})
"""Answers that say nothing but that a request is done."""
SUCCEEDED = frozenset({"true", "True", "1", "ok", "OK"})
FAILED = frozenset({"false", "False", "0", "fail"})


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Unfit(f"`{text[:40]}` is not an integer") from None


class BuiltIn:
    """The common base of built-in models: the names of their requests, and the number of arguments."""

    name = ""
    arities: ClassVar[dict[str, int]] = {}
    also: ClassVar[dict[str, str]] = {}
    """Alternative names of requests."""
    silent: frozenset[str] = frozenset()
    """Requests whose answer carries no information."""
    done: frozenset[str] = DONE
    """What they may be answered, besides their own value."""
    reads: frozenset[str] = frozenset({"read"})
    """Requests that change nothing."""
    declines: frozenset[tuple[str, str]] = frozenset()
    """Requests, each with an answer after which it has changed nothing."""
    initial: State = NOTHING

    def request(self, text: str) -> Request:
        name, *arguments = request_parts(text)
        name = self.also.get(name, name)
        wanted = self.arities.get(name)
        if wanted is None:
            raise Unfit(f"a {self.name} has no request `{name}`; it has {', '.join(self.arities)}")
        arguments = self.fit_arguments(name, arguments)
        if len(arguments) != wanted:
            raise Unfit(f"`{name}` of a {self.name} takes {wanted} argument{'s' * (wanted != 1)}")
        return name, *arguments

    def spell(self, request: Request) -> str:
        assert isinstance(request, tuple)
        name, *arguments = request
        return f"{name}({','.join(arguments)})" if arguments else str(name)

    def fit_arguments(self, name: str, arguments: list[str]) -> list[str]:
        """Drops the argument of Jepsen's reads, which says nothing; raises `Unfit` for wrong arguments."""
        wanted = self.arities[name]
        says_nothing = wanted == 0 or all(each == NOTHING for each in arguments[wanted:])
        return arguments[:wanted] if name in self.reads and says_nothing else arguments

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        if request[0] not in self.silent:
            return text
        if text in self.done or isinstance(text, Echo) or self.repeats(request, text):
            return OK
        hint = "leave out requests that did not happen"
        raise Unfit(f"`{request[0]}` of a {self.name} answers ok, not `{text}`; {hint}")

    def repeats(self, request: tuple[str, ...], text: str) -> bool:
        """Whether an answer repeats the value of the request."""
        return text == request[-1]

    def exchanged(self, request: tuple[str, ...], text: str) -> str:
        """Reads the answer of a compare-and-set."""
        if text in FAILED:
            return NO
        if text in SUCCEEDED or isinstance(text, Echo):
            return YES
        raise Unfit(f"`{request[0]}` of a {self.name} answers true or false, not `{text}`")

    def say(self, request: Request, answer: str) -> str:  # noqa: ARG002 - answers have no other names
        return answer

    def part(self, request: Request) -> Part:  # noqa: ARG002 - one part
        return None

    def only_reads(self, request: Request, answer: str | None) -> bool:
        assert isinstance(request, tuple)
        return request[0] in self.reads or (request[0], answer) in self.declines

    def as_register(self, request: Request) -> Access | None:  # noqa: ARG002 - most are none
        return None

    def only_grows(self, request: Request) -> bool:  # noqa: ARG002 - most do not
        return False

    def hopeless(self, state: State, answer: str) -> bool:  # noqa: ARG002 - not known of most
        return False

    def all_requests(self) -> tuple[Request, ...] | None:
        """None, because any value may be written."""
        return None

    def show(self, part: Part, state: State) -> str:  # noqa: ARG002 - one part
        return str(state)


class Register(BuiltIn):
    name = "register"
    arities: ClassVar = {"read": 0, "write": 1, "cas": 2}
    also: ClassVar = {"r": "read", "w": "write", "get": "read", "set": "write", "compare-and-set": "cas"}
    silent = frozenset({"write"})
    declines = frozenset({("cas", NO)})

    def __init__(self, initial: object = None) -> None:
        self.initial = text_of(initial)

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        return self.exchanged(request, text) if request[0] == "cas" else super().answer(request, text)

    def as_register(self, request: Request) -> Access | None:
        match request:
            case ("read",):
                return Access(None)
            case ("write", str() as value):
                return Access(value)
            case _:
                return None

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        if request[0] == "read":
            return ((str(state), state),)
        if request[0] == "write":
            return ((OK, request[1]),)
        return ((YES, request[2]),) if state == request[1] else ((NO, state),)


class Map(BuiltIn):
    name = "map"
    arities: ClassVar = {"get": 1, "put": 2, "remove": 1, "cas": 3}
    also: ClassVar = {"read": "get", "r": "get", "write": "put", "w": "put", "set": "put", "delete": "remove"}
    silent = frozenset({"put", "remove"})
    reads = frozenset({"get"})
    declines = frozenset({("cas", NO)})

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        if request[0] == "cas":
            return self.exchanged(request, text)
        return super().answer(request, text)

    def part(self, request: Request) -> Part:
        assert isinstance(request, tuple)
        return str(request[1])

    def as_register(self, request: Request) -> Access | None:
        match request:
            case ("get", _):
                return Access(None)
            case ("put", _, str() as value):
                return Access(value)
            case _:
                return None

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        match request:
            case ("get", _):
                return ((str(state), state),)
            case ("put", _, value):
                return ((OK, value),)
            case ("remove", _):
                return ((OK, NOTHING),)
            case _:
                return ((YES, request[3]),) if state == request[2] else ((NO, state),)

    def show(self, part: Part, state: State) -> str:
        return f"{part} = {state}"


class Registers(BuiltIn):
    """Registers that are read and written several at a time; a request is a list of reads and writes."""

    name = "registers"
    arities: ClassVar = {"txn": 1}
    also: ClassVar = {"read": "txn", "write": "txn"}
    reads = frozenset()
    initial: State = ()

    def fit_arguments(self, name: str, arguments: list[str]) -> list[str]:
        found = super().fit_arguments(name, arguments)
        for step in found[0].split(";") if found else ():
            match step.split(" "):
                case ["read", _] | ["write", _, _]:
                    pass
                case _:
                    raise Unfit(f"`{step}` is neither `read k` nor `write k v`")
        return found

    def answer(self, request: Request, text: str) -> str:
        """The values that were read, `k=v`, in order."""
        steps = _steps(request)
        wrong = Unfit("`txn` answers the list of its reads and writes, with the values that were read")
        try:
            found = json.loads(text)
        except ValueError:
            raise wrong from None
        told: list[str] = []
        if not isinstance(found, list) or len(found) != len(steps):
            raise wrong
        for (kind, key, *written), each in zip(steps, found, strict=True):
            if not isinstance(each, list) or len(each) != 3 or text_of(each[1]) != key:
                raise wrong
            if kind == "read":
                told.append(f"{key}={text_of(each[2])}")
            elif text_of(each[2]) != written[0]:
                raise wrong
        return ";".join(told)

    def only_reads(self, request: Request, answer: str | None) -> bool:  # noqa: ARG002 - whatever it answers
        return all(step[0] == "read" for step in _steps(request))

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(state, tuple)
        values, told = dict(state), list[str]()
        for kind, key, *written in _steps(request):
            if kind == "read":
                told.append(f"{key}={values.get(key, NOTHING)}")
            else:
                values[key] = written[0]
        return ((";".join(told), tuple(sorted(values.items()))),)

    def show(self, part: Part, state: State) -> str:  # noqa: ARG002 - one part
        assert isinstance(state, tuple)
        return ", ".join(f"{key} = {value}" for key, value in state) or "nothing was written"


def _steps(request: Request) -> list[list[str]]:
    assert isinstance(request, tuple)
    return [step.split(" ") for step in request[1].split(";")]


class Store(BuiltIn):
    """Texts by key; an append makes the text of its key longer. Keys that were never written have no text."""

    name = "kv"
    arities: ClassVar = {"get": 1, "put": 2, "append": 2}
    also: ClassVar = {"read": "get", "write": "put", "set": "put"}
    silent = frozenset({"put", "append"})
    reads = frozenset({"get"})
    initial: State = ""

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        if request[0] == "get" and text == NOTHING:
            return ""
        return super().answer(request, text)

    def fit_arguments(self, name: str, arguments: list[str]) -> list[str]:
        found = super().fit_arguments(name, arguments)
        if name != "get" and NOTHING in found[1:]:
            raise Unfit("`null` cannot be a text: `get` answers it if there is none")
        return found

    def part(self, request: Request) -> Part:
        assert isinstance(request, tuple)
        return str(request[1])

    def only_grows(self, request: Request) -> bool:
        assert isinstance(request, tuple)
        return bool(request[0] != "put")

    def hopeless(self, state: State, answer: str) -> bool:
        return not answer.startswith(str(state))

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        match request:
            case ("get", _):
                return ((str(state), state),)
            case ("put", _, value):
                return ((OK, value),)
            case _:
                return ((OK, f"{state}{request[2]}"),)

    def show(self, part: Part, state: State) -> str:
        return f"{part} = {state!r}"


class Mutex(BuiltIn):
    """A lock. A request that answers has taken the lock or released it; one that cannot waits."""

    name = "mutex"
    arities: ClassVar = {"acquire": 0, "release": 0}
    also: ClassVar = {"lock": "acquire", "unlock": "release"}
    silent = frozenset({"acquire", "release"})
    initial: State = "free"

    def repeats(self, request: tuple[str, ...], text: str) -> bool:  # noqa: ARG002 - there is no value
        return False

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        if request[0] == "acquire":
            return ((OK, "held"),) if state == "free" else ()
        return ((OK, "free"),) if state == "held" else ()


class Counter(BuiltIn):
    name = "counter"
    arities: ClassVar = {"read": 0, "inc": 0, "dec": 0, "add": 1, "add_and_get": 1, "get_and_add": 1}
    also: ClassVar = {"r": "read", "get": "read", "increment": "inc", "decrement": "dec"}
    silent = frozenset({"inc", "dec", "add"})

    def __init__(self, initial: object = None) -> None:
        self.initial = 0 if initial is None else _number(text_of(initial))

    def repeats(self, request: tuple[str, ...], text: str) -> bool:  # noqa: ARG002 - the value may be the counter's
        return False

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        if request[0] not in self.silent:
            return str(_number(text))
        try:
            return super().answer(request, text)
        except Unfit:
            hint = "`add_and_get(n)` answers the new value, `get_and_add(n)` the old one"
            raise Unfit(f"`{request[0]}` of a counter answers ok, not `{text}`; {hint}") from None

    def fit_arguments(self, name: str, arguments: list[str]) -> list[str]:
        found = super().fit_arguments(name, arguments)
        for each in found:
            _number(each)
        return found

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        assert isinstance(state, int)
        match request:
            case ("read",):
                return ((str(state), state),)
            case ("inc",):
                return ((OK, state + 1),)
            case ("dec",):
                return ((OK, state - 1),)
            case _:
                after = state + int(request[1])
                said = {"add": OK, "add_and_get": str(after), "get_and_add": str(state)}[request[0]]
                return ((said, after),)


class Set(BuiltIn):
    """A set. If requests read it as a whole, it is one part; otherwise each element is a part."""

    name = "set"
    arities: ClassVar = {"add": 1, "remove": 1, "contains": 1, "read": 0}
    silent = frozenset({"add", "remove"})
    done = DONE - {"true", "True"}
    reads = frozenset({"read", "contains"})
    initial: State = frozenset()

    def __init__(self, has_whole_reads: bool = True) -> None:
        self.has_whole_reads = has_whole_reads

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        if request[0] == "read":
            try:
                return _list_text(map(text_of, json.loads(text)))
            except (ValueError, TypeError):
                raise Unfit("`read` of a set answers a list") from None
        if request[0] == "contains":
            return _truth(request, text)
        return super().answer(request, text)

    def part(self, request: Request) -> Part:
        assert isinstance(request, tuple)
        return None if self.has_whole_reads else request[1]

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        assert isinstance(state, frozenset)
        match request:
            case ("read",):
                return ((_list_text(state), state),)
            case ("add", element):
                return ((OK, state if element in state else state | {element}),)
            case ("remove", element):
                return ((OK, state - {element} if element in state else state),)
            case _:
                return ((YES if request[1] in state else NO, state),)

    def show(self, part: Part, state: State) -> str:  # noqa: ARG002 - the elements name the part
        assert isinstance(state, frozenset)
        return _list_text(state)


def _truth(request: tuple[str, ...], text: str) -> str:
    if text in (YES, "True", NO, "False"):
        return text.lower()
    raise Unfit(f"`{request[0]}` answers true or false, not `{text}`")


def _list_text(elements: Iterable[str]) -> str:
    """A list that has an element twice is no set, so no request answers it."""
    return f"[{','.join(sorted(elements))}]"


class Queue(BuiltIn):
    name = "queue"
    arities: ClassVar = {"enqueue": 1, "dequeue": 0}
    also: ClassVar = {"put": "enqueue", "push": "enqueue", "get": "dequeue", "pop": "dequeue"}
    silent = frozenset({"enqueue"})
    declines = frozenset({("dequeue", NOTHING)})
    initial: State = ()

    def fit_arguments(self, name: str, arguments: list[str]) -> list[str]:
        found = super().fit_arguments(name, arguments)
        if NOTHING in found:
            raise Unfit("`null` cannot be an element: `dequeue` answers it if a queue is empty")
        return found

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        assert isinstance(state, tuple)
        if request[0] == "enqueue":
            return ((OK, (*state, request[1])),)
        return ((state[0], state[1:]),) if state else ((NOTHING, state),)

    def show(self, part: Part, state: State) -> str:  # noqa: ARG002 - one part
        assert isinstance(state, tuple)
        return f"[{','.join(state)}]"


def expand_drains(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries, where each `drain` is replaced by dequeues of its elements within its time; their order
    is left open. One without an answer may have removed any number of elements: `Unfit`."""
    for entry in entries:
        name, *rest = request_parts(entry.request)
        if name != "drain":
            yield entry
            continue
        if entry.answer is None:
            raise Unfit(
                f"line {entry.line}: a drain without an answer may have removed any number of elements"
            )
        try:
            found = json.loads(entry.answer)
        except ValueError:
            found = None
        if not isinstance(found, list):
            raise Unfit(f"line {entry.line}: `drain` answers a list, not `{entry.answer}`")
        for element in found:
            yield replace(entry, request=request_text("dequeue", rest), answer=text_of(element))


class Bank(BuiltIn):
    name = "bank"
    arities: ClassVar = {"transfer": 3, "deposit": 2, "balance": 1, "read": 0}
    silent = frozenset({"deposit"})
    reads = frozenset({"read", "balance"})
    declines = frozenset({("transfer", REFUSED)})

    def __init__(self, initial: object = None) -> None:
        given = {} if initial is None else initial
        if not isinstance(given, dict):
            raise Unfit('a bank starts with an object, such as {"a": 10, "b": 0}')
        self.initial = tuple(sorted((str(key), _number(text_of(value))) for key, value in given.items()))

    def fit_arguments(self, name: str, arguments: list[str]) -> list[str]:
        found = super().fit_arguments(name, arguments)
        if name in ("transfer", "deposit") and found:
            _number(found[-1])
        return found

    def repeats(self, request: tuple[str, ...], text: str) -> bool:  # noqa: ARG002 - it may be a balance
        return False

    def answer(self, request: Request, text: str) -> str:
        assert isinstance(request, tuple)
        match request[0]:
            case "read":
                try:
                    found = json.loads(text)
                    return _balances(tuple(sorted((str(k), _number(text_of(v))) for k, v in found.items())))
                except (ValueError, AttributeError):
                    raise Unfit("`read` of a bank answers an object") from None
            case "transfer":
                if text in FAILED or text in (REFUSED, "insufficient"):
                    return REFUSED
                if text in DONE or text in SUCCEEDED or isinstance(text, Echo):
                    return OK
                raise Unfit(f"`transfer` answers ok or refused, not `{text}`")
            case "balance":
                return str(_number(text))
            case _:
                return super().answer(request, text)

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        assert isinstance(request, tuple)
        assert isinstance(state, tuple)
        balances = dict(state)
        match request:
            case ("read",):
                return ((_balances(state), state),)
            case ("balance", account):
                return ((str(balances.get(account, 0)), state),)
            case ("deposit", account, amount):
                balances[account] = balances.get(account, 0) + int(amount)
            case _:
                _, source, target, amount = request
                if balances.get(source, 0) < int(amount) or int(amount) < 0:
                    return ((REFUSED, state),)
                balances[source] = balances.get(source, 0) - int(amount)
                balances[target] = balances.get(target, 0) + int(amount)
        return ((OK, tuple(sorted(balances.items()))),)

    def show(self, part: Part, state: State) -> str:  # noqa: ARG002 - one part
        assert isinstance(state, tuple)
        return ", ".join(f"{account} = {balance}" for account, balance in state) or "no accounts"


def _balances(state: tuple[tuple[str, int], ...]) -> str:
    return json.dumps({key: value for key, value in state if value}, sort_keys=True, separators=(",", ":"))


BUILT_IN: dict[str, Callable[[object], Model]] = {
    "register": Register,
    "counter": Counter,
    "set": lambda _: Set(),
    "queue": lambda _: Queue(),
    "map": lambda _: Map(),
    "kv": lambda _: Store(),
    "registers": lambda _: Registers(),
    "mutex": lambda _: Mutex(),
    "bank": Bank,
}


def find_model(name: str, initial: str | None) -> Model:
    """The model with this name, in the initial state that an option gives; raises `InputError`."""
    try:
        given = None if initial is None else json.loads(initial)
    except ValueError:
        given = initial
    if given is not None and name not in ("register", "counter", "bank"):
        message = f"a {name} starts empty"
        raise InputError([Diagnostic("SER572", message, hint="--initial is for register, counter, bank")])
    try:
        return BUILT_IN[name](given)
    except Unfit as unfit:
        raise InputError([Diagnostic("SER572", f"--initial: {unfit}")]) from None
