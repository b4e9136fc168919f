"""Files are loaded as parts of their packages; what is not there does not keep them from running."""

from pathlib import Path

import pytest

from seriatim.frontends.python import child
from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.source import InputError, SourceText

COUNTER = """
class S:
    def __init__(self): self.n = 0
    async def add(self):
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        return t
"""


def run(path: Path, text: str) -> tuple[ServiceRuns, ...]:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return run_file(SourceText(str(path), text), "", 20.0).services


@pytest.mark.parametrize(
    "head",
    [
        "import asyncio\nfrom nowhere import __version__ as v\nassert int(v.split('.')[0]) > 4\n",
        "import asyncio, importlib.metadata\nassert importlib.metadata.version('nowhere') > '4.3'\n",
        "import asyncio, os\nKEY = os.environ['NOBODY_HAS_SET_THIS']\n",
        "import asyncio\ntry:\n    import nowhere_fast\nexcept ImportError:\n    nowhere_fast = None\n",
    ],
    ids=["a version that is asked for", "metadata", "the environment", "an optional package"],
)
def test_what_is_not_there_is_replaced(head: str, tmp_path: Path) -> None:
    (found,) = run(tmp_path / "service.py", head + COUNTER)
    assert found.race is not None


def test_relative_imports_lead_to_the_package(tmp_path: Path) -> None:
    package = tmp_path / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from .limits import LIMIT\n")
    (package / "limits.py").write_text("LIMIT = 1\n")
    text = (
        "import asyncio\nfrom . import LIMIT\nfrom .limits import LIMIT as same\nassert LIMIT == same\n"
        + COUNTER
    )
    (found,) = run(package / "service.py", text)
    assert found.race is not None


def test_a_neighbour_that_cannot_be_imported_is_a_stand_in(tmp_path: Path) -> None:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("from .pages import render\n")
    (package / "pages.py").write_text("import nowhere\nrender = ''.join([nowhere.css()])\n")
    path = package / "service.py"
    text = "import asyncio\nfrom .pages import render\n" + COUNTER
    path.write_text(text)
    seen = run_file(SourceText(str(path), text), proves=False)
    assert seen.services[0].race is not None
    assert "shop.pages" in seen.missing


def test_a_file_reaches_what_is_above_it_in_its_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "limits.py").write_text("LIMIT = 1\n")
    text = "import asyncio\nfrom limits import LIMIT\nassert LIMIT == 1\n" + COUNTER
    (found,) = run(tmp_path / "app" / "service.py", text)
    assert found.race is not None


def test_two_base_classes_that_are_not_there_are_one(tmp_path: Path) -> None:
    text = "import asyncio\nfrom nowhere import One, Other\n" + COUNTER.replace(
        "class S:", "class S(One, Other):"
    )
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None


def test_what_asyncio_does_outside_pauses_and_answers(tmp_path: Path) -> None:
    text = """import asyncio
class Pool:
    def __init__(self): self.connection = None
    async def connect(self):
        if self.connection is None:
            reader, writer = await asyncio.open_connection("localhost", 1)
            self.connection = writer
        return self.connection
"""
    (found,) = run(tmp_path / "service.py", text)
    assert found.refusal is None
    assert found.race is not None


def test_a_bug_that_needs_an_earlier_request_is_found(tmp_path: Path) -> None:
    """One request makes an order and answers its id; two others with that id meet."""
    text = """import asyncio
import uuid
from fastapi import FastAPI, HTTPException

app = FastAPI()
stock = {"mug": 1, "cup": 5}
orders = {}

@app.post("/orders")
async def order(item: str):
    if item not in stock: raise HTTPException(404)
    if stock[item] == 0: raise HTTPException(409)
    stock[item] -= 1
    key = uuid.uuid4().hex
    orders[key] = item
    return {"id": key}

@app.post("/cancel/{key}")
async def cancel(key: str):
    if key not in orders: raise HTTPException(404)
    item = orders[key]
    await refund(item)
    orders.pop(key, None)
    stock[item] += 1
    return {"left": stock[item]}

async def refund(item): await asyncio.sleep(0.1)
"""
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None
    assert [each.partition("(")[0] for each in found.race.run.requests] == ["order", "cancel", "cancel"]
    assert found.race.run.requests[1:] == ("cancel('new id')", "cancel('new id')")
    assert found.runs < 300


def test_arguments_of_another_kind_are_tried_where_the_first_ones_only_fail(tmp_path: Path) -> None:
    text = """import asyncio
class Room:
    def __init__(self): self.n = 0
    async def enter(self, guest):
        t = self.n
        await asyncio.sleep(0)
        self.n = t + 1
        return guest["name"]
"""
    (found,) = run(tmp_path / "service.py", text)
    assert found.requests == ("enter(<guest>)",)
    assert found.race is not None


def test_the_users_package_comes_before_an_installed_one(tmp_path: Path) -> None:
    package = tmp_path / "pytest"
    package.mkdir()
    (package / "__init__.py").write_text("LIMIT = 1\n")
    (found,) = run(package / "service.py", "import asyncio\nfrom pytest import LIMIT\n" + COUNTER)
    assert found.race is not None


def test_the_library_for_asynchronous_code_is_asyncio(tmp_path: Path) -> None:
    head = "import asyncio, sniffio\nassert sniffio.current_async_library() == 'asyncio'\n"
    (found,) = run(tmp_path / "service.py", head + COUNTER)
    assert found.race is not None


def test_a_constructor_may_need_some_of_its_optional_arguments(tmp_path: Path) -> None:
    init = (
        "def __init__(self, address=None, port=None, sock=None, **others):\n"
        "        assert address and port and sock is None\n        self.n = 0"
    )
    text = "import asyncio\n" + COUNTER.replace("def __init__(self): self.n = 0", init)
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None


def test_a_module_of_the_library_is_not_checked_in_place_of_the_file(tmp_path: Path) -> None:
    package = tmp_path / "json"
    package.mkdir()
    (package / "__init__.py").write_text("")
    with pytest.raises(InputError, match="another module"):
        run(package / "decoder.py", "import asyncio\n" + COUNTER)


RACY = """
import asyncio


class Counter:
    def __init__(self):
        self.n = 0

    async def inc(self):
        n = self.n
        await asyncio.sleep(0)
        self.n = n + 1
        return self.n
"""


def test_a_text_that_is_on_no_disk_runs_like_a_file(tmp_path: Path) -> None:
    """Its arguments are chosen by what its text does with them: more than half of what is there."""
    text = RACY.replace("self.n = 0", "self.n = 100").replace("inc(self)", "inc(self, amount)")
    text = text.replace("n = self.n\n", "n = self.n\n        if n < amount:\n            return None\n")
    (found,) = run_file(SourceText(str(tmp_path / "nowhere.py"), text), proves=False).services
    assert found.requests == ("inc(51)", "inc(1)")


def test_numbers_that_are_keys_of_the_first_state_are_tried(tmp_path: Path) -> None:
    """Otherwise a hotel with the rooms 101 and 102 is proved about requests that all end with a KeyError."""
    text = RACY.replace("self.n = 0", "self.rooms = {101: None, 102: None}")
    text = text.replace("inc(self)", "book(self, room)")
    text = text.replace("n = self.n\n", "n = self.rooms[room]\n")
    text = text.replace("self.n = n + 1\n        return self.n", "self.rooms[room] = 1\n        return n")
    (found,) = run_file(SourceText(str(tmp_path / "hotel.py"), text), proves=False).services
    assert "book(101)" in found.requests
    assert found.race is not None


@pytest.mark.parametrize("package", [True, False])
def test_the_text_that_is_given_runs_and_not_that_on_disk(package: bool, tmp_path: Path) -> None:
    """As for a copy with a fix, or what an editor has not saved; in a package, too."""
    if package:
        (tmp_path / "__init__.py").write_text("")
    path = tmp_path / "counter.py"
    path.write_text(RACY)
    quick = RACY.replace("        await asyncio.sleep(0)\n", "")
    (raced,) = run_file(SourceText(str(path), RACY)).services
    (calm,) = run_file(SourceText(str(path), quick)).services
    assert raced.race is not None
    assert calm.race is None
    hidden = f"import weakref\n{quick}        weakref.ref(self)\n"
    (refused,) = run_file(SourceText(str(path), hidden)).services
    assert refused.recorded is None
    assert "weakref" in refused.why_open


def test_a_class_may_say_that_it_is_of_another_module(tmp_path: Path) -> None:
    (found,) = run(tmp_path / "service.py", "import asyncio" + COUNTER + "S.__module__ = 'shop'\n")
    assert found.race is not None


MEMOIZE = """
import functools
def memoize(work):
    kept = {}
    @functools.wraps(work)
    async def call(key):
        if key not in kept:
            kept[key] = await work(key)
        return kept[key]
    return call
"""

MEMOIZING = """
class Memoize:
    def __init__(self): self.kept = {}
    def __call__(self, work):
        async def call(key):
            if key not in self.kept:
                self.kept[key] = await work(key)
            return self.kept[key]
        return call
"""


@pytest.mark.parametrize("text", [MEMOIZE, MEMOIZING], ids=["a function", "a class"])
def test_a_decorator_is_checked_on_an_unknown_coroutine(text: str, tmp_path: Path) -> None:
    """Two calls with one key both find nothing, and keep two different answers."""
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None
    assert "decorates a coroutine that may answer anything" in found.notes[-1]


def test_the_constructor_is_given_what_handlers_can_work_with(tmp_path: Path) -> None:
    text = (
        "import asyncio\nfrom nowhere import Backend\nclass S:\n"
        "    def __init__(self, url: str | None = None, backend: 'Backend | None' = None):\n"
        "        assert url or backend\n        self.backend = backend or url.partition(':')\n"
        "        self.n = 0\n"
        "    async def add(self):\n        t = self.n\n        await self.backend.send(t)\n"
        "        self.n = t + 1\n        return t\n"
    )
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None


def test_a_request_that_ends_the_program_is_told(tmp_path: Path) -> None:
    text = "import asyncio, sys" + COUNTER + "    async def stop(self): sys.exit(1)\n"
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None
    assert found.exits == ("stop",)


def test_a_script_whose_unknown_calls_answer_what_it_does_not_expect_is_loaded(tmp_path: Path) -> None:
    text = (
        "import asyncio, nowhere\nasync def main():\n    assert await nowhere.ask() == 'yes' and False\n"
        "asyncio.run(main())\n"
    )
    (found,) = run(tmp_path / "service.py", text + COUNTER)
    assert found.race is not None


def test_what_a_logger_remembers_to_save_time_is_no_state(tmp_path: Path) -> None:
    text = (
        "import asyncio, logging\nlog = logging.getLogger('a.b')\n"
        "async def a():\n    log.debug('x')\n    return log.isEnabledFor(10)\n"
    )
    (found,) = run(tmp_path / "service.py", text)
    assert not found.changes_state


def test_a_proxy_that_leads_nowhere_is_no_handler(tmp_path: Path) -> None:
    text = (
        "import asyncio\nclass Proxy:\n    @property\n"
        "    def __dict__(self): raise RuntimeError('no request')\n"
        "    def __getattr__(self, name): raise RuntimeError('no request')\ncurrent = Proxy()\n"
    )
    (found,) = run(tmp_path / "service.py", text + COUNTER)
    assert found.race is not None


def test_what_a_loop_keeps_is_no_state(tmp_path: Path) -> None:
    text = (
        "import asyncio\nclass S:\n    def __init__(self):\n        self.loop = asyncio.get_event_loop()\n"
        "    async def a(self):\n        await asyncio.sleep(1)\n        return 1\n"
    )
    (found,) = run(tmp_path / "service.py", text)
    assert not found.changes_state


def test_an_unknown_pair_has_two_parts(tmp_path: Path) -> None:
    text = "async def a(rows):\n    for key, value in rows.items():\n        pass\n    return 1\n"
    (found,) = run(tmp_path / "service.py", text)
    assert found.answers == (("a", ("1",)),)


@pytest.mark.parametrize("call", ["_add(key, 1)", "setnx(key, 1)", "set(key, 1, nx=True)"])
def test_a_call_that_writes_where_nothing_is_may_be_a_lock(call: str, tmp_path: Path) -> None:
    text = (
        "class S:\n    def __init__(self, client): self.client, self.inside = client, []\n"
        f"    async def a(self, key: str):\n        await self.client.{call}\n"
        "        self.inside.append(key)\n        await self.client.get(key)\n"
        "        assert self.inside == [key]\n        self.inside.clear()\n"
    )
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is None
    assert found.doubt is not None


@pytest.mark.parametrize("most", ["2", "self.most"])
def test_there_are_more_names_than_a_container_may_hold(most: str, tmp_path: Path) -> None:
    text = (
        "import asyncio\nclass S:\n    def __init__(self): self.inside, self.most = set(), 2\n"
        "    async def join(self, name: str):\n"
        "        if name in self.inside: return 'welcome'\n"
        f"        if len(self.inside) >= {most}: return 'full'\n"
        "        await asyncio.sleep(0)\n        self.inside.add(name)\n        return 'welcome'\n"
    )
    (found,) = run(tmp_path / "service.py", text)
    assert found.race is not None


def test_a_mistake_of_the_tool_is_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("oops")

    monkeypatch.setattr(child, "answer", fail)
    assert child.answer_or_tell({})["failure"] == "Seriatim cannot run it: RuntimeError: oops"
