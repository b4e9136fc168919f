"""Changes of a program whose effect on the verdict is known beforehand: mostly, there is none."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.lexer import Kind, Token, tokenize
from seriatim.frontends.ser.parser import parse, parse_surface
from seriatim.frontends.ser.surface import (
    Await,
    Call,
    Definition,
    Lock,
    Request,
    Surface,
    SurfaceProgram,
    Unlock,
    walk,
)
from seriatim.frontends.ser.surface_printer import print_surface
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.syntax import (
    Assign,
    Choice,
    If,
    Number,
    Read,
    Return,
    Sequence,
    While,
    Yield,
    sequence,
)
from seriatim.result import Holds, Violated
from seriatim.source import Findings, Span
from seriatim.systems.limits import Limits
from testkit.generators.counters import CounterMaker
from testkit.generators.programs import ProgramMaker
from testkit.samples import IS_DEEP, at_least, deep, sampled

EXAMPLES = Path(__file__).parents[2] / "examples"
OPTIONS = Options(Limits(max_states=3_000, max_value=50), timeout=20)
"""Limits on states end what would take long, however busy the machine is."""


def texts() -> Iterator[tuple[str, str]]:
    for path in sorted(EXAMPLES.glob("*.ser"))[:: 7 if IS_DEEP else 9]:
        yield path.stem, path.read_text("utf-8")
    for seed in range(3) if IS_DEEP else (1, 4):
        maker = ProgramMaker(Random(seed), modulus=2, odd=0.2)
        yield f"program {seed}", print_program(maker.program(handlers=2, size=3), Style.LAYOUT)
        counters = CounterMaker(Random(seed), faulty=0.3)
        yield f"counter {seed}", print_program(counters.program(handlers=2, size=2), Style.BRACES)


TEXTS = dict(texts())


@cache
def fewest(text: str) -> int | None:
    """0 if it is serializable, else how many requests the run has that shows why not; None if undecided."""
    match decide(parse(text), OPTIONS).answer:
        case Holds():
            return 0
        case Violated(run=run):
            return run.requests
        case _:
            return None


def changed(text: str, change: Callable[[Request, Random], tuple[Definition, ...]]) -> str:
    """The program with something else in the place of each request."""
    surface = parse_surface(text)
    random = Random(text)
    definitions: list[Definition] = []
    for each in surface.definitions:
        definitions.extend(change(each, random) if isinstance(each, Request) else (each,))
    return print_surface(replace(surface, definitions=tuple(definitions)), Style.BRACES)


def inserted(*forms: Surface) -> Callable[[str], str]:
    """A statement somewhere in each handler, not at the end: there stands the answer."""

    def change(request: Request, random: Random) -> tuple[Definition, ...]:
        items = request.body.items if isinstance(request.body, Sequence) else (request.body,)
        at = random.randrange(len(items))
        return (replace(request, body=sequence(*items[:at], random.choice(forms), *items[at:])),)

    return lambda text: changed(text, change)


def added(request: str) -> Callable[[str], str]:
    """One more handler, before or behind the others."""
    (definition,) = parse_surface(request).definitions

    def change(text: str) -> str:
        surface = parse_surface(text)
        definitions = Random(text).choice(
            [(definition, *surface.definitions), (*surface.definitions, definition)]
        )
        return print_surface(replace(surface, definitions=definitions), Style.BRACES)

    return change


def retold(text: str, change: Callable[[Token], str]) -> str:
    """The text with something else in the place of each token."""
    lines = [list(line) for line in text.split("\n")]
    for token in reversed(tokenize(text, Findings())):
        if token.kind in (Kind.NAME, Kind.KEYWORD):
            lines[token.span.line - 1][token.span.column - 1 : token.span.end_column - 1] = change(token)
    return "\n".join("".join(line) for line in lines)


def renamed(text: str) -> str:
    """Everything has another name, and no longer the same order by name."""
    new: dict[str, str] = {}

    def change(token: Token) -> str:
        if token.kind is Kind.KEYWORD or token.text in CONTEXTUAL:
            return token.text
        initial = "Z" if token.text[0].isupper() else "z"
        return new.setdefault(token.text, f"{initial}{len(new) * 7 % 1009}_{token.text[::-1]}")

    return retold(text, change)


CONTEXTUAL = {
    "wrap",
    "saturate",
    "choose",
    "await",
    "lock",
    "unlock",
    "const",
    "enum",
    "fun",
    "in",
    "for",
    "to",
}
"""Words that the lexer takes for names."""


def with_yields(replacement: str) -> Callable[[str], str]:
    return lambda text: retold(text, lambda token: replacement if token.text == "yield" else token.text)


def permuted(text: str) -> str:
    """Handlers and functions in another order."""
    surface = parse_surface(text)
    definitions = list(surface.definitions)
    Random(text).shuffle(definitions)
    return print_surface(replace(surface, definitions=tuple(definitions)), Style.BRACES)


def doubled(text: str) -> str:
    """Each request under a second name, too: whichever of the two somebody sends."""
    return changed(text, lambda request, _: (request, replace(request, name=f"{request.name}_too")))


UNREACHABLE: Surface = If(Number(0), sequence(Assign("X", Number(5)), Yield(), Return(Number(9))))

SAME: dict[str, Callable[[str], str]] = {
    "other names": renamed,
    "another order of requests": permuted,
    "a branch that is never taken": inserted(UNREACHABLE, While(Number(0), UNREACHABLE)),
    "something without an effect": inserted(Number(3), Assign("nobody_reads_this", Number(1)), Choice()),
    "two yields for one": with_yields("(yield; yield)"),
    "a request that touches nothing": added("request constant { yield; 7 }"),
    "a request that is never answered": added("request restless { while (1) { X := 5; yield } }"),
    "each request twice": doubled,
}
"""Changes that change no verdict, not even the number of requests that it takes to show a violation.

Two yields for one: what others do between them they could do before or after both. A request that touches
nothing and answers a constant can be put anywhere into a serial order. A request that is never answered is in
no complete run. A request under a second name does what it does under the first: of a serial order for one
name, any share of the requests may have the other one.
"""


@deep
@pytest.mark.parametrize("change", sampled(list(SAME), 2))
def test_the_verdict_stays(change: str) -> None:
    decided = 0
    for name, text in TEXTS.items():
        other = SAME[change](text)
        before, after = fewest(text), fewest(other)
        if before is not None and after is not None:
            assert before == after, f"{name}:\n{other}"
            decided += 1
    assert decided > len(TEXTS) * 0.8


def body_of(program: SurfaceProgram) -> Iterator[Surface]:
    for definition in program.definitions:
        yield from walk(definition.body)


def without_any_yield(text: str) -> str | None:
    """Requests run one at a time then; not so where something else yields, too."""
    if any(isinstance(part, Await | Lock | Call) for part in body_of(parse_surface(text))):
        return None
    return with_yields("0")(text)


def in_one_lock(text: str) -> str | None:
    """Everybody waits until nobody else is in the middle of something; `return` would keep the lock."""
    if any(isinstance(part, Return) for part in body_of(parse_surface(text))):
        return None
    lock = Read("EVERYTHING")

    def locked(request: Request, _: Random) -> tuple[Definition, ...]:
        answer: Surface = Assign("the_answer", request.body)
        return (replace(request, body=sequence(Lock(lock), answer, Unlock(lock), Read("the_answer"))),)

    return changed(text, locked)


@pytest.mark.parametrize("change", [without_any_yield, in_one_lock])
def test_what_runs_alone_is_serializable(change: Callable[[str], str | None]) -> None:
    proved = 0
    for name, text in TEXTS.items():
        other = change(text)
        if other is not None:
            found = fewest(other)
            assert not found, f"{name}:\n{other}"
            proved += found == 0
    assert proved > len(TEXTS) * 0.3


def as_one_request(text: str) -> str | None:
    """Two requests as one that chooses which of them to be."""
    requests = [each for each in parse_surface(text).definitions if isinstance(each, Request)]
    if len(requests) != 2 or any(each.parameters or each.locals for each in requests):
        return None
    first, second = requests
    either = replace(first, body=If(Choice(), first.body, second.body))
    return changed(text, lambda request, _: (either,) if request == first else ())


def test_what_is_serializable_stays_so_when_requests_become_one() -> None:
    """Answers of both are told apart before, and no longer afterwards: there is less to explain."""
    both = 0
    for name, text in TEXTS.items():
        joined = as_one_request(text)
        if joined is not None and fewest(text) == 0:
            assert not fewest(joined), f"{name}:\n{joined}"
            both += 1
    assert both >= at_least(3, 3)


def test_what_is_serializable_stays_so_with_fewer_yields() -> None:
    """A yield less leaves fewer interleavings, and the same serial runs."""
    checked = 0
    for name, text in TEXTS.items():
        if fewest(text) != 0:
            continue
        for place in yields(text):
            other = without_yield(text, place)
            assert not fewest(other), f"{name}:\n{other}"
            checked += 1
    assert checked >= at_least(10, 2)


def without_yield(text: str, place: Span) -> str:
    return retold(text, lambda token: "0" if token.span == place else token.text)


def yields(text: str) -> list[Span]:
    return [token.span for token in tokenize(text, Findings()) if token.text == "yield"]
