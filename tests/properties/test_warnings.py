"""What a warning claims is true: the program means the same when it is rewritten accordingly."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.program.changing import transform
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.semantics import Unbounded
from seriatim.program.syntax import (
    Binary,
    Expression,
    If,
    Number,
    Operator,
    Program,
    Read,
    Return,
    While,
    Yield,
    sequence,
    walk,
)
from seriatim.source import Diagnostic, Span
from testkit.generators.programs import ProgramMaker
from testkit.oracles.brute_force import Interpreted, Outcome, TooLarge, interleaved
from testkit.samples import deep, sample

SEEDS = sample(160, 2)
ENDLESS = While(Number(1), Number(0))


@cache
def program(seed: int) -> Program:
    """With the places of its text."""
    return parse(print_program(ProgramMaker(Random(seed)).program(), Style.BRACES))


def behaviour(of: Program) -> frozenset[Outcome] | None:
    """What two requests can answer, if that can be found out quickly."""
    try:
        return interleaved(Interpreted(of).rules, 2, 3_000)
    except (TooLarge, Unbounded):
        return None


def rewritten(of: Program, change: Callable[[Expression], Expression]) -> Program:
    return replace(
        of,
        handlers=tuple(replace(handler, body=transform(handler.body, change)) for handler in of.handlers),
    )


def name_at(of: Program, span: Span) -> str:
    (name,) = {
        part.name
        for handler in of.handlers
        for part in walk(handler.body)
        if isinstance(part, Read) and part.span == span
    }
    return name


def as_claimed(of: Program, found: Diagnostic) -> Program:
    """The program with what the warning says about it written out."""
    span = found.span
    assert span is not None
    if found.code == "SER703":
        kept = tuple(initial for initial in of.initial_values if initial.span != span)
        return replace(of, initial_values=kept)

    def change(part: Expression) -> Expression:
        match found.code, part:
            case "SER701", Read() if part.span == span:
                return Number(0)
            case "SER702", Read(name=name) if name == name_at(of, span):
                return Number(0)
            case "SER705", _ if part.span == span:
                return Return(Number(99))
            case "SER706", _ if part.span == span:
                return Number(0)
            case "SER707", While(condition=condition) if condition.span == span:
                return If(condition, ENDLESS)
        return part

    after = rewritten(of, change)
    assert after != of
    return after


def cases() -> list[tuple[int, Diagnostic]]:
    return [(seed, found) for seed in SEEDS for found in program(seed).warnings if found.code != "SER708"]


def test_random_programs_are_warned_of_often_enough_to_tell() -> None:
    counts = Counter(found.code for _, found in cases())
    assert all(counts[code] >= 4 for code in ("SER701", "SER702", "SER705", "SER706", "SER707")), counts


@deep
def test_programs_mean_what_their_warnings_say() -> None:
    compared = 0
    for seed, found in cases():
        before = behaviour(program(seed))
        if before is not None:
            assert behaviour(as_claimed(program(seed), found)) == before, (seed, found)
            compared += 1
    assert compared > len(cases()) / 2


def waiting_program(seed: int) -> Program:
    """One handler waits, and perhaps for ever."""
    random = Random(seed)
    drawn = program(seed)
    waits: Expression = While(Binary(Operator.EQUAL, Read("X"), Number(random.randrange(3))), Yield())
    first, *others = drawn.handlers
    return replace(drawn, handlers=(replace(first, body=sequence(waits, first.body)), *others))


@deep
def test_no_outcome_contains_a_request_of_which_no_complete_run_is_said_to_contain_one() -> None:
    warned = 0
    for seed in SEEDS[:50]:
        waiting = waiting_program(seed)
        found = decide(waiting, Options(timeout=5)).warnings
        never = {warning.message.split("`")[1] for warning in found if warning.code == "SER708"}
        warned += len(never)
        for outcome in behaviour(waiting) or ():
            assert not never & {request for request, _ in outcome}, seed
    assert warned >= 3
