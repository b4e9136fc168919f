"""A proof is kept and its system changed under it: what is accepted then is right, as brute force says.

Most changes make a proof wrong, or leave the system serializable; the ones that matter make it neither. A
sample runs each time; thousands take some minutes, with CHANGED_SYSTEMS=3000 in the environment.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random

import pytest

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.method import Method
from seriatim.program.expression_printer import Style
from seriatim.program.inputs import Input, digest
from seriatim.program.printer import print_program
from seriatim.program.syntax import Program
from seriatim.result import Holds
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.forgeries.inputs import changed_inputs
from testkit.generators.cases import case
from testkit.oracles import brute_force
from testkit.samples import IS_DEEP, deep

FEW = {"system": 40, "program": 40, "counter": 20}
SAMPLE = dict.fromkeys(FEW, 80) if IS_DEEP else FEW
"""How many changed inputs for each kind of input."""

METHODS = (Method.AUTO, Method.STATE_EQUATION)
PER_PROOF = 12
LIMITS = Limits(max_states=500)
"""Small enough to end what would not be decided soon, however busy the machine is."""


def proofs(kind: str) -> Iterator[tuple[Input, Certificate]]:
    for seed in range(10_000):
        unfolding = case(kind, seed).unfolding
        content: Input = unfolding.program if isinstance(unfolding, ProgramUnfolding) else unfolding.system
        for method in METHODS:
            verdict = decide(content, Options(LIMITS, timeout=20, method=method)).answer
            if isinstance(verdict, Holds):
                yield content, verdict.certificate


def changed(kind: str) -> Iterator[tuple[Input, Certificate]]:
    """Another input, and a certificate that claims to be about it."""
    random = Random(kind)
    for content, certificate in proofs(kind):
        source = print_program(content, Style.BRACES) if isinstance(content, Program) else ""
        others = [other for other in changed_inputs(content, source) if other != content]
        for other in random.sample(others, min(PER_PROOF, len(others))):
            yield other, replace(certificate, digest=digest(other))


def has_violation(content: Input) -> bool:
    """With up to three requests, as far as there are not too many states."""
    if isinstance(content, Program):
        rules = brute_force.Interpreted(content).rules
    else:
        rules = brute_force.rules_of_system(content)
    return brute_force.fewest_in_violation(rules, 3, 5_000) is not None


@deep
@pytest.mark.parametrize("kind", SAMPLE)
def test_no_proof_is_accepted_for_a_changed_system_that_brute_force_refutes(kind: str) -> None:
    many = int(os.environ.get("CHANGED_SYSTEMS", SAMPLE[kind]))
    seen: Counter[str] = Counter()
    for content, certificate in islice(changed(kind), many):
        try:
            accepted = verify(certificate, content, Context(Allowance(3_000, Deadline(20.0)))).accepted
            seen["accepted" if accepted else "refused"] += 1
            if accepted:
                assert not has_violation(content), (content, certificate)
        except (GaveUp, OutOfBudget, brute_force.TooLarge):
            seen["too large"] += 1
    assert min(seen["accepted"], seen["refused"]) >= 1
