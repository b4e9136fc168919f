"""Requests of built-in models: no argument is left out silently."""

import pytest

from seriatim.history.built_in import find_model
from seriatim.history.log import Echo
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


@pytest.mark.parametrize(
    ("name", "request_text", "answer"),
    [
        ("register", "cas(1,2)", "null"),
        ("register", "cas(1,2)", "conflict"),
        ("register", "write(1)", "error: disk full"),
        ("register", "write(1)", "false"),
        ("map", "cas(k,1,2)", "null"),
        ("map", "put(k,1)", "timeout"),
        ("counter", "inc", "1"),
        ("counter", "add(1)", "1"),
        ("counter", "read", "many"),
        ("queue", "enqueue(1)", "false"),
        ("set", "add(1)", "true"),
        ("set", "add(1)", "false"),
        ("set", "contains(1)", "maybe"),
        ("bank", "deposit(a,5)", "5"),
        ("bank", "deposit(a,5)", "error"),
        ("bank", "transfer(a,b,1)", "error"),
        ("bank", "balance(a)", "null"),
    ],
)
def test_answers_that_a_model_does_not_know_are_refused(name: str, request_text: str, answer: str) -> None:
    model = find_model(name, None)
    with pytest.raises(Unfit):
        model.answer(model.request(request_text), answer)


@pytest.mark.parametrize(
    ("name", "request_text", "answer", "means"),
    [
        ("register", "cas(1,2)", "fail", "false"),
        ("register", "cas(1,2)", "0", "false"),
        ("register", "cas(1,2)", "ok", "true"),
        ("register", "write(1)", "1", "ok"),
        ("register", "write(1)", "null", "ok"),
        ("map", "put(k,1)", "true", "ok"),
        ("map", "cas(k,1,2)", "True", "true"),
        ("counter", "inc", "ok", "ok"),
        ("queue", "enqueue(7)", "7", "ok"),
        ("bank", "transfer(a,b,1)", "insufficient", "refused"),
    ],
)
def test_answers_mean_what_the_documentation_says(
    name: str, request_text: str, answer: str, means: str
) -> None:
    model = find_model(name, None)
    assert model.answer(model.request(request_text), answer) == means


def test_events_that_repeat_the_value_of_the_request_are_answers() -> None:
    """Jepsen completes `add` of 1 with the value 1: in an event that says nothing about the counter."""
    counter = find_model("counter", None)
    assert counter.answer(counter.request("add(1)"), Echo("1")) == "ok"
    register = find_model("register", None)
    assert register.answer(register.request("cas(1,2)"), Echo("[1,2]")) == "true"
    assert register.answer(register.request("read"), Echo("4")) == "4"


def test_null_is_no_element_of_a_queue() -> None:
    with pytest.raises(Unfit):
        find_model("queue", None).request("enqueue(null)")
