"""What the code puts into the application of its framework is state of the service, also where the framework
is not installed. Each race has a fixed twin that is proved, so that it is the shared state that counts."""

from pathlib import Path

import pytest

from seriatim.frontends.python.service_runs import ServiceRuns, run_file
from seriatim.source import InputError, SourceText

AIOHTTP = """
import asyncio
from aiohttp import web
async def buy(request):
    seats = request.app["seats"]
    {between}
    request.app["seats"] = seats - 1
    return web.json_response({{"left": seats - 1}})
async def start(app):
    app["seats"] = 1
app = web.Application()
{start}
app.router.add_post("/buy", buy)
"""

WITH_STATE = """
import asyncio
from contextlib import asynccontextmanager
from fastapi import FastAPI, Request
@asynccontextmanager
async def lifespan(app):
    app.state.seats = 1
    yield
app = FastAPI({lifespan})
{start}
@app.post("/buy")
async def buy(request: Request):
    seats = {app}.state.seats
    {between}
    {app}.state.seats = seats - 1
    return {{"left": seats - 1}}
"""

SANIC = """
import asyncio
from sanic import Sanic
from sanic.response import json
app = Sanic("shop")
{start}
@app.post("/buy")
async def buy(request):
    seats = {app}.ctx.seats
    {between}
    {app}.ctx.seats = seats - 1
    return json({{"left": seats - 1}})
"""

SANIC_START = """
async def start(app, loop):
    app.ctx.seats = 1
"""

OWN_ATTRIBUTE = """
import asyncio
from fastapi import FastAPI
app = FastAPI()
app.seats = 1
@app.post("/buy")
async def buy():
    seats = app.seats
    {between}
    app.seats = seats - 1
    return seats
"""

TORN = """
import asyncio
from aiohttp import web
a = b = 0
async def both(request):
    seen = a
    {between}
    return web.json_response({{"a": seen, "b": [b]}})
async def step(request):
    global a, b
    a, b = 1 - a, 1 - b
    return web.json_response({{"done": True}})
app = web.Application()
app.add_routes([web.get("/", both), web.post("/", step)])
"""

WITH_FLAG = [
    """
from aiohttp import web
app = web.Application()
app["free"] = True
async def take(request):
    free, request.app["free"] = request.app["free"], False
    return free
""",
    """
from fastapi import FastAPI
app = FastAPI()
app.state.free = True
@app.post("/")
async def take(request):
    free, request.app.state.free = request.app.state.free, False
    return free
""",
    """
from sanic import Sanic
app = Sanic("shop")
app.ctx.free = True
@app.post("/")
async def take(request):
    free, request.app.ctx.free = request.app.ctx.free, False
    return free
""",
]

TEMPLATES = {
    "aiohttp, set at startup": AIOHTTP.replace("{start}", "app.on_startup.append(start)"),
    "aiohttp, set at once": AIOHTTP.replace("{start}", "app['seats'] = 1"),
    "FastAPI, its lifespan": WITH_STATE.replace("{lifespan}", "lifespan=lifespan")
    .replace("{start}", "")
    .replace("{app}", "request.app"),
    "FastAPI, an event": WITH_STATE.replace("{lifespan}", "")
    .replace("{start}", "@app.on_event('startup')\nasync def start(): app.state.seats = 1")
    .replace("{app}", "app"),
    "Sanic, set at once": SANIC.replace("{start}", "app.ctx.seats = 1").replace("{app}", "app"),
    "Sanic, a decorator": SANIC.replace("{start}", f"@app.before_server_start{SANIC_START}").replace(
        "{app}", "request.app"
    ),
    "Sanic, an event": SANIC.replace("{start}", f"@app.listener('before_server_start'){SANIC_START}").replace(
        "{app}", "app"
    ),
    "Sanic, registered": SANIC.replace(
        "{start}", f"{SANIC_START}app.register_listener(start, 'before_server_start')"
    ).replace("{app}", "app"),
    "Sanic, a context of its own": SANIC.replace('Sanic("shop")', "Sanic('shop', ctx=Own())")
    .replace("app = ", "class Own: seats = 1\napp = ", 1)
    .replace("{start}", "")
    .replace("{app}", "app"),
    "an attribute of the application": OWN_ATTRIBUTE,
    "a response with data inside": TORN,
}


def run(path: Path, text: str, *, proves: bool = False) -> ServiceRuns:
    path.write_text(text)
    (found,) = run_file(SourceText(str(path), text), "", 8.0, proves=proves).services
    return found


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_a_race_over_an_application_is_found(template: str, tmp_path: Path) -> None:
    found = run(tmp_path / "service.py", template.format(between="await asyncio.sleep(0)"))
    assert found.race is not None


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_without_a_pause_there_is_none(template: str, tmp_path: Path) -> None:
    found = run(tmp_path / "service.py", template.format(between="pass"))
    assert found.race is None
    assert found.refusal is None
    assert found.explored >= 2


@pytest.mark.parametrize("template", [TORN, *WITH_FLAG], ids=["data", "aiohttp", "FastAPI", "Sanic"])
def test_the_state_of_an_application_is_seen_by_proofs(template: str, tmp_path: Path) -> None:
    found = run(tmp_path / "service.py", template.format(between="pass"), proves=True)
    assert found.system is not None or found.recorded is not None


def test_what_is_state_with_one_framework_is_an_attribute_with_another(tmp_path: Path) -> None:
    text = SANIC.format(start="app.state.seats = 1", app="app", between="await asyncio.sleep(0)")
    text = text.replace("ctx", "listener").replace("app.state.seats = 1", "app.listener = Own()")
    text = text.replace(
        "from sanic import Sanic", "from fastapi import FastAPI as Sanic\nclass Own: seats = 1"
    )
    assert run(tmp_path / "service.py", text).race is not None


def test_what_another_file_puts_there_may_be_anything(tmp_path: Path) -> None:
    text = """
from aiohttp import web
routes = web.RouteTableDef()
@routes.get("/")
async def client(request):
    if "client" not in request.app:
        {wait}
        request.app["client"] = {made}
    return request.app["client"]
"""
    assert run(tmp_path / "a.py", text.format(wait="", made="await connect()")).race is not None
    assert run(tmp_path / "b.py", text.format(wait="await connect()", made="1")).race is None


def test_deleted_means_gone(tmp_path: Path) -> None:
    text = """
from aiohttp import web
app = web.Application()
app["token"] = "t"
async def use(request):
    if "token" not in request.app:
        return "used"
    {wait}
    try:
        del request.app["token"]
    except KeyError:
        return "twice"
    return request.app.get("token", "mine")
"""
    found = run(tmp_path / "a.py", text.format(wait="await check()"))
    assert found.race is not None
    assert "'twice'" in str(found.race)
    assert run(tmp_path / "b.py", text.format(wait="")).race is None


def test_several_applications_are_refused(tmp_path: Path) -> None:
    text = """
from aiohttp import web
app, inner = web.Application(), web.Application()
async def use(request):
    request.app["n"] = 1
"""
    found = run(tmp_path / "a.py", text)
    assert "several applications" in str(found)


def test_a_startup_that_fails_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    text = "from aiohttp import web\napp = web.Application()\nasync def start(app): 1 / 0\n"
    text += "app.on_startup.append(start)\nasync def use(request): return request.app['n']\n"
    path.write_text(text)
    with pytest.raises(InputError, match="startup function of the application fails"):
        run_file(SourceText(str(path), text), "", 20.0)


def test_the_order_of_sums_does_not_count(tmp_path: Path) -> None:
    text = """
from aiohttp import web
async def use(request):
    request.app["n"] += 1
    await work()
    request.app["n"] {change}
    return "ok"
"""
    assert run(tmp_path / "a.py", text.format(change="+= 2")).race is None
    assert run(tmp_path / "b.py", text.format(change="-= 1")).race is None
    assert run(tmp_path / "c.py", text.format(change="= request.app['n'] * 2")).race is not None


def test_an_unknown_number_keeps_its_place(tmp_path: Path) -> None:
    text = """
from aiohttp import web
async def use(request):
    n = request.app["n"]
    if n >= 3 and not n + 1 > 3 or n + 2 == 5 and n - 1 != 2 or n - 1 + 1 != n:
        {race}
    return "ok"
"""
    found = run(tmp_path / "a.py", text.format(race="return 'impossible'"))
    assert "impossible" not in str(found.answers)
    assert "'ok'" in str(found.answers)
