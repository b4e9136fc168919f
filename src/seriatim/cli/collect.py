"""Options of a command as a few values instead of many parameters."""

from collections.abc import Callable
from functools import wraps
from typing import Any


def collect(**kinds: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the options that are named like the fields of a record as one value of that class.

    Stands below the options.
    """

    def collecting(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def called(*arguments: Any, **given: Any) -> None:
            for name, kind in kinds.items():
                given[name] = kind(**{field: given.pop(field) for field in kind.__match_args__})
            command(*arguments, **given)

        return called

    return collecting
