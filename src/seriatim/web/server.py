"""The server of `ser play`: the page, and an answer to each question it asks; `openapi.json` describes it."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from seriatim import __version__
from seriatim.source import Diagnostic, InputError
from seriatim.strict_json import parse
from seriatim.web.about import about
from seriatim.web.answers import refuse
from seriatim.web.guard import Guard
from seriatim.web.pool import Pool, Told
from seriatim.web.questions import KINDS, MAX_CERTIFICATE, MAX_TEXT, Room, read_question

Json = dict[str, Any]

MAX_BODY = 2 * (MAX_TEXT + MAX_CERTIFICATE)
"""The largest request in bytes: room for the longest text even if most characters are escaped."""

EVENTS = "text/event-stream"


def page_folder() -> Path:
    """The folder of the built page; in a checkout it may be missing."""
    return Path(str(resources.files("seriatim.web").joinpath("page")))


class Page(StaticFiles):
    """The files of the page. Names that contain a digest of their content may be kept for ever."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        kept = "max-age=31536000, immutable" if path.startswith("assets/") else "no-cache"
        response.headers["Cache-Control"] = kept
        return response


class TooLarge(Exception):
    """A question has more bytes than allowed."""


class Api:
    """Answers requests; the pool exists while the server runs."""

    def __init__(self, workers: int, room: Room) -> None:
        self.workers = workers
        self.room = room
        self.pool: Pool | None = None

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.pool = Pool(self.workers, self.room)
        try:
            yield
        finally:
            self.pool.close()

    async def about(self, _: Request) -> Response:
        return JSONResponse(about(self.room))

    async def describe(self, _: Request) -> Response:
        return JSONResponse(description())

    async def answer(self, request: Request) -> Response:
        kind = request.url.path.rpartition("/")[2]
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return make_refusal(415, "questions are JSON: send Content-Type: application/json")
        try:
            question = read_question(kind, parse((await body(request)).decode()), self.room)
        except TooLarge:
            return make_refusal(413, f"questions have at most {MAX_BODY:,} bytes")
        except UnicodeDecodeError:
            return make_refusal(422, "the question is not UTF-8")
        except InputError as error:
            return JSONResponse(refuse(*error.diagnostics), 422)
        assert self.pool is not None, "the server has begun"
        if self.pool.is_full:
            return make_refusal(503, "too many questions are waiting already", {"Retry-After": "5"})
        told = self.pool.answer(question)
        if EVENTS in request.headers.get("accept", ""):
            return StreamingResponse(events(told), media_type=EVENTS)
        return StreamingResponse(last_word(told), media_type="application/json")

    def routes(self) -> list[Route]:
        return [
            Route("/api/about", self.about),
            Route("/api/openapi.json", self.describe),
            *(Route(f"/api/{kind}", self.answer, methods=["POST"]) for kind in KINDS),
        ]


def application(port: int, workers: int, room: Room, page: Path | None) -> Starlette:
    """The whole server; without a page, it is the API alone."""
    api = Api(workers, room)
    files = [] if page is None else [Mount("/", Page(directory=page, html=True))]
    guard = Middleware(Guard, port=port)
    return Starlette(routes=[*api.routes(), *files], lifespan=api.lifespan, middleware=[guard])


async def body(request: Request) -> bytes:
    """The body of a request; raises `TooLarge`."""
    found = bytearray()
    async for piece in request.stream():
        found += piece
        if len(found) > MAX_BODY:
            raise TooLarge
    return bytes(found)


def make_refusal(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(refuse(Diagnostic("SER975", message)), status, headers)


async def events(told: AsyncGenerator[Told, None]) -> AsyncIterator[str]:
    """Server-sent events: progress reports, then the answer."""
    async with aclosing(told) as words:
        async for kind, value in words:
            yield f"event: {kind}\ndata: {json.dumps(value)}\n\n"


async def last_word(told: AsyncGenerator[Told, None]) -> AsyncIterator[str]:
    """The answer alone."""
    async with aclosing(told) as words:
        async for kind, value in words:
            if kind == "answer":
                yield json.dumps(value)


def description() -> Json:
    """The API as an OpenAPI document."""
    text = resources.files("seriatim.web").joinpath("openapi.json").read_text("utf-8")
    found: Json = json.loads(text)
    found["info"]["version"] = __version__
    return found
