"""Isolation levels: what is decided agrees with trying everything, and the checker accepts it."""

from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.transactions import Level, Reading, read, write
from seriatim.checking.history.transactions import TransactionLog
from seriatim.history.transactions.decide import Decided, NotApplicable, decide_levels
from testkit.oracles.isolation import holding, random_log
from testkit.samples import deepest, sample

EDN = Reading("edn")


def assert_agreement(log: TransactionLog) -> None:
    expected = holding(log)
    for level in Level:
        (verdict,) = decide_levels(log, [level], Deadline(60)).values()
        if level not in expected:
            assert isinstance(verdict, NotApplicable)
            continue
        assert isinstance(verdict, Decided), (level, verdict, log)
        assert verdict.holds == expected[level], (level, log, verdict.certificate)
        assert read(write(verdict.certificate, EDN)) == (EDN, verdict.certificate)


@pytest.mark.parametrize("seed", sample(400, 40))
def test_levels_agree_with_brute_force_and_are_checked(seed: int) -> None:
    for part in range(10):
        assert_agreement(random_log(Random(10 * seed + part)))


@deepest
@pytest.mark.parametrize("seed", range(400, 3_300))
def test_many_more_levels_agree(seed: int) -> None:
    for part in range(10):
        assert_agreement(random_log(Random(10 * seed + part)))


@pytest.mark.parametrize("seed", sample(40, 8))
def test_larger_logs_agree_as_well(seed: int) -> None:
    assert_agreement(random_log(Random(seed), (4, 5)))


@pytest.mark.parametrize("seed", sample(100, 20))
def test_levels_decided_together_are_those_decided_alone(seed: int) -> None:
    log = random_log(Random(seed), (3, 6))
    together = decide_levels(log, list(Level), Deadline(60))
    for level in Level:
        (alone,) = decide_levels(log, [level], Deadline(60)).values()
        if isinstance(alone, Decided):
            verdict = together[level]
            assert isinstance(verdict, Decided), (level, verdict)
            assert verdict.holds == alone.holds, level
