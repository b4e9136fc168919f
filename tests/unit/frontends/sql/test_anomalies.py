"""The published anomalies: allowed or prevented at each level, as PostgreSQL allows or prevents them."""

import pytest

from seriatim.frontends.sql.language import Level
from seriatim.frontends.sql.machine import Machine
from seriatim.frontends.sql.moving import moves_at_once
from seriatim.frontends.sql.outcomes import Seen, outcomes
from seriatim.frontends.sql.script import read_script
from seriatim.source import SourceText
from testkit.inputs.sql_anomalies import CASES, Case


def shows(case: Case, seen: Seen) -> bool:
    """Whether an outcome shows the anomaly."""
    answers = all(
        wanted is None or wanted == given for wanted, given in zip(case.shown, seen.answers, strict=True)
    )
    return answers and (case.final is None or case.final == seen.tables[0])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("level", [Level.READ_COMMITTED, Level.REPEATABLE_READ])
def test_a_level_allows_or_prevents_the_anomaly(case: Case, level: Level) -> None:
    machine = Machine(read_script(SourceText("case.sql", case.script())), level)
    found = outcomes(machine, range(len(machine.requests)))
    assert found
    assert any(shows(case, seen) for seen in found) == (level.value in case.allowed)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_one_at_a_time_shows_no_anomaly(case: Case) -> None:
    machine = Machine(read_script(SourceText("case.sql", case.script())), Level.SERIALIZABLE)
    found = outcomes(machine, range(len(machine.requests)), moves_at_once)
    assert found
    assert not any(shows(case, seen) for seen in found)
