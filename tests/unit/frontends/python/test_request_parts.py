"""What a request brings along is a parameter of it, and the real code is given it when a run is repeated."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from seriatim.cli.main import main
from seriatim.frontends.python.frontend import translate
from seriatim.program.syntax import Program
from seriatim.source import SourceText
from testkit.samples import deep

SHOP = """import asyncio
from typing import Literal
{head}
stock = {{'pen': 1, 'cup': 1}}  # ser: -1..1
{decorator}
async def buy({parameter}):
{taking}
    if stock[{item}] < 1:
        return 'sold out'
    await asyncio.sleep(1)
    stock[{item}] -= 1
    return 'yours'
"""

AIOHTTP = "from aiohttp import web\nroutes = web.RouteTableDef()"
FASTAPI = "from fastapi import FastAPI\nfrom pydantic import BaseModel\napp = FastAPI()\n"
ORDER = "class Order(BaseModel):\n    item: Literal['pen', 'cup']\n    note: str"
MARK = "# ser: {'pen', 'cup'}"

FILES = {
    "a part of the path": (AIOHTTP, "request", f"    item = request.match_info['item']  {MARK}", "item"),
    "a query": (AIOHTTP, "request", f"    item = request.query.get('item', 'pen')  {MARK}", "item"),
    "a body": (
        AIOHTTP,
        "request",
        f"    data = await request.json()  # ser: opaque\n    item = data['item']  {MARK}",
        "item",
    ),
    "a text": (
        AIOHTTP,
        "request",
        "    item = await request.text()  # ser: opaque -> {'pen', 'cup'}",
        "item",
    ),
    "a model": (f"{FASTAPI}{ORDER}", "order: Order", "", "order.item"),
    "a dataclass": (
        f"{FASTAPI}from dataclasses import dataclass\n@dataclass\n{ORDER.replace('(BaseModel)', '')}",
        "order: Order",
        "",
        "order.item",
    ),
}


def text(name: str) -> str:
    head, parameter, taking, item = FILES[name]
    decorator = "@app.post('/')" if "FastAPI" in head else "@routes.post('/{item}')"
    return SHOP.format(head=head, decorator=decorator, parameter=parameter, taking=taking, item=item)


def content(source: str) -> Program:
    found = translate(SourceText("shop.py", source), {}).content
    assert isinstance(found, Program)
    return found


@pytest.mark.parametrize("name", FILES)
def test_requests_differ_in_what_they_bring_along(name: str) -> None:
    assert {handler.name for handler in content(text(name)).handlers} == {"buy('cup')", "buy('pen')"}


@deep
@pytest.mark.parametrize("name", FILES)
def test_the_real_code_is_given_what_the_model_says(name: str, tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(text(name))
    marks = tmp_path / "marks.txt"
    marks.write_text("# no marks: the text is asked\n")
    result = CliRunner().invoke(main, ["check", str(path), "--json", "--no-cache", "--scope", str(marks)])
    found = json.loads(result.output)
    assert (found["verdict"], found["replayed"]["confirmed"]) == ("not_serializable", True)
    assert "After each turn, state, line and answer are the same." in found["replayed"]["sentence"]
    followed = CliRunner().invoke(main, ["check", str(path), "--conformance", "20"])
    assert followed.exit_code == 0, followed.output


def test_a_part_is_fixed_and_no_choice() -> None:
    """As a choice, it could be another one when requests come one at a time, and hide the violation."""
    source = (
        f"import asyncio\n{AIOHTTP}\nlast = 'no'\n@routes.get('/')\nasync def f(request):\n    global last\n"
        "    vote = await request.text()  # ser: opaque -> {'yes', 'no'}\n    await asyncio.sleep(1)\n"
        "    last = vote\n    return last\n"
    )
    assert all("choice" not in repr(handler.body).lower() for handler in content(source).handlers)


def test_what_is_received_again_and_again_is_not_fixed() -> None:
    source = (
        f"import asyncio\n{AIOHTTP}\nlast = 'no'\n@routes.get('/')\nasync def f(socket):\n    global last\n"
        "    for _ in range(2):\n        last = await socket.receive()  # ser: opaque -> {'yes', 'no'}\n"
        "    return 1\n"
    )
    assert [handler.name for handler in content(source).handlers] == ["f"]
