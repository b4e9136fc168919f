"""Proofs about all integers, from turns with recorded integers: what is recorded, and what is refused."""

import operator
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.python.recorded_comparison import Modelled
from seriatim.frontends.python.recorded_program import recorded_model
from seriatim.frontends.python.recording import RECORDER, Facts, Question, Term, Whole, symbol_term
from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.result import Holds
from seriatim.source import SourceText

START = """
import asyncio
import logging
from typing import Literal

logger = logging.getLogger("bank")


class Bank:
    def __init__(self) -> None:
        self.balance = 3
        self.lock = asyncio.Lock()
        self.stock: dict[str, int] = {"a": 1}
"""

PROVED = {
    "an amount": """
    async def deposit(self, amount: int) -> int:
        async with self.lock:
            before = self.balance
            await asyncio.sleep(0)
            self.balance = before + amount
            return self.balance

    async def read(self) -> int:
        async with self.lock:
            return self.balance
""",
    "a limit": """
    async def withdraw(self, amount: int) -> bool:
        async with self.lock:
            if amount <= 0:
                raise ValueError("not positive")
            if self.balance < amount:
                return False
            await asyncio.sleep(0)
            self.balance -= amount
            return True

    async def deposit(self, amount: int) -> None:
        async with self.lock:
            self.balance += amount
""",
    "an argument that is assigned": """
    async def add(self, amount: int) -> int:
        async with self.lock:
            amount += 1
            if amount > 2:
                amount = 2
            old = self.balance
            await asyncio.sleep(0)
            self.balance = old + amount
            return old
""",
    "kinds": """
    async def move(self, kind: Literal["in", "out"], amount: int, fee: int) -> int:
        async with self.lock:
            old = self.balance
            await asyncio.sleep(0)
            if kind == "in":
                self.balance = old + amount - fee
            else:
                self.balance = old - amount - fee
            return self.balance
""",
    "a retry": """
    async def put(self, n: int) -> int:
        while True:
            seen = self.balance
            await asyncio.sleep(0)
            if self.balance == seen:
                self.balance = seen + n
                return seen
""",
    "an integer or nothing": """
    async def take(self, n: int) -> int | None:
        async with self.lock:
            if n > self.balance:
                return None
            await asyncio.sleep(0)
            self.balance -= n
            return self.balance
""",
    "a counter": """
    async def visit(self) -> int:
        async with self.lock:
            n = self.balance
            await asyncio.sleep(0)
            self.balance = n + 1
            return self.balance
""",
    "a bound by min": """
    async def refill(self, n: int) -> None:
        self.balance = min(10, self.balance + n)

    async def take(self, n: int) -> bool:
        async with self.lock:
            if self.balance >= n:
                self.balance -= n
                await asyncio.sleep(0)
                return True
            return False
""",
    "texts that are only told": """
    async def take(self, n: int) -> str:
        async with self.lock:
            logger.info(f"{n} of {self.balance}")
            if n > self.balance:
                raise ValueError(f"only {self.balance} left")
            await asyncio.sleep(0)
            self.balance -= n
            return f"{self.balance} left"
""",
    "values of a dictionary": """
    async def move(self, n: int) -> int:
        async with self.lock:
            self.stock["b"] = self.stock.get("b", 0) + n
            await asyncio.sleep(0)
            self.stock["a"] -= n
            return sum(self.stock.values())
""",
}


def seen_of(folder: Path, methods: str, start: str = START) -> ServiceRuns:
    file = folder / "bank.py"
    file.write_text(start + methods)
    (found,) = run_file(SourceText(str(file), start + methods), most_requests=2).services
    return found


@pytest.mark.parametrize("methods", PROVED.values(), ids=PROVED)
def test_it_is_proved_for_all_integers(methods: str, tmp_path: Path) -> None:
    seen = seen_of(tmp_path, methods)
    assert seen.recorded is not None, seen.why_numbers or seen.why_open
    assert seen.is_whole_for_all
    model = recorded_model([seen.recorded], [seen.sees_state])
    assert isinstance(decide(model.program, Options()).answer, Holds)


def test_requests_are_named_after_their_parameters(tmp_path: Path) -> None:
    seen = seen_of(tmp_path, PROVED["kinds"])
    assert seen.recorded is not None
    program = recorded_model([seen.recorded], [False]).program
    assert [each.name for each in program.unbounded_handlers] == [
        "move('in', amount, fee)",
        "move('out', amount, fee)",
    ]
    assert {"move('in', 2, 1)", "move('out', 2, 1)"} <= set(program.requests)


# What cannot be recorded becomes a number again

NUMBERS = {
    "an index": "names = ['a', 'b', 'c']; x = names[n % 3]",
    "a key": "self.stock[n] = 1",
    "a text that is compared": "x = f'{n}' == '5'",
    "digits": "x = len(str(n))",
    "a text in a text": "logger.info(f'{len(f'{n}')}')".replace("f'{n}'", 'f"{n}"'),
    "a text by a percent sign in a text": "logger.info(f'{1 if (chr(37) + chr(100)) % n == str() else 2}')",
    "a text of a helper": "x = self._text(n) == '5'",
    "a text of a task": "x = await asyncio.create_task(self._later(n)) == '5'",
    "a rounded text": "logger.info(f'{n:03d}')",
    "how often": "x = [0 for _ in range(n)]",
    "division": "x = n // 2",
    "a product": "x = n * n",
    "bits": "x = n & 1",
    "a fraction": "x = n * 0.5",
    "a fraction that it is compared with": "x = n < 0.5",
    "a set": "x = n in {1, 2}",
    "a percent sign": "x = '%d' % n",
    "a slice": "x = 'abc'[:n]",
    "repetition": "x = [1] * n",
}

REFUSED = {
    "JSON": "import json; x = json.dumps(n)",
    "a copy": "import copy; x = copy.copy(n)",
    "a function of C": "import math; x = math.gcd(n, 2)",
    "its type": "x = type(n) is int",
    "what is the same": "x = n is self.balance",
    "bytes": "import struct; x = struct.pack('q', n)",
}


@pytest.mark.parametrize("code", NUMBERS.values(), ids=NUMBERS)
def test_what_is_needed_as_a_number_is_one(code: str, tmp_path: Path) -> None:
    methods = f"""
    async def put(self, n: int, other: int) -> int:
        async with self.lock:
            {code}
            old = self.balance
            await asyncio.sleep(0)
            self.balance = old + other
            return old

    def _text(self, n: int) -> str:
        return f"{{n}}"

    async def _later(self, n: int) -> str:
        return f"{{n}}"
"""
    seen = seen_of(tmp_path, methods)
    assert seen.recorded is not None, seen.why_numbers
    assert {each.parameters for each in seen.recorded.requests} == {("other",)}


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_what_may_look_into_integers_is_refused(code: str, tmp_path: Path) -> None:
    methods = f"""
    async def put(self, n: int) -> int:
        async with self.lock:
            {code}
            self.balance = (self.balance + 1) % 3
            await asyncio.sleep(0)
            return self.balance
"""
    seen = seen_of(tmp_path, methods)
    assert seen.recorded is None
    assert seen.why_numbers


def test_types_of_c_that_check_for_integers_are_refused(tmp_path: Path) -> None:
    methods = """
    async def put(self, n: int) -> int:
        try:
            timedelta(n)
        except TypeError:
            return 1
        await asyncio.sleep(0)
        return 0
"""
    seen = seen_of(tmp_path, methods, f"from datetime import timedelta\n{START}")
    assert seen.recorded is None
    assert "timedelta" in seen.why_numbers


STRANGE = {
    "an iterable": "not isinstance(n, Iterable)",
    "a length": "not hasattr(n, '__len__')",
    "a field": "not hasattr(n, 'term')",
    "its documentation": "n.__doc__ == int.__doc__",
    "an operator's method": "n.__eq__(None)",
    "a method that is handed on": "n not in list(filter((5000).__lt__, (n,)))",
    "a function that is handed on": "all(map(same, (n - n,), (0,)))",
    "a width": "fits(lambda: '%*d' % (n % 7, 5))",
    "a third number": "fits(lambda: pow(2, 3, abs(n) + 1))",
    "a method of all integers": "fits(lambda: int.bit_length(n))",
    "how it is called": "not fits(lambda: n())",
    "what is logged": "log(n) and HEARD.is_digits",
    "what is printed": "tell(n) and HEARD.is_digits",
}
"""Tests that are true of every integer."""

STRANGE_START = """
import asyncio
import logging
from collections.abc import Iterable


class Hearing(logging.Handler):
    is_digits = False

    def emit(self, record):
        self.is_digits = record.getMessage().isdigit()

    def write(self, text):
        self.is_digits = self.is_digits or text.isdigit()


HEARD = Hearing()
LOGGER = logging.getLogger("heard")
LOGGER.addHandler(HEARD)


def log(n):
    LOGGER.warning(f"{n}")
    return True


def tell(n):
    print(f"{n}", file=HEARD)
    return True


def fits(compute):
    try:
        compute()
    except TypeError:
        return False
    return True


class Bank:
    def __init__(self) -> None:
        self.balance = 0
        self.kept = None
"""


PAYING = """
    async def pay(self, n: int) -> int:
        if {test} and n + 1 == 1001:
            old = self.balance
            await asyncio.sleep(0)
            self.balance = old + n
            return self.balance
        self.balance += n
        return self.balance
"""


def proves_any(seen: ServiceRuns, parameter: str) -> bool:
    """Whether it is proved that requests are serializable for all integers of this name."""
    if seen.race is not None or seen.recorded is None:
        return False
    if not any(parameter in each.parameters for each in seen.recorded.requests):
        return False
    return isinstance(
        decide(recorded_model([seen.recorded], [seen.sees_state]).program, Options()).answer, Holds
    )


@pytest.mark.parametrize("test", STRANGE.values(), ids=STRANGE)
def test_code_that_may_tell_recorded_integers_from_others_is_not_proved(test: str, tmp_path: Path) -> None:
    """Two requests with 1000 lose an update, which no run with other numbers shows."""
    start = STRANGE_START if "same" not in test else f"from operator import is_ as same\n{STRANGE_START}"
    assert not proves_any(seen_of(tmp_path, PAYING.format(test=test), start), "n")


def test_what_tells_nothing_is_proved(tmp_path: Path) -> None:
    assert proves_any(seen_of(tmp_path, PAYING.format(test="n > n"), STRANGE_START), "n")


COPIES = {
    "a tuple": ("(self.balance, 'audited')", "[0]"),
    "an exception": ("ValueError(self.balance)", ".args[0]"),
    "a namespace": ("SimpleNamespace(balance=self.balance)", ".balance"),
    "a call for later": ("partial(abs, self.balance)", "()"),
}


@pytest.mark.parametrize(("kept", "found"), COPIES.values(), ids=COPIES)
def test_a_copy_of_a_place_is_not_what_is_there_now(kept: str, found: str, tmp_path: Path) -> None:
    """Two `close` lose an update once the balance is 1000 more than what was kept."""
    methods = f"""
    async def audit(self) -> None:
        self.kept = {kept}

    async def pay(self, n: int) -> None:
        if n > 0:
            self.balance += n

    async def close(self) -> int:
        if self.kept is not None and self.balance - self.kept{found} == 1000:
            old = self.balance
            await asyncio.sleep(0)
            self.balance = old + 1
            return old
        return -1
"""
    start = f"from functools import partial\nfrom types import SimpleNamespace\n{STRANGE_START}"
    assert not proves_any(seen_of(tmp_path, methods, start), "n")


LOOKED_AT = {
    "by name": "except ValueError as error:\n                return str(error) == 'no 5'",
    "as a result": "except KeyError:\n                pass",
}


@pytest.mark.parametrize("how", LOOKED_AT, ids=LOOKED_AT)
def test_what_exceptions_say_is_known_where_code_looks(how: str, tmp_path: Path) -> None:
    methods = f"""
    async def put(self, n: int) -> bool:
        async with self.lock:
            try:
                found = await asyncio.gather(self._check(n), return_exceptions={how == "as a result"})
                return str(found[0]) == "no 5"
            {LOOKED_AT[how]}

    async def _check(self, n: int) -> None:
        raise ValueError(f"no {{n}}")
"""
    seen = seen_of(tmp_path, methods)
    assert seen.race is None
    assert seen.recorded is None or all(not each.parameters for each in seen.recorded.requests)


def test_a_race_stays_a_race(tmp_path: Path) -> None:
    seen = seen_of(tmp_path, PROVED["a counter"].replace("async with self.lock", "if True"))
    assert seen.race is not None


HIDDEN = """
    async def put(self, n: int) -> {kind}:
        if 3 * n {test}:
            old = self.balance
            await asyncio.sleep(0)
            self.balance = old + n
        else:
            self.balance += n
        return {answer}
"""


@pytest.mark.parametrize("answer", ["self.balance", "None"])
@pytest.mark.parametrize("test", ["== 300", "> 3000", "< -70"])
def test_a_race_with_integers_that_only_a_test_tells_is_one(test: str, answer: str, tmp_path: Path) -> None:
    """No argument that is tried at first leads there; the final state counts where answers say nothing."""
    kind = "int" if answer != "None" else "None"
    seen = seen_of(tmp_path, HIDDEN.format(kind=kind, test=test, answer=answer))
    assert seen.race is not None
    assert seen.recorded is None
    assert seen.system is None
    assert set(seen.race.run.requests) <= set(seen.requests)
    assert seen.race.sees_state == (answer == "None")
    values = [int(each.removeprefix("put(").removesuffix(")")) for each in seen.race.run.requests]
    assert any(eval(f"3 * {value} {test}") for value in values)
    assert set(seen.race.run.answers) <= {str(3 + one) for one in (*values, sum(values))} | {"None"}


def test_requests_that_only_race_with_others_are_found_by_the_program(tmp_path: Path) -> None:
    """Two of put(100) take turns, but any other request may come between."""
    hidden = HIDDEN.format(kind="int", test="== 300", answer="self.balance")
    inside = """            async with self.lock:
                old = self.balance
                await asyncio.sleep(0)
                self.balance = old + n
"""
    before = hidden.index("            old"), hidden.index("        else")
    seen = seen_of(tmp_path, hidden[: before[0]] + inside + hidden[before[1] :])
    assert seen.race is not None
    assert len(set(seen.race.run.requests)) == 2
    assert "put(100)" in seen.race.run.requests


SWITCH = """
class Switch:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.on = False

    async def flip(self) -> int:
        async with self.lock:
            old = self.on
            await asyncio.sleep(0)
            self.on = not old
            return {answer}
"""


@pytest.mark.parametrize(
    ("answer", "is_recorded"), [("self.on", True), ("len(textwrap.dedent(str(self.on)))", False)]
)
def test_services_of_a_file_have_systems_of_one_kind(answer: str, is_recorded: bool, tmp_path: Path) -> None:
    """One has integers, and the other one can be recorded as well; else both are about what was tried."""
    counts = """
class Count:
    def __init__(self) -> None:
        self.last = 0

    async def put(self, n: int) -> int:
        self.last = n
        return self.last
"""
    text = "import asyncio\nimport textwrap\n" + counts + SWITCH.format(answer=answer)
    (tmp_path / "two.py").write_text(text)
    found = run_file(SourceText(str(tmp_path / "two.py"), text), most_requests=2).services
    assert [each.race for each in found] == [None, None]
    assert [(each.recorded is not None, each.system is not None) for each in found] == [
        (is_recorded, not is_recorded)
    ] * 2
    assert [each.why_numbers != "" for each in found if each.name == "Count"] == [not is_recorded]


def test_a_race_with_other_integers_has_a_certificate(tmp_path: Path) -> None:
    file, proof = tmp_path / "bank.py", str(tmp_path / "race.json")
    file.write_text(START + HIDDEN.format(kind="int", test="== 300", answer="self.balance"))
    shown = CliRunner().invoke(main, ["check", str(file), "--certificate", proof])
    assert shown.exit_code == 1
    assert "put(100)" in shown.stdout
    assert "This run was seen" in shown.stdout
    verified = CliRunner().invoke(main, ["verify", proof, str(file)])
    assert (verified.exit_code, "valid" in verified.stdout) == (0, True)
    replayed = CliRunner().invoke(main, ["replay", proof, str(file)])
    assert (replayed.exit_code, "put(100): answered 103" in replayed.stdout) == (0, True)


# Integers that come from one value are not the same

SHARED = """
    async def keep(self, n: int) -> int:
        seen = self.balance
        await asyncio.sleep(0)
        found = 1 if seen == self.balance else 0
        self.balance = n
        return found
"""


def test_a_value_that_was_read_is_not_the_value_that_is_there(tmp_path: Path) -> None:
    """What a request has read, and what it reads later, came from one object in the first runs."""
    seen = seen_of(tmp_path, SHARED)
    if seen.recorded is not None:
        model = Modelled(seen.recorded)
        together = model.outcomes([(0, (7,)), (0, (8,))], one_at_a_time=False)
        assert ("0/0", "0/1") in together
    else:
        assert seen.race is not None


# Against plain numbers

SYMBOLS = [("own", 0), ("own", 1), ("shared", "self.x")]


def value_of(term: Term, values: dict[Any, int]) -> int:
    total = term.number
    for symbol, count in term.parts:
        total += count * (value_of(symbol[1], values) % symbol[2] if symbol[0] == "mod" else values[symbol])
    return total


def random_term(random: Random) -> Term:
    found = Term(random.randint(-4, 4))
    for symbol in SYMBOLS:
        found = found.plus(symbol_term(*symbol), random.randint(-3, 3))
    return found


@pytest.mark.parametrize("seed", range(30))
def test_facts_answer_as_numbers_do(seed: int) -> None:
    """Whether it chooses or knows, each answer is the one that the numbers give."""
    random = Random(seed)
    tests = [Question(random.random() < 0.6, random_term(random)) for _ in range(40)]
    tests += [Question(each.is_order, each.term.times(random.choice((-1, 2)))) for each in tests]
    random.shuffle(tests)
    asked = 0
    for _ in range(20):
        values: dict[Any, int] = {symbol: random.randint(-3, 3) for symbol in SYMBOLS}
        facts = Facts()
        for test in tests:
            value = value_of(test.term, values)
            truth = value <= 0 if test.is_order else value == 0

            def choose(truth: bool = truth) -> bool:
                nonlocal asked
                asked += 1
                return truth

            assert facts.answer(test, choose) == truth
    assert asked < 20 * len(tests)


OPERATIONS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    lambda one, other: other - one,
    lambda one, _: -one,
    lambda one, _: one * 3,
    lambda one, _: -2 * one,
    lambda one, _: one % 5,
    lambda one, other: one if one < other else other,
    lambda one, other: one if one == other else one + 1,
    lambda one, other: max(one, other, 0),
    lambda one, other: min(one, other),
    lambda one, _: abs(one),
    lambda one, other: 1 + one if one >= 2 and other != 1 else one - 7,
    lambda one, other: sum([one, other, 1]),
    lambda one, _: one if one else 5,
]


@pytest.mark.parametrize("seed", range(60))
def test_recorded_integers_compute_as_numbers_do(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    values: dict[Any, int] = {symbol: random.randint(-9, 9) for symbol in SYMBOLS}

    def decide_as_numbers(test: Question) -> bool:
        value = value_of(test.term, values)
        return value <= 0 if test.is_order else value == 0

    monkeypatch.setattr(RECORDER, "decide", decide_as_numbers)
    monkeypatch.setattr(RECORDER, "facts", Facts())
    plain: list[Any] = [values[symbol] for symbol in SYMBOLS] + [2]
    recorded: list[Any] = [Whole(symbol_term(*symbol), frozenset()) for symbol in SYMBOLS] + [2]
    for _ in range(12):
        operation = random.choice(OPERATIONS)
        one, other = random.randrange(len(plain)), random.randrange(len(plain))
        plain.append(operation(plain[one], plain[other]))
        recorded.append(operation(recorded[one], recorded[other]))
        last = recorded[-1]
        assert (value_of(last.term, values) if type(last) is Whole else last) == plain[-1]


# Against all runs, with plain numbers

PAUSE = "await pause()"


def random_service(random: Random) -> str:
    """A class with two methods of random statements about two integers and an argument."""
    lines = ["class S:", "    def __init__(self):", "        self.x, self.y, self.busy = 1, 0, False"]
    for name in ("a", "b"):
        lines.append(f"    async def {name}(self, n: int):")
        guarded = random.random() < 0.4
        if guarded:
            lines += ["        while self.busy:", f"            {PAUSE}", "        self.busy = True"]
        lines.append("        t = 0")
        for _ in range(random.randint(2, 4)):
            lines += random_statement(random, 8)
        if guarded:
            lines.append("        self.busy = False")
        lines.append(f"        return {random_expression(random)}")
    return "\n".join(lines) + "\n"


def random_expression(random: Random) -> str:
    one, other = random.choices(["self.x", "self.y", "t", "n", "1", "2"], k=2)
    return random.choice([one, f"{one} + {other}", f"{one} - {other}", f"({one}) % 3", f"2 * {one}"])


def random_statement(random: Random, indent: int) -> Iterator[str]:
    space = " " * indent
    kind = random.randrange(5)
    if kind == 0:
        yield f"{space}{PAUSE}"
    elif kind == 1 and indent < 16:
        test = random.choice(["<", "<=", "==", "!=", ">"])
        yield f"{space}if {random_expression(random)} {test} {random_expression(random)}:"
        yield from random_statement(random, indent + 4)
        if random.random() < 0.5:
            yield f"{space}else:"
            yield from random_statement(random, indent + 4)
    elif kind == 2:
        yield f"{space}t = {random_expression(random)}"
    else:
        yield f"{space}self.{random.choice('xy')} = {random_expression(random)}"


class Pause:
    def __await__(self) -> Iterator[None]:
        yield


def real_outcomes(text: str, members: list[tuple[str, int]]) -> set[tuple[str, ...]]:
    """The answers in all interleavings at pauses, by running the code again for each."""
    names: dict[str, Any] = {"pause": Pause}
    exec(text, names)
    found: set[tuple[str, ...]] = set()
    stack: list[tuple[int, ...]] = [()]
    while stack:
        prefix = stack.pop()
        service = names["S"]()
        flight = [getattr(service, name)(n) for name, n in members]
        answers: dict[int, str] = {}
        for number in prefix:
            try:
                flight[number].send(None)
            except StopIteration as ended:
                answers[number] = f"{members[number][0]}/{ended.value}"
        for each in flight:
            each.close()
        if len(answers) == len(members):
            found.add(tuple(sorted(answers.values())))
        elif len(prefix) < 12:
            stack += [(*prefix, number) for number in range(len(members)) if number not in answers]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_programs_answer_as_the_code_does(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    text = random_service(random)
    real = "import asyncio\n" + text.replace(PAUSE, "await asyncio.sleep(0)")
    (tmp_path / "s.py").write_text(real)
    (seen,) = run_file(SourceText(str(tmp_path / "s.py"), real), most_requests=2).services
    if seen.recorded is None:
        assert seen.race is not None, seen.why_numbers or seen.why_open
        return
    model = Modelled(seen.recorded)
    places = {each.label.partition("(")[0]: number for number, each in enumerate(seen.recorded.requests)}
    for _ in range(12):
        members = [(random.choice("ab"), random.randint(-3, 3)) for _ in range(2)]
        mine = model.outcomes([(places[name], (n,)) for name, n in members], one_at_a_time=False)
        told = {tuple(sorted(f"{'ab'[int(each[0])]}{each[1:]}" for each in group)) for group in mine}
        assert told == real_outcomes(text, members)
