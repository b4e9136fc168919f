"""An object for each key: each request names its key first, as in Jepsen's independent tests."""

import json
from decimal import Decimal

from seriatim.history.log import request_parts, request_text, text_of
from seriatim.history.model import Access, Model, Outcome, Part, Request, State, Unfit


class Keyed:
    """A model for each key, all alike. A request is a key, and a request of the model."""

    def __init__(self, inner: Model) -> None:
        self.inner = inner
        self.name = f"{inner.name} for each key"
        self.initial: State = inner.initial

    def request(self, text: str) -> Request:
        name, *arguments = request_parts(text)
        if not arguments or not arguments[0]:
            raise Unfit(f"`{text}` does not name a key first")
        key, *rest = arguments
        try:
            return key, self.inner.request(request_text(name, rest))
        except Unfit:
            if rest != ["null"]:
                raise
            return key, self.inner.request(name)  # Jepsen writes `[key nil]` where a request has no value.

    def spell(self, request: Request) -> str:
        key, inner = _parts(request)
        name, *arguments = request_parts(self.inner.spell(inner))
        return request_text(name, [key, *arguments])

    def answer(self, request: Request, text: str) -> str:
        """Reads an answer; where it does not fit, `[key answer]` may be meant, as Jepsen writes it."""
        key, inner = _parts(request)
        try:
            return self.inner.answer(inner, text)
        except Unfit:
            rest = _without_key(key, text)
            if rest is None:
                raise
            return self.inner.answer(inner, rest)

    def say(self, request: Request, answer: str) -> str:
        return self.inner.say(_parts(request)[1], answer)

    def part(self, request: Request) -> Part:
        key, inner = _parts(request)
        return key, self.inner.part(inner)

    def outcomes(self, state: State, request: Request) -> tuple[Outcome, ...]:
        return self.inner.outcomes(state, _parts(request)[1])

    def only_reads(self, request: Request, answer: str | None) -> bool:
        return self.inner.only_reads(_parts(request)[1], answer)

    def as_register(self, request: Request) -> Access | None:
        return self.inner.as_register(_parts(request)[1])

    def only_grows(self, request: Request) -> bool:
        return self.inner.only_grows(_parts(request)[1])

    def hopeless(self, state: State, answer: str) -> bool:
        return self.inner.hopeless(state, answer)

    def all_requests(self) -> tuple[Request, ...] | None:
        """None: there may be any keys."""
        return None

    def show(self, part: Part, state: State) -> str:
        assert isinstance(part, tuple)
        return f"key {part[0]}: {self.inner.show(part[1], state)}"


def _without_key(key: str, text: str) -> str | None:
    """The rest of an answer that begins with a key."""
    try:
        found = json.loads(text, parse_float=Decimal)
    except ValueError:
        return None
    match found:
        case [first, rest] if text_of(first) == key:
            return text_of(rest)
        case _:
            return None


def _parts(request: Request) -> tuple[str, Request]:
    assert isinstance(request, tuple)
    key, inner = request
    return str(key), inner
