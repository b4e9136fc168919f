"""Assertions for test suites: `assert_serializable(Shop)` in a test of your own.

They raise `AssertionError` with a text that shows the race. They need nothing besides Seriatim.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_about
from seriatim.frontends.all import allow_run, translate
from seriatim.frontends.python.race_tests import find_race
from seriatim.frontends.reading import InputFile, load
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import verdict_text
from seriatim.result import Holds

Service = str | Path | ModuleType | type | Callable[..., Any]
"""A file, or something defined in one: a module, a class, a coroutine function."""


def assert_serializable(service: Service, *, timeout: float = 60.0, scope: str = "") -> None:
    """Fails if a service can give answers that no one-at-a-time order gives, or if that is undecided.

    The answer holds for any number of requests. `scope` has the marks of a file that you cannot edit.
    """
    __tracebackhide__ = True
    file = InputFile(_path(service))
    settings = {"scope": scope} if scope else {}
    if isinstance(service, type):
        settings["service"] = service.__name__
    source, translation = load(file, lambda text: translate(text, allow_run(text, settings)))
    if inspect.isfunction(service) and service.__name__ not in _functions(translation.content.requests):
        raise ValueError(f"{service.__name__} is no request of {file.path}")
    result, _ = decide_about(translation, source, Options(timeout=timeout))
    if not isinstance(result.answer, Holds):
        raise AssertionError(verdict_text(result, TextLook()))


def _functions(requests: tuple[str, ...]) -> set[str]:
    """The function names of requests, such as `buy` for `buy(1)`."""
    return {name.partition("(")[0] for name in requests}


def assert_requests_serializable(
    service: Service, *requests: str, timeout: float = 60.0, scope: str = "", **settings: bool
) -> None:
    """Fails if these requests, interleaved on the real event loop, give answers that no order of them gives.

    Requests are written as `ser check --explain-scope` lists them: `"buy(1)", "buy(2)"`. `settings` are the
    options of `ser check` about the world: `cancel`, `timeouts`, `failures` and `calls`.
    """
    __tracebackhide__ = True
    source, _ = load(InputFile(_path(service)), lambda text: text.text)
    given = {name: "yes" for name, is_asked in settings.items() if is_asked}
    if scope:
        given["scope"] = scope
    if isinstance(service, type):
        given["service"] = service.__name__
    race = find_race(source, requests, timeout / 3, given)
    if race:
        raise AssertionError(race)


def _path(service: Service) -> Path:
    if isinstance(service, str | Path):
        return Path(service)
    found = inspect.getsourcefile(service)
    if found is None:
        raise TypeError(f"{service!r} has no source file")
    return Path(found)
