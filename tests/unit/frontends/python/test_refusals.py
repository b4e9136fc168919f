"""What is not translated is refused: at its line, with a reason, and with something to do about it."""

import pytest

from seriatim.frontends.python.frontend import PythonFrontend
from seriatim.source import Diagnostic, InputError, SourceText

HEAD = "import asyncio\nclass S:\n    def __init__(self):\n        self.x = 0\n        self.d = {'a': 0}\n"


def refusals(text: str, settings: dict[str, str] | None = None) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        PythonFrontend().translate(SourceText("service.py", text), settings or {})
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(
    ("body", "code", "message", "hint"),
    [
        ("await fetch()", "SER925", "`await fetch(…)` is outside of this file", "# ser: opaque -> 0..1"),
        ("notify()", "SER925", "`notify(…)` is not known to leave the state alone", "# ser: ignore"),
        ("with open('f'): pass", "SER923", "(With) is not translated", "async with"),
        ("async for x in rows(): pass", "SER923", "(AsyncFor) is not translated", "range(…)"),
        ("match self.x:\n            case 0: pass", "SER923", "(Match) is not translated", "if and elif"),
        ("y = [i for i in (1, 2)]", "SER923", "(ListComp) is not translated", "# ser: opaque"),
        ("y = self", "SER923", "another name of a part of the state", "not followed"),
        ("y = self.d", "SER923", "another name of a part of the state", "not followed"),
        ("return self.z", "SER923", "self has no attribute `z`", "__init__"),
        ("self.z = 1", "SER923", "no variable of the state", "__init__"),
        ("self.x = self.x / 2", "SER923", "the operator of", "+, -, *"),
        ("self.x = self.x % self.x", "SER923", "divides by something else", "constant"),
        ("for k in self.d: pass", "SER923", "the order of self.d depends on the run", "written out"),
        ("self.x += 1\n        for i in range(self.x): pass", "SER923", "is not known", "constants"),
        ("self.d.update(b=1)", "SER923", "`update` of self.d, a dict, is not translated", "setdefault"),
        ("asyncio.create_task(self.f())", "SER923", "asyncio.create_task", "await the coroutine"),
        ("await asyncio.gather(self.g())", "SER923", "asyncio.gather", "one after the other"),
        ("self.g()", "SER923", "makes a coroutine that is not awaited", "await it"),
        ("await self.f()", "SER923", "`f` calls itself", "loop"),
        ("async with pool.get() as c: pass", "SER925", "is not known", "opaque"),
        ("if y: pass\n        return y", "SER925", "the value of `y` is not known", "parameter"),
        ("eval('1')", "SER925", "`eval(…)`", "# ser: ignore"),
        ("setattr(self, 'x', 1)", "SER925", "`setattr(…)`", "# ser: ignore"),
        ("yield 1", "SER923", "generator", "return"),
        ("lambda z: z", "SER923", "(Lambda) is not translated", "variables"),
        ("pass  # ser: 3..", "SER926", "no mark", "opaque"),
        ("pass  # ser: often", "SER926", "`often` is no mark", "opaque"),
    ],
)
def test_what_is_refused(body: str, code: str, message: str, hint: str) -> None:
    text = f"{HEAD}    async def f(self):\n        {body}\n    async def g(self):\n        return 1\n"
    first = refusals(text)[0]
    assert (first.code, message in first.message, hint in (first.hint or "")) == (code, True, True), first
    assert first.span is not None
    assert first.span.line >= 7


def test_all_refusals_are_told_in_the_order_of_the_text() -> None:
    text = f"{HEAD}    async def f(self):\n        await a()\n        b()\n        return self.z\n"
    assert [(each.code, each.span.line) for each in refusals(text) if each.span] == [
        ("SER925", 7),
        ("SER925", 8),
        ("SER923", 9),
    ]


def test_a_constant_outside_of_a_scope_is_refused() -> None:
    text = (
        f"{HEAD.replace('= 0', '= 0  # ser: 0..1', 1)}    async def f(self):\n        return self.x > 50000\n"
    )
    [found] = refusals(text)
    assert (found.code, "50000, which is outside of the scope 0..1" in found.message) == ("SER928", True)


def test_parameters_without_known_values_are_refused() -> None:
    text = f"{HEAD}    async def f(self, n: int):\n        return n\n"
    [found] = refusals(text)
    assert (found.code, "parameter `n` of `f`" in found.message) == ("SER924", True)


def test_plain_functions_as_routes_are_refused() -> None:
    text = "from fastapi import FastAPI\napp = FastAPI()\n@app.get('/')\ndef f():\n    return 1\n"
    [found] = refusals(text)
    assert "runs it in a thread" in found.message


@pytest.mark.parametrize("name", ["Depends", "BackgroundTasks"])
def test_what_frameworks_run_in_threads_is_refused(name: str) -> None:
    text = (
        f"from fastapi import {name}, FastAPI\napp = FastAPI()\n@app.get('/')\n"
        f"async def f(x: {name} = {name}()):\n    return 1\n"
    )
    [found] = refusals(text)
    assert (found.code, name in found.message) == ("SER923", True)


def test_several_services_are_refused_until_one_is_marked() -> None:
    text = (
        "class A:\n    async def f(self):\n        return 1\nclass B:\n"
        "    async def g(self):\n        return 2\n"
    )
    [found] = refusals(text)
    assert (found.code, "A, B" in found.message) == ("SER922", True)
    marked = text.replace("class B:", "class B:  # ser: service")
    assert PythonFrontend().translate(SourceText("service.py", marked)).content.requests == ("g",)


def test_a_file_without_a_service_is_refused() -> None:
    [found] = refusals("x = 1\n")
    assert found.code == "SER922"


def test_what_is_not_python_is_refused_in_its_line() -> None:
    [found] = refusals("async def f():\n    return (\n")
    assert found.code == "SER921"
    assert found.span is not None


def test_mutable_defaults_are_refused() -> None:
    text = (
        f"{HEAD}    async def f(self):\n        return self._h()\n"
        f"    def _h(self, seen=[]):\n        return 1\n"
    )
    [found] = refusals(text)
    assert "is shared by all calls" in found.message


def test_unknown_decorators_of_helpers_are_refused_until_marked() -> None:
    text = (
        f"{HEAD}    async def f(self):\n        return self._h()\n    @cached\n"
        f"    def _h(self):\n        return 1\n"
    )
    [found] = refusals(text)
    assert (found.code, "`cached`" in found.message) == ("SER925", True)
    marked = text.replace("@cached", "@cached  # ser: ignore")
    assert PythonFrontend().translate(SourceText("service.py", marked)).content.requests == ("f",)
