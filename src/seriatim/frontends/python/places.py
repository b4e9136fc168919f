"""The places of the shared state that hold integers: where a turn leaves recorded integers, and how new
ones replace them for the next turn.

After each turn, every recorded integer in a place of the shared state is replaced by a new one that stands
for whatever is in this place. So an integer of the shared state is never the same object as one that a
request keeps: that both came from one value is something that only this run knows. The terms that were in
the places are what the turn has assigned.
"""

import enum
import types
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from seriatim.frontends.python.canonical import SharedState
from seriatim.frontends.python.recording import EVERYTHING, RECORDER, Term, Whole, symbol_term

MOST_VALUES = 4
"""Values of an integer of the first state, after which it is recorded."""

MOST_NUMBERS = 60
"""The same where nothing is recorded: then it grows without bound."""

KEYS = (bool, int, str, bytes, type(None))


@dataclass(frozen=True)
class Place:
    """Where an integer is, by name."""

    name: str
    value: Any
    put: Callable[[Any], None]


@dataclass(frozen=True)
class Recorded:
    """What is recorded: integers of the first state by their places, and what has to be a number."""

    lifted: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    """Places, and parameters by the names of their functions."""
    most_values: int = MOST_VALUES

    def argument(self, function: str, name: str) -> bool:
        """Whether a parameter of a function is recorded."""
        return f"{function}({name})" not in self.pinned and EVERYTHING not in self.pinned


class Places:
    """The places of integers in the shared state of this process."""

    def __init__(self, shared: SharedState, modules: list[types.ModuleType], recorded: Recorded) -> None:
        self.shared, self.modules, self.recorded = shared, modules, recorded
        self.wanted: set[str] = set()
        """Places of the first state that have to be recorded from the beginning."""
        self.values: dict[str, frozenset[int]] = {}
        """The numbers that places of the first state have held, as far as they are not recorded."""
        self.first: dict[str, int] = {}

    def start(self) -> None:
        """Notes the integers of the first state, and lets those that are recorded stand for any."""
        found = list(self.each())
        self.first = {each.name: each.value for each in found if type(each.value) is int}
        self.values = {name: frozenset((value,)) for name, value in self.first.items()}
        for each in found:
            if each.name in self.recorded.lifted:
                each.put(self._fresh(each.name))

    def _fresh(self, name: str) -> Whole:
        made = self.shared.placed[name] = Whole(symbol_term("shared", name), frozenset((name,)))
        return made

    def separate(self) -> tuple[tuple[str, Term], ...]:
        """What a turn has put into places, by name; each place stands for its content from now on."""
        found: dict[str, Term] = {}
        for each in self.each():
            if type(each.value) is Whole:
                if each.name in self.recorded.pinned:
                    raise RECORDER.give_up(f"`{each.name}`", each.value)
                if each.name in self.first and each.name not in self.recorded.lifted:
                    self.wanted.add(each.name)
                    raise RECORDER.refuse(f"`{each.name}` becomes an integer that is not known")
                found[each.name] = each.value.term
                each.put(self._fresh(each.name))
            elif each.name in self.recorded.lifted:
                found[each.name] = Term(each.value)
                each.put(self._fresh(each.name))
            elif each.name in self.first and each.name not in self.recorded.pinned:
                self.values[each.name] = self.values[each.name] | {each.value}
                if len(self.values[each.name]) > self.recorded.most_values:
                    self.wanted.add(each.name)
                    raise RECORDER.refuse(f"the integer `{each.name}` has too many values")
        changed = [(name, term) for name, term in found.items() if term != symbol_term("shared", name)]
        return tuple(sorted(changed, key=repr))

    def each(self) -> Iterator[Place]:
        """The integers in the shared state, with their places."""
        for name, value, put in self._slots():
            if type(value) in (int, Whole):
                yield Place(name, value, put)

    def _slots(self) -> Iterator[tuple[str, Any, Callable[[Any], None]]]:
        for module in self.modules:
            fields = vars(module)
            for name, value in list(fields.items()):
                yield f"{module.__name__}.{name}", value, partial(fields.__setitem__, name)
        for owner, value in list(self.shared.objects.items()):
            yield from self._in_object(owner, value)

    def _in_object(self, owner: str, value: Any) -> Iterator[tuple[str, Any, Callable[[Any], None]]]:
        yield from _items(owner, value)
        if isinstance(value, types.CellType) and not _is_empty(value):
            yield owner, value.cell_contents, partial(setattr, value, "cell_contents")
        if isinstance(value, type):
            if self.shared.seer.is_users_class(value):
                for name, each in list(vars(value).items()):
                    yield f"{owner}.{name}", each, partial(type.__setattr__, value, name)
        elif self.shared.seer.is_users_class(type(value)):
            yield from _fields(owner, value)


def _items(owner: str, value: Any) -> Iterator[tuple[str, Any, Callable[[Any], None]]]:
    """What a dictionary, a list or a deque holds."""
    if isinstance(value, dict):
        for key, each in list(dict.items(value)):
            if type(key) in KEYS or isinstance(key, enum.Enum):
                yield f"{owner}[{key!r}]", each, partial(dict.__setitem__, value, key)
    elif isinstance(value, list):
        for number, each in enumerate(list.__iter__(value)):
            yield f"{owner}[{number}]", each, partial(list.__setitem__, value, number)
    elif isinstance(value, deque):
        for number, each in enumerate(deque.__iter__(value)):
            yield f"{owner}[{number}]", each, partial(deque.__setitem__, value, number)


def _is_empty(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is cell
    except ValueError:
        return True


def _fields(owner: str, value: Any) -> Iterator[tuple[str, Any, Callable[[Any], None]]]:
    """The attributes of an object, wherever Python keeps them."""
    try:
        attributes: Any = object.__getattribute__(value, "__dict__")
    except AttributeError:
        attributes = {}
    for name, each in list(attributes.items()):
        yield f"{owner}.{name}", each, partial(attributes.__setitem__, name)
    for kind in type(value).__mro__:
        for name, descriptor in vars(kind).items():
            if isinstance(descriptor, types.MemberDescriptorType) and kind.__flags__ & (1 << 9):
                try:
                    yield f"{owner}.{name}", descriptor.__get__(value), partial(descriptor.__set__, value)
                except AttributeError:
                    continue
