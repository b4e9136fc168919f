"""Integers that record what is done to them: instead of a number, such an integer knows a term.

Claim: a turn that was taken with recorded integers is, for all values of these integers for which its tests
come out as they did, a turn of the real code, and it ends with the recorded terms as values.

Why it holds: a recorded integer is no `int` of Python but an object that stands for one. Each operation on it
is one of a list, and does what Python's integers do: `+`, `-`, `*` with a number and `%` with a positive one
make terms; a comparison asks which of its two outcomes is tried now, and notes the test; an object of another
type is unequal. Everything else that Python or its library could want of an integer (its hash, its digits, an
index, a number in C) calls a method here that refuses, by name; then the sources of the integer are numbers
again. What C code could see without calling a method (its type) is kept away from it: `may_call` lists the
functions of C that may run meanwhile. `is` and `type` are refused before anything runs (`recordable.py`).

Texts may show an integer where they are only told (`recordable.py`): a hole stands for it in the text.
"""

import asyncio
import collections
import contextlib
import contextvars
import dataclasses
import datetime
import dis
import enum
import functools
import logging
import math
import re
import sys
import types
import typing
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Symbol = tuple[Any, ...]
"""What a term is made of: `("own", number)` of a request, `("shared", place)`, `("mod", term, number)`."""


@dataclass(frozen=True)
class Term:
    """A sum: a number, and symbols with their factors, none of which is 0."""

    number: int
    parts: tuple[tuple[Symbol, int], ...] = ()

    def plus(self, other: "Term", factor: int = 1) -> "Term":
        found = dict(self.parts)
        for symbol, count in other.parts:
            found[symbol] = found.get(symbol, 0) + factor * count
        parts = ((symbol, count) for symbol, count in found.items() if count)
        return Term(self.number + factor * other.number, tuple(sorted(parts, key=repr)))

    def times(self, factor: int) -> "Term":
        return Term(0).plus(self, factor)


def symbol_term(*symbol: Any) -> Term:
    return Term(0, ((symbol, 1),))


@dataclass(frozen=True)
class Question:
    """A question about a term: whether it is 0, or whether it is at most 0."""

    is_order: bool
    term: Term


@dataclass
class Bounds:
    """What the tests of a turn have said about a sum of symbols."""

    least: int | None = None
    most: int | None = None
    never: set[int] = field(default_factory=set)

    def tells_at_most(self, limit: int) -> bool | None:
        if self.most is not None and self.most <= limit:
            return True
        return False if self.least is not None and self.least > limit else None

    def tells_equal(self, value: int) -> bool | None:
        if self.least == self.most == value:
            return True
        outside = (self.least is not None and value < self.least) or (
            self.most is not None and value > self.most
        )
        return False if outside or value in self.never else None

    def set_least(self, value: int) -> None:
        self.least = value if self.least is None else max(value, self.least)

    def set_most(self, value: int) -> None:
        self.most = value if self.most is None else min(value, self.most)


class Facts:
    """What is known about terms within one turn, so that no question is asked twice."""

    def __init__(self) -> None:
        self.known: dict[tuple[tuple[Symbol, int], ...], Bounds] = {}

    def answer(self, test: Question, choose: Callable[[], bool]) -> bool:
        """Whether a test holds; chooses where the earlier ones do not tell."""
        term = test.term
        if not term.parts:
            return term.number <= 0 if test.is_order else term.number == 0
        divisor = math.gcd(*(count for _, count in term.parts))
        sign = 1 if term.parts[0][1] > 0 else -1
        direction = tuple((symbol, sign * count // divisor) for symbol, count in term.parts)
        bounds = self.known.setdefault(direction, Bounds())
        if not test.is_order:
            if term.number % divisor:
                return False
            value = -sign * (term.number // divisor)
            told = bounds.tells_equal(value)
            if told is None:
                told = choose()
                if told:
                    bounds.set_least(value)
                    bounds.set_most(value)
                else:
                    bounds.never.add(value)
            return told
        if sign > 0:  # divisor * sum + number <= 0
            limit = -term.number // divisor
            told = bounds.tells_at_most(limit)
            if told is None:
                told = choose()
                (bounds.set_most if told else bounds.set_least)(limit if told else limit + 1)
            return told
        least = -(-term.number // divisor)  # number <= divisor * sum
        told = bounds.tells_at_most(least - 1)
        if told is None:
            told = choose()
            (bounds.set_least if told else bounds.set_most)(least if told else least - 1)
            return told
        return not told


class Recorder:
    """What recorded integers ask and tell in this process."""

    def __init__(self) -> None:
        self.is_on = False
        self.decide: Callable[[Question], bool] = self._nobody
        self.refuse: Callable[[str], BaseException] = ValueError
        self.sources: set[str] = set()
        """The parameters and places that have to be numbers, because of what is done to them."""
        self.facts = Facts()
        self.told: list[Term] = []
        """The integers in texts of this turn."""
        self.may_tell: Callable[[types.FrameType], bool] = lambda _: False
        """Whether code may make an integer part of a text, as it does nothing else with that."""

    def _nobody(self, test: Question) -> bool:
        raise self.refuse(f"a recorded integer is compared outside of a turn: {test}")

    def ask(self, test: Question) -> bool:
        return self.facts.answer(test, lambda: self.decide(test))

    def give_up(self, what: str, *integers: "Whole") -> BaseException:
        """Notes that integers have to be numbers, and returns what to raise."""
        for each in integers:
            self.sources |= each.sources
        return self.refuse(f"{what} needs an integer that is known")

    def text(self, integer: "Whole") -> str:
        """What stands for an integer in a text."""
        self.told.append(integer.term)
        return HOLE.format(len(self.told) - 1)


MARK = "⟨integer "
HOLE = MARK + "{}⟩"
HOLES = re.compile(MARK + r"(\d+)⟩")
INTEGER = HOLE.format("")
"""What stands for an integer in the text of an answer."""


def in_order(text: str) -> tuple[str, tuple[Term, ...]]:
    """A text of this turn, with the terms of its integers in the order in which it shows them."""
    found = tuple(RECORDER.told[int(number)] for number in HOLES.findall(text))
    return HOLES.sub(INTEGER, text), found


RECORDER = Recorder()


def _tell(name: str) -> Any:
    """Makes an integer a part of a text, where that text is only told."""

    def method(self: "Whole", how: str = "") -> str:
        if how or not RECORDER.may_tell(sys._getframe(1)):
            raise RECORDER.give_up(f"`{name}`", self)
        return RECORDER.text(self)

    return method


def _refuse(name: str) -> Any:
    def method(self: "Whole", *_: object, **__: object) -> Any:
        raise RECORDER.give_up(f"`{name}`", self)

    return method


class Whole:
    """An integer that is not known: it stands for any of which the tests so far are true."""

    __slots__ = ("sources", "term")
    __doc__ = int.__doc__
    __class__ = property(lambda _: int)

    def __init__(self, term: Term, sources: frozenset[str]) -> None:
        self.term, self.sources = term, sources

    def __add__(self, other: Any) -> Any:
        return _sum(self, other, "+")

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _sum(self, other, "-", -1)

    def __rsub__(self, other: Any) -> Any:
        return -(self - other)

    def __neg__(self) -> "Whole":
        return Whole(self.term.times(-1), self.sources)

    def __pos__(self) -> "Whole":
        return self

    def __abs__(self) -> "Whole":
        return -self if self < 0 else self

    def __mul__(self, other: Any) -> Any:
        if type(other) in (int, bool):
            return Whole(self.term.times(int(other)), self.sources)
        raise RECORDER.give_up("`*`", self, *_wholes(other))

    __rmul__ = __mul__

    def __mod__(self, other: Any) -> Any:
        if type(other) is int and other > 0:
            rest = self.term.plus(Term(self.term.number // other * other), -1)
            if not rest.parts:
                return Whole(Term(rest.number), self.sources)
            return Whole(symbol_term("mod", rest, other), self.sources)
        raise RECORDER.give_up("`%`", self, *_wholes(other))

    def __bool__(self) -> bool:
        return not RECORDER.ask(Question(False, self.term))

    def __eq__(self, other: object) -> bool:
        term = _as_term(other)
        if term is not None:
            return RECORDER.ask(Question(False, self.term.plus(term, -1)))
        if type(other) in UNEQUAL or _is_plain(other):
            return False
        raise RECORDER.give_up("`==`", self)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __le__(self, other: Any) -> bool:
        return RECORDER.ask(Question(True, (self - other).term))

    def __ge__(self, other: Any) -> bool:
        return RECORDER.ask(Question(True, (other - self).term))

    def __lt__(self, other: Any) -> bool:
        return RECORDER.ask(Question(True, (self - other + 1).term))

    def __gt__(self, other: Any) -> bool:
        return RECORDER.ask(Question(True, (other - self + 1).term))

    def __getattr__(self, name: str) -> Any:
        raise RECORDER.give_up(f"`.{name}`", self)

    __repr__, __str__, __format__ = map(_tell, ("__repr__", "__str__", "__format__"))
    for _name in (
        "__hash__", "__index__", "__int__", "__float__", "__reduce__", "__reduce_ex__",
        "__round__", "__floor__", "__ceil__", "__trunc__", "__divmod__",
        "__rdivmod__", "__floordiv__", "__rfloordiv__", "__truediv__", "__rtruediv__", "__rmod__", "__pow__",
        "__rpow__", "__and__", "__rand__", "__or__", "__ror__", "__xor__", "__rxor__", "__lshift__",
        "__rlshift__", "__rshift__", "__rrshift__", "__invert__", "__sizeof__", "__dir__",
    ):  # fmt: skip
        locals()[_name] = _refuse(_name)
    del _name


UNEQUAL = frozenset((type(None), str, bytes, tuple, list, dict, set, frozenset, type(...)))
"""Types whose values no integer is equal to, and which say so themselves."""


def _is_plain(value: object) -> bool:
    """Whether comparing it is what every object does."""
    return type(value).__eq__ is object.__eq__


def _as_term(value: object) -> Term | None:
    if type(value) is Whole:
        return value.term
    return Term(int(value)) if type(value) in (int, bool) else None  # type: ignore[call-overload]


def _wholes(value: object) -> Iterable[Whole]:
    return (value,) if type(value) is Whole else ()


def _sum(one: Whole, other: object, operator: str, factor: int = 1) -> Whole:
    term = _as_term(other)
    if term is None:
        raise RECORDER.give_up(f"`{operator}`", one)
    sources = one.sources.union(*(each.sources for each in _wholes(other)))
    return Whole(one.term.plus(term, factor), sources)


# What may run while integers are recorded

FUNCTIONS = frozenset((
    "isinstance", "issubclass", "len", "getattr", "setattr", "hasattr", "delattr", "next", "iter", "min",
    "max", "sum", "sorted", "any", "all", "print", "abs", "callable", "repr", "format", "hash", "round",
    "divmod", "anext", "aiter", "vars", "__build_class__", "ascii", "bin", "hex", "oct", "chr", "ord",
))  # fmt: skip
"""Functions of C in `builtins` that treat an integer as Python code would, or call one of its methods."""

CARRIERS = frozenset((
    list, dict, set, frozenset, tuple, str, deque, OrderedDict, defaultdict, object, super, bool,
    types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, types.MappingProxyType,
    contextvars.Context, contextvars.ContextVar, contextvars.Token,
))  # fmt: skip
"""Types of C whose methods pass integers on, compare them, or call one of their methods."""

NUMBERS = (int, float, complex)
"""Types whose methods may be called by names without underscores: what stands for an operator may answer
`NotImplemented`, where that of a number answers a number."""

CALLABLE_TYPES = CARRIERS | {
    *NUMBERS, bytes, bytearray, range, enumerate, zip, map, filter, reversed, slice, property,
    staticmethod, classmethod, datetime.datetime, datetime.timezone, types.SimpleNamespace, type(None),
    functools.partial,
}  # fmt: skip
"""Types of C that may be made of recorded integers, or call one of their methods."""


def _place(module: types.ModuleType) -> str:
    """The file of a module, or the folder of a package."""
    file = Path(module.__file__ or "")
    return str(file.parent) if file.name == "__init__.py" else str(file)


OURS = str(Path(__file__).parent)
TRUSTED = (
    "<string>", "<frozen abc>", "<frozen _collections_abc>", OURS,
    *map(_place, (asyncio, collections, contextlib, dataclasses, enum, functools, logging, types, typing)),
)  # fmt: skip
"""Python code beside the user's that may run while integers are recorded."""


def is_carrier(kind: type) -> bool:
    """Whether a type is known to leave integers alone: of the list, of asyncio, or of a class statement."""
    if kind in CARRIERS or kind.__flags__ & (1 << 9):
        return True
    return kind.__module__ in ("_asyncio", "asyncio") or issubclass(kind, BaseException)


def may_call(function: Any) -> bool:
    """Whether a function of C may run while integers are recorded."""
    owner = getattr(function, "__self__", None) or getattr(function, "__objclass__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        module = getattr(function, "__module__", None) or getattr(owner, "__name__", "")
        return module == "_asyncio" or (module == "builtins" and function.__name__ in FUNCTIONS)
    kind = owner if isinstance(owner, type) else type(owner)
    if kind in NUMBERS:  # Not `int.bit_length`, which wants to have an integer of C.
        is_bound = not isinstance(owner, type) and hasattr(function, "__self__")
        return is_bound and not function.__name__.startswith("__")
    return all(map(is_carrier, kind.__mro__))


class Watching:
    """Refuses functions that may see more of a recorded integer than it tells; for the time of a turn.

    A TypeError that nobody raises comes from an operation on wrong types, which may be right for an integer.
    """

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self.is_users = is_users

    def __enter__(self) -> None:
        if RECORDER.is_on:
            RECORDER.facts, RECORDER.told = Facts(), []
            sys.setprofile(self._see)
            sys.settrace(self._follow)

    def __exit__(self, *_: object) -> None:
        _stop_watching()

    def _see(self, frame: types.FrameType, event: str, argument: Any) -> None:
        place = frame.f_code.co_filename
        is_foreign = event == "call" and not self.is_users(place) and not place.startswith(TRUSTED)
        if is_foreign and self._is_for_user(frame):
            self._refuse(f"it calls `{frame.f_code.co_qualname}`, which may look into recorded integers")
        if event == "c_call" and self.is_users(place) and not may_call(argument):
            self._refuse(f"it calls `{argument.__qualname__}`, which may look into recorded integers")

    def _follow(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "call":
            if not self.is_users(frame.f_code.co_filename):
                return None
            frame.f_trace_lines = False
        if event == "exception" and issubclass(argument[0], TypeError) and not _is_raised(argument[2]):
            self._refuse("it meets a TypeError, which a recorded integer may have caused")
        return self._follow

    def _is_for_user(self, frame: types.FrameType | None) -> bool:
        """Whether it was the user's code that has asked for it, and not what runs that code."""
        while frame is not None:
            place = frame.f_code.co_filename
            if place.startswith(OURS):
                return False
            if self.is_users(place):
                return True
            frame = frame.f_back
        return True

    def _refuse(self, why: str) -> None:
        _stop_watching()
        RECORDER.sources.add(EVERYTHING)
        raise RECORDER.refuse(why)


def _stop_watching() -> None:
    sys.setprofile(None)
    sys.settrace(None)


def _is_raised(trace: types.TracebackType) -> bool:
    """Whether an exception comes from a `raise`, and not from an operation."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    instruction = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    return dis.opname[instruction] in ("RAISE_VARARGS", "RERAISE")


EVERYTHING = "*"
"""Stands among sources for all of them."""
