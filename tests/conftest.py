"""Settings of the property tests, and how many random cases run.

`dev` looks at new examples every time, `ci` at the same ones. Of a test that has many seeds, `make test` runs
a fixed sample, and properties are tried on few examples; DEEP=1, as in `.ci/run`, takes larger samples and
DEEP=all every seed.
"""

import gc
import os

import pytest
from hypothesis import settings

from samples import EVERY_SEED, IS_DEEP, deep, deep_cases
from ser_processes import STARTED_BY

# No deadline in either: a shared machine is sometimes slow, and a slow example is no counterexample.
FEW_EXAMPLES = 6
settings.register_profile("dev", deadline=None, max_examples=100 if IS_DEEP else FEW_EXAMPLES)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=25 if IS_DEEP else FEW_EXAMPLES)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

os.environ[STARTED_BY] = str(os.getpid())
os.environ["SERIATIM_NO_CACHE"] = "1"
"""No test depends on what an earlier run has decided; those of the cache have one of their own."""

collect_ignore = [] if IS_DEEP else ["unit/web/test_server_errors.py"]
pytest_plugins = ["schemathesis.pytest.plugin"] if IS_DEEP else []
"""Looks for server errors; to load it and to collect its cases takes each process seconds."""

MOST_CASES = None if EVERY_SEED else 12 if IS_DEEP else 3
"""Of a test function that has a parameter `seed`."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what is left out, and keeps some seeds evenly, each with all values of other parameters."""
    for item in items:
        for mark in item.iter_markers(deep_cases.name):
            if isinstance(item, pytest.Function) and item.callspec.id in mark.args:
                item.add_marker(deep)
    if MOST_CASES is None:
        return
    seeded: dict[str, list[tuple[object, pytest.Item]]] = {}
    for item in items:
        if isinstance(item, pytest.Function) and "seed" in _parameters(item):
            seeded.setdefault(item.nodeid.partition("[")[0], []).append((_parameters(item)["seed"], item))
    left_out: set[pytest.Item] = set()
    for cases in seeded.values():
        step = -(-len(cases) // MOST_CASES)
        kept = list(dict.fromkeys(seed for seed, _ in cases))[::step]
        left_out.update(item for seed, item in cases if seed not in kept)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Thousands of tests stay till the end: no search for garbage needs to go through them again."""
    gc.collect()
    gc.freeze()


def _parameters(item: pytest.Function) -> dict[str, object]:
    callspec = getattr(item, "callspec", None)
    return {} if callspec is None else callspec.params
