"""Chooses scopes that nobody has written: small ones, wider where a comparison would have only one answer.

A proof then is one about these values, and the report says which; a violation is repeated at full widths, so
that it does not depend on the choice. What is compared with constants gets these constants, and 0; if some
comparison still has only one answer, also the numbers next to them.
"""

from collections.abc import Iterable

from seriatim.frontends.p4.arithmetic import COMPARISONS
from seriatim.frontends.p4.code import Applied, Code, Const, parts, reads, steps, values_of
from seriatim.frontends.p4.kinds import Bits, Enumerated, Simple
from seriatim.frontends.p4.slicing import Slice

MAX_CONSTANTS = 3
"""The most constants in a scope, unless it is widened."""

MAX_WIDE = 5

WIDTHS = (2, 1)
"""The widths that registers with too many values get, one after the other."""


class Choices:
    """The scopes that have been chosen so far."""

    def __init__(self, code: Code, part: Slice) -> None:
        self._part = part
        self._compared = _compared_constants(code)
        self._wide: set[str] = set()
        self.values: dict[str, tuple[int, ...]] = {}
        """By the names that scopes have."""
        self.widths: dict[str, int] = {}
        """The widths of registers."""
        self.exact: set[str] = set()
        """The registers whose values are all explored, if they are not too many."""

    def choose(self, name: str, path: str, kind: Simple, limit: int | None) -> tuple[int, ...]:
        """The values of a path whose scope has this name; `limit` is the number of cells that it selects."""
        if name not in self.values:
            self.values[name] = self._values(name, path, kind, limit)
        return self.values[name]

    def _values(self, name: str, path: str, kind: Simple, limit: int | None) -> tuple[int, ...]:
        constants = sorted(self._constants(path))
        found = {0, *constants[:MAX_CONSTANTS]}
        if name in self._wide:
            found |= {each + by for each in constants[:MAX_WIDE] for by in (-1, 0, 1)}
        if len(found) == 1:
            found |= {1}
        match kind:
            case Bits():
                low, high = kind.low, kind.high
            case Enumerated(members=members):
                low, high = 0, len(members) - 1
            case _:
                low, high = 0, 1
        high = high if limit is None else min(high, limit - 1)
        return tuple(sorted(each for each in found if low <= each <= high)) or (0,)

    def _constants(self, path: str) -> set[int]:
        """The constants that a path, or something that depends on it, is compared with."""
        return {
            constant
            for other, constants in self._compared.items()
            if other == path or path in self._part.depends.get(other, ())
            for constant in constants
        }

    def widen(self, names: Iterable[str]) -> bool:
        """Chooses more values for the next time; returns whether any of these scopes can grow."""
        new = {each for each in names if each in self.values} - self._wide
        self._wide |= new
        for each in new:
            del self.values[each]
        return bool(new)

    def explore_exactly(self, names: Iterable[str]) -> bool:
        """Gives registers their full width back; returns whether that is new for one of them."""
        new = {each for each in names if each in self.widths} - self.exact
        self.exact |= new
        for each in new:
            del self.widths[each]
        return bool(new)

    def narrow(self, registers: Iterable[str]) -> bool:
        """Chooses a smaller width for each of these registers; returns whether there is one for some."""
        is_new = False
        for register in registers:
            before = self.widths.get(register)
            following = WIDTHS if before is None else WIDTHS[WIDTHS.index(before) + 1 :]
            if following:
                self.widths[register] = following[0]
                is_new = True
        return is_new


def _compared_constants(code: Code) -> dict[str, set[int]]:
    """The constants that values which read a path are compared with."""
    found: dict[str, set[int]] = {}
    for step in steps(code):
        for value in values_of(step):
            for part in parts(value):
                if isinstance(part, Applied) and part.operator in COMPARISONS:
                    for one, other in ((part.left, part.right), (part.right, part.left)):
                        if isinstance(other, Const):
                            for path in reads(one):
                                found.setdefault(path, set()).add(other.value)
    return found
