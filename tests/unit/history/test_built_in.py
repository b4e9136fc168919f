"""Requests of built-in models: no argument is left out silently."""

import pytest

from seriatim.history.built_in import find_model
from seriatim.history.model import Unfit


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("register", "write(1,2)"),
        ("register", "cas(1,2,3)"),
        ("register", "write"),
        ("counter", "inc(5)"),
        ("counter", "add(1,2)"),
        ("set", "contains(1,2)"),
        ("set", "add(1,2)"),
        ("queue", "dequeue(1)"),
        ("map", "get(a,b)"),
        ("map", "put(a,1,2)"),
        ("bank", "deposit(a,1,2)"),
    ],
)
def test_too_many_arguments_are_refused(name: str, text: str) -> None:
    with pytest.raises(Unfit):
        find_model(name, None).request(text)


@pytest.mark.parametrize(("name", "text"), [("register", "read(5)"), ("map", "get(a,null)")])
def test_reads_may_have_an_argument_that_says_nothing(name: str, text: str) -> None:
    model = find_model(name, None)
    assert model.spell(model.request(text)) in ("read", "get(a)")
