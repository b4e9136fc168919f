"""The shared state as text, told again only where something has changed since the start.

Claim: `changes` is what `describe` says about each part of the state, where that differs from the start.

Why it holds: `describe` reads containers, fields of objects, and values that never change. All containers and
objects that it reads behind a part are kept with the objects in them. If each of them holds the same objects
still, the text is the same. A part with anything else behind it is told each time.
"""

import asyncio
import datetime
import decimal
import enum
import functools
import inspect
import operator
import re
import types
import typing
import uuid
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from seriatim.frontends.python.requests import ClassField, ModuleField
from seriatim.frontends.python.running import CHANCE
from seriatim.frontends.python.stand_ins import StandIn, StandInModule
from seriatim.frontends.python.texts import DEEPEST, PLAIN, describe, fields_of

NEVER_CHANGES = (
    *PLAIN, enum.Enum, StandIn, StandInModule, type, types.FunctionType, types.BuiltinFunctionType, range,
    datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal, uuid.UUID, PurePath,
    re.Pattern, types.ModuleType, types.GenericAlias, typing.TypeVar, typing.ParamSpec, property,
    asyncio.AbstractEventLoop,
)  # fmt: skip
DICTIONARIES = (dict, OrderedDict, defaultdict)

GONE = "not set"
"""What is said about a part of the state that was there at the start."""


@dataclass
class Part:
    """A part of the state at the start."""

    value: Any
    text: str
    is_kept: Callable[[], bool]
    """Whether nothing behind it has changed."""


class SharedTexts:
    """The parts of the shared state by name, as text."""

    def __init__(self, roots: Mapping[str, Any]) -> None:
        self.roots = roots
        self.parts = {name: _watch(value) for name, value in self._values()}
        self.initial = {name: part.text for name, part in self.parts.items() if not is_code(part.value)}

    def _values(self) -> Iterator[tuple[str, Any]]:
        for name, root in self.roots.items():
            if name == "self":
                yield from ((f"self.{field}", each) for field, each in fields_of(root).items())
            else:
                value = root.read() if isinstance(root, ModuleField | ClassField) else root
                if not is_chance(value):
                    yield name, value

    def changes(self) -> dict[str, str]:
        """What is different from the start."""
        found: dict[str, str] = {}
        left = set(self.initial)
        for name, value in self._values():
            left.discard(name)
            part = self.parts.get(name)
            if part is not None and part.value is value and part.is_kept():
                continue
            text = describe(value, is_state=True)
            if part is None or text != part.text:
                found[name] = text
        return found | dict.fromkeys(sorted(left), GONE)

    def now(self) -> dict[str, str]:
        """The whole state."""
        return {**self.initial, **self.changes()}


def is_code(value: Any) -> bool:
    is_bound = isinstance(value, types.MethodType)
    return (inspect.isroutine(value) and not is_bound) or isinstance(value, type | StandIn)


def is_chance(value: Any) -> bool:
    """Whether it is what makes random numbers and ids here, under another name."""
    function = value.func if isinstance(value, functools.partial) else value
    return getattr(function, "__self__", None) is CHANCE


def _watch(value: Any) -> Part:
    text = describe(value, is_state=True)
    checks: list[Callable[[], bool]] = []
    pending: deque[tuple[Any, int]] = deque([(value, 0)])
    met: set[int] = set()
    while pending:
        each, depth = pending.popleft()
        if id(each) in met or depth > DEEPEST or isinstance(each, NEVER_CHANGES):
            continue
        met.add(id(each))
        found = _inside(each)
        if found is None:
            return Part(value, text, lambda: False)
        check, inner = found
        checks.append(check)
        pending.extend((part, depth + 1) for part in inner)
    return Part(value, text, lambda: all(check() for check in checks))


def _inside(value: Any) -> tuple[Callable[[], bool], list[Any]] | None:
    """Whether a value holds the same objects still, and these objects; None if that cannot be said."""
    kind = type(value)
    if kind in DICTIONARIES:
        keys, values = list(value), list(value.values())
        return lambda: _same(value, keys) and _same(value.values(), values), [*keys, *values]
    if kind in (list, deque, set):
        items = list(value)
        return lambda: _same(value, items), items
    if kind in (tuple, frozenset):
        return lambda: True, list(value)
    if kind is types.MethodType:
        return lambda: True, [value.__self__]
    if isinstance(
        value,
        asyncio.Future | asyncio.Handle | BaseException | Mapping | list | deque | tuple | set | frozenset,
    ):
        return None
    fields = fields_of(value)
    if not fields:
        return None
    names, values = list(fields), list(fields.values())

    def is_kept() -> bool:
        now = fields_of(value)
        return list(now) == names and _same(now.values(), values)

    if isinstance(value, asyncio.Lock | asyncio.Semaphore | asyncio.Event):
        return is_kept, []
    if isinstance(value, asyncio.Condition | asyncio.Queue):
        return is_kept, [fields[name] for name in ("_lock", "_queue") if name in fields]
    return is_kept, values


def _same(now: Any, before: list[Any]) -> bool:
    """Whether these are the same objects, in the same order."""
    return len(now) == len(before) and all(map(operator.is_, now, before))
