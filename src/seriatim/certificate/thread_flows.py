"""Sums of globals and numbers of threads that never change, as certificates write them."""

from dataclasses import dataclass
from typing import Annotated

from seriatim.certificate.thread_predicates import Place
from seriatim.codec import Codec
from seriatim.strict_json import integer, wrong


def _read_factors(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object with a factor for each global")
    return tuple((name, integer(each, f"{where}.{name}")) for name, each in value.items())


@dataclass(frozen=True, slots=True)
class Flow:
    """Globals times their factors, main's weight at its place, and the threads' weights add up to the total.

    It holds at the places of main that have a weight."""

    globals: Annotated[tuple[tuple[str, int], ...], Codec(_read_factors, dict)]
    main: tuple[tuple[Place, int], ...]
    """Places of main, with weights of either sign."""
    threads: tuple[tuple[str, Place, int], ...]
    """Template, place, and weight, which is not negative; others weigh nothing."""
    total: int
    values: tuple[tuple[str, int, int], ...] = ()
    """A global, a value, and what counts while the global has this value."""
