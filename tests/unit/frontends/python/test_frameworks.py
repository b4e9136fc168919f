"""Routes of web frameworks, installed or not: decorators, lists of routes, and responses."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.testing import assert_requests_serializable

BODY = """    global seats
    if seats == 0:
        return {no}
    await asyncio.sleep(1)
    seats -= 1
    return {yes}
"""


def file(head: str, decorator: str, signature: str, yes: str, no: str, tail: str = "") -> str:
    body = BODY.format(yes=yes, no=no)
    return f"import asyncio\n{head}\nseats = 1\n{decorator}\nasync def {signature}:\n{body}\n{tail}\n"


FILES = {
    "fastapi": file(
        "from fastapi import FastAPI\nfrom pydantic import BaseModel\napp = FastAPI()\n"
        "class Answer(BaseModel):\n    ok: bool",
        "@app.post('/buy', response_model=Answer)",
        "buy()",
        "Answer(ok=True)",
        "Answer(ok=False)",
    ),
    "starlette": file(
        "from starlette.responses import JSONResponse\nfrom starlette.routing import Route",
        "",
        "_buy(request)",
        "JSONResponse({'ok': True})",
        "JSONResponse({'ok': False}, status_code=409)",
        "routes = [Route('/buy', _buy, methods=['POST'])]",
    ),
    "aiohttp": file(
        "from aiohttp import web",
        "",
        "_buy(request)",
        "web.json_response({'ok': True})",
        "web.json_response({'ok': False})",
        "app = web.Application()\napp.add_routes([web.post('/buy', _buy)])",
    ),
    "quart": file(
        "from quart import Quart\napp = Quart(__name__)",
        "@app.post('/buy')",
        "buy()",
        "({'ok': True}, 200)",
        "({'ok': False}, 409)",
    ),
    "sanic": file(
        "from sanic import Sanic\nfrom sanic.response import json\napp = Sanic('shop')",
        "@app.post('/buy')",
        "buy(request)",
        "json({'ok': True})",
        "json({'ok': False}, status=409)",
    ),
}


IN_APP = """import asyncio
{head}
async def {name}(request):
{alias}    if {where} == 0:
        return 'sold out'
    await asyncio.sleep(1)
    {where} -= 1
    return 'yours'
{tail}
"""

FILES |= {
    "aiohttp_app": IN_APP.format(
        head="from aiohttp import web",
        name="_buy",
        alias="    app = request.app\n",
        where="app['seats']",
        tail="app = web.Application()\napp['seats'] = 1\napp.router.add_post('/buy', _buy)",
    ),
    "starlette_app": IN_APP.format(
        head="from starlette.applications import Starlette\nfrom starlette.routing import Route",
        name="_buy",
        alias="",
        where="request.app.state.seats",
        tail="app = Starlette(routes=[Route('/buy', _buy)])\napp.state.seats = 1",
    ),
    "sanic_app": IN_APP.format(
        head="from sanic import Sanic\napp = Sanic('shop')\napp.ctx.seats = 1\n@app.post('/buy')",
        name="buy",
        alias="",
        where="app.ctx.seats",
        tail="",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_races_of_routes_are_found(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}_shop.py"
    path.write_text(FILES[name])
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 1, result.output
    assert "NOT SERIALIZABLE (2 requests" in result.output


def test_what_a_package_keeps_that_is_not_there_is_not_proved(tmp_path: Path) -> None:
    """Neither by another name for it, nor where other state changes as well; responses are not shared."""
    text = (
        FILES["sanic_app"]
        .replace("Sanic", "Blueprint")
        .replace("async def buy(request):\n", "async def buy(request):\n    kept = app.ctx\n")
    )
    text = text.replace("app.ctx.seats -= 1", "kept.seats -= 1")
    path = tmp_path / "kept_shop.py"
    for body in (text, text.replace("    kept = app.ctx\n", "    kept = app.ctx\n    asked.append(1)\n")):
        path.write_text(f"asked = []\n{body}")
        assert CliRunner().invoke(main, ["check", str(path)]).exit_code in (1, 3)
    path.write_text(
        "from sanic import Sanic\nfrom sanic.response import json\napp = Sanic('shop')\nseats = 1\n"
        "@app.post('/buy')\nasync def buy(request):\n    global seats\n    found = json({'left': seats})\n"
        "    found.headers['x'] = 'y'\n    seats = max(0, seats - 1)\n    return found\n"
    )
    fine = CliRunner().invoke(main, ["check", str(path)])
    assert fine.exit_code == 0, fine.output


def test_an_emitted_test_shows_what_the_service_answers(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(FILES["sanic"])
    with pytest.raises(AssertionError, match=r"together can answer\n.*True.*True.*\nOne at a time"):
        assert_requests_serializable(path, "buy('a')", "buy('b')")


def test_functions_that_are_no_routes_are_no_requests(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(f"{FILES['starlette']}\nasync def other(request):\n    return 1\n")
    result = CliRunner().invoke(main, ["check", str(path), "--explain-scope"])
    assert "_buy('a'): request" in result.output
    assert "other(" not in result.output
