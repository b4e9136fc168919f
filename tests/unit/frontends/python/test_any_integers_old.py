"""Parameters `amount: int` without a scope: any integer, where a proof is about all of them."""

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.python.frontend import translate
from seriatim.program.semantics import Configuration, big_steps, initial_store, response, store
from seriatim.program.syntax import Expression, Program
from seriatim.result import Holds, Violated
from seriatim.source import InputError, SourceText

START = """
import asyncio
from typing import Literal

class Bank:
    def __init__(self) -> None:
        self.balance = 3
        self.lock = asyncio.Lock()
        self.stock: dict[str, int] = {"a": 1}
"""
DEPOSIT = """
    async def deposit(self, amount: int) -> int:
        async with self.lock:
            before = self.balance
            await asyncio.sleep(0)
            self.balance = before + amount
            return self.balance

    async def read(self) -> int:
        async with self.lock:
            return self.balance
"""
ASSIGNED = """
    async def add(self, amount: int = 1) -> int:
        async with self.lock:
            amount += 1
            if amount > 2:
                amount = 2
            old = self.balance
            await asyncio.sleep(0)
            self.balance = old + amount
            return old
"""
KINDS = """
    async def move(self, kind: Literal["in", "out"], amount: int, fee: int) -> int:
        async with self.lock:
            old = self.balance
            await asyncio.sleep(0)
            if kind == "in":
                self.balance = old + amount - fee
            else:
                self.balance = old - amount - fee
            return self.balance
"""
RETRY = """
    async def put(self, n: int) -> int:
        while True:
            seen = self.balance
            await asyncio.sleep(0)
            if self.balance == seen:
                self.balance = seen + n
                return seen
"""
PROVED = {"deposit": DEPOSIT, "assigned": ASSIGNED, "kinds": KINDS, "retry": RETRY}
LOST = DEPOSIT.replace("async with self.lock:\n            before", "if True:\n            before")


def model(methods: str) -> Program:
    found = translate(SourceText("bank.py", START + methods)).content
    assert isinstance(found, Program)
    return found


@pytest.mark.parametrize("methods", PROVED.values(), ids=PROVED)
def test_it_is_proved_for_all_integers(methods: str) -> None:
    program = model(methods)
    assert program.unbounded_handlers
    found = decide(program, Options()).answer
    assert isinstance(found, Holds)
    assert found.certificate.evidence.kind in ("simulation", "symbolic-reduction")


def test_a_race_is_found_with_some_integer() -> None:
    assert isinstance(decide(model(LOST), Options()).answer, Violated)


def test_requests_are_named_after_their_parameters() -> None:
    assert [each.name for each in model(DEPOSIT).unbounded_handlers] == ["deposit(amount)", "read"]
    assert [each.name for each in model(KINDS).unbounded_handlers] == [
        "move('in', amount, fee)",
        "move('out', amount, fee)",
    ]


def alone(code: Expression, own: dict[str, int], balance: int, program: Program) -> set[tuple[object, ...]]:
    """All that a request can answer and leave behind, from some balance."""
    globals_ = dict(initial_store(program)) | {"self.balance": balance}
    pending = [Configuration(code, store(own), store(globals_))]
    found: set[tuple[object, ...]] = set()
    while pending:
        now = pending.pop()
        if (answer := response(now.expression)) is not None:
            found.add((answer, now.globals))
            continue
        pending += big_steps(now, 1_000)
    return found


@pytest.mark.parametrize("methods", PROVED.values(), ids=PROVED)
def test_examples_do_what_the_code_for_all_integers_does(methods: str) -> None:
    program = model(methods)
    for handler in program.handlers:
        function, _, rest = handler.name.partition("(")
        given = [part for part in rest.removesuffix(")").split(", ") if part]
        (fitting,) = (
            each
            for each in program.unbounded_handlers
            if each.name.partition("(")[0] == function
            and all(part in each.name for part in given if part.startswith("'"))
        )
        values = [int(part) for part in given if not part.startswith("'")]
        own = dict(zip(fitting.parameters, values, strict=True))
        for balance in (-2, 0, 3):
            assert alone(handler.body, {}, balance, program) == alone(fitting.body, own, balance, program)


def test_examples_are_few() -> None:
    assert [each.name for each in model(RETRY).handlers] == [f"put({n})" for n in range(-1, 4)]
    assert "move('in', 2, 0)" in model(KINDS).requests


def test_the_report_tells_examples_from_all() -> None:
    report = dict(translate(SourceText("bank.py", START + DEPOSIT)).scope_report)
    assert report["line 11: deposit(amount)"] == "request with any integers; those with numbers are examples"
    assert report["line 11: deposit(2)"] == "request"


def test_an_integer_that_nobody_looks_at_is_not_opened() -> None:
    """So that such services are decided by all methods, as before."""
    methods = """
    async def get(self, user: int) -> int:
        print(user)
        async with self.lock:
            return self.balance
"""
    program = model(methods)
    assert not program.unbounded_handlers
    assert program.requests == ("get",)


def refused(methods: str) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as caught:
        model(methods)
    return [(each.code, each.message) for each in caught.value.diagnostics]


def test_a_key_needs_a_scope() -> None:
    methods = """
    async def take(self, item: int) -> int:
        self.stock[item] -= 1
        return self.stock[item]
"""
    message = "the parameter `item` is not known to have finitely many values"
    assert set(refused(methods)) == {("SER924", message)}


def test_an_answer_that_is_an_integer_or_something_else_needs_bounds() -> None:
    methods = """
    async def take(self, n: int) -> int | None:
        if n > self.balance:
            return None
        self.balance -= n
        return self.balance
"""
    message = "in `return self.balance`, integers without bounds meet other values"
    assert refused(methods) == [("SER924", message)]
