"""What is accepted up to symmetry is accepted without it, and no run of a few requests contradicts it."""

from collections.abc import Callable
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.commit import CommitEvidence
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.in_flight import Invariant
from seriatim.certificate.symmetric_commit import SymmetricCommitEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, verify
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program, global_names
from seriatim.systems.symmetry import find_symmetry
from testkit.generators.holders import holding_program
from testkit.generators.indices import indexed_program
from testkit.oracles.symmetry_comparisons import violates_with
from testkit.samples import deep

SEEDS = 300
LIMIT = 20_000


def with_pauses(text: str, random: Random) -> Program:
    """A program in layout style whose requests pause more often, and answer what they have seen."""
    lines: list[str] = []
    for line in text.splitlines():
        lines.append("    return x" if line == "    return 0" else line)
        indent = line[: len(line) - len(line.lstrip())]
        if indent and not line.endswith(":") and "return" not in line and random.random() < 0.5:
            lines.append(f"{indent}yield")
    return parse("\n".join(lines))


def accepts(program: Program, evidence: Evidence) -> bool | None:
    certificate = Certificate(digest(program), "serializable", evidence)
    try:
        return verify(certificate, program, Context(Allowance(LIMIT))).accepted
    except GaveUp:
        return None


def compare(program: Program) -> bool | None:
    """What the checker says if requests take effect when they are answered; None if it says nothing."""
    symmetry = find_symmetry(program, Deadline())
    if symmetry is None:
        return None
    moved = {name for family in (*symmetry.variables, symmetry.holders) for name in family}
    names = [name for name in global_names(program) if name not in moved]
    invariants = tuple(Invariant(name, sign) for name in names for sign in (1, -1))
    found = accepts(program, SymmetricCommitEvidence(symmetry, invariants, ()))
    if found:
        assert accepts(program, CommitEvidence(1, invariants, ())) is not False
        assert violates_with(program, 3) is not True
    return found


@pytest.mark.parametrize("draw", [indexed_program, holding_program])
@pytest.mark.parametrize("seed", range(SEEDS))
def test_symmetry_proves_nothing_more(seed: int, draw: Callable[[Random], str]) -> None:
    random = Random(seed)
    compare(with_pauses(draw(random), random))


@pytest.mark.parametrize("number", [129, 253])
def test_requests_that_arrive_after_steps_are_known_are_taken_along(number: int) -> None:
    """Without that, these programs would be accepted."""
    assert compare(with_pauses(indexed_program(Random(number)), Random(number))) is False


@deep
@pytest.mark.parametrize("draw", [indexed_program, holding_program])
def test_the_random_cases_are_of_both_sorts(draw: Callable[[Random], str]) -> None:
    found = [compare(with_pauses(draw(Random(seed)), Random(seed))) for seed in range(25)]
    assert found.count(True)
    assert found.count(False)
