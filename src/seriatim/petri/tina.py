"""Nets in the textual format of TINA (`.net`), as many Petri-net tools read it.

Read are places with their tokens, transitions with weighted arcs, and read arcs `p?n`, which need n tokens
and leave them there. Beside an ordinary arc from the same place, the larger number of tokens is needed.
Inhibitor arcs, stopwatches, priorities and time intervals other than [0,w[ would change what the net can do;
they are refused.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import NoReturn

from seriatim.petri.builder import NetBuilder
from seriatim.petri.net import PetriNet
from seriatim.source import Diagnostic, InputError, Span

_TOKEN = re.compile(
    r"(?P<skip>\s+|#[^\n]*)"
    r"|(?P<arrow>->)"
    r"|(?P<interval>[\[\]]\s*[0-9]+\s*,\s*(?:[0-9]+|w)\s*[\[\]])"
    r"|(?P<marking>\(\s*[0-9]+\s*\))"
    r"|(?P<weight>\*[0-9]+)"
    r"|(?P<read>\?[0-9]+)"
    r"|(?P<special>\?-[0-9]+|!-?[0-9]+)"
    r"|(?P<name>\{(?:[^\\{}]|\\.)*\}|[\w']+)"
    r"|(?P<colon>:)"
)
_PLAIN = re.compile(r"[A-Za-z0-9_']+")
_NOT_DIGITS = re.compile(r"[^0-9]+")
MAX_DIGITS = 12
"""The most digits of a number of tokens."""
_KEYWORDS = {"net", "pl", "tr", "pr", "lb", "nt"}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    span: Span


def read_tina(text: str) -> PetriNet:
    """Reads a net; raises `InputError` if the text is not one."""
    return _TinaReader(_tokens(text)).net()


def _tokens(text: str) -> list[Token]:
    found: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        column = position - line_start + 1
        if match is None:
            span = Span(line, column, line, column + 1)
            raise InputError([Diagnostic("SER902", f"unexpected {text[position]!r}", span)])
        kind, part = match.lastgroup or "", match.group()
        if kind != "skip":
            found.append(Token(kind, part, Span(line, column, line, column + len(part))))
        if "\n" in part:
            line += part.count("\n")
            line_start = position + part.rindex("\n") + 1
        position = match.end()
    return found


class _TinaReader:
    """Declarations, one after the other."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.builder = NetBuilder()

    def net(self) -> PetriNet:
        while self.position < len(self.tokens):
            keyword = self.take("name", "`pl` or `tr`")
            match keyword.text:
                case "net":
                    self.take("name", "the net's name")
                case "pl":
                    self.place_declaration()
                case "tr":
                    self.transition_declaration()
                case "lb" | "nt" | "pr":
                    self.fail(keyword, f"`{keyword.text}` is not supported")
                case _:
                    self.fail(keyword, f"`pl` or `tr` expected, not `{keyword.text}`")
        return self.builder.net()

    def place_declaration(self) -> None:
        name = self.name("a place")
        self.builder.means(name, self.label())
        marking = self.accept("marking")
        self.builder.place(name, self.number(marking) if marking else 0)

    def transition_declaration(self) -> None:
        token = self.peek()
        name = self.name("a transition")
        self.builder.means(name, self.label())
        interval = self.accept("interval")
        if interval and re.sub(r"\s", "", interval.text) != "[0,w[":
            self.fail(interval, "time intervals other than [0,w[ are not supported")
        if token is not None and self.builder.has_transition(name):
            self.fail(token, f"the transition {name} is declared twice")
        self.builder.transition(name)
        taken: Counter[str] = Counter()
        read: dict[str, tuple[int, Span]] = {}
        for place, weight, is_read, span in self.arcs():
            if is_read:
                most = max((read[place], (weight, span)), key=lambda each: each[0]) if place in read else None
                read[place] = most or (weight, span)
            else:
                taken[place] += weight
                self.builder.takes(name, place, weight, span)
        for place, (weight, span) in read.items():
            # What is read has to be there, and what is taken may be a part of it.
            self.builder.takes(name, place, max(0, weight - taken[place]), span)
            self.builder.gives(name, place, max(0, weight - taken[place]), span)
        if self.accept("arrow"):
            for place, weight, is_read, span in self.arcs():
                if is_read:
                    raise InputError([Diagnostic("SER902", "a read arc must be before the arrow", span)])
                self.builder.gives(name, place, weight, span)

    def arcs(self) -> list[tuple[str, int, bool, Span]]:
        """(place, weight, whether it is a read arc, where it stands)."""
        found: list[tuple[str, int, bool, Span]] = []
        while (token := self.peek()) is not None and token.kind == "name" and token.text not in _KEYWORDS:
            place = self.name("a place")
            weight = self.accept("weight") or self.accept("read")
            if special := self.accept("special"):
                self.fail(special, "inhibitor arcs and stopwatches are not supported")
            tokens = self.number(weight) if weight else 1
            if tokens == 0:
                self.fail(weight, "an arc of no tokens")
            is_read = weight is not None and weight.kind == "read"
            found.append((place, tokens, is_read, token.span))
        return found

    def label(self) -> str | None:
        return self.name("a label") if self.accept("colon") else None

    def number(self, token: Token) -> int:
        """The digits in a token."""
        digits = _NOT_DIGITS.sub("", token.text)
        if len(digits) > MAX_DIGITS:
            self.fail(token, f"a number of {len(digits):,} digits; at most {MAX_DIGITS} are allowed")
        return int(digits)

    def name(self, what: str) -> str:
        text = self.take("name", what).text
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL) if text.startswith("{") else text

    def peek(self) -> Token | None:
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def accept(self, kind: str) -> Token | None:
        token = self.peek()
        if token is None or token.kind != kind:
            return None
        self.position += 1
        return token

    def take(self, kind: str, what: str) -> Token:
        token = self.accept(kind)
        if token is None:
            self.fail(self.peek(), f"{what} expected")
        return token

    def fail(self, token: Token | None, message: str) -> NoReturn:
        span = token.span if token else self.tokens[-1].span
        raise InputError([Diagnostic("SER902", message, span)])


def write_tina(net: PetriNet, name: str = "net") -> str:
    """The net as text; places without arcs are listed, too. What names stand for are labels."""
    lines = [f"net {_quote(name)}"]
    lines += [
        f"pl {_label(place, net)} ({tokens})" for place, tokens in zip(net.places, net.initial, strict=True)
    ]
    for transition in net.transitions:
        takes, gives = _arcs(net, transition.pre), _arcs(net, transition.post)
        lines.append(" ".join(filter(None, ("tr", _label(transition.name, net), takes, "->", gives))))
    return "\n".join(lines) + "\n"


def _arcs(net: PetriNet, places: tuple[int, ...]) -> str:
    return " ".join(
        _quote(net.places[place]) + (f"*{weight}" if weight > 1 else "")
        for place, weight in sorted(Counter(places).items())
    )


def _label(name: str, net: PetriNet) -> str:
    meaning = net.meanings.get(name)
    return _quote(name) if meaning is None else f"{_quote(name)} : {_quote(meaning)}"


def _quote(name: str) -> str:
    if _PLAIN.fullmatch(name) and name not in _KEYWORDS:
        return name
    return "{" + re.sub(r"([\\{}])", r"\\\1", name) + "}"
