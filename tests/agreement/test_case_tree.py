"""What counting proves, a proof by cases proves without a solver; and no proof is accepted for a system that
brute force refutes."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from random import Random
from types import ModuleType

import pytest

from seriatim.arithmetic.solvers import case_tree as proofs_by_cases
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.engines.counting.evidence import counting_evidence
from seriatim.engines.counting.proof import ProvedByCover
from seriatim.engines.counting.root_product import root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.engines.shared import case_tree
from seriatim.program.inputs import Input, digest
from seriatim.program.network_system import NetworkSystem
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.from_input import Origin
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import LimitReached
from seriatim.systems.slicing import macro_system
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import LIMITS, case
from testkit.generators.systems import SETTINGS, Setting, random_system
from testkit.oracles.brute_force import interleaved, rules_of_system, serial
from testkit.samples import at_least, deep, sample

CASES = [
    *(("system", seed) for seed in (*range(15), 86, 152, 168, 224)),
    *(("program", seed) for seed in range(10)),
    *(("counter", seed) for seed in range(10)),
]
"""The systems beyond the range are proved with situations only."""

MUTANTS = len(sample(30, 3))
"""Of each system."""


MAX_EDGES = 400
"""More than the portfolio looks at first: trees are to be made of large products, too."""


def proved(origin: Origin) -> Iterator[ProvedByCover]:
    """What counting proves, with and without situations."""
    try:
        system = macro_system(origin, LIMITS, Deadline())
        for engine in (state_equation, partial(root_product, max_edges=MAX_EDGES)):
            found = engine(system, SerialAutomaton(origin, 1_000), Deadline())
            if isinstance(found, ProvedByCover):
                yield found
    except LimitReached:
        return


def complaint(content: Input, evidence: TreeEvidence) -> str:
    """What the checker has against it, without a solver."""
    certificate = Certificate(digest(content), "serializable", evidence)
    return verify(certificate, content, Context(Allowance(20_000), chosen=())).complaint


@pytest.mark.parametrize(("kind", "seed"), CASES)
def test_whatever_counting_proves_has_a_tree_that_the_checker_accepts(kind: str, seed: int) -> None:
    origin = case(kind, seed).unfolding
    content = origin.program if isinstance(origin, ProgramUnfolding) else origin.system
    for found in proved(origin):
        evidence = counting_evidence(found, origin)
        assert isinstance(evidence, TreeEvidence)
        assert complaint(content, evidence) == ""


@deep
def test_traps_that_contain_the_start_of_a_product_are_named_without_it() -> None:
    """The checker cannot name the start, so the tree is about the cut that it can name."""
    system = random_system(Random(90), Setting(6, 3, 6, 14, 2))
    origin = SystemUnfolding(system)
    found = [counting_evidence(proof, origin) for proof in proved(origin) if proof.situations is not None]
    assert len(found) == 1
    for evidence in found:
        assert isinstance(evidence, TreeEvidence)
        assert complaint(system, evidence) == ""


@pytest.mark.parametrize(
    ("module", "bound"),
    [(case_tree, "WORK_PER_QUESTION"), (proofs_by_cases, "MAX_DEPTH"), (proofs_by_cases, "MAX_BITS")],
)
def test_without_a_tree_the_question_is_left_to_a_solver(
    module: ModuleType, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, bound, 0)
    origin = case("system", 86).unfolding
    assert [found.tree for found in proved(origin)] == [None]


@cache
def trees() -> list[tuple[NetworkSystem, TreeEvidence]]:
    """Some systems with proofs, of all sizes, that use more than one cover."""
    found: list[tuple[NetworkSystem, TreeEvidence]] = []
    for seed in sample(60, 7):
        random = Random(seed)
        system = random_system(random, SETTINGS[seed % len(SETTINGS)], mixed=random.choice([0.0, 0.3]))
        origin = SystemUnfolding(system)
        for proof in proved(origin):
            evidence = counting_evidence(proof, origin)
            if isinstance(evidence, TreeEvidence) and len(evidence.tree) > 4:
                found.append((system, evidence))
    return found


def mutant(system: NetworkSystem, random: Random) -> NetworkSystem:
    """With something added, removed or changed."""
    locals_, globals_ = range(len(system.locals)), range(len(system.globals))

    def pair() -> tuple[int, int]:
        return random.choice(locals_), random.choice(globals_)

    delta, resp = list(system.delta), list(system.resp)
    match random.randrange(5):
        case 0:
            delta.append((*pair(), *pair()))
        case 1 if delta:
            delta.pop(random.randrange(len(delta)))
        case 2 if delta:
            place = random.randrange(len(delta))
            delta[place] = (*delta[place][:2], *pair())
        case 3:
            resp.append((random.choice(locals_), random.randrange(len(system.responses))))
        case _:
            return replace(system, initial=random.choice(globals_))
    return replace(system, delta=tuple(sorted(set(delta))), resp=tuple(sorted(set(resp))))


@deep
def test_a_tree_is_never_accepted_for_a_system_that_brute_force_refutes() -> None:
    """The certificate stays, the system changes under it, with DEEP=1 more than a thousand times."""
    random = Random(1)
    accepted = refused = 0
    for system, evidence in trees():
        for _ in range(MUTANTS):
            other = mutant(system, random)
            try:
                is_accepted = complaint(other, evidence) == ""
            except GaveUp:
                continue
            accepted += is_accepted
            refused += not is_accepted
            if is_accepted:
                rules = rules_of_system(other)
                assert interleaved(rules, 2) <= serial(rules, 2)
    assert refused > at_least(200, 40)
    assert accepted > at_least(200, 40)
