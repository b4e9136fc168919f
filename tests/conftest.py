"""Settings of the property tests, and how many random cases run.

`dev` looks at new examples every time, `ci` at the same ones. Of a test that has many seeds, `make test` runs
a fixed sample, and properties are tried on few examples; DEEP=1, as in `.ci/run`, takes larger samples and
DEEP=all every seed.
"""

import gc
import math
import os
import signal
from dataclasses import dataclass

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

from seriatim.memory import collect_rarely
from testkit.running.ser_processes import STARTED_BY
from testkit.samples import EVERY_SEED, IS_DEEP, deep, deep_cases, deepest, slow_seeds, slowest_cases

# No deadline in either: a shared machine is sometimes slow, and a slow example is no counterexample.
FEW_EXAMPLES = 6
settings.register_profile("dev", deadline=None, max_examples=100 if IS_DEEP else FEW_EXAMPLES)
settings.register_profile("ci", deadline=None, derandomize=True, max_examples=25 if IS_DEEP else FEW_EXAMPLES)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

collect_rarely()  # as every command does

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""A job in the background of a shell ignores Ctrl-C, and so would the processes that tests interrupt."""

os.environ[STARTED_BY] = str(os.getpid())
os.environ["SERIATIM_NO_CACHE"] = "1"
"""No test depends on what an earlier run has decided; those of the cache have one of their own."""
os.environ["CC"] = "none"
"""Verdicts about C are compared with a compiler in a few tests only, whatever this machine has."""

collect_ignore = [] if IS_DEEP else ["unit/web/test_server_errors.py"]
pytest_plugins = ["schemathesis.pytest.plugin"] if IS_DEEP else []
"""Looks for server errors; to load it and to collect its cases takes each process seconds."""

MOST_CASES = None if EVERY_SEED else 12 if IS_DEEP else 3
"""Of a test function that has a parameter `seed`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Keeps some seeds evenly, each with all values of other parameters; the others never become tests."""
    if MOST_CASES is None or "seed" not in metafunc.fixturenames:
        return
    marks = metafunc.definition.own_markers
    parameters = [_Parameters.of(mark) for mark in marks if mark.name == "parametrize"]
    number = math.prod(len(each.rows) for each in parameters)
    most = MOST_CASES // 2 if any(mark.name == slow_seeds.name for mark in marks) else MOST_CASES
    if number <= most:
        return
    trimmed = iter([each.with_one_seed_in(-(-number // most)) for each in parameters])
    marks[:] = [next(trimmed) if mark.name == "parametrize" else mark for mark in marks]


@dataclass(frozen=True)
class _Parameters:
    """What a mark gives to a test: the names, and the values of each case."""

    mark: pytest.Mark
    names: list[str]
    rows: list[object]

    @classmethod
    def of(cls, mark: pytest.Mark) -> "_Parameters":
        given, values = mark.args
        names = [name.strip() for name in given.split(",")] if isinstance(given, str) else list(given)
        return cls(mark, names, list(values))

    def with_one_seed_in(self, step: int) -> pytest.Mark:
        """The mark itself, if it gives no seeds."""
        if "seed" not in self.names:
            return self.mark
        place = self.names.index("seed")
        seeds = [row[place] if isinstance(row, tuple) else row for row in self.rows]
        kept = set(list(dict.fromkeys(seeds))[::step])
        rows = [row for row, seed in zip(self.rows, seeds, strict=True) if seed in kept]
        return pytest.mark.parametrize(self.mark.args[0], rows, **self.mark.kwargs).mark


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the cases that are left out."""
    for item in items:
        for marked, left_out in ((deep_cases, deep), (slowest_cases, deepest)):
            for mark in item.iter_markers(marked.name):
                if isinstance(item, pytest.Function) and item.callspec.id in mark.args:
                    item.add_marker(left_out)


def pytest_collection_finish() -> None:
    """Thousands of tests stay till the end: no search for garbage needs to go through them again."""
    gc.collect()
    gc.freeze()


class ByFile(LoadGroupScheduling):
    """Gives each process whole files, and whole groups, so that what their tests share is made once.

    Without this, pytest-xdist gives out single tests, and counts all that were given out after each of them.
    """

    def _split_scope(self, nodeid: str) -> str:
        group = super()._split_scope(nodeid)
        return nodeid.partition("::")[0] if group == nodeid else group


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadGroupScheduling:
    return ByFile(config, log)
