"""Conflict serializability: search, proof and checker agree with the conflict graphs of all small runs."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Literal

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.cycle import CycleEvidence
from seriatim.certificate.no_cycle import NoCycleEvidence
from seriatim.checking.verify import verify
from seriatim.engines.conflicts.stages import conflicts_by_waiting
from seriatim.engines.portfolio import conclude
from seriatim.engines.schedules.conflicts import CONFLICTS
from seriatim.engines.stage import Found, GaveUp, Proof, Refutation, Task
from seriatim.frontends.all import read_input
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import Input, digest
from seriatim.program.syntax import Program
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.source import SourceText
from seriatim.systems.actions import action_system
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits
from seriatim.systems.posing import ConflictProblem
from testkit.generators.locked_steps import random_locked_steps
from testkit.generators.programs import ProgramMaker
from testkit.generators.systems import SETTINGS, random_system
from testkit.oracles.brute_force import Interpreted, TooLarge, interleaved, rules_of_system, serial
from testkit.oracles.conflict_graphs import system_violated_with, violated_with
from testkit.samples import deep

LIMITS = Limits(max_states=3_000, max_value=8)
MAX_STATES = 600
"""For brute force; what is larger is compared with fewer requests."""

TRANSACTIONS = [*range(40), 96, 205]
PROGRAMS = range(20)
SYSTEMS = range(40)


@cache
def evidence_of(content: Input) -> CycleEvidence | NoCycleEvidence | None:
    """What the engines find; None if no handler yields."""
    match answer_about(content, LIMITS):
        case Refutation(evidence=CycleEvidence() as evidence):
            return evidence
        case Proof(evidence=NoCycleEvidence() as evidence):
            return evidence
        case Proof(evidence=AtomicEvidence()):
            return None
        case answer:
            raise AssertionError(answer)


def answer_about(content: Input, limits: Limits) -> Found | GaveUp:
    deadline = Deadline(20)
    problem = ConflictProblem(unfold(content, limits, deadline), action_system(content, limits, deadline))
    return conclude(CONFLICTS, Task(problem, limits, deadline)).answer


def requests_of(evidence: CycleEvidence) -> int:
    return len({turn.request for turn in evidence.turns})


def accepted(content: Input, evidence: CycleEvidence | NoCycleEvidence) -> bool:
    holds: Literal["conflict_serializable", "not_conflict_serializable"] = (
        "not_conflict_serializable" if isinstance(evidence, CycleEvidence) else "conflict_serializable"
    )
    return verify(Certificate(digest(content), holds, evidence, ConflictSerializability()), content).accepted


def program(kind: str, seed: int) -> Program:
    if kind == "transactions":
        return random_locked_steps(Random(seed))
    random = Random(seed)
    return ProgramMaker(random, odd=random.choice([0, 0.1, 0.2])).program(2, 3)


CASES = [("transactions", seed) for seed in TRANSACTIONS] + [("program", seed) for seed in PROGRAMS]


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_engines_checker_and_brute_force_agree_on_programs(kind: str, seed: int) -> None:
    content = program(kind, seed)
    evidence = evidence_of(content)
    assert evidence is None or accepted(content, evidence)
    fewest = requests_of(evidence) if isinstance(evidence, CycleEvidence) else None
    for requests in (2, 3):
        try:
            is_violated = violated_with(content, requests, max_states=MAX_STATES)
        except TooLarge:
            return
        assert is_violated == (fewest is not None and fewest <= requests)
        if is_violated:
            return


@pytest.mark.parametrize("seed", SYSTEMS)
def test_engines_checker_and_brute_force_agree_on_network_systems(seed: int) -> None:
    random = Random(seed)
    system = random_system(random, random.choice(SETTINGS), mixed=random.choice([0.0, 0.2, 0.5]))
    evidence = evidence_of(system)
    assert evidence is not None
    assert accepted(system, evidence)
    fewest = requests_of(evidence) if isinstance(evidence, CycleEvidence) else None
    for requests in (2, 3):
        is_violated = system_violated_with(system, requests)
        assert is_violated == (fewest is not None and fewest <= requests)


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_a_program_that_is_conflict_serializable_is_serializable(kind: str, seed: int) -> None:
    content = program(kind, seed)
    if not isinstance(evidence_of(content), CycleEvidence):
        rules = Interpreted(content).rules
        try:
            assert interleaved(rules, 3, 2_000) == serial(rules, 3, 2_000)
        except TooLarge:
            assert interleaved(rules, 2) == serial(rules, 2)


@pytest.mark.parametrize("seed", SYSTEMS)
def test_a_network_system_that_is_conflict_serializable_is_serializable(seed: int) -> None:
    random = Random(seed)
    system = random_system(random, random.choice(SETTINGS), mixed=random.choice([0.0, 0.2, 0.5]))
    if isinstance(evidence_of(system), NoCycleEvidence):
        rules = rules_of_system(system)
        assert interleaved(rules, 2) == serial(rules, 2)


@deep
def test_the_random_cases_are_of_all_kinds() -> None:
    found = [evidence_of(program("transactions", seed)) for seed in TRANSACTIONS]
    cycles = [each for each in found if isinstance(each, CycleEvidence)]
    assert len(cycles) > 12
    assert sum(isinstance(each, NoCycleEvidence) for each in found) > 12
    assert max(len(each.conflicts) for each in cycles) > 2


SPIN = """
    request update { x := 7; while (L == 1) { yield; yield }; L := 1; yield; x := X; yield; X := 1 - x; yield;
                     L := 0; x }
"""


def test_waiting_for_a_lock_is_no_action() -> None:
    """It would be one if wait steps counted: the look at L falls between two writes of its holder."""
    spin = parse(SPIN)
    assert isinstance(evidence_of(spin), NoCycleEvidence)
    assert conflicts_by_waiting(spin, LIMITS, Deadline(20))
    assert violated_with(spin, 2, counts_waits=True)
    assert not violated_with(spin, 2)


def test_one_action_may_both_enter_and_leave_a_request() -> None:
    """A read, an atomic increment of another request, and a write: two conflicts, two requests."""
    content = parse("request slow { x := X; yield; X := 1 - x; x } request inc { X := 1 - X; 0 }")
    evidence = evidence_of(content)
    assert isinstance(evidence, CycleEvidence)
    assert {(c.first, c.second) for c in evidence.conflicts} == {(1, 2), (2, 3)}


def forgeries(evidence: CycleEvidence) -> list[CycleEvidence]:
    first, *others = evidence.conflicts
    return [
        replace(evidence, conflicts=()),
        replace(evidence, conflicts=(first,)),
        replace(evidence, conflicts=(replace(first, accesses=("read", "read")), *others)),
        replace(evidence, conflicts=(replace(first, variable="Q"), *others)),
        replace(evidence, conflicts=(replace(first, first=first.second, second=first.first), *others)),
        replace(evidence, conflicts=(replace(first, second=99), *others)),
        replace(evidence, turns=evidence.turns[1:]),
        replace(evidence, turns=evidence.turns[:-1]),
        replace(evidence, turns=(replace(evidence.turns[0], response="17"), *evidence.turns[1:])),
    ]


@pytest.mark.parametrize("seed", [seed for seed in TRANSACTIONS if seed < 30])
def test_forged_cycles_are_refused(seed: int) -> None:
    content = program("transactions", seed)
    evidence = evidence_of(content)
    if isinstance(evidence, CycleEvidence):
        assert not any(accepted(content, forged) for forged in forgeries(evidence))


def test_a_wait_step_is_refused_as_a_part_of_a_cycle() -> None:
    """Request 1 takes the lock, request 2 looks at it and waits, request 1 gives it back."""
    content = parse("request a { while (L == 1) { yield }; L := 1; yield; L := 0; 0 }")
    other = parse("request a { if (L == 1) { yield; 1 } else { L := 1; yield; L := 0; 0 } }")
    evidence = evidence_of(other)
    assert isinstance(evidence, CycleEvidence)
    assert accepted(other, evidence)
    assert not accepted(content, evidence)


@pytest.mark.parametrize("seed", [seed for seed in TRANSACTIONS if seed < 30])
def test_a_proof_is_refused_where_there_is_a_cycle(seed: int) -> None:
    content = program("transactions", seed)
    if isinstance(evidence_of(content), CycleEvidence):
        assert not accepted(content, NoCycleEvidence(2, ()))


EXAMPLES = Path(__file__).parents[2] / "examples" / "paper"


def test_the_examples_of_the_paper_are_all_decided_and_only_serializable_ones_hold() -> None:
    table = (EXAMPLES / "expected.tsv").read_text("utf-8").splitlines()
    expected = {name: verdict for name, verdict, *_ in (line.split("\t") for line in table[1:])}
    held = 0
    for path in sorted(EXAMPLES.iterdir()):
        if path.suffix in (".ser", ".json"):
            content = read_input(SourceText(path.name, path.read_text("utf-8")))
            answer = answer_about(content, Limits())
            assert not isinstance(answer, GaveUp), path.name
            if isinstance(answer, Proof):
                assert expected[path.name] == "yes", path.name
                held += 1
    assert held == 17
