"""Where time cannot stand in the way, every run that a serial order explains is explained by one in time."""

from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.timeless import TimelessEvidence
from seriatim.checking.timeless import NEVER_LATE
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.engines.timeless.order import comes_too_late, fixed_letters
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import digest
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Holds
from seriatim.source import SourceText
from seriatim.systems.automaton import SerialAutomaton
from seriatim.systems.closure import closure
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import LimitReached
from seriatim.systems.unfolding import ProgramUnfolding
from testkit.generators.cases import LIMITS, case, case_of
from testkit.oracles.brute_force import TooLarge
from testkit.oracles.histories import alone, histories, is_explained
from testkit.samples import sample

EXAMPLES = Path(__file__).parents[2] / "examples" / "paper"
FEW_STATES = 3_000


def is_sortable(origin: ProgramUnfolding | SystemUnfolding) -> bool:
    """Whether the engine finds that time never stands in the way."""
    deadline = Deadline()
    letters = fixed_letters(SerialAutomaton(origin, LIMITS.max_states), deadline)
    try:
        coverage = closure(origin, LIMITS, deadline)
    except LimitReached:
        return False
    return letters is not None and not comes_too_late(origin, coverage, *letters, deadline)


def compare(kind: str, seed: int) -> int | None:
    """How many runs were compared; None if time may stand in the way."""
    given = case(kind, seed)
    if not is_sortable(given.unfolding):
        return None
    for requests in (3, 2):
        try:
            found = histories(given.rules, requests, pending=False, max_states=FEW_STATES)
        except TooLarge:
            continue
        following = alone(given.rules)
        serial = [h for h in found if is_explained(h, 0, given.rules.initial, following)]
        assert all(is_explained(h, 2, given.rules.initial, following) for h in serial)
        return len(serial)
    return None


@pytest.mark.parametrize("kind", ["system", "program", "counter"])
@pytest.mark.parametrize("seed", sample(200, 40))
def test_serial_runs_are_explained_in_time(kind: str, seed: int) -> None:
    compare(kind, seed)


def test_time_stands_in_the_way_of_a_stale_read() -> None:
    """A request that answers what another one read long ago is explained by an order, but not in time."""
    cached = case_of(
        parse("request get { if (C == 0) { V := X; C := 1 }; yield; V }\nrequest set { X := 1; 0 }")
    )
    assert not is_sortable(cached.unfolding)


def proved(name: str) -> tuple[Certificate, object]:
    path = next(EXAMPLES.glob(f"{name}_*.ser"))
    content = read_input(SourceText(path.name, path.read_text("utf-8")))
    answer = decide(content, Options(timeout=60, question=StrictSerializability(1), stuck_runs=False)).answer
    assert isinstance(answer, Holds)
    assert verify(answer.certificate, content).accepted
    return answer.certificate, content


def test_rows_that_have_no_commit_points_are_proved_without_barriers() -> None:
    certificate, _ = proved("d1")
    assert isinstance(certificate.evidence, TimelessEvidence)
    assert read_certificate(write(certificate)) == certificate


def test_evidence_of_this_kind_is_about_strictness_of_this_input() -> None:
    certificate, _ = proved("d1")
    path = next(EXAMPLES.glob("d1_*.ser"))
    content = read_input(SourceText(path.name, path.read_text("utf-8")))
    for barriers in (0, 1, 2, 3):
        other = replace(certificate, question=StrictSerializability(barriers))
        assert verify(other, content).accepted
    cached = parse("request get { if (C == 0) { V := X; C := 1 }; yield; V }\nrequest set { X := 1; 0 }")
    report = verify(replace(certificate, digest=digest(cached)), cached)
    assert not report.accepted
    assert NEVER_LATE in str(report.complaint)
