"""Coverability questions in the format `.spec` of the tool MIST: a net, how it starts, and its targets.

Read are the sections `vars`, `rules`, `init`, `target` and `invariants`. A rule takes and gives fixed
numbers of tokens, and its guard makes sure that they are there. Rules that move all tokens of a place, set a
place, or test for no tokens make no Petri net; they are refused. So are targets that ask for exact numbers,
and an `init` that says nothing about a place. `x >= n` in `init` means any number from n on. Invariants are
hints for other tools: they are read and not used.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import NoReturn

from seriatim.petri.builder import MAX_WEIGHT
from seriatim.petri.covering import Covering, Need
from seriatim.petri.net import PetriNet, Transition
from seriatim.source import Diagnostic, InputError, Span

CODE = "SER908"

SECTIONS = ("vars", "rules", "init", "target", "invariants")

_TOKEN = re.compile(
    r"(?P<skip>\s+|\#[^\n]*)|(?P<name>[A-Za-z_][A-Za-z0-9_.:@$]*)|(?P<number>[0-9]+)"
    r"|(?P<sign>->|>=|[=,;'+\[\]-])"
)

MAX_DIGITS = 12


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    kind: str
    span: Span


def is_mist(text: str) -> bool:
    """Whether a text begins as a file of MIST does."""
    return re.match(r"(?:\s|#[^\n]*(?:\n|$))*vars\b", text) is not None


def read_mist(text: str) -> Covering:
    """Reads a question; raises `InputError` if the text says something that is not understood."""
    return _MistReader(_split(text)).question()


def _split(text: str) -> list[_Token]:
    found: list[_Token] = []
    position, line, start = 0, 1, 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        column = position - start + 1
        if match is None:
            span = Span(line, column, line, column + 1)
            raise InputError([Diagnostic(CODE, f"unexpected {text[position]!r}", span)])
        part = match.group()
        if match.lastgroup != "skip":
            found.append(_Token(part, match.lastgroup or "", Span(line, column, line, column + len(part))))
        if "\n" in part:
            line += part.count("\n")
            start = position + part.rindex("\n") + 1
        position = match.end()
    last = found[-1].span.after() if found else Span(1, 1, 1, 1)
    return [*found, _Token("", "end", last)]


class _MistReader:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.position = 0
        self.places: dict[str, int] = {}

    def question(self) -> Covering:
        self.section("vars")
        while self.token.kind == "name" and self.token.text not in SECTIONS:
            name = self.next()
            if name.text in self.places:
                self.fail(name, f"the place {name.text} is declared twice")
            self.places[name.text] = len(self.places)
        self.section("rules")
        rules: list[Transition] = []
        while self.token.text not in SECTIONS and self.token.kind != "end":
            rules.append(self.rule(f"rule{len(rules) + 1}@{self.token.span.line}"))
        self.section("init")
        tokens, is_open = self.start()
        self.section("target")
        targets = [self.target()]
        while self.token.kind == "name" and self.token.text not in SECTIONS:
            targets.append(self.target())
        if self.token.text == "invariants":
            self.next()
            while self.token.kind == "name":
                self.constraints(("=",))
        if self.token.kind != "end":
            self.fail(self.token, "the end of the file expected")
        net = PetriNet(tuple(self.places), tuple(rules), tokens)
        return Covering(net, tuple(dict.fromkeys(targets)), is_open)

    # Sections

    def start(self) -> tuple[tuple[int, ...], frozenset[int]]:
        here = self.token
        said = self.constraints((">=", "="))
        missing = [name for name, place in self.places.items() if place not in said]
        if missing:
            self.fail(here, f"`init` does not say how many tokens {missing[0]} has", "write, say, x = 0")
        tokens = tuple(said[place][1] for place in range(len(self.places)))
        return tokens, frozenset(place for place, (sign, _) in said.items() if sign == ">=")

    def target(self) -> Need:
        return tuple(sorted((place, tokens) for place, (_, tokens) in self.constraints((">=",)).items()))

    def rule(self, name: str) -> Transition:
        needed: dict[int, int] = {}
        if self.token.text == "true":
            self.next()
        else:
            needed = {place: tokens for place, (_, tokens) in self.constraints((">=",)).items()}
        self.expect("->")
        pre, post = Counter(needed), Counter(needed)
        changed: set[int] = set()
        while self.token.text != ";":
            here = self.token
            place = self.place()
            if place in changed:
                self.fail(here, f"{here.text} is changed twice")
            changed.add(place)
            change = self.change(here, place)
            if needed.get(place, 0) + change < 0:
                hint = f"write {here.text} >= {-change} before the arrow"
                self.fail(
                    here, f"the rule takes more tokens from {here.text} than its guard makes sure of", hint
                )
            post[place] += change
            if self.token.text != ";":
                self.expect(",")
        self.next()
        return Transition(name, self.copies(pre, name), self.copies(post, name))

    def change(self, here: _Token, place: int) -> int:
        """Returns what a rule adds to a place, from `x' = x + n`."""
        self.expect("'")
        self.expect("=")
        first = self.token
        what = "only rules of the form x' = x + n or x' = x - n are supported"
        if first.kind != "name" or self.place() != place:
            self.fail(
                first, f"{what}: this sets {here.text}, or moves tokens", "nets with transfers are refused"
            )
        if self.token.text not in ("+", "-"):
            return 0
        sign = 1 if self.next().text == "+" else -1
        if self.token.kind != "number":
            self.fail(self.token, what, "nets with transfers are refused")
        found = sign * self.number()
        if self.token.text in ("+", "-"):
            self.fail(self.token, what)
        return found

    def copies(self, tokens: Counter[int], name: str) -> tuple[int, ...]:
        heaviest = max(tokens.values(), default=0)
        if heaviest > MAX_WEIGHT:
            self.fail(
                self.token, f"{name} has an arc of weight {heaviest:,}; at most {MAX_WEIGHT:,} is allowed"
            )
        return tuple(place for place in sorted(tokens) for _ in range(tokens[place]))

    # Parts

    def constraints(self, signs: tuple[str, ...]) -> dict[int, tuple[str, int]]:
        """Comparisons with numbers, separated by commas, at most one for each place."""
        found: dict[int, tuple[str, int]] = {}
        while True:
            here = self.token
            place = self.place()
            sign = self.next()
            if sign.text not in signs:
                hint = "tests for exact numbers make no Petri net" if sign.text in ("=", "in") else None
                self.fail(
                    sign, f"{' or '.join(f'`{each}`' for each in signs)} expected after {here.text}", hint
                )
            if place in found:
                self.fail(here, f"{here.text} is compared twice")
            found[place] = sign.text, self.number()
            if self.token.text != ",":
                return found
            self.next()

    def place(self) -> int:
        here = self.next()
        if here.kind != "name" or here.text in SECTIONS:
            self.fail(here, "a place expected")
        if here.text not in self.places:
            self.fail(here, f"`vars` does not list {here.text}")
        return self.places[here.text]

    def number(self) -> int:
        here = self.next()
        if here.kind != "number" or len(here.text) > MAX_DIGITS:
            self.fail(here, f"a number with at most {MAX_DIGITS} digits expected")
        return int(here.text)

    def section(self, name: str) -> None:
        self.expect(name)

    # Tokens

    @property
    def token(self) -> _Token:
        return self.tokens[self.position]

    def next(self) -> _Token:
        found = self.token
        self.position += found.kind != "end"
        return found

    def expect(self, text: str) -> None:
        if self.token.text != text:
            self.fail(self.token, f"`{text}` expected")
        self.next()

    def fail(self, token: _Token, message: str, hint: str | None = None) -> NoReturn:
        raise InputError([Diagnostic(CODE, message, token.span, hint)])


def write_mist(question: Covering) -> str:
    """A question as text, with places and rules by number: names of nets may have any characters."""
    net = question.net
    lines = ["vars", *(f"  p{place} # {name}" for place, name in enumerate(net.places)), "rules"]
    for transition in net.transitions:
        pre, post = Counter(transition.pre), Counter(transition.post)
        guard = ", ".join(f"p{place} >= {tokens}" for place, tokens in sorted(pre.items())) or "true"
        change = Counter(post)
        change.subtract(pre)
        steps = [
            f"p{place}' = p{place} {'+' if by > 0 else '-'} {abs(by)}"
            for place, by in sorted(change.items())
            if by
        ]
        lines.append(f"  {guard} -> {', '.join(steps)};")
    held = (
        f"p{place} {'>=' if place in question.open_places else '='} {tokens}"
        for place, tokens in enumerate(net.initial)
    )
    lines += ["init", f"  {', '.join(held)}", "target"]
    lines += [
        f"  {', '.join(f'p{place} >= {tokens}' for place, tokens in each)}" for each in question.targets
    ]
    return "\n".join(lines) + "\n"
