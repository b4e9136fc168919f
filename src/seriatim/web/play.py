"""Runs the server of `ser play` on this machine, until it is stopped."""

import socket
from collections.abc import Callable
from pathlib import PurePath

import uvicorn

from seriatim.source import Diagnostic, InputError, SourceText
from seriatim.web.links import fragment
from seriatim.web.questions import Room
from seriatim.web.server import application, page_folder

ADDRESS = "127.0.0.1"
USUAL_PORT = 8370
SECONDS_TO_END = 3
"""Seconds for answers that are under way when the server stops."""


def bind(port: int | None) -> socket.socket:
    """A socket for this machine alone; without a port the usual one, or any if that is taken."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((ADDRESS, USUAL_PORT if port is None else port))
    except OSError as error:
        if port is None:
            found.bind((ADDRESS, 0))
            return found
        found.close()
        message = f"port {port} cannot be used: {error.strerror or error}"
        hint = "name another one, or leave --port out"
        raise InputError([Diagnostic("SER973", message, hint=hint)]) from None
    return found


def address(bound: socket.socket, source: SourceText | None) -> str:
    """The address of the page, with a source to start from; the link names no folders."""
    start = f"http://{ADDRESS}:{bound.getsockname()[1]}/"
    if source is None:
        return start
    return f"{start}#{fragment(SourceText(PurePath(source.name).name, source.text))}"


def play(bound: socket.socket, workers: int, room: Room, when_ready: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM; raises `InputError` if there is no page to serve."""
    page = page_folder()
    if not page.joinpath("index.html").is_file():
        hint = "in the checkout: make page, which needs npm; then install it again"
        raise InputError([Diagnostic("SER972", "the page has not been built", hint=hint)])
    app = application(bound.getsockname()[1], workers, room, page)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=SECONDS_TO_END,
    )
    server = _Server(config, when_ready)
    server.run(sockets=[bound])


class _Server(uvicorn.Server):
    """A server that reports when it is ready."""

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.when_ready = when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.when_ready()
