"""A contradiction: two ways to the same answer that do not agree, or one that breaks down."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from traceback import format_exception
from types import TracebackType

from differential.facts import Facts


@dataclass(frozen=True, slots=True)
class Contradiction:
    kind: str
    """What shrinking preserves."""
    details: str


Comparison = Callable[[Facts], Iterator[Contradiction]]


class Breakdowns:
    """Turns whatever exception ends its block into a contradiction: here, each of them is a finding."""

    def __init__(self) -> None:
        self.found: list[Contradiction] = []

    def __enter__(self) -> "Breakdowns":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _at: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        details = "".join(format_exception(error))
        self.found.append(Contradiction(f"{type(error).__name__} is raised", details))
        return True
