"""The checker accepts what engines have found, and nothing that somebody has made up.

Whatever is accepted has to agree with what is known: a certificate is never accepted for the verdict that an
accepted one, or enumeration, rules out.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any

from changed_inputs import changed_inputs
from differential.contradiction import Contradiction
from differential.facts import Facts
from forged_commits import forger_of
from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.format import Certificate, CoverEvidence, RunEvidence
from seriatim.certificate.json_text import read, write
from seriatim.checking.verify import GaveUp, verify
from seriatim.evidence.from_run import run_evidence
from seriatim.language.semantics import Unbounded
from seriatim.network.from_input import unfold
from seriatim.network.inputs import digest
from seriatim.network.limits import LimitReached
from seriatim.network.random_run import random_run
from seriatim.network.run import Run
from seriatim.pipeline import decide
from seriatim.properties.conclusion import Method
from seriatim.solvers.named import SolverName
from seriatim.source import InputError
from seriatim.verdict import Holds, Violated
from tampered_runs import tampered

CHECK_STATES = 20_000
ATTEMPTS = 50


def certificates(facts: Facts) -> Iterator[Contradiction]:
    genuine = list(dict.fromkeys(found for method in Method for found in certificates_by(facts, method)))
    for certificate in genuine:
        yield from rechecked(certificate, facts)
    truth = known_verdict(facts)
    if truth is None:
        return
    random = Random(facts.subject.text)
    for forged in forgeries(facts, truth, genuine, random):
        if accepted(forged, facts) and forged.verdict != truth:
            yield Contradiction(f"the checker accepts that it is {forged.verdict}", write(forged))


def known_verdict(facts: Facts) -> str | None:
    """By enumeration, or by a certificate that was accepted."""
    if facts.enumerated is not None and facts.enumerated.fewest() is not None:
        return "not_serializable"
    match [answer for answer in (True, False) if answer in map(facts.is_serializable, Method)]:
        case [True]:
            return "serializable"
        case [False]:
            return "not_serializable"
        case _:
            return None


def certificates_by(facts: Facts, method: Method) -> Iterator[Certificate]:
    verdict = facts.decision(method).verdict
    if isinstance(verdict, Holds | Violated):
        yield verdict.certificate


def accepted(
    certificate: Certificate, facts: Facts, solvers: tuple[SolverName, ...] = (SolverName.Z3,)
) -> bool | None:
    """None if the checker gives up."""
    deadline = Deadline(facts.effort.seconds)
    try:
        return verify(certificate, facts.content, CHECK_STATES, deadline, solvers).accepted
    except (GaveUp, OutOfBudget):
        return None


def rechecked(certificate: Certificate, facts: Facts) -> Iterator[Contradiction]:
    """Written and read it is the same, and the language's own definition, or another solver, confirms it."""
    kind = type(certificate.evidence).__name__
    if read(write(certificate)) != certificate:
        yield Contradiction(f"{kind} is written as something else", write(certificate))
    if accepted(certificate, facts) is False:
        yield Contradiction(f"{kind} is accepted by the fast interpreter alone", write(certificate))
    by_solver = isinstance(certificate.evidence, CoverEvidence)
    if by_solver and accepted(certificate, facts, (SolverName.CVC5,)) is False:
        yield Contradiction("the solvers contradict one another", write(certificate))


# --- what nobody found --------------------------------------------------------------------------------------


def forgeries(facts: Facts, truth: str, genuine: list[Certificate], random: Random) -> Iterator[Certificate]:
    """Certificates about this input: made up, taken from similar inputs, or changed in one place."""
    count = facts.effort.forgeries
    if truth == "not_serializable":
        with suppress(Unbounded):  # Then nobody knows all flights.
            forger = forger_of(facts.content, random)
            yield from (
                Certificate(digest(facts.content), "serializable", forger.evidence()) for _ in range(count)
            )
    else:
        yield from harmless_runs(facts, random)
    borrowed = [each for each in of_similar_inputs(facts, random) if each.verdict != truth]
    yield from borrowed
    for certificate in [*genuine, *borrowed]:
        yield from islice(changed(certificate, random), count)
        if isinstance(certificate.evidence, RunEvidence):
            runs = list(tampered(certificate.evidence.turns))
            for turns in random.sample(runs, min(count, len(runs))):
                yield replace(certificate, evidence=RunEvidence(turns))


def harmless_runs(facts: Facts, random: Random) -> Iterator[Certificate]:
    """Runs of a serializable input, said to have outcomes that no serial run has."""
    unfolding = unfold(facts.content, facts.effort.limits, Deadline(facts.effort.seconds))
    for _ in range(facts.effort.forgeries):
        handlers = [random.randrange(len(unfolding.requests)) for _ in range(random.randint(1, 3))]
        with suppress(LimitReached, OutOfBudget):
            run = random_run(unfolding, handlers, random.randrange(1_000), max_steps=100)
            if isinstance(run, Run):
                yield Certificate(digest(facts.content), "not_serializable", run_evidence(run, unfolding))


def of_similar_inputs(facts: Facts, random: Random) -> Iterator[Certificate]:
    """Genuine ones of inputs that differ in one place, said to be about this one."""
    others = list(islice(changed_inputs(facts.content, facts.subject.text), 200))
    options = replace(facts.options(Method.AUTO), timeout=facts.effort.seconds / 2)
    for other in random.sample(others, min(facts.effort.forgeries, len(others))):
        verdict = decide(other, options).verdict
        if isinstance(verdict, Holds | Violated):
            yield replace(verdict.certificate, digest=digest(facts.content))


def changed(certificate: Certificate, random: Random) -> Iterator[Certificate]:
    """With one place of its JSON changed; what is no certificate then is left out."""
    for _ in range(ATTEMPTS):
        value = json.loads(write(certificate))
        change_somewhere(value, random)
        try:
            yield replace(read(json.dumps(value)), digest=certificate.digest)
        except InputError:
            continue


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
