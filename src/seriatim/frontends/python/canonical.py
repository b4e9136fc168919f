"""States of a running program as values that can be compared: the shared state, and the state of a request.

Claim: two moments with the same form go on in the same way. A form holds everything that code can see: the
contents of each object that can be reached, which objects are the same, the position, variables and
unfinished expressions of each coroutine, the handled exceptions. Whatever this module does not know how to
see is refused by name; nothing is left out because it is thought not to matter.

Shared objects have names that stay with them. What belongs to a single request is told by its contents, and
its objects are numbered in the order in which they are met.

Nothing here calls a method that the code under check could have replaced: types are compared by identity, and
fields are read where Python keeps them.
"""

import array
import asyncio
import collections
import contextvars
import ctypes
import datetime
import decimal
import enum
import fractions
import functools
import gc
import hashlib
import itertools
import logging
import pathlib
import re
import sys
import types
import uuid
import weakref
import zoneinfo
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from seriatim.frontends.python.recording import MARK, Whole
from seriatim.frontends.python.running import OWNER, StillDatetime
from seriatim.frontends.python.stand_ins import StandIn, StandInModule

Form = tuple[Any, ...]


class Unseen(Exception):
    """Something whose state cannot be seen; says what it is."""


PLAIN = (bool, int, str, bytes, complex, type(None), type(Ellipsis), type(NotImplemented))
BY_TEXT = (
    float, range, StillDatetime, datetime.date, datetime.datetime, datetime.time,
    datetime.timedelta, datetime.timezone, decimal.Decimal, fractions.Fraction, uuid.UUID,
    pathlib.PurePosixPath, pathlib.PosixPath, types.GenericAlias, types.UnionType,
)  # fmt: skip
"""Values that never change, and that their text tells completely."""

DESCRIPTORS = (
    types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType,
    type(vars(collections.namedtuple("Pair", "one other"))["one"]),
)  # fmt: skip

SUSPENDED = {types.CoroutineType: "cr", types.GeneratorType: "gi", types.AsyncGeneratorType: "ag"}
"""The prefixes of the attributes of what can be suspended."""

AWAITED = ("FutureIter", "coroutine_wrapper", "async_generator_asend", "async_generator_athrow",
           "anext_awaitable", "async_generator_wrapped_value")  # fmt: skip
"""What the interpreter keeps on the stack while something is awaited."""

ITERATORS: tuple[Any, ...] = (
    iter([]), iter(()), iter(""), iter(b""), iter(range(1)), iter(range(1 << 70)), reversed([]),
    enumerate([]), zip(), map(int, []), filter(None, []), itertools.chain(), itertools.islice([], 1),
    itertools.cycle([]), itertools.repeat(1), itertools.count(),
)  # fmt: skip
REDUCED: frozenset[type] = frozenset(type(each) for each in ITERATORS)
"""Iterators that tell their position when they are asked how to copy them."""

OF_DEQUE: type = type(iter(collections.deque()))

KEYED_ITERATORS: tuple[Any, ...] = (iter({}), iter({}.values()), iter({}.items()), iter(set()))
KEYED: frozenset[type] = frozenset(type(each) for each in KEYED_ITERATORS)
"""Iterators over dictionaries and sets, which raise an exception where the size has changed."""

CONTAINERS = (
    list, dict, set, bytearray, collections.deque, collections.OrderedDict, collections.defaultdict,
    collections.Counter, array.array, types.SimpleNamespace,
)  # fmt: skip
BASES = (object, list, dict, set, tuple, frozenset, int, str, float, bytes, collections.deque,
         collections.OrderedDict, collections.defaultdict, asyncio.Future)  # fmt: skip
"""Types of the interpreter that a class may be based on."""

OF_MODULES = frozenset((
    "__builtins__", "__loader__", "__spec__", "__file__", "__cached__", "__doc__", "__name__", "__package__",
    "__path__",
))  # fmt: skip
OF_CLASSES = frozenset((
    "__dict__", "__weakref__", "__module__", "__qualname__", "__annotations__", "_abc_impl",
    "__static_attributes__", "__firstlineno__", "__type_params__", "__parameters__", "__orig_bases__",
    "__match_args__", "__dataclass_params__", "__dataclass_fields__", "__abstractmethods__",
))  # fmt: skip
"""What Python and its library write into a class when it is made, and only read later."""

OF_METHODS = frozenset((
    "__module__", "__name__", "__qualname__", "__doc__", "__annotations__", "__wrapped__", "__annotate__",
    "__isabstractmethod__", "__type_params__",
))  # fmt: skip
"""What Python writes into a static method or a class method when it is made."""

OF_LOGGERS = frozenset(("manager", "parent", "handlers", "_cache", "root"))
OF_ENUMS = frozenset(("_value_", "_name_", "__objclass__", "_sort_order_"))
OURS = frozenset((
    "typing", *(f"seriatim.frontends.python.{name}" for name in ("turns", "running", "closing")),
))  # fmt: skip
"""Modules whose objects are told by their names: types, and the machinery that runs the code."""

MOST_OBJECTS = 1_500


def digest(form: Form) -> str:
    return hashlib.blake2b(repr(form).encode(), digest_size=12).hexdigest()


def probe_stacks() -> bool:
    """Whether this Python shows the unfinished expressions of a coroutine in the order that is expected."""

    class Pause:
        def __await__(self) -> Any:
            yield None

    async def work(first: int, second: list[int]) -> Any:
        waited: Any = pause()
        return [first, "between", await waited, second]

    async def pause() -> None:
        await Pause()

    second = [2]
    suspended: Any = work(1, second)
    suspended.send(None)
    seen = _behind_code(suspended, suspended.cr_code)
    suspended.close()
    numbers = [each for each in seen if each in (1, "between") or each is second]
    return numbers == [1, second, 1, "between"]


def _behind_code(suspended: Any, code: types.CodeType) -> list[Any]:
    """The variables of a suspended coroutine, then its stack, then the exception that it handles."""
    parts = gc.get_referents(suspended)
    found = [number for number, each in enumerate(parts) if each is code]
    if len(found) < 2:
        raise Unseen("a suspended coroutine whose variables this Python does not show")
    return parts[found[-1] + 1 :]


def is_python_class(kind: type) -> bool:
    """Whether instances hold nothing but a dictionary, slots, and what their base holds."""
    while kind not in BASES and not (issubclass(kind, BaseException) and not kind.__flags__ & (1 << 9)):
        base = kind.__base__
        if base is None or not kind.__flags__ & (1 << 9):  # Not made by a class statement.
            return False
        fields = vars(kind)
        own = sum(isinstance(each, types.MemberDescriptorType) for each in fields.values())
        own += ("__weakref__" in fields) + ("__dict__" in fields)
        if kind.__basicsize__ - base.__basicsize__ > 8 * own:
            return False
        kind = base
    return True


def has_address_hash(value: Any) -> bool:
    """Whether the place of a value in a set depends on where it lies in memory."""
    if isinstance(value, tuple | frozenset) and type(value) in (tuple, frozenset):
        return any(has_address_hash(each) for each in value)
    plain: Any = object.__hash__
    return type(value).__hash__ is plain and value is not None


class Seer:
    """Says what values are made of; `refer` says how an object with an identity of its own is named."""

    def __init__(self, is_users_class: Callable[[type], bool], *, sees_identity: bool, sees_joins: bool):
        self.is_users_class = is_users_class
        self.sees_identity = sees_identity
        """Whether the code compares identities, so that equal tuples and texts may differ."""
        self.sees_joins = sees_joins
        """Whether the code counts the tasks of queues."""
        self.python_classes: dict[type, bool] = {}

    def has_identity(self, value: Any) -> bool:
        """Whether a value can change, or can be told apart from an equal one."""
        kind = type(value)
        if kind in (dict, list, set, types.FunctionType, types.CellType, collections.deque):
            return True
        if kind in PLAIN or kind in BY_TEXT or kind is tuple or kind is frozenset:
            return self.sees_identity and self._is_made(value)
        if isinstance(value, enum.Enum | types.ModuleType | asyncio.AbstractEventLoop):
            return isinstance(value, StandInModule)
        if isinstance(value, type):
            return self.is_users_class(value)
        return kind not in VALUES and kind.__module__ not in OURS

    def _is_made(self, value: Any) -> bool:
        """Whether there may be two of an immutable value."""
        match value:
            case bool() | None:
                return False
            case int():
                return not -5 <= value <= 256
            case str() | bytes():
                return len(value) > 1
            case tuple() | frozenset():
                return len(value) > 0
        return type(value) not in (type(Ellipsis), type(NotImplemented))

    def value(self, value: Any, form: Callable[[Any], Form]) -> Form:
        """The form of a value without an identity of its own."""
        kind = type(value)
        if kind in PLAIN:
            return _plain(value)
        if kind in BY_TEXT:
            _refuse_own_zone(value)
            inner = getattr(value, "__args__", ())
            return (kind.__name__, repr(value), *map(form, inner))
        if kind.__module__ in OURS:
            if kind.__module__ == "typing":
                _refuse_attributes_of_types(value)
            return (kind.__name__, repr(value) if kind.__module__ == "typing" else "")
        if kind is frozenset:
            return ("frozenset", *self._slots_of_set(value, form))
        match value:
            case enum.Enum():
                if self.is_users_class(kind) and not vars(value).keys() <= OF_ENUMS:
                    raise Unseen(f"`{value}`, a member of an enumeration with attributes")
                return ("member", kind.__qualname__, value.name)
            case types.ModuleType():
                _refuse_hand_made(sys.modules.get(value.__name__), value)
                return ("module", value.__name__)
            case type():
                _refuse_hand_made(
                    value if value.__module__ != "types" else vars(types).get(value.__name__), value
                )
                return ("class", value.__module__, value.__qualname__)
            case asyncio.AbstractEventLoop():
                return ("loop",)
        part = VALUES.get(kind)
        if part is None:
            raise Unseen(f"a value of {kind.__module__}.{kind.__qualname__}")
        return (kind.__name__, *part(value, form))

    def _slots_of_set(self, value: Any, form: Callable[[Any], Form]) -> list[Form]:
        """The table of a set, slot by slot: it decides the order of what is added later."""
        elements = list((set if isinstance(value, set) else frozenset).__iter__(value))
        if len(elements) > 1 and any(has_address_hash(each) for each in elements):
            raise Unseen("a set of several objects, whose order depends on where they lie in memory")
        size = ctypes.sizeof(ctypes.c_void_p)
        mask = ctypes.c_ssize_t.from_address(id(value) + 4 * size).value
        table = ctypes.c_size_t.from_address(id(value) + 5 * size).value
        members = {id(each): each for each in elements}
        found: list[Form] = []
        for number in range(mask + 1):
            key = ctypes.c_size_t.from_address(table + 2 * size * number).value
            if key == 0:
                found.append(())
            else:
                found.append(form(members[key]) if key in members else ("gone",))
        return found

    # Objects

    def contents(self, value: Any, form: Callable[[Any], Form], *, is_shared: bool) -> Form:
        """What an object with an identity of its own is made of."""
        kind = type(value)
        if kind is dict or kind is list:
            return (kind.__name__, *self._base_part(value, form))
        if kind in PLAIN or kind in BY_TEXT or kind is tuple or kind is frozenset:
            return ("made", self.value(value, form))
        if isinstance(value, type):
            return self._class(value, form)
        if kind in SUSPENDED:
            return self._suspended(value, form)
        if kind is OF_DEQUE:
            # How often the deque has changed cannot be seen, and decides whether this raises an exception.
            raise Unseen("an iterator over a deque that is kept while the request waits")
        if kind in REDUCED:
            return ("iterator", kind.__name__, *map(form, value.__reduce__()))
        if kind in KEYED:
            return _keyed(value)
        if kind.__name__ in AWAITED and kind.__flags__ & (1 << 14):
            return ("awaited", kind.__name__, *map(form, gc.get_referents(value)))
        told = self._special(value, kind, form)
        return self._object(value, kind, form, is_shared) if told is None else told

    def _special(self, value: Any, kind: type, form: Callable[[Any], Form]) -> Form | None:
        """What an object is made of that is no instance of a class with fields."""
        if kind is types.CellType:
            try:
                return ("cell", form(value.cell_contents))
            except ValueError:
                return ("cell",)
        if kind is types.FunctionType:
            return self._function(value, form)
        if kind is StandIn:
            return ("stand-in", value._path, form(value._facts))
        if kind is StandInModule:
            return ("module", value.__name__, *self._fields(vars(value), form, OF_MODULES))
        if kind is contextvars.Context:
            return ("context", *((each.name, form(part)) for each, part in value.items()))
        return None

    def _object(self, value: Any, kind: type, form: Callable[[Any], Form], is_shared: bool) -> Form:
        if isinstance(value, weakref.ref | weakref.WeakSet) or kind.__module__ == "weakref":
            raise Unseen("a weak reference")
        if getattr(kind, "__del__", None) is not None and not issubclass(kind, asyncio.Future):
            raise Unseen(f"`{kind.__qualname__}`, which does something when it is given up (`__del__`)")
        parts: list[Any] = [form(kind), *self._hidden_part(value, kind, form, is_shared)]
        parts += self._base_part(value, form)
        leaves_out = OF_LOGGERS if isinstance(value, logging.Logger) else frozenset()
        if isinstance(value, asyncio.Queue) and not self.sees_joins:
            leaves_out = frozenset(("_unfinished_tasks", "_finished"))
        if isinstance(value, logging.Logger):
            parts += [self._handler(each, form) for each in value.handlers]
        attributes = _attributes(value)
        if attributes is not None:
            parts += self._fields(attributes, form, leaves_out)
        for each in kind.__mro__:
            if not self._is_python(each):
                continue
            for name, descriptor in vars(each).items():
                if isinstance(descriptor, types.MemberDescriptorType):
                    try:
                        parts.append(("slot", name, form(descriptor.__get__(value))))
                    except AttributeError:
                        parts.append(("no slot", name))
        return ("object", *parts)

    def _handler(self, value: Any, form: Callable[[Any], Form]) -> Form:
        """What a logger hands its records to; the library's own keep nothing that counts but their level."""
        kind = type(value)
        return form(value) if self.is_users_class(kind) else (kind.__qualname__, value.level)

    def _hidden_part(
        self, value: Any, kind: type, form: Callable[[Any], Form], is_shared: bool
    ) -> list[Form]:
        """What the interpreter keeps in an object; raises `Unseen` where that is not known."""
        if isinstance(value, asyncio.Future):
            return self._future(value, form, is_shared)
        if kind is _CACHED:
            if any(value.cache_info()[number] for number in (0, 1, 3)):
                raise Unseen(f"`{value.__qualname__}`, which remembers its answers (`lru_cache`)")
        elif kind is _LOCK:
            return [("locked", value.locked())]
        elif kind is _RLOCK:
            return [("owned", value._is_owned())]
        elif kind not in CONTAINERS and not self._is_python(kind):
            raise Unseen(f"an object of {kind.__module__}.{kind.__qualname__}")
        return []

    def _is_python(self, kind: type) -> bool:
        if kind not in self.python_classes:
            self.python_classes[kind] = is_python_class(kind)
        return self.python_classes[kind]

    def _base_part(self, value: Any, form: Callable[[Any], Form]) -> list[Form]:
        """What an object holds as a list, a dictionary, an exception, and so on."""
        parts: list[Form] = []
        match value:
            case collections.OrderedDict():
                # Its order is its own: `move_to_end` leaves that of the dictionary below as it is.
                ordered = collections.OrderedDict.items(value)
                parts += [part for item in ordered for part in map(form, item)]
            case dict():
                parts += [part for item in dict.items(value) for part in map(form, item)]
                if isinstance(value, collections.defaultdict):
                    parts.append(form(value.default_factory))
            case collections.deque():
                parts += [("most", value.maxlen), *map(form, collections.deque.__iter__(value))]
            case list():
                parts += map(form, list.__iter__(value))
            case set() | frozenset():
                parts += self._slots_of_set(value, form)
            case tuple():
                parts += map(form, tuple.__iter__(value))
            case bytearray():
                parts.append(("bytes", bytes(value)))
            case array.array():
                parts.append((value.typecode, repr(value.tolist())))
            case BaseException():
                parts += [form(value.args), form(value.__cause__), form(value.__context__)]
            case int() | str() | float() | bytes():
                plain = next(each for each in (int, str, float, bytes) if isinstance(value, each))
                parts.append((plain.__name__, plain.__repr__(value)))
        return parts

    def _fields(
        self, fields: Any, form: Callable[[Any], Form], leaves_out: frozenset[str] = frozenset()
    ) -> list[Form]:
        return [(str(name), form(each)) for name, each in list(fields.items()) if name not in leaves_out]

    def _function(self, value: types.FunctionType, form: Callable[[Any], Form]) -> Form:
        """A function: its code, and what it holds."""
        return (
            "function",
            _code(value.__code__),
            form((value.__doc__, value.__name__, value.__qualname__)),
            form(value.__defaults__),
            form(None if value.__kwdefaults__ is None else tuple(value.__kwdefaults__.items())),
            form(value.__closure__),
            *self._fields(value.__dict__, form),
        )

    def _class(self, value: type, form: Callable[[Any], Form]) -> Form:
        bases = tuple(form(each) for each in value.__mro__[1:])
        return (
            "class",
            value.__name__,
            value.__qualname__,
            form(type(value)),
            bases,
            *self._fields(dict(vars(value)), form, OF_CLASSES),
        )

    def _suspended(self, value: Any, form: Callable[[Any], Form]) -> Form:
        prefix = SUSPENDED[type(value)]
        code, frame = getattr(value, f"{prefix}_code"), getattr(value, f"{prefix}_frame")
        if frame is None:
            return ("ended", _code(code))
        if getattr(value, f"{prefix}_running"):
            raise Unseen(f"`{code.co_qualname}`, which is running")
        variables = frame.f_locals
        bound = tuple(sorted(variables))
        position = frame.f_lasti
        variables.clear()  # It is a copy, which would keep objects alive.
        del frame, variables
        parts = _behind_code(value, code)
        while parts and parts[-1] is None:
            # The last one is the handled exception: None or nothing, where there is no such exception. How
            # many variables and unfinished expressions come before it, the position says.
            parts.pop()
        return ("suspended", _code(code), position, bound, *map(form, parts))

    def _future(self, value: Any, form: Callable[[Any], Form], is_shared: bool) -> list[Form]:
        """The state of a future: whether it is done, how, and whom it calls back.

        The tasks that wait for a shared one are not part of it: they say themselves what they wait for.
        """
        if value.cancelled():
            return [("cancelled",)]
        if value.done():
            exception = value._exception
            return [("done", form(value._result) if exception is None else form(exception))]
        parts: list[Form] = [("pending",)]
        owners: list[int] = []
        for callback, context in value._callbacks or ():
            task = woken_task(callback)
            if task is None:
                parts.append(("calls", form(callback)))
            elif is_shared:
                owners.append(context.get(OWNER, -1))
            else:
                parts.append(("wakes", form(task)))
        if len(owners) != len(set(owners)):
            raise Unseen("tasks of one request that wait for the same shared future")
        return parts


def _plain(value: Any) -> Form:
    if type(value) is str and MARK in value:
        raise Unseen("a text with an integer that is not known")
    return (type(value).__name__, value)


WAKE_UPS = ("TaskWakeupMethWrapper", "task_wakeup")
"""What asyncio calls the callback that lets a task go on."""


def woken_task(callback: Any) -> Any:
    """The task that a callback lets go on; None if it does something else."""
    if type(callback).__name__ not in WAKE_UPS and getattr(callback, "__name__", "") not in WAKE_UPS:
        return None
    return next((each for each in gc.get_referents(callback) if isinstance(each, asyncio.Task)), None)


_LOCK = type(__import__("_thread").allocate_lock())
_RLOCK = type(__import__("_thread").RLock())
_CACHED = type(functools.lru_cache(lambda: None))


Part = Callable[[Any, Callable[[Any], Form]], Form]


def _built_in(value: Any, form: Callable[[Any], Form]) -> Form:
    owner = value.__self__
    of = ("none",) if owner is None or isinstance(owner, types.ModuleType) else form(owner)
    return (value.__qualname__, of)


def _partial(value: Any, form: Callable[[Any], Form]) -> Form:
    if vars(value):
        raise Unseen("a partial function with attributes")
    return (form(value.func), form(value.args), form(value.keywords))


def _method_of_class(value: Any, form: Callable[[Any], Form]) -> Form:
    if not vars(value).keys() <= OF_METHODS | vars(value.__func__).keys():
        raise Unseen("a method of a class with attributes")
    return (form(value.__func__),)


NO_DEFAULT = object()
CONTEXT_VARIABLES: dict[str, contextvars.ContextVar[Any]] = {}
"""The context variables that were met, by name."""


def _context_variable(value: Any, form: Callable[[Any], Form]) -> Form:
    """A context variable, with the object that it answers where nothing was set."""
    if CONTEXT_VARIABLES.setdefault(value.name, value) is not value:
        raise Unseen(f"two context variables with the name {value.name!r}")
    default = NO_DEFAULT
    with suppress(LookupError):
        default = contextvars.Context().run(value.get)
    return (value.name,) if default is NO_DEFAULT else (value.name, form(default))


OF_TYPES = frozenset({"_inst", "_name", "_paramspec_tvars", "_getitem", "_nparams", "_defaults"})
"""What objects of `typing` have beside names with two underscores."""


def _refuse_attributes_of_types(value: Any) -> None:
    """Raises `Unseen` for attributes that somebody gave to a type variable or a type."""
    for name in getattr(value, "__dict__", {}):
        if name not in OF_TYPES and not (name.startswith("__") and name.endswith("__")):
            raise Unseen(f"`{value}`, a type with the attribute `{name}`")


def _refuse_own_zone(value: Any) -> None:
    zone = value.tzinfo if isinstance(value, datetime.datetime | datetime.time) else None
    if zone is not None and type(zone) not in (datetime.timezone, zoneinfo.ZoneInfo):
        raise Unseen("a date in a time zone of the file's own")


def _refuse_hand_made(known: Any, value: Any) -> None:
    """Raises `Unseen` for a module or a class that is not the one that its name leads to."""
    if known is not value:
        raise Unseen(f"`{value.__name__}`, a {type(value).__name__} that is made by hand")


def _token(value: Any, form: Callable[[Any], Form]) -> Form:
    return (value.var.name, " used " in repr(value), form(value.old_value))


VALUES: dict[type, Part] = {
    tuple: lambda value, form: tuple(map(form, value)),
    types.MethodType: lambda value, form: (form(value.__func__), form(value.__self__)),
    types.BuiltinFunctionType: _built_in,
    types.MethodWrapperType: _built_in,
    property: lambda value, form: (form(value.fget), form(value.fset), form(value.fdel)),
    staticmethod: _method_of_class,
    classmethod: _method_of_class,
    functools.partial: _partial,
    types.MappingProxyType: lambda value, form: tuple(map(form, gc.get_referents(value))),
    slice: lambda value, form: (form(value.start), form(value.stop), form(value.step)),
    types.CodeType: lambda value, _: _code(value),
    re.Pattern: lambda value, _: (value.pattern, value.flags),
    contextvars.ContextVar: _context_variable,
    contextvars.Token: _token,
    **{kind: lambda value, _: (getattr(value, "__qualname__", ""),) for kind in DESCRIPTORS},
}
"""How values of a type without an identity of their own are told."""

CODES: dict[int, tuple[types.CodeType, Form]] = {}


def _attributes(value: Any) -> dict[str, Any] | None:
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    return found if isinstance(found, dict) else None


def _code(code: types.CodeType) -> Form:
    """A piece of code: two pieces on one line differ in their columns or constants."""
    known = CODES.get(id(code))
    if known is None or known[0] is not code:
        constants = [each for each in code.co_consts if not isinstance(each, types.CodeType)]
        told = (
            "code",
            code.co_qualname,
            code.co_firstlineno,
            hash(code.co_code),
            hash(tuple(code.co_positions())),
            repr(constants) if all(type(each) in PLAIN for each in constants) else len(constants),
            code.co_names,
        )
        known = CODES[id(code)] = (code, told)
    return known[1]


def _keyed(value: Any) -> Form:
    if any(isinstance(each, dict | set) for each in gc.get_referents(value)):
        # Holes that deletions leave behind would have to be seen in all states.
        raise Unseen("an iterator over a dictionary or a set that is kept while the request waits")
    return ("iterator", "at its end")


class SharedState:
    """The shared objects by name, and how many requests hold those that were made on the way."""

    def __init__(self, seer: Seer, roots: Callable[[], list[tuple[str, Any]]]) -> None:
        self.seer, self.roots = seer, roots
        self.names: dict[int, str] = {}
        self.objects: dict[str, Any] = {}
        self.first: tuple[str, ...] = ()
        """The objects of the first state, which keep their names for good."""
        self.holders: dict[str, int] = {}
        self.placed: dict[str, Whole] = {}
        """The recorded integer that stands for what is in a place now; other objects are not its content."""
        self.has_stray = False
        """Whether a recorded integer was seen that is not the content of a place."""

    def name_of(self, value: Any) -> str | None:
        """The name of a shared object."""
        name = self.names.get(id(value))
        return name if name is not None and self.objects.get(name) is value else None

    def _name(self, value: Any, todo: list[str]) -> str:
        name = self.name_of(value)
        if name is None:
            kind = type(value).__name__
            number = 0
            while f"{kind}#{number}" in self.objects:
                number += 1
            name = f"{kind}#{number}"
            self.names[id(value)], self.objects[name] = name, value
        todo.append(name)
        return name

    def see(self) -> dict[str, Form]:
        """The contents of all shared objects; names those that are new, forgets those that are gone."""
        todo: list[str] = []
        seen: dict[str, Form] = {}

        def form(value: Any) -> Form:
            if type(value) is Whole:
                return self._integer(value)
            if self.seer.has_identity(value):
                return ("the", self._name(value, todo))
            return self.seer.value(value, form)

        for name, value in self.roots():
            seen[f"root {name}"] = form(value)
        todo += self.first
        todo += sorted(self.holders)
        while todo:
            name = todo.pop()
            if name not in seen:
                seen[name] = ()
                seen[name] = self.seer.contents(self.objects[name], form, is_shared=True)
        for name in [name for name in self.objects if name not in seen]:
            del self.names[id(self.objects[name])]
            del self.objects[name]
        return seen

    def _integer(self, value: Whole) -> Form:
        """A recorded integer: it goes by its place."""
        match value.term.number, value.term.parts:
            case 0, ((("shared", place), 1),) if self.placed.get(place) is value:
                return ("integer", place)
        self.has_stray = True
        return ("integer", "")

    def hold(self, before: frozenset[str], after: frozenset[str]) -> None:
        """Counts who holds objects that were made on the way; what three have held is never given up."""
        for name in after - before:
            self.holders[name] = min(3, self.holders.get(name, 0) + 1)
        for name in before - after:
            if self.holders[name] < 3:
                self.holders[name] -= 1
                if not self.holders[name]:
                    del self.holders[name]


class LocalState:
    """The form of what a single request can see beside the shared state."""

    def __init__(self, seer: Seer, shared: SharedState) -> None:
        self.seer, self.shared = seer, shared
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []
        self.held: set[str] = set()
        self.integers: list[Whole] = []
        """The recorded integers, in the order in which they are met."""

    def form(self, value: Any) -> Form:
        if type(value) is Whole:
            if not any(each is value for each in self.integers):
                self.integers.append(value)
            return ("integer", next(n for n, each in enumerate(self.integers) if each is value))
        if not self.seer.has_identity(value):
            return self.seer.value(value, self.form)
        name = self.shared.name_of(value)
        if name is not None:
            if name not in self.shared.first:
                self.held.add(name)
            return ("the", name)
        if id(value) in self.numbers:
            return ("own", self.numbers[id(value)])
        if isinstance(value, logging.Logger):
            raise Unseen("a logger that is made while a request is answered")
        self.numbers[id(value)] = len(self.kept)
        self.kept.append(value)
        if len(self.kept) > MOST_OBJECTS:
            raise Unseen("a request with too many objects of its own")
        return ("new", self.seer.contents(value, self.form, is_shared=False))
