"""The state is told by what has changed, and nothing that has changed is missed."""

import asyncio
import collections
import types
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from seriatim.frontends.python.looking import GONE, SharedTexts
from seriatim.frontends.python.requests import ModuleField
from seriatim.frontends.python.texts import describe


class Box:
    def __init__(self, value: object) -> None:
        self.value = value


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


def make_world() -> Any:
    return types.SimpleNamespace(
        box=Box([1]),
        slotted=Slotted({"a": 1}),
        nested={"k": [Box(Slotted([1, 2]))]},
        order=collections.OrderedDict(a=1, b=2),
        last=collections.deque([1, 2], maxlen=2),
        words={"x"},
        lock=asyncio.Lock(),
        event=asyncio.Event(),
        queue=asyncio.Queue(),
        array=bytearray(b"ab"),
        counter=collections.Counter("ab"),
        pair=(Box(1), [2]),
        number=1,
    )


CHANGES: list[Callable[[Any], object]] = [
    lambda w: w.box.value.append(2),
    lambda w: setattr(w.box, "value", None),
    lambda w: setattr(w.box, "more", 1),
    lambda w: w.slotted.value.update(b=2),
    lambda w: setattr(w.slotted, "value", 1),
    lambda w: w.nested["k"][0].value.value.append(3),
    lambda w: w.nested.pop("k"),
    lambda w: w.order.pop("a"),
    lambda w: w.last.append(3),
    lambda w: w.words.add("y"),
    lambda w: setattr(w.lock, "_locked", True),
    lambda w: w.event.set(),
    lambda w: w.queue.put_nowait(1),
    lambda w: w.array.append(3),
    lambda w: w.counter.update("a"),
    lambda w: setattr(w.pair[0], "value", 2),
    lambda w: w.pair[1].append(3),
    lambda w: setattr(w, "number", 2),
    lambda w: setattr(w, "fresh", 1),
    lambda w: delattr(w, "number"),
]


def told(world: Any) -> dict[str, str]:
    return {f"self.{name}": describe(value, is_state=True) for name, value in vars(world).items()}


@pytest.mark.parametrize("number", range(len(CHANGES)))
def test_each_change_is_seen(number: int) -> None:
    world = make_world()
    texts = SharedTexts({"self": world})
    assert texts.changes() == {}
    before = told(world)
    CHANGES[number](world)
    after = told(world)
    expected = {name: text for name, text in after.items() if before.get(name) != text}
    assert texts.changes() == expected | dict.fromkeys(before.keys() - after.keys(), GONE)
    assert texts.changes()


def test_random_changes_are_seen() -> None:
    for seed in range(100):
        world, random = make_world(), Random(seed)
        texts, before = SharedTexts({"self": world}), told(world)
        for change in random.sample(CHANGES, 4):
            try:
                change(world)
            except (AttributeError, KeyError, TypeError):
                continue  # An earlier change has taken away what this one needs.
        after = told(world)
        differ = {name for name in before | after if before.get(name) != after.get(name)}
        assert set(texts.changes()) == differ, seed


def test_a_variable_of_a_module_that_is_assigned_again() -> None:
    module = types.ModuleType("service")
    vars(module).update(limit=1, function=len)
    roots = {name: ModuleField(module, name) for name in ("limit", "function")}
    texts = SharedTexts(roots)
    assert texts.initial == {"limit": "1"}
    vars(module).update(limit=2)
    assert texts.changes() == {"limit": "2"}
    assert texts.now() == {"limit": "2"}
