"""A plug-in of pytest: instead of running the tests once, runs them against mutants.

pytest -p mutants.plugin --mutate seriatim.checking.run tests/unit/checking

First all tests run as they are: they have to pass, and it is noted how long each takes and which functions it
calls. Then, for each mutant, a child process takes over the loaded modules, puts the changed code into the
function and runs the tests that call it, the quick ones first, until one fails. A mutant that makes tests
run for ever is noticed, too. What survives is printed; those that `explained.txt` lists, with the reason why
no test can tell them from the original, are only counted.
"""

import importlib
import inspect
import math
import os
import signal
import sys
import time
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

from mutants.mutation import CALLED, Mutant, mutants, watched

EXPLAINED = Path(__file__).with_name("explained.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mutants")
    group.addoption(
        "--mutate", action="append", default=[], metavar="MODULE", help="a module to put faults into"
    )
    group.addoption(
        "--slower", type=int, default=20, metavar="S", help="seconds beyond three times what a test takes"
    )
    group.addoption("--named", default="", metavar="TEXT", help="only mutants whose names contain this")
    group.addoption("--each", type=int, default=1, metavar="N", help="only every N-th mutant")


def pytest_runtestloop(session: pytest.Session) -> bool:
    modules = [importlib.import_module(name) for name in session.config.getoption("--mutate")]
    watch = Watch(modules)
    failing = watch.failing(session.items)
    if failing:
        raise pytest.UsageError(f"without any mutant, these fail: {', '.join(failing)}")
    explained = explanations()
    tally = {"noticed": 0, "explained": 0, "survive": 0}
    for module in modules:
        found = mutants(module.__name__, inspect.getsource(module), module.__file__ or "")
        every = [mutant for mutant in found if session.config.getoption("--named") in mutant.name]
        for mutant in every[:: session.config.getoption("--each")]:
            noticed = is_noticed(mutant, watch.tests_of(mutant), module, session.config.getoption("--slower"))
            verdict = "noticed" if noticed else "explained" if mutant.name in explained else "survive"
            tally[verdict] += 1
            if verdict == "survive":
                session.testsfailed += 1
                sys.stdout.write(f"\nsurvives: {mutant.module}:{mutant.line} {mutant.name}\n")
                sys.stdout.flush()
        sys.stdout.write(f"\n{module.__name__}: {len(every)} mutants so far {tally}\n")
        sys.stdout.flush()
    return True


def explanations() -> frozenset[str]:
    """The names of mutants that no test can notice; an indented line says why."""
    lines = EXPLAINED.read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith((" ", "#")))


class Watch:
    """Runs tests, and notes which functions of some modules each of them calls."""

    def __init__(self, modules: list[ModuleType]) -> None:
        self.modules = modules
        self.seconds: dict[pytest.Item, float] = {}
        self.calls: dict[tuple[str, str], set[pytest.Item]] = {}

    def failing(self, items: list[pytest.Item]) -> list[str]:
        """Runs all tests once; the names of those that fail."""
        originals: dict[FunctionType, CodeType] = {}
        for module in self.modules:
            for name, code in watched(inspect.getsource(module), module.__file__ or ""):
                function = function_named(module, name)
                originals[function], function.__code__ = function.__code__, code
        try:
            return [item.nodeid for item in items if not self.passes(item)]
        finally:
            for function, code in originals.items():
                function.__code__ = code

    def passes(self, item: pytest.Item) -> bool:
        called: dict[str, set[str]] = {}
        for module in self.modules:
            called[module.__name__] = vars(module)[CALLED] = set()
        began = time.monotonic()
        passed = runs_well(item)
        self.seconds[item] = time.monotonic() - began
        for module_name, names in called.items():
            for name in names:
                self.calls.setdefault((module_name, name), set()).add(item)
        return passed

    def tests_of(self, mutant: Mutant) -> list[tuple[pytest.Item, float]]:
        found = self.calls.get((mutant.module, mutant.function), set())
        return sorted(((item, self.seconds[item]) for item in found), key=lambda pair: pair[1])


def runs_well(item: pytest.Item) -> bool:
    """Whether a test passes, or is skipped; it needs nothing from the test before it."""
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def runs_well_in_time(item: pytest.Item, seconds: float) -> bool:
    """The same; otherwise the process ends."""
    signal.alarm(math.ceil(seconds))
    return runs_well(item)


def is_noticed(
    mutant: Mutant, tests: list[tuple[pytest.Item, float]], module: ModuleType, slower: int
) -> bool:
    """In a process of its own, whose end says it."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status) != 0
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    passed = False
    try:
        function_named(module, mutant.function).__code__ = mutant.code
        passed = all(runs_well_in_time(item, slower + 3 * seconds) for item, seconds in tests)
    finally:  # Nothing of the parent's work is to be done twice.
        os._exit(0 if passed else 1)


def function_named(module: ModuleType, name: str) -> FunctionType:
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    match found:
        case property(fget=function) | cached_property(func=function):
            found = function
        case staticmethod() | classmethod():
            found = found.__func__
    function = inspect.unwrap(found)
    assert isinstance(function, FunctionType)
    return function
