"""Queues that are filled at the start: what they hold is what the real ones hold."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.python.analysis import state_expressions
from seriatim.frontends.python.child import Company
from seriatim.frontends.python.choices import Choices
from seriatim.frontends.python.handlers import cells
from seriatim.frontends.python.replayer import task
from seriatim.source import Diagnostic, InputError
from testkit.generators.services import analysed, model_outcomes, multisets, real_outcomes

QUERY = (
    "    async def query(self):\n        c = await self.q.get()\n        await asyncio.sleep(0)\n"
    "        self.q.put_nowait(c)\n        return c\n"
)


def of_class(*lines: str, size: str = "size=2") -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"import asyncio\nSIZE = 2\nclass Pool:\n    def __init__(self, {size}):\n{body}{QUERY}"


def of_module(*lines: str) -> str:
    query = "".join(line[4:] for line in QUERY.replace("self.q", "q").replace("self", "").splitlines(True))
    return "import asyncio\n" + "".join(f"{line}\n" for line in lines) + query


FILLED = {
    "range": of_class("self.q = asyncio.Queue(3)", "for i in range(3):", "    self.q.put_nowait(i)"),
    "part": of_class("self.q = asyncio.Queue(3)", "for i in range(5, 1, -2):", "    self.q.put_nowait(i)"),
    "one by one": of_class("self.q = asyncio.Queue(2)", "self.q.put_nowait('a')", "self.q.put_nowait(None)"),
    "default": of_class("self.q = asyncio.Queue(size)", "for i in range(size):", "    self.q.put_nowait(i)"),
    "attribute": of_class(
        "self.n = size", "self.q = asyncio.Queue(maxsize=self.n)", "for i in range(self.n):",
        "    self.q.put_nowait(i)",
    ),
    "constant": of_class("self.q = asyncio.Queue(SIZE)", "for i in (1, SIZE):", "    self.q.put_nowait(i)"),
    "no size": of_class(
        "self.q = asyncio.Queue()  # ser: at most 3", "for i in [7, 8]:", "    self.q.put_nowait(i)"
    ),
    "last first": of_class("self.q = asyncio.LifoQueue(3)", "for i in range(2):", "    self.q.put_nowait(i)"),
    "replaced": of_class(
        "self.q = asyncio.Queue(2)", "self.q.put_nowait(1)", "self.q = asyncio.Queue(2)",
        "self.q.put_nowait(2)",
    ),
    "nested": of_class(
        "self.q = asyncio.Queue(4)", "for i in (1, 2):", "    for j in range(i):",
        "        self.q.put_nowait(j)",
        "        pass", "self.q.put_nowait(i)",
    ),
    "module": of_module("q = asyncio.Queue(2)", "for i in range(2):", "    q.put_nowait(i)"),
    "module, last first": of_module("q = asyncio.LifoQueue()  # ser: at most 2", "q.put_nowait('a')"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILLED)
def test_a_queue_starts_with_what_the_real_one_has(name: str) -> None:
    source, analysis, program = analysed(FILLED[name])
    [request] = [each.name for each in analysis.lowered.requests]
    company = Company(task(analysis, source, [request]))
    performance = company.performance(Choices())
    variables = cells(analysis.service)
    shown = [performance.look(each) for each in state_expressions(analysis, tuple(c.name for c in variables))]
    performance.close()
    names = analysis.atoms.names()
    assert shown == [names.get(cell.initial, str(cell.initial)) for cell in variables]
    for requests in multisets(program, 2):
        real, is_all = real_outcomes(analysis, source, requests)
        modelled = model_outcomes(analysis, program, requests)
        assert is_all
        assert real == modelled
        serial, _ = real_outcomes(analysis, source, requests, is_serial=True)
        assert model_outcomes(analysis, program, requests, is_serial=True) == serial


def refusals(text: str) -> list[Diagnostic]:
    with pytest.raises(InputError) as raised:
        analysed(text)
    return list(raised.value.diagnostics)


REFUSED = {
    "too many": (
        of_class("self.q = asyncio.Queue(2)", "for i in range(3):", "    self.q.put_nowait(i)"),
        (7, "SER928", "a larger maxsize"),
    ),
    "too many for the mark": (
        of_module("q = asyncio.Queue()  # ser: at most 1", "q.put_nowait(0)", "q.put_nowait(1)"),
        (4, "SER928", "# ser: at most 2"),
    ),
    "objects": (
        of_class("self.q = asyncio.Queue(2)", "for i in range(2):", "    self.q.put_nowait(connect())"),
        (7, "SER923", "put numbers into it"),
    ),
    "objects, ignored": (
        of_class("self.q = asyncio.Queue(2)", "self.q.put_nowait(connect())  # ser: ignore"),
        (6, "SER923", "put numbers into it"),
    ),
    "unknown range": (
        of_class("self.q = asyncio.Queue(2)", "for i in range(n):", "    self.q.put_nowait(i)", size="n"),
        (6, "SER923", "a default"),
    ),
    "no step": (
        of_class("self.q = asyncio.Queue(2)", "for i in range(1, 2, 0):", "    self.q.put_nowait(i)"),
        (6, "SER923", "write range(3)"),
    ),
    "long range": (
        of_class("self.q = asyncio.Queue(2)", "for i in range(99):", "    self.q.put_nowait(i)"),
        (6, "SER924", "range(2)"),
    ),
    "condition": (
        of_class("self.q = asyncio.Queue(2)", "if SIZE:", "    self.q.put_nowait(1)"),
        (6, "SER923", "self.pool.put_nowait(i)"),
    ),
    "condition in the module": (
        of_module("q = asyncio.Queue(2)", "if not q.full():", "    q.put_nowait(1)"),
        (3, "SER923", "pool.put_nowait(i)"),
    ),
    "in the class": (
        f"import asyncio\nclass Pool:\n    q = asyncio.Queue(2)\n    q.put_nowait(1)\n{QUERY}",
        (4, "SER923", "in __init__"),
    ),
    "a variable of the loop that is used": (
        of_module("c = 1", "q = asyncio.Queue(2)", "for d in range(2):", "    q.put_nowait(d)")
        + "d = 3\nasync def f():\n    return d\n",
        (4, "SER923", "in one place"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_whatever_else_fills_a_queue_is_refused(name: str) -> None:
    text, (line, code, hint) = REFUSED[name]
    [found] = refusals(text)
    assert found.span is not None
    assert (found.span.line, found.code) == (line, code)
    assert hint in (found.hint or "")


@pytest.mark.parametrize(
    "changed",
    ["if True:\n    limit = 2\n", "limit += 1\n", "limit, other = 2, 3\n", "for limit in (1, 2): pass\n"],
)
def test_a_variable_that_gets_another_value_at_the_start_is_refused(changed: str) -> None:
    [found] = refusals(f"limit = 1\n{changed}async def f():\n    return limit\n")
    assert "another value" in found.message
    assert found.span is not None
    assert found.span.line == 2


def test_a_constant_with_two_values_is_not_known() -> None:
    found = refusals(of_module("N = 1", "N = 2", "q = asyncio.Queue(N)"))
    assert found[0].span is not None
    assert found[0].span.line == 4


RETURNED = """import asyncio
class Pool:
    def __init__(self):
        self.free = asyncio.Queue(2)
        for number in range(2):
            self.free.put_nowait(number)
    async def query(self):
        connection = await self.free.get()
        try:
            await execute(connection)  # ser: opaque raises TimeoutError
        except TimeoutError:
            self.free.put_nowait(connection)
            return "late"
        finally:
            self.free.put_nowait(connection)
        return "done"
"""


def test_a_connection_that_is_put_back_twice_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "pool.py"
    path.write_text(RETURNED)
    race = CliRunner().invoke(main, ["check", str(path)])
    shown = " ".join(race.output.split())
    assert race.exit_code == 1
    assert "the real code gives the same answers, and none of its one-at-a-time orders does" in shown
    path.write_text(RETURNED.replace("            self.free.put_nowait(connection)\n", "", 1))
    fixed = CliRunner().invoke(main, ["check", str(path)])
    assert fixed.exit_code == 0, fixed.output
