"""Models of random services agree with the real event loop, over all interleavings of some requests.

Without locks, the outcomes are the same. With locks, whose order of waiting the model does not keep, the
model has all outcomes of the event loop, and perhaps more.
"""

import gc
import json
from collections.abc import Iterator

import pytest

from seriatim.frontends.protocol import NO_SETTINGS, Settings
from seriatim.frontends.python.child import Company
from seriatim.frontends.python.replayer import task
from seriatim.source import InputError
from testkit.generators.pools import pool_text
from testkit.generators.services import (
    analysed,
    model_outcomes,
    multisets,
    real_outcomes,
    service_text,
)
from testkit.samples import IS_DEEP, deep, sampled

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""Runs that are cut leave coroutines behind, whose last words nobody hears."""


@pytest.fixture(autouse=True, scope="module")
def last_words() -> Iterator[None]:
    """They end here, and not in a test of something else."""
    yield
    gc.collect()


TRIPLES = 30 if IS_DEEP else 2
"""Services of which three requests at a time are compared, which takes long."""


def differences(
    seed: int, has_locks: bool, most: int, settings: Settings = NO_SETTINGS, extra: str = ""
) -> list[str]:
    """None of a service that the front end refuses."""
    return differences_of(service_text(seed, has_locks, extra), has_locks, most, settings)


def differences_of(text: str, has_locks: bool, most: int, settings: Settings = NO_SETTINGS) -> list[str]:
    """The same for a text."""
    try:
        source, analysis, program = analysed(text, settings)
    except InputError:
        return []
    found: list[str] = []
    for requests in multisets(program, most):
        real, is_all = real_outcomes(analysis, source, requests, settings)
        modelled = model_outcomes(analysis, program, requests)
        if not real <= modelled:
            found.append(f"{requests}: the model lacks {sorted(real - modelled)}")
        if is_all and not has_locks and modelled > real:
            found.append(f"{requests}: the model adds {sorted(modelled - real)}")
        serial, is_all = real_outcomes(analysis, source, requests, settings, is_serial=True)
        if is_all and not model_outcomes(analysis, program, requests, is_serial=True) <= serial:
            found.append(f"{requests}: the model has more serial outcomes than {sorted(serial)}")
    return found


@deep
@pytest.mark.parametrize("seed", sampled(range(3000, 3040), 10))
@pytest.mark.parametrize(
    ("has_locks", "extra", "settings"),
    [(True, "", {}), (False, "tasks", {}), (False, "limits", {}), (False, "", {"cancel": "yes"})],
)
def test_runs_that_are_cut_have_no_outcomes_of_their_own(
    seed: int, has_locks: bool, extra: str, settings: Settings
) -> None:
    """Where runs are cut that reach a known state, the outcomes are those of all runs, to the end."""
    try:
        source, analysis, program = analysed(service_text(seed, has_locks, extra), settings)
    except InputError:
        return
    for requests in multisets(program, 1 if extra else 2):
        told = json.loads(json.dumps(task(analysis, source, requests, settings)))
        whole, is_all = Company(told).explore(300)
        cut, is_all_cut = real_outcomes(analysis, source, requests, settings)
        if is_all:
            assert (cut, is_all_cut) == ({tuple(map(str, each)) for each in whole}, True)
            serial = Company(told).serial_outcomes()
            assert serial is not None
            assert real_outcomes(analysis, source, requests, settings, is_serial=True) == (
                {tuple(map(str, each)) for each in serial},
                True,
            )


def test_nearly_all_of_them_are_read() -> None:
    refused = 0
    for seed in range(60):
        try:
            analysed(service_text(seed, has_locks=seed % 2 == 0))
        except InputError:
            refused += 1
    assert refused <= 3


@pytest.mark.parametrize("seed", range(300))
@pytest.mark.parametrize("has_locks", [False, True])
def test_two_requests_at_a_time(seed: int, has_locks: bool) -> None:
    assert differences(seed, has_locks, 2) == []


@pytest.mark.parametrize("seed", range(6000, 6060))
@pytest.mark.parametrize("has_locks", [False, True])
def test_tasks_of_one_request(seed: int, has_locks: bool) -> None:
    assert differences(seed, has_locks, 1, extra="tasks") == []


@pytest.mark.parametrize("seed", sampled(range(20000, 20030)))
def test_tasks_that_are_cancelled(seed: int) -> None:
    assert differences(seed, False, 1, extra="cancels") == []


@pytest.mark.parametrize("seed", sampled(range(30000, 30030)))
def test_exceptions_that_gather_keeps(seed: int) -> None:
    assert differences(seed, False, 1, extra="kept") == []


@pytest.mark.parametrize("seed", sampled(range(40000, 40060)))
@pytest.mark.parametrize("has_locks", [False, True])
def test_context_managers(seed: int, has_locks: bool) -> None:
    assert differences(seed, has_locks, 2, extra="lenders") == []


@pytest.mark.parametrize("seed", sampled(range(200), 4))
def test_queues_that_are_filled_at_the_start(seed: int) -> None:
    assert differences_of(pool_text(seed), True, 2) == []


@deep
def test_all_queues_that_are_filled_are_read() -> None:
    for seed in range(200):
        analysed(pool_text(seed))


@pytest.mark.parametrize("seed", range(7000, 7030))
def test_limits_of_time(seed: int) -> None:
    assert differences(seed, False, 1, extra="limits") == []


@pytest.mark.parametrize("seed", range(2000, 2020))
def test_two_requests_that_may_be_cancelled(seed: int) -> None:
    assert differences(seed, False, 2, {"cancel": "yes"}) == []


@pytest.mark.parametrize("seed", range(1000, 1000 + TRIPLES))
@pytest.mark.parametrize("has_locks", [False, True])
def test_three_requests_at_a_time(seed: int, has_locks: bool) -> None:
    assert differences(seed, has_locks, 3) == []
