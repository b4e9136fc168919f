"""Repairs of random programs, against brute force."""

from functools import cache
from random import Random

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.program.expression_printer import Style
from seriatim.program.printer import print_program
from seriatim.program.semantics import Unbounded
from seriatim.repair.candidate import Change
from seriatim.repair.repairs import Repairs
from seriatim.repair.search import repairs
from seriatim.repair.yields import drop_yields
from seriatim.result import Holds, Violated
from seriatim.systems.limits import Limits
from testkit.generators.counters import CounterMaker
from testkit.generators.handlers import HandlerMaker
from testkit.generators.programs import ProgramMaker
from testkit.oracles.brute_force import (
    Interpreted,
    Rules,
    State,
    TooLarge,
    interleaved,
    reachable,
    serial,
    successors,
)
from testkit.samples import at_least, deep, sample

OPTIONS = Options(Limits(3_000, 8), timeout=20)
RACES = (
    "request a { x := X; yield; X := (x + 1) % 3; X }",
    "request a:\n    x := X\n    yield\n    X := 1 - x\n    yield\n    return x\nrequest b:\n    return X\n",
    "request a { X := 1; yield; y := X; X := 0; y }",
    "request a { while (x == 0) { x := 1 - X; yield }; X := 1; yield; X := 0; x + X }",
)


def texts() -> list[str]:
    """Programs with violations, in both styles."""
    found = [*RACES, *(HandlerMaker(seed).program() for seed in sample(8, 2))]
    for seed in sample(12, 3):
        random = Random(seed)
        maker = CounterMaker(random, faulty=0.5) if seed % 2 else ProgramMaker(random, modulus=2, odd=0.2)
        found.append(print_program(maker.program(handlers=1 + seed % 2, size=3), list(Style)[seed // 2 % 2]))
    short = [text for text in found if text.count("\n") < 40]
    return [text for text in short if isinstance(decide(parse(text), OPTIONS).answer, Violated)]


TEXTS = texts()


@cache
def repaired(text: str) -> Repairs:
    return repairs(parse(text), text, OPTIONS)


def hanging(rules: Rules, requests: int) -> bool:
    """Whether so many requests can come to where not all of them can complete, even if another one comes."""
    states = reachable(rules, requests + 1)
    before: dict[State, list[State]] = {}
    for state in states:
        for target in successors(rules, state):
            before.setdefault(target, []).append(state)
    hopeful = {state for state in states if not state[1]}
    pending = list(hopeful)
    while pending:
        for state in before.get(pending.pop(), ()):
            if state not in hopeful:
                hopeful.add(state)
                pending.append(state)
    return any(len(flight) + len(done) <= requests for _, flight, done in states - hopeful)


def test_handlers_that_return_early_or_use_arrays_are_locked() -> None:
    """A user who cannot drop a yield still gets a repair."""
    handlers = {HandlerMaker(seed).program() for seed in sample(8, 2)} & set(TEXTS)
    assert len(handlers) > at_least(3, 2)
    for text in handlers:
        assert any(repair.change.keeps_yields for repair in repaired(text).found), text


def test_there_is_something_to_mend() -> None:
    assert len(TEXTS) > 6


@deep
@pytest.mark.parametrize("text", TEXTS)
def test_repairs_are_serializable_and_keep_serial_outcomes(text: str) -> None:
    program = parse(text)
    before = serial(Interpreted(program).rules, 2)
    for repair in repaired(text).found:
        assert parse(repair.text) == repair.program
        rules = Interpreted(repair.program).rules
        try:
            assert interleaved(rules, 2) <= serial(rules, 2)
            assert serial(rules, 2) == before
            assert not hanging(rules, 2) or hanging(Interpreted(program).rules, 2)
        except (TooLarge, Unbounded):
            continue


@pytest.mark.parametrize("text", TEXTS)
def test_blamed_yields_are_minimal_sets(text: str) -> None:
    """Each of them is needed: with one of them back, there is a violation again, or nothing is known."""
    program = parse(text)
    found = repaired(text)
    sets = [set(repair.yields) for repair in found.found if repair.change is Change.DROP]
    assert all(not (one < other) for one in sets for other in sets)
    for places in found.list_blamed():
        for left_out in places if len(places) > 1 else ():
            fewer = drop_yields(program, text, tuple(place for place in places if place is not left_out))
            assert fewer is not None
            assert not isinstance(decide(fewer.program, OPTIONS).answer, Holds)
