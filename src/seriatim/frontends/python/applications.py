"""Applications of web frameworks: they keep what the code puts into them, for all requests.

Claim: `app["seats"]`, `app.state.seats`, `app.ctx.seats` of Sanic and `request.app["seats"]` are one variable
of the service.

Why it holds: the framework makes no use of these names; it hands the application to each request. What the
code has not put there may be anything, as the answer of any stand-in: the framework, or a file that is not
here, may have put it there. If a file makes several applications, it is not known which one a request
belongs to, so using `request.app` is refused.
"""

import asyncio
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NoReturn

from seriatim.frontends.python.sandbox import GUARD
from seriatim.frontends.python.stand_ins import WORLD, StandIn

OF_REQUESTS = "request.app"
"""The name of the application in the module, if no variable has it; no code can use such a name."""

ITEMS = ("aiohttp.web.Application",)
"""What makes applications that are dictionaries themselves."""

FIELDS = {
    "fastapi.FastAPI": "state",
    "fastapi.applications.FastAPI": "state",
    "starlette.applications.Starlette": "state",
    "sanic.Sanic": "ctx",
    "sanic.app.Sanic": "ctx",
}
"""What makes applications that keep attributes in a field, with the name of that field."""


class Kept:
    """What was put somewhere by name; anything else there is unknown."""

    def __init__(self, path: str) -> None:
        self.kept: dict[Any, Any] = {}
        self.deleted: set[Any] = set()
        self.unknown = StandIn(path)

    def has(self, name: Any) -> bool:
        return name in self.kept or (name not in self.deleted and name in self.unknown)

    def read(self, name: Any, otherwise: Any) -> Any:
        """What has this name; else an unknown value, unless it was deleted."""
        return otherwise if name in self.deleted else self.kept.get(name, self.unknown[name])

    def write(self, name: Any, value: Any) -> None:
        self.deleted.discard(name)
        self.kept[name] = value

    def delete(self, name: Any) -> None:
        self.kept.pop(name, None)
        self.deleted.add(name)


MISSING = types.SimpleNamespace()
"""In the place of what was deleted."""


class Starting:
    """What an application calls before the first request."""

    def __init__(self) -> None:
        self.functions: list[Callable[..., Any]] = []
        self.contexts: list[Callable[..., Any]] = []
        """They go on when the application ends, which never happens here."""

    def takes(self, event: object) -> Callable[[Any], Any]:
        """A decorator for what is called at an event."""
        return partial(self.add, event)

    def add(self, event: object, function: Any) -> Any:
        if event == "startup":
            self.functions.append(function)
        return function

    def listens(self, function: Any = None) -> Any:
        """Sanic's `before_server_start`, with or without brackets."""
        return self.listens if function is None else self.add("startup", function)

    def listener(self, event: Any, name: object = None) -> Any:
        """Sanic's decorator for an event, or its call with a function and an event."""
        if callable(event):
            return self.register(event, name)
        return self.listens if event == BEFORE_FIRST else self.takes(event)

    def register(self, function: Any, event: object) -> Any:
        return self.listener(event)(function)

    def works(self, application: Any) -> Iterator[Any]:
        """The coroutines to run, one after the other."""
        for each in self.functions:
            found = _call(each, application)
            if inspect.isawaitable(found):
                yield found
        for each in self.contexts:
            found = each(application)
            if hasattr(found, "__aenter__"):
                yield found.__aenter__()
            elif hasattr(found, "__anext__"):
                yield anext(found)
            KEPT_OPEN.append(found)


BEFORE_FIRST = "before_server_start"
"""The event of Sanic that ends before the first request. At others, requests may be there already, or they
are those of another process."""

KEPT_OPEN: list[Any] = []
"""Generators that would be closed if nobody kept them."""


def _call(function: Callable[..., Any], application: Any) -> Any:
    """Calls what some frameworks give the application, Sanic also its loop, and others nothing."""
    try:
        takes = len(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        takes = 0
    return function(*(application, asyncio.get_event_loop())[:takes])


class Items:
    """An application that is a dictionary: `app["seats"]`. Its other attributes are unknown."""

    def __init__(self, path: str) -> None:
        start = Starting()
        self.__dict__.update(
            items_of=Kept(path), starting=start, on_startup=start.functions, cleanup_ctx=start.contexts
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.items_of.unknown, name)

    def __setattr__(self, name: str, value: object) -> None:
        GUARD.refuse(f"it sets the attribute `{name}` of an application")

    def __getitem__(self, name: Any) -> Any:
        found = self.items_of.read(name, MISSING)
        if found is MISSING:
            raise KeyError(name)
        return found

    def __setitem__(self, name: Any, value: Any) -> None:
        self.items_of.write(name, value)

    def __delitem__(self, name: Any) -> None:
        self[name]
        self.items_of.delete(name)

    def __contains__(self, name: Any) -> bool:
        return bool(self.items_of.has(name))

    def get(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            return default
        return self[name]

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def pop(self, name: Any, *default: Any) -> Any:
        if default and name not in self:
            return default[0]
        found = self[name]
        del self[name]
        return found

    def update(self, *given: Mapping[Any, Any], **named: Any) -> None:
        self.items_of.kept.update(*given, **named)
        self.items_of.deleted.difference_update(self.items_of.kept)

    def _all(self, *_: Any) -> NoReturn:
        GUARD.refuse("it asks for all that an application holds")

    __iter__ = __len__ = __reversed__ = keys = values = items = clear = popitem = _all

    def __bool__(self) -> bool:
        return True

    __hash__ = object.__hash__


class State:
    """What keeps attributes for an application: `app.state`, or `app.ctx`."""

    def __init__(self, path: str) -> None:
        self.__dict__.update(fields_of=Kept(path))

    def __getattr__(self, name: str) -> Any:
        found = MISSING if name.startswith("__") else self.__dict__["fields_of"].read(name, MISSING)
        if found is MISSING:
            raise AttributeError(name)
        return found

    def __setattr__(self, name: str, value: object) -> None:
        self.fields_of.write(name, value)

    def __delattr__(self, name: str) -> None:
        getattr(self, name)
        self.fields_of.delete(name)


class WithState:
    """An application with a state: `app.state.seats`. Attributes that the code has not set are unknown."""

    def __init__(self, field: str, path: str, *_: Any, **given: Any) -> None:
        start = Starting()
        start.functions += given.get("on_startup") or ()
        if given.get("lifespan") is not None:
            start.contexts.append(given["lifespan"])
        own = {"__unknown": StandIn(path), "starting": start}
        if field == "ctx":
            own |= {
                BEFORE_FIRST: start.listens,
                "listener": start.listener,
                "register_listener": start.register,
            }
        else:
            own |= {"on_event": start.takes, "add_event_handler": start.add}
        self.__dict__.update(own, __own=frozenset((*own, "__own")))
        given_context = given.get("ctx") if field == "ctx" else None
        self.__dict__[field] = given_context or State(f"{path}.{field}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__unknown"], name)


class Several:
    """In the place of the application, where there are several."""

    def _refuse(self, *_: Any) -> NoReturn:
        GUARD.refuse("it uses `request.app`, and makes several applications")

    __getattr__ = __getitem__ = __setitem__ = __delitem__ = __contains__ = __setattr__ = _refuse


def kept_in(value: Any) -> dict[Any, Any] | None:
    """What the code has put into an application; None if it is none."""
    match value:
        case Items():
            return dict(value.items_of.kept)
        case State():
            return dict(value.fields_of.kept)
        case WithState():
            return {name: each for name, each in vars(value).items() if name not in vars(value)["__own"]}
    return None


def make_items(path: str, *_: Any, **__: Any) -> Items:
    made = Items(path)
    WORLD.applications.append(made)
    return made


def make_with_state(field: str, path: str, *args: Any, **named: Any) -> WithState:
    made = WithState(field, path, *args, **named)
    WORLD.applications.append(made)
    return made


WORLD.makers.update(dict.fromkeys(ITEMS, make_items))
WORLD.makers.update((made, partial(make_with_state, field)) for made, field in FIELDS.items())


def place_application(module: types.ModuleType) -> None:
    """Says which application requests belong to: the one that there is. If another file makes it, it may
    hold anything at first."""
    made = WORLD.applications or [each for each in vars(module).values() if is_installed(each)]
    if not made:
        users = [each for each in (*ITEMS, *FIELDS) if each.partition(".")[0] in WORLD.missing]
        made = [WORLD.makers[each]("request.app") for each in users[:1]]
    if len(made) > 1:
        WORLD.application = Several()
    elif made:
        WORLD.application = made[0]
        if not any(each is made[0] for each in vars(module).values()):
            vars(module)[OF_REQUESTS] = made[0]


def is_installed(value: Any) -> bool:
    """Whether it is an application of an installed framework."""
    kinds = [f"{each.__module__}.{each.__name__}" for each in type(value).__mro__]
    return "starlette.applications.Starlette" in kinds


def starting_works() -> Iterator[Any]:
    """The coroutines that run before the first request."""
    for each in list(WORLD.applications):
        yield from each.starting.works(each)
    if is_installed(WORLD.application):
        context = WORLD.application.router.lifespan_context(WORLD.application)
        KEPT_OPEN.append(context)
        yield context.__aenter__()
