"""What is not translated is refused: at its line, with a reason, and with something to do about it."""

import pytest

from seriatim.frontends.python.frontend import translate
from seriatim.program.syntax import Program
from seriatim.source import Diagnostic, InputError, SourceText

HEAD = "import asyncio\nclass S:\n    def __init__(self):\n        self.x = 0\n        self.d = {'a': 0}\n"


def refusals(text: str, settings: dict[str, str] | None = None) -> list[Diagnostic]:
    with pytest.raises(InputError) as caught:
        translate(SourceText("service.py", text), settings or {})
    return list(caught.value.diagnostics)


@pytest.mark.parametrize(
    ("body", "code", "message", "hint"),
    [
        ("await fetch()", "SER925", "`await fetch(…)` is outside of this file", "# ser: opaque -> 0..1"),
        ("notify()", "SER925", "`notify(…)` is not known to leave the state alone", "# ser: ignore"),
        ("with open('f'): pass", "SER925", "`with open('f')` is not known", "# ser: opaque"),
        ("async for x in rows(): pass", "SER923", "(AsyncFor) is not translated", "range(…)"),
        ("match self.x:\n            case 0: pass", "SER923", "(Match) is not translated", "if and elif"),
        ("y = {i for i in (1, 2)}", "SER923", "(SetComp) is not translated", "# ser: opaque"),
        ("y = self\n        y = 1", "SER923", "another name of a part of the state", "one name"),
        ("if self.d['a']: y = self.d", "SER923", "another name of a part of the state", "one name"),
        ("return self.z", "SER923", "self has no attribute `z`", "__init__"),
        ("self.z = 1", "SER923", "not a variable of the state", "__init__"),
        ("self.x = self.x / 2", "SER923", "the operator of", "+, -, *"),
        ("self.x = self.x % self.x", "SER923", "divides by something else", "constant"),
        ("for k in self.d: pass", "SER923", "the order of self.d depends on the run", "written out"),
        ("self.x += 1\n        for i in range(self.x): pass", "SER923", "is not known", "constants"),
        ("self.d.update(other)", "SER923", "`self.d.update(other)` is not translated", "d['a'] = 1"),
        ("asyncio.create_task(self.f())", "SER923", "`f` calls itself", "loop"),
        ("asyncio.create_task(work)", "SER923", "is not translated", "call of a coroutine"),
        ("asyncio.gather(self.g())", "SER923", "asyncio.gather", "await it at once"),
        ("await asyncio.gather(self.g(), loop=None)", "SER923", "options", "leave them out"),
        ("await asyncio.gather(*rows)", "SER923", "what `rows` gathers is not known", "calls of coroutines"),
        ("await asyncio.wait_for(rows, 1)", "SER923", "is not translated", "a call of a coroutine"),
        ("await asyncio.wait_for(self.g(), 0)", "SER923", "has no time at all", "positive"),
        (
            "t = asyncio.create_task(self.g())\n        t.cancel('late')",
            "SER923",
            "t.cancel('late')",
            "result()",
        ),
        ("return 'a'.upper()", "SER923", "the method", "f-strings"),
        ("self.d[str(self.x)] = 1", "SER923", "put together of several values", "opaque -> {'a', 'b'}"),
        ("await fetch(self.d['b'])  # ser: opaque", "SER923", "may raise an exception here", "a line of"),
        ("save(self.d['b'])  # ser: ignore", "SER923", "may raise an exception here", "a line of its own"),
        ("async for i in self.h(): pass", "SER923", "a block that a loop may leave open", "after the block"),
        ("async with asyncio.timeout(1) as t: pass", "SER923", "in this form", "without `as`"),
        ("self.g()", "SER923", "makes a coroutine that is not awaited", "await it"),
        ("await self.f()", "SER923", "`f` calls itself", "loop"),
        ("async with pool.get() as c: pass", "SER925", "no lock of this file", "a coroutine of its own"),
        ("async with pool.get() as c: pass  # ser: opaque -> 0..1", "SER925", "no lock of this", "await"),
        ("y = self.h()", "SER923", "`self.h()` is an async generator", "async for"),
        ("y = uuid.uuid4()", "SER925", "`uuid.uuid4(…)` is not known", "opaque -> new(2)"),
        ("y = f() + g()  # ser: opaque -> 0..1", "SER925", "`g(…)` is not known", "a line of its own"),
        ("if y: pass\n        return y", "SER925", "the value of `y` is not known", "parameter"),
        ("eval('1')", "SER925", "`eval(…)`", "# ser: ignore"),
        ("setattr(self, 'x', 1)", "SER923", "changes the state", "write it out"),
        ("yield 1", "SER923", "generator", "return"),
        ("lambda z: z", "SER923", "(Lambda) is not translated", "variables"),
        (
            "if self.x > 3: raise ValueError\n        self.x += 1\n        return self.x",
            "SER924",
            "in `return self.x`, integers without bounds meet other values",
            "# ser: 0..3",
        ),
        ("pass  # ser: 3..", "SER926", "not a mark", "opaque"),
        ("self.x = f()  # ser: ignore", "SER926", "changes more than local variables", "opaque ->"),
        ("self.d['a'] = f()  # ser: ignore", "SER926", "changes more than local variables", "opaque ->"),
        ("await f()  # ser: ignore", "SER926", "does more than `ignore` allows", "opaque"),
        ("pass  # ser: often", "SER926", "`often` is not a mark", "opaque"),
    ],
)
def test_what_is_refused(body: str, code: str, message: str, hint: str) -> None:
    text = f"{HEAD}    async def f(self):\n        {body}\n    async def g(self):\n        return 1\n"
    text += (
        "    async def h(self):  # ser: internal\n        try:\n            yield 1\n        finally: pass\n"
    )
    first = refusals(text)[0]
    assert (first.code, message in first.message, hint in (first.hint or "")) == (code, True, True), first
    assert first.span is not None
    assert first.span.line >= 7


@pytest.mark.parametrize(
    ("start", "body", "message", "hint"),
    [
        ("self.l = [0]", "self.l.append(1)", "`append` of self.l", "a dict, a set or asyncio.Queue"),
        ("self.b = b", "return self.b + 1", "self.b starts with `b` in line 3", "a default, such as b=1"),
        ("self.s = asyncio.Semaphore(2)", "return self.s.locked()", "is not translated", "count yourself"),
        ("self.q = asyncio.Queue(2)", "await self.q.join()", "is not translated", "an asyncio.Event"),
        ("self.q = asyncio.Queue(2)", "self.q.task_done()", "is not translated", "self.left -= 1"),
        ("self.b = 0.5", "self.b -= 1", "self.b starts with `0.5` in line 3, and fractions", "whole units"),
        ("self.b = clock()", "self.b = 0", "which only a run can tell", "a constant there"),
        ("self.b = b  # ser: 0..2", "self.b = 1", "self.b starts with a value that is", "one of 0..2, or"),
        ("threading.Thread(target=self.g).start()", "return 1", "while requests run", "# ser: ignore"),
    ],
)
def test_what_is_refused_of_the_state(start: str, body: str, message: str, hint: str) -> None:
    text = f"class S:\n    def __init__(self, b):\n        {start}\n    async def f(self):\n        {body}\n"
    [found] = refusals(text)
    assert (message in found.message, hint in (found.hint or "")) == (True, True), found


def test_an_index_that_may_count_from_the_end_is_refused() -> None:
    head = "class S:\n    def __init__(self):\n        self.x = 0  # ser: 0..3\n        self.l = [0, 1]\n"
    for body in ("return self.l[self.x - 1]", "self.l[self.x - 1] = 1"):
        text = f"{head}    async def f(self):\n        self.x = 1 - self.x\n        {body}\n"
        [found] = refusals(text)
        assert "an index of self.l may be negative" in found.message


def test_what_follows_from_a_refusal_is_not_told() -> None:
    body = "        async with pool() as p:\n            y = await p.get()\n        return y + 1\n"
    body += "    async def g(self, *some, **more):\n        for each in more.items(): pass\n"
    body += "        return some[0]\n"
    found = refusals(f"{HEAD}    async def f(self):\n{body}")
    assert [each.span.line for each in found if each.span] == [7, 10, 10]
    assert ["`some`" in each.message for each in found] == [False, True, False]


def test_all_parameters_that_do_not_fit_are_told() -> None:
    text = (
        "from fastapi import BackgroundTasks, Depends, FastAPI\napp = FastAPI()\nx = 0\n@app.get('/')\n"
        "async def f(a: BackgroundTasks, *, b=Depends(c)):\n    await b.commit()\n@app.get('/g')\n"
        "def g():\n    return x\n"
    )
    words = [("BackgroundTasks", 5), ("Depends", 5), ("a thread", 8)]
    found = [(each.message, each.span.line) for each in refusals(text) if each.span]
    assert [(word in message, line) for (word, line), (message, _) in zip(words, found, strict=True)] == [
        (True, line) for _, line in found
    ]


def test_a_service_whose_state_is_elsewhere_is_refused() -> None:
    """Nothing that its requests share is in the model, so any verdict would be about nothing."""
    text = "async def f():\n    n = await db.get()  # ser: opaque -> 0..1\n    return n + 1\n"
    [found] = refusals(text)
    assert (found.code, found.span and found.span.line) == ("SER922", 2)
    assert "no state of this file" in found.message


def test_all_refusals_are_told_in_the_order_of_the_text() -> None:
    text = f"{HEAD}    async def f(self):\n        await a()\n        b()\n        return self.z\n"
    assert [(each.code, each.span.line) for each in refusals(text) if each.span] == [
        ("SER925", 7),
        ("SER925", 8),
        ("SER923", 9),
    ]


def test_a_state_that_is_a_growing_number_or_none_is_refused() -> None:
    body = "        if self.x == 0: self.x = None\n"
    body += "        elif self.x is None: self.x = 1\n        else: self.x += 1\n"
    (found,) = refusals(f"{HEAD}    async def f(self):\n{body}")
    assert found.code == "SER924"
    assert "an integer without bounds or some other value" in found.message


def test_numbers_that_fall_without_bounds_may_meet_other_values() -> None:
    """Codes of other values lie above all numbers, so nothing is taken for something else."""
    body = "        if self.x > 1: raise ValueError\n        self.x -= 1\n        return self.x\n"
    content = translate(SourceText("service.py", f"{HEAD}    async def f(self):\n{body}"), {}).content
    assert isinstance(content, Program)
    assert set(content.answer_names["f"].values()) == {"raise ValueError"}


def test_a_constant_outside_of_a_scope_is_refused() -> None:
    text = (
        f"{HEAD.replace('= 0', '= 0  # ser: 0..1', 1)}    async def f(self):\n        return self.x > 50000\n"
    )
    [found] = refusals(text)
    assert (found.code, "50000, which is outside of the scope 0..1" in found.message) == ("SER928", True)


@pytest.mark.parametrize(
    ("scope", "test"),
    [
        ("{'a', 'b'}", "n == 'root'"),
        ("{'a', 'b'}", "n in ('a', 'root')"),
        ("0..1", "n > 50000"),
        ("0..1", "n + 1 > 50000"),
        ("0..1", "self._large(n)"),
    ],
)
def test_a_constant_outside_of_the_scope_of_a_parameter_is_refused(scope: str, test: str) -> None:
    """Arguments are constants of their handlers; the branch would be killed all the same."""
    helper = "    def _large(self, m):\n        return m > 50000\n"
    text = f"{HEAD}    async def f(self, n):  # ser: n in {scope}\n        return {test}\n{helper}"
    assert {found.code for found in refusals(text)} == {"SER928"}


def test_arguments_may_be_compared_with_one_another() -> None:
    text = f"{HEAD}    async def f(self, m, n):  # ser: m in 0..1, n in 5..6\n        return m == n\n"
    assert isinstance(translate(SourceText("service.py", text), {}).content, Program)


def test_a_mark_about_a_parameter_that_is_not_there_is_refused() -> None:
    text = f"{HEAD}    async def f(self, n):  # ser: m in 0..1\n        return 1\n"
    [found] = refusals(text)
    assert (found.code, found.message) == ("SER926", "`f` has no parameter `m`")


def test_strings_that_a_mark_names_are_listed_as_a_scope() -> None:
    text = f"{HEAD}    async def f(self, n):  # ser: n in {{'a', 'b'}}\n        return n\n"
    found = translate(SourceText("service.py", text), {})
    assert "`f` is called with n in 'a' | 'b' alone" in {each.sentence for each in found.approximations}


def test_an_enumeration_of_strings_that_are_used_elsewhere_is_refused() -> None:
    mode = "from enum import Enum\nclass Mode(str, Enum):\n    ON = 'on'\n    OFF = 'off'\n"
    text = f"{mode}{HEAD}    async def f(self, m: Mode):\n        return Mode.ON == m or m == 'on'\n"
    assert "members of `Mode` may equal other values" in {each.message for each in refusals(text)}


def test_what_is_wrong_with_one_line_is_told_once() -> None:
    """An object may be state twice: as the service, and in a variable of the module."""
    start = "class S:\n    def __init__(self):\n        self.all = []\n"
    text = f"{start}    async def f(self):\n        return len(self.all)\n"
    assert len(refusals(f"{text}manager = S()\n")) == 1


def test_parameters_without_known_values_are_refused() -> None:
    text = f"{HEAD}    async def f(self, n: str):\n        return n\n"
    [found] = refusals(text)
    assert (found.code, "the parameter `n` is not known" in found.message) == ("SER924", True)


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
    assert translate(SourceText("service.py", marked)).content.requests == ("g",)


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
    assert translate(SourceText("service.py", marked)).content.requests == ("f",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 0\nasync def f():\n    global x\n    x += 1\n    return x\ndef reset():\n"
            "    global x\n    x = 0\n",
            "`reset`",
        ),
        (
            "class S:\n    def __init__(self):\n        self.x = 0\n"
            "    async def f(self):\n        self.x += 1\n"
            "        return self.x\n    def reset(self):\n        self.x = 0\n",
            "`reset` changes the state (`self.x`), but no request executes it",
        ),
        (
            "class S:\n    def __init__(self):\n        self.task = asyncio.create_task(self._tick())\n"
            "    async def f(self):\n        return 1\n",
            "may change the state while requests run",
        ),
        (
            "class S:\n    def __init__(self):\n        self.helper = Helper(self)\n"
            "    async def f(self):\n        return 1\n",
            "may change the state while requests run",
        ),
        (
            "stock = {'a': 0}\nstock['a'] = 5\nasync def f():\n    return stock['a']\n",
            "more than a definition",
        ),
        (
            "box = set()  # ser: keys 0..1\nbox.add(1)\nasync def f():\n    return 1 in box\n",
            "more than a definition",
        ),
        (
            "class S:\n    def __init__(self):\n        self.x = 0\n"
            "    async def f(self):\n        return self.x\n"
            "    def __getattr__(self, name):\n        return 1\n",
            "`__getattr__` changes what attributes mean",
        ),
        (
            "from enum import Enum\nclass C(str, Enum):\n    A = 'a'\nasync def f():\n"
            "    return C.A == 'a'\n",
            "members of `C` may equal other values",
        ),
        (
            "from enum import Enum\nclass C(Enum):\n    A = 1\n    B = 1\nasync def f():\n"
            "    return C.A is C.B\n",
            "members of `C` may equal other values",
        ),
    ],
)
def test_nothing_that_matters_is_left_out(text: str, message: str) -> None:
    assert any(message in found.message for found in refusals("import asyncio\n" + text))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if self.p:\n            return 1", "`self.p` is a call in disguise"),
        ("print(self.q)", "`self.q` has effects"),
        ("await fetch(self.q)  # ser: opaque", "`self.q` has effects"),
        ("print(self.x or self.d['b'])", "`self.d['b']` may raise an exception here"),
        ("return f'{self.x:02d}'", "the format in"),
        ("return self.x is 1", "compares integers by identity"),
        ("return self.x == 1.0", "the constant `1.0`"),
        ("print(self._bump())", "`self._bump()` has effects"),
        ("raise ValueError(self._bump())", "`self._bump()` has effects"),
        ("await asyncio.sleep(self._bump())", "`self._bump()` has effects"),
        ("await fetch(self._bump())  # ser: opaque", "`self._bump()` has effects"),
        ("return self._late()", "is evaluated when the file is read"),
    ],
)
def test_effects_are_not_dropped(body: str, message: str) -> None:
    text = (
        f"count = 0\n{HEAD}    async def f(self):\n        {body}\n"
        "    async def g(self):\n        global count\n        count += 1\n        return self._bump()\n"
        "    def _bump(self):\n        self.x += 1\n        return self.x\n"
        "    def _late(self, n=count):\n        return n\n"
        "    @cached_property\n    def p(self):\n        return self.x > 0\n"
        "    @property\n    def q(self):\n        return self._bump()\n"
    )
    assert any(message in found.message for found in refusals(text))


def test_a_plain_method_can_be_marked_as_a_handler() -> None:
    text = (
        f"{HEAD}    async def f(self):\n        return self.x\n"
        f"    def reset(self):  # ser: handler\n        self.x = 0\n"
    )
    translation = translate(SourceText("service.py", text))
    assert translation.content.requests == ("f", "reset")


PUBLIC = {
    "inventory": (
        "from fastapi import FastAPI, HTTPException\nimport httpx\napp = FastAPI()\n"
        "stock: dict[str, int] = {'apple': 3}\nclient = httpx.AsyncClient()\n"
        "@app.post('/orders')\nasync def order(order: Order):\n    if stock.get(order.item, 0) < 1:\n"
        "        raise HTTPException(409)\n    await client.post('https://pay')\n    stock[order.item] -= 1\n"
        "    return {'left': stock[order.item]}\n",
        [
            (8, "value = order.item  # ser:"),
            (10, "# ser: opaque"),
            (11, "value = order.item  # ser:"),
            (12, "value = order.item  # ser:"),
        ],
    ),
    "sockets": (
        "from aiohttp import web\nroutes = web.RouteTableDef()\nsockets = set()\n@routes.get('/ws')\n"
        "async def ws(request):\n    ws = web.WebSocketResponse()\n    sockets.add(ws)\n"
        "    async for msg in ws:\n        pass\n    return 1\n",
        [(3, "# ser: keys"), (6, "# ser: ignore"), (8, "range(…)")],
    ),
    "worker": (
        "import asyncio\nclass Worker:\n    def __init__(self):\n        self.queue = asyncio.Queue()\n"
        "    async def start(self):\n        asyncio.create_task(self._loop())\n"
        "    async def _loop(self):\n        await self.queue.get()\n",
        [(4, "# ser: at most 3")],
    ),
    "fan out": (
        "import asyncio\nclass Search:\n    def __init__(self):\n        self.hits = 0\n"
        "    async def find(self):\n"
        "        found = await asyncio.gather(self._one(), self._one(), return_exceptions=True)\n"
        "        return self.hits\n"
        "    async def _one(self):\n        if self.hits == 2:\n            raise ValueError\n"
        "        self.hits += 1\n",
        [(6, "catch exceptions in the coroutines")],
    ),
    "timeout": (
        "import asyncio\nclass C:\n    def __init__(self):\n        self.n = 0\n    async def f(self):\n"
        "        await asyncio.wait_for(asyncio.shield(self._g()), 1)\n        return self.n\n"
        "    async def _g(self):\n        pass\n",
        [(6, "await the coroutine itself")],
    ),
    "threads": (
        "import asyncio\nclass C:\n    def __init__(self):\n        self.n = 0\n    async def f(self):\n"
        "        await asyncio.to_thread(work)\n        self.n += 1\n        return self.n\n",
        [(6, "if the thread leaves the state alone")],
    ),
    "growing list": (
        "class Log:\n    def __init__(self):\n        self.lines = []\n    async def add(self, text: str):\n"
        "        self.lines.append(text)\n        return len(self.lines)\n",
        [(3, "write its items out")],
    ),
    "clock": (
        "import time\nclass Limiter:\n    def __init__(self):\n        self.last = 0\n"
        "    async def call(self):\n"
        "        now = time.time()\n        if now > self.last:\n            self.last = 1\n"
        "        return self.last\n",
        [(6, "opaque -> bool")],
    ),
    "manager": (
        "class Repo:\n    def __init__(self, db):\n        self.db = db\n        self.n = 0\n"
        "    async def save(self):\n"
        "        async with self.db.transaction() as tx:\n            self.n += 1\n        return self.n\n",
        [(6, "opaque")],
    ),
    "property": (
        "class Seats:\n    def __init__(self):\n        self.taken = 0\n    @cached_property\n"
        "    def free(self):\n        return 3 - self.taken\n    async def take(self):\n"
        "        if not self.free:\n"
        "            return False\n"
        "        self.taken += 1\n        return True\n",
        [(8, "a plain @property")],
    ),
}


PUBLIC |= {
    "heap": (
        "import heapq\nclass Jobs:\n    def __init__(self):\n        self.heap = []\n"
        "    async def add(self):\n        heapq.heappush(self.heap, 1)\n        return 1\n",
        [(4, "write its items out"), (6, "in an asyncio.Queue")],
    ),
    "model": (
        "from fastapi import FastAPI\nfrom pydantic import BaseModel\napp = FastAPI()\nleft = 1\n"
        "class Order(BaseModel):\n    price: float\n@app.post('/')\nasync def order(order: Order):\n"
        "    global left\n    if order.price > left:\n        return 0\n    left = 0\n    return 1\n",
        [(10, "in the class `Order`, give it a type")],
    ),
    "endpoint": (
        "from starlette.endpoints import HTTPEndpoint\nclass Seats(HTTPEndpoint):\n    left = 1\n"
        "    async def get(self, request):\n        self.left -= 1\n        return self.left\n",
        [(2, "coroutines of the module")],
    ),
    "class attribute": (
        "class Counter:\n    total = 0\n    async def add(self):\n        Counter.total += 1\n"
        "        return Counter.total\n",
        [(4, "write self.total"), (5, "write self.total")],
    ),
    "disconnect": (
        "sockets = set()  # ser: keys {'a'}\nasync def f(ws):  # ser: ws in {'a'}\n    sockets.add(ws)\n"
        "    try:\n        await ws.receive()  # ser: opaque\n    except Gone:\n        drop(ws)\n"
        "    return 1\n"
        "def drop(ws):\n    sockets.discard(ws)\n",
        [(9, "# ser: opaque raises Gone")],
    ),
    "late lock": (
        "import asyncio\nlock = None\ndef start():  # ser: internal\n    global lock\n"
        "    lock = asyncio.Lock()\nasync def f():\n    async with lock:  # ser: opaque\n        return 1\n",
        [(7, "lock = asyncio.Lock()")],
    ),
    "global request": (
        "from quart import request\nn = 0\nasync def f():\n    global n\n    if request.method == 'POST':\n"
        "        n = 1\n    method = request.method\n    return n\n",
        [(5, "get it by a call"), (7, "get it by a call")],
    ),
    "pool": (
        "import asyncio\nfrom contextlib import asynccontextmanager\nclass Pool:\n    def __init__(self):\n"
        "        self.free = 1\n        self.waiting = asyncio.LifoQueue()\n    @asynccontextmanager\n"
        "    async def lend(self):\n        self.free -= 1\n        yield\n    async def count(self):\n"
        "        await self.waiting.get()\n        return self.free\n",
        [(6, "# ser: at most 3"), (8, "a coroutine that uses it")],
    ),
    "made on demand": (
        "import asyncio\nlocks = {}  # ser: keys {'a'}\nasync def f():\n    locks['a'] = asyncio.Lock()\n"
        "    return 1\n",
        [(4, "write them out: {'a': asyncio.Lock()")],
    ),
    "breaker": (
        "class Breaker:\n    def __init__(self, most):\n        self.most = most\n        self.failed = 0\n"
        "    async def call(self):\n        if self.failed >= self.most:\n            self._reset()\n"
        "        return 1\n    def _reset(self):\n        self.failed = 0\n",
        [(6, "a default, such as most=1")],
    ),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_files_as_people_write_them_get_refusals_that_help(name: str) -> None:
    text, expected = PUBLIC[name]
    found = refusals(text)
    assert [each.span.line for each in found if each.span] == [line for line, _ in expected]
    for each, (_, hint) in zip(found, expected, strict=True):
        assert hint in (each.hint or ""), each


def test_what_changes_the_state_under_another_name_is_not_left_out() -> None:
    handler = "    async def f(self):\n        return self.d['a']\n"
    [found] = refusals(f"{HEAD}{handler}    def tidy(self):\n        d = self.d\n        d.clear()\n")
    assert "`tidy` changes the state" in found.message


def test_an_application_that_gets_its_state_later_is_refused() -> None:
    text = (
        "from aiohttp import web\napp = web.Application()\n"
        "async def start(app):\n    app['n'] = 0\nasync def f(request):\n    return request.app['n']\n"
        "app.on_startup.append(start)\napp.router.add_get('/', f)\n"
    )
    assert "`request.app['n']` is not translated" in {each.message for each in refusals(text)}


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("self.d.update(a=1)  # ser: ignore", "self.d.update"),
        ("self._bump()  # ser: ignore", "self.x"),
        ("await self._deep()  # ser: opaque", "self.x"),
        ("heapq.heappush(self.d, 1)  # ser: ignore", "self.d"),
        ("S.kept.append(1)  # ser: ignore", "S.kept.append"),
        ("S.kept.append(1)  # ser: opaque", "S.kept.append"),
        ("if self.x: self.d.clear()  # ser: ignore", "self.d.clear"),
    ],
)
def test_a_mark_cannot_deny_that_the_state_changes(line: str, changed: str) -> None:
    text = (
        f"import heapq\n{HEAD}    kept = [0]\n    async def f(self):\n        {line}\n        return self.x\n"
        "    async def g(self):\n        await self._deep()\n        return S.kept\n"
        "    async def _deep(self):\n        self._bump()\n    def _bump(self):\n        self.x = 1\n"
    )
    assert any(f"changes the state (`{changed}`)" in each.message for each in refusals(text))


def test_state_that_nobody_looks_at_is_not_refused() -> None:
    text = (
        "holders: set[str] = set()\nlog = []\nclass S:\n    def __init__(self):\n        self.x = 0\n"
        "        self.waiters = []\n    async def f(self):\n        self.x = 1\n        return self.x\n"
    )
    assert translate(SourceText("service.py", text)).content.requests == ("f",)
    [found] = refusals(text.replace("return self.x", "return len(log)"))
    assert found.span is not None
    assert found.span.line == 2
