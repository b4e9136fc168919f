"""Sums of globals and numbers of threads that never change, as certificates write them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from seriatim.certificate.thread_predicates import Place
from seriatim.codec import NUMBERS, Codec
from seriatim.program.threads.syntax import ThreadProgram, is_boolean
from seriatim.strict_json import integer, wrong
from seriatim.terms.expressions import Constant, Expression, apply


def _read_factors(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object with a factor for each global")
    return tuple((name, integer(each, f"{where}.{name}")) for name, each in value.items())


@dataclass(frozen=True, slots=True)
class Flow:
    """Globals times their factors, main's weight at its place, and the threads' weights add up to the total.

    It holds at the places of main that have a weight."""

    globals: Annotated[tuple[tuple[str, int], ...], Codec(_read_factors, dict, schema=NUMBERS)]
    main: tuple[tuple[Place, int], ...]
    """Places of main, with weights of either sign."""
    threads: tuple[tuple[str, Place, int], ...]
    """Template, place, and weight, which is not negative; others weigh nothing."""
    total: int
    values: tuple[tuple[str, int, int], ...] = ()
    """A global, a value, and what counts while the global has this value."""

    def weigh(
        self,
        globals_: Mapping[str, Expression],
        program: ThreadProgram,
        place: int,
        spots: Iterable[tuple[str, int]],
    ) -> Expression:
        """Returns what the globals, main at a place, and some threads come to."""
        main = dict(self.main)
        threads = {(name, at): each for name, at, each in self.threads}
        total: Expression = Constant(main.get(place, 0) + sum(threads.get(spot, 0) for spot in spots))
        for name, factor in self.globals:
            number = globals_[name]
            if is_boolean(program.types[name]):
                number = apply("?", number, Constant(1), Constant(0))
            total = apply("+", total, apply("*", Constant(factor), number))
        for name, value, counts in self.values:
            has_it = apply("==", globals_[name], Constant(value))
            total = apply("+", total, apply("?", has_it, Constant(counts), Constant(0)))
        return total
