"""Certificates that nobody found: made up, taken from similar inputs and other questions, or changed in one
place. If the checker accepts one of them, it had better be right."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice
from random import Random
from typing import Any, assert_never, get_args

from differential.facts import Facts
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.cycle import Access, Conflict, CycleEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.fault_run import FaultRunEvidence, Told
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.certificate.points import PointsEvidence
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.stuck_run import InFlight, StuckRunEvidence
from seriatim.certificate.turns import Turn
from seriatim.deciding.pipeline import decide
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.frontends.certificates import read_certificate
from seriatim.method import Method
from seriatim.program.inputs import Input, digest
from seriatim.program.printer import print_expression
from seriatim.program.semantics import Unbounded
from seriatim.program.syntax import Program, global_names
from seriatim.properties.property import Property
from seriatim.properties.statement import (
    CoveredByOrder,
    ExplainsLog,
    NeverFails,
    NeverRaces,
    NeverStuck,
    NoCycle,
    OrderOfPoints,
    Outcomes,
    ShowsLevel,
    Time,
    UsesMemoryWell,
)
from seriatim.result import Holds, Violated
from seriatim.source import InputError
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import LimitReached
from seriatim.systems.random_run import random_run
from seriatim.systems.run import Run
from testkit.forgeries.commits import LEVELS, forger_of
from testkit.forgeries.inputs import changed_inputs
from testkit.forgeries.runs import tampered

ATTEMPTS = 50

ACCESSES: tuple[Access, ...] = get_args(Access)


def forgeries(
    facts: Facts, question: Property, is_so: bool, genuine: Sequence[Certificate], random: Random
) -> Iterator[Certificate]:
    """For the wrong answer to a question; `genuine` are certificates about this input and any question."""
    count = facts.effort.forgeries
    made_up = harmless_runs(facts, question, random) if is_so else made_up_proofs(facts, question, random)
    yield from (about(facts.content, question, not is_so, evidence) for evidence in made_up)
    others = [each.evidence for each in genuine if each.question != question]
    borrowed = [about(facts.content, question, not is_so, evidence) for evidence in others]
    borrowed += of_similar_inputs(facts, question, random)
    yield from borrowed
    own = [each for each in genuine if each.question == question]
    for certificate in [*own, *borrowed]:
        yield from islice(changed(certificate, random), count)
        evidence = certificate.evidence
        if isinstance(evidence, RunEvidence | CycleEvidence | PointsEvidence):
            runs = list(tampered(evidence.turns))
            for turns in random.sample(runs, min(count, len(runs))):
                yield replace(certificate, evidence=replace(evidence, turns=turns))


def about(content: Input, question: Property, is_so: bool, evidence: Evidence) -> Certificate:
    holds, fails = question.verdicts
    return Certificate(digest(content), holds if is_so else fails, evidence, question)


# --- made up ------------------------------------------------------------------------------------------------


def made_up_proofs(facts: Facts, question: Property, random: Random) -> Iterator[Evidence]:
    yield AtomicEvidence()
    with suppress(Unbounded):  # Then nobody knows all flights.
        forger = forger_of(facts.content, random)
        for _ in range(facts.effort.forgeries):
            if isinstance(question.states(), NoCycle):
                yield NoCycleEvidence(random.choice(LEVELS), forger.invariants())
            else:
                yield forger.evidence()


def harmless_runs(facts: Facts, question: Property, random: Random) -> Iterator[Evidence]:
    """Runs that violate nothing, said to do so."""
    unfolding = unfold(facts.content, facts.effort.limits, Deadline(facts.effort.seconds))
    for _ in range(facts.effort.forgeries):
        handlers = [random.randrange(len(unfolding.requests)) for _ in range(random.randint(1, 3))]
        with suppress(LimitReached, OutOfBudget):
            run = random_run(unfolding, handlers, random.randrange(1_000), max_steps=100)
            begun = run if isinstance(run, Run) else run.run
            yield accused(run_evidence(begun, unfolding).turns, question, facts.content, random)


def accused(turns: tuple[Turn, ...], question: Property, content: Input, random: Random) -> Evidence:
    """A run as evidence against a property, with whatever that needs beside the run."""
    moments = range(1, len(turns) + 1)
    some = tuple(sorted(random.sample(moments, random.randint(0, min(2, len(turns))))))
    statement = question.states()
    match statement:
        case Outcomes(seen=Time(barriers=barriers)):
            return RunEvidence(turns, some[:barriers])
        case Outcomes():
            return RunEvidence(turns)
        case OrderOfPoints():
            return random.choice((RunEvidence(turns, some), PointsEvidence(turns, some)))
        case NeverFails():
            made_up = random.choice(turns) if turns else Turn(1, content.requests[0], "", None)
            return FaultRunEvidence(turns, made_up.request, made_up.handler, Told("SER801", "made up"))
        case NeverStuck():
            return StuckRunEvidence(turns, made_up_waiting(turns, content, random))
        case NoCycle():
            return CycleEvidence(turns, made_up_cycle(turns, content, random))
        case NeverRaces() | UsesMemoryWell() | ExplainsLog() | ShowsLevel() | CoveredByOrder():
            raise AssertionError("this is asked about threads, logs or actions alone")
        case _:
            assert_never(statement)


def made_up_waiting(turns: tuple[Turn, ...], content: Input, random: Random) -> tuple[InFlight, ...]:
    """Whoever is not answered is said to be stuck, and one more that has just arrived."""
    begun = {turn.request: turn.handler for turn in turns}
    answered = {turn.request for turn in turns if turn.response is not None}
    waiting = {request: handler for request, handler in begun.items() if request not in answered}
    waiting[len(begun) + 1] = random.choice(content.requests)
    codes = {}
    if isinstance(content, Program):
        codes = {handler.name: print_expression(handler.body) for handler in content.handlers}
    return tuple(
        InFlight(request, True, Waiting(handler, codes.get(handler, ""), ()))
        for request, handler in waiting.items()
    )


def made_up_cycle(turns: tuple[Turn, ...], content: Input, random: Random) -> tuple[Conflict, ...]:
    """Two requests, each of them before the other, whatever they do; or one pair of turns, if that is all."""
    names = global_names(content) if isinstance(content, Program) else ("state",)
    pairs = [
        (first, second)
        for first, second in combinations(range(len(turns)), 2)
        if turns[first].request != turns[second].request
    ]
    if not pairs or not names:
        return ()
    there = random.choice(pairs)
    wanted = [turns[index].request for index in reversed(there)]
    back = [pair for pair in pairs if [turns[index].request for index in pair] == wanted]
    return tuple(
        Conflict(
            first + 1, second + 1, random.choice(names), (random.choice(ACCESSES), random.choice(ACCESSES))
        )
        for first, second in (there, *random.sample(back, min(1, len(back))))
    )


# --- taken from others --------------------------------------------------------------------------------------


def of_similar_inputs(facts: Facts, question: Property, random: Random) -> Iterator[Certificate]:
    """Genuine ones of inputs that differ in one place, said to be about this one."""
    others = list(islice(changed_inputs(facts.content, facts.subject.text), 200))
    options = replace(facts.options(Method.AUTO, question), timeout=facts.effort.seconds / 2)
    for other in random.sample(others, min(facts.effort.forgeries, len(others))):
        if not question.misfits(other, facts.subject.source)[1]:
            verdict = decide(other, options).answer
            if isinstance(verdict, Holds | Violated):
                yield replace(verdict.certificate, digest=digest(facts.content))


def changed(certificate: Certificate, random: Random) -> Iterator[Certificate]:
    """With one place of its JSON changed, the question apart; what is no certificate then is left out."""
    for _ in range(ATTEMPTS):
        value = json.loads(write(certificate))
        change_somewhere(value, random)
        try:
            other = read_certificate(json.dumps(value))
        except InputError:
            continue
        yield replace(certificate, evidence=other.evidence)


def change_somewhere(value: Any, random: Random) -> None:
    """Goes down at random, then changes what is there."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    inner = [key for key in keys if isinstance(value[key], dict | list) and value[key]]
    if inner and random.random() < 0.7:
        change_somewhere(value[random.choice(inner)], random)
        return
    key = random.choice(keys)
    other = random.choice(keys)
    match random.randrange(4):
        case 0:
            del value[key]
        case 1:
            value[key], value[other] = value[other], value[key]
        case 2 if isinstance(value[key], int):
            value[key] += random.choice([-1, 1])
        case 3 if isinstance(value, list):
            value.insert(key, value[other])
        case _:
            value[key] = value[other]
