"""Stand-ins: what the code sees of the world that is not there.

A stand-in is an unknown value. It answers every operation with another stand-in. Where the code needs a fact
about it (is it true, is it equal to 3, how long is it), the fact is a choice of the run; the same question to
the same value has the same answer, and values that were reached in the same way are the same value. A call
that is awaited pauses first, and the world may let other requests go on.
"""

import dataclasses
import dis
import hashlib
import importlib.abc
import importlib.machinery
import inspect
import math
import re
import sys
import types
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from seriatim.frontends.python.marks import Answers, Placed, find_values

ROUTE = re.compile(r"\.(get|post|put|delete|patch|route|websocket|api_route|head|options)\(")
"""What a decorator of an unknown web framework looks like."""

ADDS_ROUTE = re.compile(
    r"\.add_(get|post|put|delete|patch|route|api_route|websocket_route|api_websocket_route)$"
)
MAKES_ROUTE = re.compile(
    r"aiohttp\.web\.(get|post|put|delete|patch|route)|starlette\.routing\.(WebSocket)?Route\b"
)
"""What functions are given to as routes, beside a path."""

REQUESTS = ("request", "_request", "req", "websocket", "ws")
"""The names of arguments that stand for a request and know their application."""

ADDED = re.compile(r"[+-]\d+$")
"""A number that was added to an unknown one, at the end of a path."""

ANSWERS = {"sniffio.current_async_library": "asyncio"}
"""What some calls answer here in any case."""

ASKS = re.compile(r"get_|is_|has_|inspect|signature|parse")
"""Names of functions that are told a function, and answer something about it."""

NO_LOCK = re.compile(
    r"((Client|Session|connect|open)|[cC]lient\b.*\.\w+|[sS]ession\b.*\.(get|post|put|patch|delete|request))\([^()]*\)$"
)
"""What is entered with `async with` and does not keep others out: clients, sessions, single requests."""

LOCK = re.compile(r"(acquire|lock|wait)\w*\([^()]*\)$", re.IGNORECASE)
"""Calls that may keep others out while they are awaited."""

IF_ABSENT = re.compile(r"\b_?(setnx|add)\w*\(|\b(nx|if_not_exists)=True", re.IGNORECASE)
"""Calls that write where nothing is yet, and so may fail for all but one: stores make locks of them."""

FRESH = re.compile(r"[0-9a-f]{8}-?f5e([56])-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
"""What ids look like that a run made (5), and names of values that may be equal (6)."""

LONGEST_PATH, LONGEST_ARGUMENT, DEEPEST_ARGUMENT = 300, 100, 6
LOOPS = 2
"""How many items an unknown sequence has at most."""


async def go_on(_: str) -> None:
    """What a call waits for while modules are loaded: nothing."""


def root_of(path: str) -> str:
    """The name from which a stand-in was reached, such as `redis` of `answer 1 of redis.Redis().get`."""
    while path.startswith("answer ") and " of " in path:
        path = path.partition(" of ")[2]
    return re.split(r"[.(\[]", path)[0]


def is_shared(path: str, made: Collection[str]) -> bool:
    """Whether requests may share the stand-in with this path, where a run has made these calls itself.

    They share what belongs to a module, and the application of a request. They do not share what a call of
    this run has returned, unless it may be what the same call returned before.
    """
    if any(path.startswith(f"{each}.app") for each in REQUESTS):
        return True
    own = [each for each in made if path.startswith(each)]
    return root_of(path) in WORLD.missing and not path.startswith("answer ") and not own


class World:
    """What stand-ins ask the run that they are in."""

    placed = Placed()
    """The marks of the file that runs."""

    def __init__(self) -> None:
        self.choose: Callable[[int, str], int] = lambda _count, _about: 0
        self.pause: Callable[[str], Any] = go_on
        self.make_name: Callable[[], str] = lambda: ""
        """Makes a name that nothing else in the run has."""
        self.routes: list[Callable[..., Any]] = []
        self.calls: list[str] = []
        """The calls of stand-ins in this run that the world may notice."""
        self.written: list[str] = []
        """The stand-ins of which attributes or items were written in this run; they do not keep them."""
        self.awaited: list[str] = []
        """The calls of stand-ins that were awaited in this run."""
        self.entered: list[str] = []
        """The stand-ins that were used in `async with`, where an unknown lock may exclude others."""
        self.missing: dict[str, None] = {}
        """Modules that are not installed."""
        self.makers: dict[str, Callable[..., Any]] = {}
        """What keeps what the code puts into it, by the path of what makes it."""
        self.applications: list[Any] = []
        """What was made by them while modules were loaded."""
        self.application: Any = None
        """What `request.app` is, if that is known."""
        self.exceptions: dict[str, list[type[Exception]]] = {}
        """The exceptions of packages that are not there, by package."""

    def make_failure(self, about: str) -> Exception:
        """What a call raises that fails: something that `except` for exceptions of its package catches."""
        kinds = self.exceptions.get(root_of(about), [])
        roots = [each for each in kinds if not any(each in other.__mro__[1:] for other in kinds)]
        failure: type[Exception] = type("Failure", (*roots, ConnectionError), {})
        return failure(f"{root_of(about)} fails")


WORLD = World()


def _combine(name: str) -> Callable[["StandIn", object], "StandIn"]:
    """An operator of stand-ins: the same values give the same value."""

    def combine(self: "StandIn", other: object) -> "StandIn":
        return self._made(f".{name}({_shown(other)})")

    return combine


class StandIn:
    """An unknown value, with the path on which it was reached from a name of the world."""

    def __init__(self, path: str, facts: dict[str, Any] | None = None) -> None:
        self.__dict__["_path"] = path
        self.__dict__["_facts"] = {} if facts is None else facts

    def _made(self, step: str) -> "StandIn":
        path = self._path + step
        return StandIn(path if len(path) < LONGEST_PATH else self._path, self._facts)

    def _ask(self, question: str, count: int = 2) -> int:
        """A fact about this value; it is chosen when it is first asked for."""
        key = f"{self._path} {question}"
        if key not in self._facts:
            self._facts[key] = WORLD.choose(count, key)
        return int(self._facts[key])

    # What makes other stand-ins

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            if name in ("__name__", "__qualname__"):
                return self._path.rpartition(".")[2]
            raise AttributeError(name)
        if name == "app" and WORLD.application is not None and self._path in REQUESTS:
            return WORLD.application
        return self._marked(self._made(f".{name}"), sys._getframe(1))

    def _marked(self, made: "StandIn", frame: types.FrameType) -> Any:
        """What a mark says that an item or an attribute is, else a stand-in; it stays what it is."""
        answers = WORLD.placed.find(frame)
        if answers is None or answers.values is None:
            return made
        return find_values(answers.values, frame.f_globals)[made._ask("is", len(answers.values))]

    def _write(self, told: str) -> None:
        WORLD.calls.append(told)
        WORLD.written.append(self._path)

    def __setattr__(self, name: str, value: object) -> None:
        self._write(f"{self._path}.{name} = {_shown(value)}")

    def __delattr__(self, name: str) -> None:
        self._write(f"del {self._path}.{name}")

    def __getitem__(self, key: object) -> Any:
        return self._marked(self._made(f"[{_shown(key)}]"), sys._getframe(1))

    def __setitem__(self, key: object, value: object) -> None:
        self._write(f"{self._path}[{_shown(key)}] = {_shown(value)}")

    def __delitem__(self, key: object) -> None:
        self._write(f"del {self._path}[{_shown(key)}]")

    def __call__(self, *args: Any, **named: Any) -> Any:
        is_code = len(args) == 1 and not named and (inspect.isfunction(args[0]) or inspect.isclass(args[0]))
        if is_code and not ASKS.match(self._path.rpartition(".")[2]):
            if ROUTE.search(self._path) and inspect.isfunction(args[0]):
                WORLD.routes.append(args[0])
            return args[0]  # A decorator leaves what it decorates.
        if self._path.rpartition(".")[2] in ("Field", "field", "Factory"):
            return FieldDefault(*args, **named)
        if self._path in ANSWERS:
            return ANSWERS[self._path]
        if self._path in WORLD.makers:
            return WORLD.makers[self._path](f"{self._path}()", *args, **named)
        WORLD.routes += self._routed(args)
        shown = [_shown(each) for each in args] + [f"{name}={_shown(each)}" for name, each in named.items()]
        WORLD.calls.append(f"{self._path}({', '.join(shown)})")
        made, frame = self._made(f"({', '.join(shown)})"), sys._getframe(1)
        answers = WORLD.placed.find(frame)
        return made if answers is None else choose_answer(made, answers, frame, lambda: made)

    def _routed(self, args: tuple[Any, ...]) -> list[Callable[..., Any]]:
        """The functions to which a call says that requests are routed."""
        if not (ADDS_ROUTE.search(self._path) or MAKES_ROUTE.match(self._path)):
            return []
        return [each for each in args[1:] if inspect.isfunction(each)]

    def _shifted(self, number: int) -> "StandIn":
        """This number and another one: the order in which numbers are added does not count."""
        base, already = _split(self._path)
        return StandIn(base + (f"{number + already:+}" if number + already else ""), self._facts)

    def __add__(self, other: object) -> "StandIn":
        return self._shifted(other) if type(other) is int else self._made(f".plus({_shown(other)})")

    __radd__ = __add__

    def __sub__(self, other: object) -> "StandIn":
        return self._shifted(-other) if type(other) is int else self._made(f".minus({_shown(other)})")

    for _name in (
        "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "and", "rand",
        "xor", "rxor", "pow", "rpow", "lshift", "rlshift", "rshift", "rrshift", "matmul",
    ):  # fmt: skip
        locals()[f"__{_name}__"] = _combine(_name)
    del _name

    def __or__(self, other: object) -> Any:
        return self

    __ror__ = __or__

    def _changed(self, *_: object) -> Any:
        return self._made(".changed")

    __neg__ = __pos__ = __abs__ = __invert__ = __round__ = __floor__ = __ceil__ = __trunc__ = _changed

    def __divmod__(self, other: object) -> Any:
        return self._made(f".floordiv({_shown(other)})"), self._made(f".mod({_shown(other)})")

    def __reversed__(self) -> Any:
        return self

    def __fspath__(self) -> str:
        return str(self._path)

    def __bytes__(self) -> bytes:
        return str(self._path).encode()

    # What waits

    def __await__(self) -> Any:
        if LOCK.search(self._path) or IF_ABSENT.search(self._path):
            WORLD.entered.append(self._path)
        WORLD.awaited.append(self._path)
        yield from WORLD.pause(self._path).__await__()
        frame = sys._getframe(1)
        answers = WORLD.placed.find(frame, is_await=True)
        if answers is not None and (answers.values is not None or answers.raises):
            return choose_answer(self, answers, frame, self._new_answer)
        return self._new_answer()

    def _new_answer(self) -> "StandIn":
        """Each call has an answer of its own: two calls may be answered differently."""
        return StandIn(f"answer {WORLD.make_name()} of {self._path}")

    async def __aenter__(self) -> Any:
        if not NO_LOCK.search(self._path):
            WORLD.entered.append(self._path)
        await WORLD.pause(self._path)
        return self._made(".entered")

    async def __aexit__(self, *_: object) -> None:
        await WORLD.pause(self._path)

    def __enter__(self) -> Any:
        return self._made(".entered")

    def __exit__(self, *_: object) -> None:
        """Lets exceptions pass."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        for number in range(LOOPS + 1):
            await WORLD.pause(self._path)
            if number == LOOPS or not self._ask(f"has item {number}"):
                return
            yield self._made(f"[item {number}]")

    # What asks for facts

    def __iter__(self) -> Iterator[Any]:
        count = unpacked(sys._getframe(1))
        if count is not None:
            return iter([self._made(f"[item {number}]") for number in range(count)])
        return self._items()

    def _items(self) -> Iterator[Any]:
        for number in range(LOOPS):
            if not self._ask(f"has item {number}"):
                return
            yield self._made(f"[item {number}]")

    def __len__(self) -> int:
        return self._ask("length")

    def __bool__(self) -> bool:
        return self._ask("is false") == 0

    def __contains__(self, key: object) -> bool:
        return bool(self._ask(f"contains {_shown(key)}"))

    def __int__(self) -> int:
        return next((number - 1 for number in (1, 2) if not self._is_at_least(number)), 2)

    __index__ = __int__

    def __float__(self) -> float:
        return float(int(self))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, StandIn) and other._facts is self._facts and other._path == self._path:
            return True
        if isinstance(other, int | float):
            return self._is_at_least(other) and not self._is_more(other)
        return bool(self._ask(f"== {_shown(other)}"))

    def __lt__(self, other: object) -> bool:
        return not self >= other

    def __gt__(self, other: object) -> bool:
        if isinstance(other, int | float):
            return self._is_more(other)
        return bool(self._ask(f"> {_shown(other)}"))

    def __le__(self, other: object) -> bool:
        return not self > other

    def __ge__(self, other: object) -> bool:
        if isinstance(other, int | float):
            return self._is_at_least(other)
        return bool(self._ask(f">= {_shown(other)}"))

    def _is_at_least(self, number: float) -> bool:
        return self._is_beyond((number, 0))

    def _is_more(self, number: float) -> bool:
        return self._is_beyond((number, 1))

    def _is_beyond(self, cut: tuple[float, int]) -> bool:
        """Whether this number lies beyond a cut: at least a number (0), or more than it (1).

        Answers about one value fit together: they narrow the room between two cuts.
        """
        base, already = _split(self._path)
        cut = (cut[0] - already, cut[1])
        low, high = self._facts.get(f"{base} between", ((-math.inf, 0), (math.inf, 1)))
        if cut <= low:
            return True
        if cut >= high:
            return False
        is_beyond = WORLD.choose(2, f"{base} beyond {cut}") == 1
        self._facts[f"{base} between"] = (cut, high) if is_beyond else (low, cut)
        return is_beyond

    def __hash__(self) -> int:
        return hash(self._path)

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, StandIn) and bool(value._ask(f"is a {self._path}"))

    def __subclasscheck__(self, kind: object) -> bool:
        return kind is StandInBase

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        """The base class in its place, unless another base brings it along."""
        first = next(each for each in bases if isinstance(each, StandIn))
        known = any(inspect.isclass(each) and issubclass(each, StandInBase) for each in bases)
        return (StandInBase,) if first is self and not known else ()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, _: object) -> Any:
        return self

    def __repr__(self) -> str:
        return f"<{self._path}>"


UNPACK = dis.opmap["UNPACK_SEQUENCE"]


def unpacked(frame: types.FrameType) -> int | None:
    """How many values the code in a frame takes from a sequence, as in `key, value = pair`; None if it does
    something else with it. What is unknown has as many as the code expects."""
    code, place = frame.f_code.co_code, frame.f_lasti
    return code[place + 1] if 0 <= place < len(code) and code[place] == UNPACK else None


def choose_answer(
    asked: StandIn, answers: Answers, frame: types.FrameType, otherwise: Callable[[], StandIn]
) -> Any:
    """What a call of a stand-in comes to where a mark says what it may answer, or raise."""
    values = answers.values
    count = len(answers.raises) + (1 if values is None else len(values))
    taken = WORLD.choose(count, f"what {asked._path} answers") if count > 1 else 0
    if taken >= (1 if values is None else len(values)):
        kind = answers.raises[taken - count].find(frame.f_globals)
        raise kind(f"{root_of(asked._path)} fails")
    return otherwise() if values is None else find_values(values, frame.f_globals)[taken]


def _split(path: str) -> tuple[str, int]:
    """A path without the number that was added to it, and that number."""
    found = ADDED.search(path)
    return (path, 0) if found is None else (path[: found.start()], int(found[0]))


def _shown(value: object, depth: int = 0) -> str:
    """A value as a part of a path: data with what is in it, other objects by their types."""
    if isinstance(value, str | int | float | bytes | bool | None | StandIn):
        return repr(value)
    kind, parts = type(value).__name__, None
    if depth < DEEPEST_ARGUMENT:
        if isinstance(value, dict):
            items = list(dict.items(value))
            parts = sorted(f"{_shown(key, depth + 1)}: {_shown(each, depth + 1)}" for key, each in items)
        elif isinstance(value, list | tuple):
            parts = [_shown(each, depth + 1) for each in value]
        elif isinstance(value, set | frozenset):
            parts = sorted(_shown(each, depth + 1) for each in value)
        elif isinstance(value, StandInBase) or dataclasses.is_dataclass(value):
            fields = getattr(value, "__dict__", {})
            parts = [f"{name}={_shown(each, depth + 1)}" for name, each in fields.items()]
    return kind if parts is None else f"{kind}({_cut(', '.join(parts))})"


def _cut(text: str) -> str:
    """A text that is short, and differs where the whole text does, up to fresh ids."""
    if len(text) <= LONGEST_ARGUMENT:
        return text
    text = FRESH.sub("new id", text)
    return f"{text[:LONGEST_ARGUMENT]}… {hashlib.blake2b(text.encode(), digest_size=6).hexdigest()}"


class FieldDefault:
    """What `Field(…)` of an unknown package says about the default of a field."""

    def __init__(self, *args: Any, default: Any = ..., default_factory: Any = None, **_: Any) -> None:
        self.default = args[0] if args else default
        self.factory = default_factory

    def make(self) -> Any:
        if self.factory is not None:
            return self.factory()
        return StandIn("field") if self.default is ... else self.default


class StandInBase:
    """In the place of a base class that is not known: takes its fields as named arguments."""

    def __init__(self, *_: Any, **given: Any) -> None:
        for kind in reversed(type(self).__mro__):
            for name in getattr(kind, "__annotations__", {}):
                if name in kind.__dict__:
                    default = kind.__dict__[name]
                    self.__dict__[name] = default.make() if isinstance(default, FieldDefault) else default
        self.__dict__.update(given)

    def __init_subclass__(cls, **_: Any) -> None:
        """Takes any keyword, such as `table=True`."""
        super().__init_subclass__()

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return dict(self.__dict__)

    dict = model_dump

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in own_fields(cast("Any", type(self))):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return StandIn(f"{type(self).__name__}.{name}")


@cache
def own_fields(kind: type) -> frozenset[str]:
    """The attributes that methods of a class and of its bases assign: until then, there are none."""
    functions = [
        inspect.unwrap(getattr(each, "__func__", getattr(each, "fget", each)))
        for base in kind.__mro__
        if base is not StandInBase
        for each in vars(base).values()
    ]
    return frozenset(
        each.argval
        for function in functions
        if inspect.isfunction(function)
        for each in dis.get_instructions(function)
        if each.opname == "STORE_ATTR"
    )


NEW_ENOUGH = "99.0.0"
"""The version of a package that is not installed: code asks only whether it is too old."""


class StandInModule(types.ModuleType):
    """A module that is not installed."""

    def __init__(self, name: str, exceptions: frozenset[str]) -> None:
        super().__init__(name)
        self.__dict__["_exceptions"] = exceptions
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return NEW_ENOUGH
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if name.endswith(("Error", "Exception", "Disconnect", "Timeout")) or name in self._exceptions:
            value: Any = type(name, (Exception,), {"__init__": _take_anything})
            WORLD.exceptions.setdefault(self.__name__.partition(".")[0], []).append(value)
        else:
            value = StandIn(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


def _take_anything(self: Exception, *args: object, **named: object) -> None:
    Exception.__init__(self, *args)
    self.__dict__.update(named)


OUTSIDE = frozenset((
    "aio_pika", "aiobotocore", "aiohttp", "aiokafka", "aiomysql", "aiopg", "aioredis", "aiosqlite",
    "anthropic", "asyncpg", "asyncssh", "boto3", "botocore", "cassandra", "databases", "discord",
    "elasticsearch", "google", "grpc", "grpclib", "httpcore", "httpx", "kafka", "ldap3", "motor",
    "mysql", "nats", "openai", "paramiko", "pika", "pkg_resources", "psycopg", "psycopg2", "pymongo",
    "pymysql", "redis", "requests", "slack_sdk", "smtplib", "socketio", "sqlalchemy", "sqlmodel", "telegram",
    "telethon", "tortoise", "urllib3", "valkey", "websockets", "zmq",
))  # fmt: skip
"""Packages that speak with the world. They are stand-ins even where they are installed: there is no world."""

STORES = frozenset((
    "aiomysql", "aiopg", "aioredis", "aiosqlite", "asyncpg", "cassandra", "databases", "elasticsearch",
    "motor", "mysql", "psycopg", "psycopg2", "pymongo", "pymysql", "redis", "sqlalchemy", "sqlmodel",
    "tortoise", "valkey",
))  # fmt: skip
"""Packages that keep state elsewhere: what two requests do there may race."""


class OutsideModules(importlib.abc.MetaPathFinder):
    """Finds a stand-in for each package that speaks with the world. It comes first."""

    def __init__(self, others: "StandInModules") -> None:
        self.others = others

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        del path, target
        top = name.partition(".")[0]
        if top not in OUTSIDE or self.others.is_own(top):
            return None
        if top not in WORLD.missing and not self.others.is_users(_importing_file()):
            return None
        WORLD.missing.setdefault(top)
        return importlib.machinery.ModuleSpec(name, self.others, is_package=True)


class StandInModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stand-in for what a user's file imports and nobody has installed. It comes last."""

    def __init__(self, root: Path, is_users: Callable[[str], bool], exceptions: frozenset[str]) -> None:
        self.root = root
        """The folder in which the user's packages lie."""
        self.is_users = is_users
        """Whether a file is one of the user's."""
        self.exceptions = exceptions

    def is_own(self, package: str) -> bool:
        """Whether the user has a package of that name."""
        return (self.root / package).is_dir() or (self.root / f"{package}.py").exists()

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        del path, target
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            return None
        if top not in WORLD.missing and not self.is_users(_importing_file()):
            return None  # Libraries know how to do without.
        WORLD.missing.setdefault(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return StandInModule(spec.name, self.exceptions)

    def exec_module(self, module: types.ModuleType) -> None:
        """Has nothing to execute."""

    def take_place(self, module: types.ModuleType) -> None:
        """Makes a module a stand-in, besides what it has defined."""
        module.__class__ = StandInModule
        vars(module)["_exceptions"] = self.exceptions


def _importing_file() -> str:
    """The file whose code imports."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename
