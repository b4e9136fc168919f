"""What runs say about random services, compared with asyncio's own event loop in fresh processes."""

from pathlib import Path

import pytest

from testkit.oracles.real_races import compare
from testkit.samples import sampled

SEEDS = list(range(120))


@pytest.mark.parametrize("seed", sampled(SEEDS, 30))
def test_runs_agree_with_the_event_loop(seed: int, tmp_path: Path) -> None:
    assert compare(seed, tmp_path) in ("race", "none", "only the state differs", "too many runs")
