"""Keeps other sites out: the server of `ser play` answers only the page that it served itself.

A site that the user visits could send requests to 127.0.0.1. Browsers then say where they come from
(`Origin`, `Sec-Fetch-Site`). It could also let its own name point to 127.0.0.1 (DNS rebinding); then its name
is in `Host`. Both are refused, whatever they ask. Every answer forbids the page to load or to send anything
elsewhere.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

NAMES = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Refuses what does not come from the page, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = frozenset(f"{name}:{port}" for name in NAMES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        reason = self.refusal(Headers(scope=scope), scope["path"])
        app = self.app if reason is None else JSONResponse({"refused": reason}, 403)
        await app(scope, receive, send_with_headers)

    def refusal(self, headers: Headers, path: str) -> str | None:
        """Why a request is refused; None if it is answered."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return "this server answers to its own address only"
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return "requests from other sites are refused"
        is_foreign = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        if is_foreign and path.startswith("/api/"):
            return "requests from other sites are refused"
        return None
