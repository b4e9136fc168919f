"""Finds the requests of a file: its handlers, with the arguments that are tried.

Handlers are the coroutines that others call: routes of a web framework, else the public methods of each
class, else the public coroutines of the module. Each group of handlers that share an object is a service and
is checked on its own.
"""

import ast
import dataclasses
import enum
import inspect
import itertools
import re
import sys
import textwrap
import types
import typing
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from seriatim.frontends.python.applications import kept_in
from seriatim.frontends.python.loading import Loaded, user_value
from seriatim.frontends.python.recording import Whole
from seriatim.frontends.python.running import Request
from seriatim.frontends.python.stand_ins import FRESH, WORLD, StandIn, StandInBase
from seriatim.frontends.python.texts import describe

MOST_REQUESTS = 12
"""Requests of a service that are tried; more of them are left out, and the report says so."""

MOST_OF_ONE = 6
"""Combinations of arguments of one handler."""

MOST_MET, MOST_LEARNED = 2, 4
"""Keys that answers name which are tried as arguments, and requests with such arguments."""

SHARED = re.compile("Lock|Limit|Semaphore|Throttle|Pool|Gate|Mutex|Guard")
"""The names of classes of which requests share an object although they can only be entered by `async with`;
others are made for each use."""

MOST_NAMES = 4
"""Names that are tried as arguments."""

Value = Callable[[], Any]
"""Makes a new value each time, so that no two requests share it."""


@dataclasses.dataclass
class Service:
    """Handlers that share an object, or a module."""

    name: str
    requests: list[Request]
    lines: dict[str, int]
    """Where each handler begins."""
    roots: dict[str, Any]
    """What the handlers share, by name."""
    notes: list[str]
    """What was left out, and why."""
    handlers: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """The handlers by name, to make more requests of them."""
    make_otherwise: "Callable[[int], Service] | None" = None
    """Makes the same service with other arguments of its constructor: those after so many that work."""

    @property
    def own_stand_ins(self) -> frozenset[str]:
        """The names of unknown arguments: each request has its own."""
        return frozenset(name for handler in self.handlers.values() for name in parameter_names(handler))


def find_services(loaded: Loaded, text: str, wanted: str = "") -> list[Service]:
    """The services of a file; only the one that is wanted, if one is named."""
    module = loaded.module
    shared = shared_values(loaded)
    if not wanted:
        routes = find_routes(module)
        if routes:
            name = f"the routes of {module.__name__.rpartition('.')[2]}"
            return [_service(name, routes, shared, {})]
    own = own_names(text)
    found: list[Service] = []
    for name, kind in variables(module):
        if not inspect.isclass(kind) or name not in own or kind.__name__ != name:
            continue
        if (wanted and name != wanted) or issubclass(kind, BaseException | enum.Enum):
            continue
        if not wanted and WORLD.placed.marks.services and name not in WORLD.placed.marks.services:
            continue
        if list(coroutine_names(kind)) or (hasattr(kind, "__aenter__") and SHARED.search(name)):
            found.append(_class_service(kind, text, shared, loaded))
    if not wanted:
        functions = {
            name: value
            for name, value in variables(module)
            if is_coroutine(value) and user_value(value, loaded) and is_handler(name, value)
            if name in own or getattr(value, "__module__", "") == module.__name__
        }
        if functions:
            found.append(_service(f"the coroutines of {module.__name__}", functions, shared, {}))
    if all(each.name.startswith("_") or not each.requests for each in found):
        found = [*find_decorators(loaded, text, wanted, shared)] or found
    return found


def own_names(text: str) -> frozenset[str]:
    """The classes and functions that a file defines at its top; code may give them another module."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(text)]
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(node.name)
            else:
                todo.append(node)
    return frozenset(found)


def find_decorators(loaded: Loaded, text: str, wanted: str, shared: dict[str, Any]) -> Iterator[Service]:
    """The decorators of a file, each put on an unknown coroutine, whose calls are the requests. Most caches
    and limits of libraries have this form."""
    own = own_names(text)
    for name, value in variables(loaded.module):
        if name not in own or name.startswith("_") or (wanted and name != wanted):
            continue
        notes: list[str] = []
        extra: dict[str, Any] = {}
        if inspect.isclass(value):
            if "__call__" not in vars(value):
                continue
            value = _make_instance(value, text, loaded, notes)
            extra = {"self": value}
        decorated = None if value is None or is_coroutine(value) else decorate(value)
        if decorated is not None:
            extra["the decorated coroutine"] = decorated
            service = _service(name, {f"a call behind {name}": decorated}, shared, extra)
            service.notes[:0] = [*notes, f"`{name}` decorates a coroutine that may answer anything"]
            yield service


def decorate(decorator: Any) -> Any:
    """What a decorator makes of a coroutine; None if it makes none."""

    async def work(key: str) -> Any:
        return await StandIn("the decorated coroutine")(key)

    work.__module__ = getattr(decorator, "__module__", None) or type(decorator).__module__
    for is_made_first in (False, True):
        try:
            made = decorator()(work) if is_made_first else decorator(work)
        except Exception:  # noqa: BLE001 - the user's code may raise anything
            continue
        if made is not work and callable(made) and is_coroutine(made):
            return made
    return None


def variables(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """The variables of a module, without proxies that lead nowhere outside of a request."""
    for name, value in list(vars(module).items()):
        with suppress(Exception):  # The user's code may raise anything.
            isinstance(value, types.ModuleType)
            getattr(value, "__dict__", None)
            yield name, value


def is_handler(name: str, function: Any) -> bool:
    """Whether requests call a coroutine of a module: as a mark says, else by its name."""
    role = WORLD.placed.role_of(inner_function(function))
    return role == "handler" or (
        not role and not name.startswith(("_", "test")) and name not in ("main", "run")
    )


def inner_function(value: Any) -> Any:
    """The function that somebody has written, without decorators and without an object."""
    return inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else value


def is_coroutine(value: Any) -> bool:
    """Whether calling it gives something to await, or an asynchronous generator."""
    inner = inspect.unwrap(value) if callable(value) else value
    inner = getattr(inner, "__func__", inner)
    return inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner)


def is_decorated_generator(value: Any) -> bool:
    """Whether it was made of an asynchronous generator by a decorator, such as `asynccontextmanager`."""
    return not inspect.isasyncgenfunction(value) and inspect.isasyncgenfunction(inspect.unwrap(value))


def coroutine_names(kind: type) -> Iterator[str]:
    """The coroutines of a class that others may call."""
    for name in dir(kind):
        value = inspect.getattr_static(kind, name, None)
        role = WORLD.placed.role_of(inner_function(getattr(value, "__func__", value)))
        is_public = not name.startswith("_") or name in ("__call__", "__anext__")
        if is_coroutine(value) and (role == "handler" or (is_public and not role)):
            yield name


def find_routes(module: types.ModuleType) -> dict[str, Callable[..., Any]]:
    """The coroutines that an application in the module routes requests to."""
    found: dict[str, Callable[..., Any]] = {
        each.__name__: each for each in WORLD.routes if is_coroutine(each)
    }
    for _, value in variables(module):
        routes = value if isinstance(value, list) else getattr(value, "routes", None)
        if isinstance(value, StandIn | type) or not isinstance(routes, list):
            continue
        for route in (each for each in routes if not isinstance(each, StandIn)):
            endpoint = getattr(route, "endpoint", None)
            if (
                endpoint is not None
                and is_coroutine(endpoint)
                and getattr(endpoint, "__module__", "") == module.__name__
            ):
                found[endpoint.__name__] = endpoint
    return found


def shared_values(loaded: Loaded) -> dict[str, Any]:
    """The variables of the user's modules and classes that may hold state, by name."""
    found: dict[str, Any] = {}
    for module in loaded.modules():
        prefix = "" if module is loaded.module else f"{module.__name__}."
        for name, value in variables(module):
            if name.startswith("__") or isinstance(value, types.ModuleType) or is_of_typing(value):
                continue
            if inspect.isclass(value):
                if user_value(value, loaded):
                    found |= {
                        f"{prefix}{value.__name__}.{field}": ClassField(value, field)
                        for field, each in vars(value).items()
                        if not field.startswith(("__", "_abc_"))
                        and not callable(each)
                        and not _is_descriptor(each)
                    }
            else:
                found[f"{prefix}{name}"] = ModuleField(module, name)
    return found


def is_of_typing(value: Any) -> bool:
    """Whether it only says something about types."""
    return type(value).__module__ == "typing" or isinstance(value, type(typing.Any))


@dataclasses.dataclass(frozen=True)
class ModuleField:
    """A variable of a module, which may be assigned again."""

    module: types.ModuleType
    name: str

    def read(self) -> Any:
        return vars(self.module).get(self.name)


@dataclasses.dataclass(frozen=True)
class ClassField:
    """A variable of a class."""

    owner: type
    name: str

    def read(self) -> Any:
        return vars(self.owner).get(self.name)


def _is_descriptor(value: object) -> bool:
    return isinstance(value, property | staticmethod | classmethod) or hasattr(type(value), "__get__")


def _class_service(
    kind: type, text: str, shared: dict[str, Any], loaded: Loaded, skipped: int = 0
) -> Service:
    """The service of a class, made with the first arguments that work after those that are skipped."""
    notes: list[str] = []
    service = _make_instance(kind, text, loaded, notes, skipped)
    if service is None:
        return Service(kind.__name__, [], {}, shared, notes)
    methods = {name: getattr(service, name) for name in coroutine_names(kind)}
    if hasattr(kind, "__aenter__"):
        methods["async_with"] = _Entering(service)
    made = _service(kind.__name__, methods, shared, {"self": service})
    made.notes[:0] = notes
    made.make_otherwise = partial(_class_service, kind, text, shared, loaded)
    return made


class _Entering:
    """A request that enters an object with `async with`, and leaves it."""

    def __init__(self, service: Any) -> None:
        self.service = service

    async def __call__(self) -> None:
        async with self.service:
            await WORLD.pause("the body of async with")


def _make_instance(kind: type, text: str, loaded: Loaded, notes: list[str], skipped: int = 0) -> Any:
    """The object that the file itself makes of a class, else one with arguments of our own; of those that
    work, so many are skipped."""
    name = kind.__name__
    for value in vars(loaded.module).values():
        if type(value) is kind:
            return value if not skipped else None
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
            try:
                arguments = [ast.literal_eval(each) for each in node.args]
                named = {each.arg: ast.literal_eval(each.value) for each in node.keywords if each.arg}
                made = kind(*arguments, **named)
            except Exception:  # noqa: BLE001 - the user's code may raise anything
                continue
            notes.append(f"`{name}` is made as in line {node.lineno}: {ast.unparse(node)}")
            return made if not skipped else None
    if inspect.isabstract(kind):
        kind = _concrete(kind, notes)
    parameters = constructor_parameters(kind)
    failure: Exception | None = None
    tried: set[str] = set()
    for given in constructor_arguments(kind, parameters, loaded):
        if (shown_all := repr({key: describe(each) for key, each in given.items()})) in tried:
            continue
        tried.add(shown_all)
        try:
            made = kind(**given)
        except Exception as error:  # noqa: BLE001 - the user's code may raise anything
            failure = failure or error
            continue
        if skipped:
            skipped -= 1
            continue
        if shown := [
            f"{each.name}={describe(given.get(each.name, each.default))}"
            for each in parameters
            if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        ]:
            notes.append(f"`{name}` is made with {', '.join(shown)}")
        return made
    notes.append(f"`{name}` cannot be made: {type(failure).__name__}: {failure}")
    return None


def constructor_parameters(kind: type) -> list[inspect.Parameter]:
    """What a constructor takes; `inspect` gives up where a class has an attribute `__wrapped__`."""
    with suppress(TypeError, ValueError):
        return list(inspect.signature(kind).parameters.values())
    with suppress(TypeError, ValueError):
        return list(inspect.signature(vars(kind)["__init__"]).parameters.values())[1:]
    return []


def _concrete(kind: type, notes: list[str]) -> type:
    """An abstract class whose abstract methods are calls that may answer anything."""
    names = sorted(getattr(kind, "__abstractmethods__", ()))

    def unknown(name: str) -> Any:
        async def call(self: Any, *args: Any, **named: Any) -> Any:
            del self
            return await StandIn(f"self.{name}")(*args, **named)

        def answer(self: Any, *args: Any, **named: Any) -> Any:
            del self
            return StandIn(f"self.{name}")(*args, **named)

        method = inspect.getattr_static(kind, name)
        if isinstance(method, property):
            return property(answer)
        return call if is_coroutine(method) else answer

    notes.append(
        f"`{kind.__name__}` is abstract: {', '.join(f'`{name}`' for name in names)} may answer anything"
    )
    return type(kind)(kind.__name__, (kind,), {name: unknown(name) for name in names})


def constructor_arguments(
    kind: type, parameters: Sequence[inspect.Parameter], loaded: Loaded
) -> Iterator[dict[str, Any]]:
    """Arguments for a constructor, the most likely ones first: what has no default; names instead of unknown
    values; everything."""
    try:
        hints = typing.get_type_hints(vars(kind).get("__init__", kind))
    except Exception:  # noqa: BLE001 - the user's code may raise anything
        hints = {}
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    needed = [each for each in named if each.default is each.empty]
    optional = [each for each in named if each.default is None]

    def values(chosen: Sequence[inspect.Parameter], otherwise: Callable[[str], Any]) -> dict[str, Any]:
        return {
            each.name: _constructor_value(each, hints.get(each.name, each.annotation), loaded, otherwise)
            for each in chosen
        }

    yield values(needed, StandIn)
    for chosen in (needed, [*needed, *optional], [*needed, *optional[:1]], [*needed, *optional[:2]]):
        for otherwise in (str, lambda _: 2, StandIn):
            yield values(chosen, otherwise)
    yield {each.name: StandIn(each.name) for each in needed}


def _constructor_value(
    parameter: inspect.Parameter, kind: Any, loaded: Loaded, otherwise: Callable[[str], Any], depth: int = 0
) -> Any:
    inner = [each for each in typing.get_args(kind) if each is not type(None)]
    if typing.get_origin(kind) in (typing.Union, types.UnionType) and inner:
        kind = inner[0]
    if kind in CONSTRUCTED:
        return CONSTRUCTED[kind]
    if typing.get_origin(kind) in (dict, list, set, tuple):
        return typing.get_origin(kind)()
    if inspect.isclass(kind) and issubclass(kind, enum.Enum):
        return next(iter(kind))
    if inspect.isclass(kind) and kind.__module__.startswith("asyncio"):
        return kind()  # A lock, an event, a queue.
    if inspect.isclass(kind) and user_value(kind, loaded) and depth < 2 and not inspect.isabstract(kind):
        made = _made_inside(kind, loaded, depth + 1)
        if made is not None:
            return made
    sizes = ("size", "limit", "capacity", "maxlen", "rate", "count", "stock", "max")
    if any(word in parameter.name for word in sizes):
        return 2
    return otherwise(parameter.name)


def _made_inside(kind: type, loaded: Loaded, depth: int) -> Any:
    """An object of a class of the user's that a constructor asks for."""
    try:
        needed = [
            each
            for each in inspect.signature(kind).parameters.values()
            if each.default is each.empty and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        ]
        hints = typing.get_type_hints(vars(kind).get("__init__", kind))
        return kind(**{
            each.name: _constructor_value(each, hints.get(each.name, each.annotation), loaded, StandIn, depth)
            for each in needed
        })  # fmt: skip
    except Exception:  # noqa: BLE001 - the user's code may raise anything
        return None


KEYS: dict[Any, tuple[type, ...]] = {int: (int,), str: (str,)}
"""The types of keys that fit a parameter, by its own type."""

CONSTRUCTED: dict[Any, Any] = {
    int: 2, "int": 2, float: 2.0, "float": 2.0, str: "name", "str": "name", bytes: b"name", "bytes": b"name",
    bool: False, "bool": False,
}  # fmt: skip
"""What constructors are given, by type."""


def _service(
    name: str, handlers: Mapping[str, Any], shared: dict[str, Any], extra: dict[str, Any]
) -> Service:
    notes: list[str] = []
    roots = {**shared, **extra}
    numbers, words, keys = known_values(roots)
    requests: list[Request] = []
    lines: dict[str, int] = {}
    for label, handler in handlers.items():
        function = inspect.unwrap(getattr(handler, "__func__", handler))
        code = getattr(function, "__code__", None)
        lines[label] = 1 if code is None else code.co_firstlineno
        made = list(make_requests(label, handler, numbers, words, keys))
        if len(made) > MOST_OF_ONE:
            notes.append(f"{MOST_OF_ONE} of {len(made)} combinations of the arguments of `{label}` are tried")
        requests += made[:MOST_OF_ONE]
    if len(requests) > MOST_REQUESTS:
        # Keep at least one request of each handler, then the others in order.
        firsts = {each.function: each for each in reversed(requests)}
        chosen = [each for each in requests if firsts[each.function] is each]
        chosen += [each for each in requests if each not in chosen][: max(0, MOST_REQUESTS - len(chosen))]
        notes.append(f"{len(chosen)} of {len(requests)} requests are tried")
        requests = [each for each in requests if each in chosen]
    for number, request in enumerate(requests):
        request.number = number
    return Service(name, requests, lines, roots, notes, handlers)


def other_requests(service: Service, function: str) -> Iterator[list[Request]]:
    """Requests of a handler with other values for arguments of which nothing is known."""
    others: list[Callable[[str], Any]] = [
        StandIn, lambda _: 2, lambda _: {}, lambda _: [], lambda _: _do_nothing,
    ]  # fmt: skip
    for otherwise in others:
        yield list(make_requests(function, service.handlers[function], [], [], otherwise=otherwise))


async def _do_nothing(*_: Any, **__: Any) -> None:
    """A function for arguments that are called."""


def learn_requests(service: Service, met: Sequence[int | str]) -> list[Request]:
    """Adds requests with arguments that were met as keys of the state, and returns them."""
    found: list[Request] = []
    known = {each.label for each in service.requests}
    for label, handler in service.handlers.items():
        for value in met[:MOST_MET]:
            made = make_requests(label, handler, [], [], [value])
            shown = FRESH.sub("new id", repr(value))
            fresh = [each for each in made if each.label not in known and shown in each.label]
            known |= {each.label for each in fresh}
            found += fresh[:1]
    found = found[:MOST_LEARNED]
    for request in found:
        request.number = len(service.requests)
        service.requests.append(request)
    return found


def content_of(value: Any) -> Any:
    """The value of a variable; of an application, the values that were put into it."""
    if isinstance(value, ModuleField | ClassField):
        value = value.read()
    kept = kept_in(value)
    return value if kept is None else tuple(kept.values())


def keys_inside(roots: Mapping[str, Any]) -> set[int | str]:
    """The numbers and words that are keys of dictionaries in the shared state."""
    found: set[int | str] = set()
    pending = [(value, 0) for value in roots.values()]
    met: set[int] = set()
    while pending:
        value, depth = pending.pop()
        value = content_of(value)
        if depth > 4 or id(value) in met or callable(value):
            continue
        met.add(id(value))
        inside: list[Any] = []
        if isinstance(value, dict):
            found |= {key for key in value if type(key) in (int, str)}
            inside = list(value.values())
        elif isinstance(value, list | tuple | set):
            inside = list(value)
        elif isinstance(getattr(value, "__dict__", None), dict) and not _is_of_library(value):
            inside = list(vars(value).values())
        pending += [(each, depth + 1) for each in inside[:50]]
    return found


# Arguments


def parameter_names(handler: Any) -> list[str]:
    try:
        return list(inspect.signature(handler).parameters)
    except (TypeError, ValueError):
        return []


def known_values(roots: Mapping[str, Any]) -> tuple[list[int], list[str], list[int]]:
    """Numbers, words and numbers that are keys, in the first state, which arguments should meet."""
    keys: dict[int, None] = {}
    numbers: dict[int, None] = {}
    words: dict[str, None] = {}

    def visit(value: Any, depth: int) -> None:
        value = content_of(value)
        if type(value) is int and value > 0:
            numbers.setdefault(value)
        elif isinstance(value, dict) and depth < 3:
            for key, each in list(value.items())[:20]:
                if isinstance(key, str):
                    words.setdefault(key)
                elif type(key) is int:
                    keys.setdefault(key)
                visit(each, depth + 1)
        elif isinstance(value, list | tuple) and depth < 3:
            for each in list(value)[:20]:
                visit(each, depth + 1)
        elif hasattr(value, "__dict__") and depth < 3 and not callable(value) and not _is_of_library(value):
            for each in list(vars(value).values())[:50]:
                visit(each, depth + 1)

    for value in roots.values():
        visit(value, 0)
    return list(numbers)[:3], list(words)[:2], list(keys)[:1]


def _is_of_library(value: object) -> bool:
    """Whether an object is of Python's own library, such as a logger."""
    return type(value).__module__.partition(".")[0] in sys.stdlib_module_names


def make_requests(
    label: str,
    handler: Any,
    numbers: Sequence[int],
    words: Sequence[str],
    met: Sequence[int | str] = (),
    otherwise: Callable[[str], Any] | None = None,
) -> Iterator[Request]:
    """The requests of a handler: one for each combination of its arguments; first of all what was met.

    If `otherwise` is given, it makes arguments of which nothing is known, from their names; there have to be
    some.
    """
    try:
        parameters = list(inspect.signature(handler).parameters.values())
    except (TypeError, ValueError):
        return
    function = inspect.unwrap(getattr(handler, "__func__", handler))
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001 - the user's code may raise anything
        hints = dict(getattr(function, "__annotations__", {}))
    uses, marked = parameter_uses(function), WORLD.placed.values_of(function)
    is_open = False
    names: list[inspect.Parameter] = []
    domains: list[list[Value]] = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        hint = hints.get(parameter.name, parameter.annotation)
        dependency = find_dependency(parameter.default, hint)
        use = uses.get(parameter.name, Use())
        if parameter.name in marked:
            values: list[Value] = [partial(_same, each) for each in marked[parameter.name]]
        elif dependency is not None:
            values = [dependency]
        elif parameter.default is not parameter.empty and hint is not bool:
            continue
        elif otherwise is not None and is_unknown(hint):
            values, is_open = [partial(otherwise, parameter.name)], True
        else:
            use = dataclasses.replace(use, names=most_names(uses, numbers))
            values = find_domain(hint, parameter.name, use, numbers, words)
            kinds = KEYS.get(hint, (int,) if use.is_number else (int, str))
            fitting = [] if use.is_object else [each for each in met if type(each) in kinds]
            values = [*(partial(_same, each) for each in fitting), *values]
        names.append(parameter)
        domains.append(values)
    if otherwise is not None and not is_open:
        return
    for chosen in itertools.product(*domains):
        yield _request(label, handler, names, chosen, {})


def _request(
    label: str,
    handler: Any,
    names: Sequence[inspect.Parameter],
    chosen: Sequence[Value],
    others: Mapping[str, Value],
) -> Request:
    """A request with these arguments, or with others for some of its integers; recorded ones go by their
    names."""
    integers: list[tuple[str, int]] = []
    shown: list[str] = []
    for parameter, value in zip(names, chosen, strict=True):
        if not isinstance(value, Dependency):
            made = value()
            used = others[parameter.name]() if parameter.name in others else made
            shown.append(parameter.name if type(used) is Whole else describe(used))
            if getattr(value, "func", None) is _any_integer:
                integers.append((parameter.name, made))
    given = [others.get(name.name, value) for name, value in zip(names, chosen, strict=True)]
    remake = partial(_request, label, handler, names, chosen)
    name = FRESH.sub("new id", f"{label}({', '.join(shown)})")
    call = _caller(handler, names, given)
    return Request(name, label, call, integers=tuple(integers), remake=remake)


def is_unknown(hint: Any) -> bool:
    """Whether a type says nothing about the values."""
    return hint in (inspect.Parameter.empty, Any) or isinstance(hint, str | StandIn | typing.TypeVar)


def _caller(
    handler: Any, names: Sequence[inspect.Parameter], chosen: Sequence[Value]
) -> Callable[[], Awaitable[Any]]:
    async def call() -> Any:
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for parameter, value in zip(names, chosen, strict=True):
            made = await value.resolve() if isinstance(value, Dependency) else value()
            if parameter.kind is parameter.KEYWORD_ONLY:
                named[parameter.name] = made
            else:
                positional.append(made)
        found = handler(*positional, **named)
        if inspect.isasyncgen(found):
            return [each async for each in found]
        if hasattr(found, "__aenter__") and is_decorated_generator(handler):
            async with found as entered:
                await WORLD.pause("the body of async with")
            return entered
        return await found if inspect.isawaitable(found) else found

    return call


@dataclasses.dataclass
class Dependency:
    """An argument that the framework gets from a function (`Depends`)."""

    function: Callable[..., Any]

    def __call__(self) -> Any:
        return self.function

    async def resolve(self) -> Any:
        required = [
            each
            for each in inspect.signature(self.function).parameters.values()
            if each.default is each.empty and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
        ]
        found = self.function(**{each.name: StandIn(each.name) for each in required})
        if inspect.isasyncgen(found):
            return await anext(found)
        if inspect.isgenerator(found):
            return next(found)
        return await found if inspect.isawaitable(found) else found


def find_dependency(default: Any, hint: Any) -> Dependency | None:
    for each in (default, *getattr(hint, "__metadata__", ())):
        function = getattr(each, "dependency", None)
        if callable(function) and not isinstance(each, StandIn):
            return Dependency(function)
    return None


@dataclasses.dataclass
class Use:
    """What the code of a handler does with a parameter."""

    constants: list[Any] = dataclasses.field(default_factory=list)
    """What it is compared with."""
    is_number: bool = False
    is_object: bool = False
    names: int = 2
    """How many different names are tried for it, if it is one."""


def parameter_uses(function: Any) -> dict[str, Use]:
    """How parameters are used in the text of a function; empty where it has none."""
    found: dict[str, Use] = {}
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return found
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                constants = [
                    each.value
                    for side in sides
                    for each in (side.elts if isinstance(side, ast.Tuple | ast.List | ast.Set) else [side])
                    if isinstance(each, ast.Constant)
                ]
                is_order = any(isinstance(each, ast.Lt | ast.Gt | ast.LtE | ast.GtE) for each in node.ops)
                if any(_is_length(side) for side in sides):
                    sizes = found.setdefault(SIZES, Use())
                    sizes.constants += [each for each in constants if type(each) is int]
                    sizes.is_number |= len(constants) < len(sides) - 1
                for name in _names(sides):
                    use = found.setdefault(name, Use())
                    use.constants += constants
                    use.is_number |= is_order
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                for name in _names([node.left, node.right]):
                    found.setdefault(name, Use()).is_number = True
            case ast.AugAssign(op=ast.Add() | ast.Sub() | ast.Mult()):
                for name in _names([node.value]):
                    found.setdefault(name, Use()).is_number = True
            case ast.Attribute(value=ast.Name(id=name)) | ast.Await(value=ast.Name(id=name)):
                found.setdefault(name, Use()).is_object = True
            case ast.Call(func=ast.Name(id=name)):
                found.setdefault(name, Use()).is_object = True
            case _:
                pass
    return found


SIZES = "len()"
"""The name under which constants are noted with which lengths are compared; `is_number` says that a length is
compared with something else, too."""


def _is_length(side: ast.expr) -> bool:
    return isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "len"


def most_names(uses: Mapping[str, "Use"], numbers: Sequence[int]) -> int:
    """How many names are tried: one more than a container may hold, as far as the code says how many."""
    sizes = uses.get(SIZES, Use())
    known = [
        each for each in (*sizes.constants, *(numbers if sizes.is_number else ())) if 1 < each < MOST_NAMES
    ]
    return max((each + 1 for each in known), default=2)


def _names(sides: Sequence[ast.expr]) -> list[str]:
    return [each.id for each in sides if isinstance(each, ast.Name)]


def _constants(*values: Any) -> list[Value]:
    return [partial(_same, value) for value in dict.fromkeys(values)]


def _make_sequence(kind: Callable[[list[Any]], Any], item: Value) -> Any:
    return kind([item()])


def _same(value: Any) -> Any:
    return value


def _any_integer(value: int) -> int:
    """A value of a parameter that may be any integer."""
    return value


def find_domain(hint: Any, name: str, use: Use, numbers: Sequence[int], words: Sequence[str]) -> list[Value]:
    """The values that are tried for a parameter."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        scope = next((each for each in inner[1:] if type(each).__name__ == "Range"), None)
        if scope is not None:
            return _constants(*range(scope.low, scope.high + 1))
        return find_domain(inner[0], name, use, numbers, words)
    if origin is typing.Literal:
        return _constants(*inner)[:4]
    if origin in (typing.Union, types.UnionType):
        found = [
            value
            for each in inner
            for value in (
                _constants(None) if each is type(None) else find_domain(each, name, use, numbers, words)[:2]
            )
        ]
        return found[:3]
    if origin in (list, tuple, set, frozenset) and inner:
        items = find_domain(inner[0], name, use, numbers, words)[:2]
        return [partial(_make_sequence, origin, item) for item in items]
    if hint in (dict, list, set) or origin is dict:
        return [origin or hint]
    if inspect.isclass(hint) and hint is not inspect.Parameter.empty:
        return _class_domain(hint, name, use, numbers, words)
    if hint is inspect.Parameter.empty and not use.is_object:
        return _class_domain(int if use.is_number else str, name, use, numbers, words)
    return [partial(StandIn, name)]


def _class_domain(
    kind: type, name: str, use: Use, numbers: Sequence[int], words: Sequence[str]
) -> list[Value]:
    if kind is bool:
        return _constants(True, False)
    if issubclass(kind, enum.Enum):
        return _constants(*list(kind)[:3])
    if kind in (int, float):
        constants = [each for each in use.constants if type(each) in (int, float)][:1]
        # Two requests of more than half fit one at a time, and not together.
        halves = [number // 2 + 1 for number in numbers[:2]] or [2]
        found = list(dict.fromkeys(kind(each) for each in (*halves, 1, *constants)))[:3]
        return [partial(_any_integer, int(each)) for each in found] if kind is int else _constants(*found)
    if kind is str:
        constants = [each for each in use.constants if isinstance(each, str)][:2]
        fresh = list("abcd"[: use.names - bool(words)])
        return _constants(*[*words, *constants, *fresh][: max(3, use.names)])
    if kind is bytes:
        return _constants(b"a", b"b")
    fields = _fields(kind)
    if fields is not None:
        domains = [find_domain(hint, field, use, numbers, words) for field, hint in fields.items()]
        chosen = itertools.islice(itertools.product(*domains), 4)
        return [partial(_make_record, kind, list(fields), values) for values in chosen]
    return [partial(StandIn, name)]


def _make_record(kind: type, fields: list[str], values: Sequence[Value]) -> Any:
    return kind(**{field: value() for field, value in zip(fields, values, strict=True)})


def _fields(kind: type) -> dict[str, Any] | None:
    """The fields of a record that its constructor needs; None if it is no record."""
    model = getattr(kind, "model_fields", None)
    if isinstance(model, dict):
        return {name: each.annotation for name, each in model.items() if each.is_required()}
    try:
        hints = typing.get_type_hints(kind)
    except Exception:  # noqa: BLE001 - the user's code may raise anything
        hints = dict(getattr(kind, "__annotations__", {}))
    if dataclasses.is_dataclass(kind):
        needed = (each for each in dataclasses.fields(kind) if each.init)
        return {
            each.name: hints.get(each.name, each.type)
            for each in needed
            if each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING
        }
    if issubclass(kind, StandInBase):
        return {
            name: hint for name, hint in hints.items() if not hasattr(kind, name) or name not in vars(kind)
        }
    return None
