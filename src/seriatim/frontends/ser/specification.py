"""Text to a specification: an automaton, or a program that runs serially.

    spec { init empty; empty -> one: push/1; one -> empty: pop/1; empty -> empty: pop/0, peek/0; }

Every state may be the last one, so the words that a specification allows are closed under prefixes by
construction. From a state, a completion without an edge is not allowed; one with several edges leads to any
of their targets. A text that does not begin with `spec {` is a program: it allows what its serial runs do.
"""

import re
from dataclasses import dataclass, field

from seriatim.frontends.ser.parser import parse
from seriatim.program.specification import Specification, SpecificationAutomaton, SpecifiedStep
from seriatim.program.syntax import NOWHERE
from seriatim.source import Diagnostic, Findings, SourceText, Span, quote, warning

_BLANK = r"(?: \s | //[^\n]*+ | \#[^\n]*+ )*+"
"""Possessive: a line of `#` is one comment, and never tried as several, in one of exponentially many ways."""
_AUTOMATON = re.compile(rf"{_BLANK} spec {_BLANK} \{{", re.VERBOSE)

_TOKEN = re.compile(
    r"""(?P<blank>  (?: \s | //[^\n]* | \#[^\n]* )+ )
      | (?P<arrow>  -> )
      | (?P<string> "[^"\n]*" )
      | (?P<word>   -?\w+ )
      | (?P<symbol> [{};:,/] )
      | (?P<odd>    . )
    """,
    re.VERBOSE,
)


def read_specification(source: SourceText) -> Specification:
    """Reads a specification from text; raises `InputError` with all mistakes."""
    text = source.text
    meaning = _Parser(source).automaton() if _AUTOMATON.match(text) else parse(text, source.name)
    return Specification(text, meaning, source.name)


END = ""
"""The sign after the last token."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def sign(self) -> str | None:
        """The sign, unless the token is a name, quoted or not."""
        return None if self.kind in ("word", "string") else self.text


class _StepLost(Exception):
    """A mistake was found; the parser continues after the next semicolon."""


class _Parser:
    """A recursive-descent parser. It reads steps separately, so that one mistake does not hide another."""

    def __init__(self, source: SourceText) -> None:
        self.findings = Findings()
        self.tokens = _tokens(source)
        self.position = 0

    def automaton(self) -> SpecificationAutomaton:
        self.position = 2  # `spec {` is what made us read this as an automaton.
        initials: list[_Token] = []
        steps: list[SpecifiedStep] = []
        while self.next.sign not in ("}", END):
            try:
                if self.next == _Token("word", "init") and self.tokens[self.position + 1].sign != "->":
                    self.position += 1
                    initials.append(self.name("the name of the initial state"))
                else:
                    steps.extend(self.edge())
                if self.next.sign != "}":
                    self.expect(";")
            except _StepLost:
                self.skip()
        if self.next.sign == "}":
            self.position += 1
            if self.next.sign != END:
                self.complain("the end of the text")
        elif not len(self.findings):
            self.complain("`}`")
        self.one_initial(initials)
        if len(self.findings):
            raise self.findings.error()
        return SpecificationAutomaton(
            initials[0].text, tuple(steps), tuple(_unreachable(initials[0].text, steps))
        )

    def one_initial(self, initials: list[_Token]) -> None:
        hint = "name one state in which nothing has happened yet: init q0;"
        if not initials:
            self.findings.report("SER222", "no initial state", self.tokens[0].span, hint)
        for further in initials[1:]:
            message = f"a second initial state {quote(further.text)}"
            self.findings.report("SER222", message, further.span, hint)

    def edge(self) -> list[SpecifiedStep]:
        """`q0 -> q1: push/1, push/2`."""
        source = self.name("a state")
        if self.next.sign != "->" and source.text in ("final", "accept", "accepting"):
            message = "every state of a specification is final"
            hint = "leave it out: whatever leads to a state is allowed, so specifications are prefix-closed"
            self.findings.report("SER226", message, source.span, hint)
            raise _StepLost
        self.expect("->")
        target = self.name("a state")
        self.expect(":")
        steps = [self.step(source.text, target.text)]
        while self.next.sign == ",":
            self.position += 1
            steps.append(self.step(source.text, target.text))
        return steps

    def step(self, source: str, target: str) -> SpecifiedStep:
        request = self.name("a request")
        self.expect("/")
        response = self.name("a response")
        span = request.span.to(response.span)
        return SpecifiedStep(source, target, request.text, response.text, span)

    def name(self, what: str) -> _Token:
        token = self.next
        if token.kind not in ("word", "string"):
            self.complain(what)
            raise _StepLost
        self.position += 1
        return token

    def expect(self, text: str) -> None:
        if self.next.sign != text:
            self.complain(f"`{text}`")
            raise _StepLost
        self.position += 1

    def complain(self, expected: str) -> None:
        found = "the end of the text" if self.next.sign == END else quote(self.next.text)
        hint = "a specification is written spec { init q0; q0 -> q1: request/response; … }"
        self.findings.report("SER221", f"expected {expected}, found {found}", self.next.span, hint)

    def skip(self) -> None:
        while self.next.sign not in (";", "}", END):
            self.position += 1
        if self.next.sign == ";":
            self.position += 1

    @property
    def next(self) -> _Token:
        return self.tokens[self.position]


def _tokens(source: SourceText) -> list[_Token]:
    text, file = source.text, source.name
    tokens: list[_Token] = []
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        found = match.group()
        if match.lastgroup == "blank":
            line += found.count("\n")
            line_start = start + found.rfind("\n") + 1 if "\n" in found else line_start
            continue
        span = Span(line, start - line_start + 1, line, end - line_start + 1, file)
        is_string = match.lastgroup == "string"
        tokens.append(_Token(match.lastgroup or "", found[1:-1] if is_string else found, span))
    column = len(text) - line_start + 1
    tokens.append(_Token("end", END, Span(line, column, line, column, file)))
    return tokens


def _unreachable(initial: str, steps: list[SpecifiedStep]) -> list[Diagnostic]:
    """A warning for the first step from each state to which no steps lead."""
    reached = {initial}
    while new := {step.target for step in steps if step.source in reached} - reached:
        reached |= new
    first = {step.source: step for step in reversed(steps) if step.source not in reached}
    return [
        warning(
            "SER229",
            f"no steps lead to the state {quote(step.source)}",
            step.span,
            "correct its name, or leave it out",
        )
        for step in sorted(first.values(), key=lambda step: step.span)
    ]
