"""Values as text: what counts in an answer, and what counts in the shared state.

Two values with the same text are the same to a client. So the text shows data by value and type, and leaves
out addresses, the order of dictionaries in the state, and who waits for a lock.
"""

import asyncio
import enum
import functools
import logging
import re
import types
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain, permutations, product
from typing import Any

from seriatim.frontends.python.applications import kept_in
from seriatim.frontends.python.recording import RECORDER, Whole
from seriatim.frontends.python.stand_ins import FRESH, StandIn

DEEPEST = 8
MACHINERY = (
    asyncio.Lock, asyncio.Semaphore, asyncio.Event, asyncio.Condition, asyncio.Queue, asyncio.Future,
    asyncio.AbstractEventLoop,
)  # fmt: skip
"""What coordinates requests."""

OF_LOGGERS = frozenset(("_cache", "manager", "parent", "root"))
"""What loggers keep to find each other, and to save time."""

PLAIN = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
NAMED = re.compile(r"[#~]\d+")
"""What ids (#) and such names (~) look like after they were numbered."""
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def describe(value: Any, seen: tuple[int, ...] = (), *, is_state: bool = False) -> str:
    """A value as text. A value inside itself is shown as dots.

    In the state, the order of lists and queues does not count: it decides who gets what next, and the next
    answers show that. In an answer it counts.
    """
    if type(value) is Whole:
        return RECORDER.text(value)
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if type(value) is str:
        return ADDRESS.sub("", repr(value))
    if type(value) in PLAIN or isinstance(value, StandIn):
        return repr(value)
    if id(value) in seen or len(seen) > DEEPEST:
        return "…"
    inner = (*seen, id(value))
    kept = kept_in(value)
    value = value if kept is None else kept
    if isinstance(value, Mapping):
        items = sorted(
            f"{describe(key, inner, is_state=is_state)}: {describe(each, inner, is_state=is_state)}"
            for key, each in value.items()
        )
        return f"{_prefix(value, dict)}{{{', '.join(items)}}}"
    if isinstance(value, list | deque):
        items = [describe(each, inner, is_state=is_state) for each in value]
        if is_state:
            items.sort()
        return f"{_prefix(value, list)}[{', '.join(items)}]"
    if isinstance(value, tuple):
        items = [describe(each, inner, is_state=is_state) for each in value]
        return f"{_prefix(value, tuple)}({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(value, set | frozenset):
        items = sorted(describe(each, inner, is_state=is_state) for each in value)
        return f"{_prefix(value, set)}{{{', '.join(items)}}}"
    return _describe_object(value, inner, is_state)


def _prefix(value: object, usual: type) -> str:
    """The name of a type that is not the usual one."""
    return "" if type(value) is usual else type(value).__name__


def _describe_machinery(value: Any, seen: tuple[int, ...], is_state: bool) -> str | None:
    """What coordinates requests: what counts is the state that code can ask for, not who waits."""
    kind = type(value).__name__
    match value:
        case asyncio.Lock() | asyncio.Condition():
            return f"{kind}({'locked' if value.locked() else 'free'})"
        case asyncio.Semaphore():
            return f"{kind}({value._value})"
        case asyncio.Event():
            return f"{kind}({'set' if value.is_set() else 'not set'})"
        case asyncio.Queue():
            items = [describe(each, seen, is_state=is_state) for each in vars(value)["_queue"]]
            return f"{kind}({', '.join(sorted(items) if is_state else items)})"
        case asyncio.Future():
            return f"{kind}({'done' if value.done() else 'pending'})"
        case asyncio.AbstractEventLoop():
            return "the loop"
        case asyncio.Handle():
            return f"{kind}({'cancelled' if value.cancelled() else 'not cancelled'})"
    return None


def _describe_object(value: Any, seen: tuple[int, ...], is_state: bool) -> str:
    told = _describe_machinery(value, seen, is_state)
    if told is not None:
        return told
    kind = type(value).__name__
    match value:
        case BaseException():
            fields = describe_fields(value, seen, is_state=is_state)
            args = ", ".join(describe(each, seen, is_state=is_state) for each in value.args)
            extra = ", ".join(f"{name}={text}" for name, text in fields.items())
            return f"{kind}({', '.join(part for part in (args, extra) if part)})"
        case type() | types.FunctionType() | types.BuiltinFunctionType():
            return getattr(value, "__qualname__", repr(value))
        case types.MethodType():
            return f"{describe(value.__self__, seen, is_state=is_state)}.{value.__name__}"
        case functools.partial():
            return f"partial({describe(value.func, seen)}, {describe(value.args, seen)})"
    return _describe_fields_of(value, seen, is_state)


def _describe_fields_of(value: Any, seen: tuple[int, ...], is_state: bool) -> str:
    """An object of a class with fields."""
    kind = type(value).__name__
    if not is_state and is_machinery(value):
        return f"{kind}(…)"
    fields = describe_fields(value, seen, is_state=is_state)
    if fields or not has_own(value, "__repr__"):
        return f"{kind}({', '.join(f'{name}={text}' for name, text in fields.items())})"
    return ADDRESS.sub("", repr(value))


def is_machinery(value: Any) -> bool:
    """Whether an object holds locks, queues or tasks: as an answer it stands for itself, and not for what it
    holds, which goes on changing."""
    return any(
        isinstance(each, MACHINERY)
        or type(each).__name__.endswith(("Lock", "Semaphore", "Event", "Condition"))
        for each in fields_of(value).values()
    )


def is_told_whole(value: object) -> bool:
    """Whether the text of an answer says all; objects of classes without `==` differ by identity, too."""
    return value is None or callable(value) or isinstance(value, enum.Enum) or has_own(value, "__eq__")


def has_own(value: object, method: str) -> bool:
    """Whether a type defines a method that every object has."""
    return getattr(type(value), method) is not getattr(object, method)


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of an object, by name; also those in slots."""
    try:
        found = dict(getattr(value, "__dict__", {}) or {})
    except Exception:  # noqa: BLE001 - a proxy may lead nowhere outside of a request
        return {}
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            own = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") else name
            if name not in ("__dict__", "__weakref__") and hasattr(value, own):
                found[own] = getattr(value, own)
    left_out = OF_LOGGERS if isinstance(value, logging.Logger) else ()
    return {
        name: each
        for name, each in sorted(found.items())
        if not name.startswith("__") and name not in left_out
    }


def describe_fields(value: Any, seen: tuple[int, ...] = (), *, is_state: bool = False) -> dict[str, str]:
    """The fields of an object as text, by name."""
    return {name: describe(each, seen, is_state=is_state) for name, each in fields_of(value).items()}


def rename_fresh(texts: Sequence[str]) -> tuple[str, ...]:
    """Texts whose fresh ids are numbered in the order in which they occur."""
    names: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        mark = "#" if found[1] == "5" else "~"
        return names.setdefault(found[0].replace("-", ""), f"{mark}{len(names) + 1}")

    return tuple(FRESH.sub(number, text) for text in texts)


def canonical(answers: Sequence[str], state: str) -> tuple[tuple[str, ...], str]:
    """Answers in an order of their own, and the state, up to the names of fresh ids.

    Two outcomes have the same form if and only if the ids of one can be renamed to those of the other: of all
    orders that sort the answers without their ids, the least text is taken.
    """
    groups: dict[str, list[str]] = {}
    for text in sorted(answers):
        groups.setdefault(FRESH.sub("#", text), []).append(text)
    parts = [permutations(groups[key]) for key in sorted(groups)]
    forms = (rename_fresh([*chain.from_iterable(chosen), state]) for chosen in product(*parts))
    *found, final = min(forms)
    return tuple(found), final


Form = tuple[tuple[str, ...], str]
"""An outcome in its canonical form: answers, and the state."""


def is_instance(outcome: Form, general: Form) -> bool:
    """Whether an outcome is another one in which some unknown values happen to be equal.

    Unknown values may be anything, so also equal; ids that were made are always different.
    """
    groups = [NAMED.sub("~", text) for text in general[0]]
    for order in permutations(outcome[0]):
        if [NAMED.sub("~", text) for text in order] == groups and _maps(general, (order, outcome[1])):
            return True
    return False


def _maps(general: Form, outcome: Form) -> bool:
    """Whether names can be replaced, in all places alike, so that one outcome becomes the other."""
    one, other = "\n".join((*general[0], general[1])), "\n".join((*outcome[0], outcome[1]))
    if NAMED.sub("~", one) != NAMED.sub("~", other):
        return False
    found: dict[str, str] = {}
    pairs = zip(NAMED.findall(one), NAMED.findall(other), strict=True)
    if any(found.setdefault(name, target) != target or name[0] != target[0] for name, target in pairs):
        return False
    ids = [target for name, target in found.items() if name.startswith("#")]
    return len(ids) == len(set(ids))
