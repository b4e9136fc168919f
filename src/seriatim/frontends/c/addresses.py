"""Addresses of variables: numbers, which pointers hold.

0 is NULL. A variable whose address is taken gets a number of its own; elements of an array have numbers
that follow each other, and other variables lie far away. So a pointer is an integer, `p + 1` is a sum, and
what `*p` stands for is decided by comparing the number. Which variables have an address is known only when
everything is translated: then it is translated again, until nothing is new.
"""

from seriatim.frontends.c.symbols import Array, Symbol, kind_of, name_of

GAP = 16
"""Numbers between two variables, so that small mistakes do not lead from one to the other."""


class Addresses:
    def __init__(self) -> None:
        self.known: dict[str, tuple[int, Symbol]] = {}
        """By the name of the variable."""
        self.escaping: set[str] = set()
        """Locals of main whose address is used as a value, by where they are declared."""
        self.next = GAP

    @property
    def size(self) -> int:
        return len(self.known) + len(self.escaping)

    def number(self, symbol: Symbol, array: Array | None) -> int:
        """The address of a variable, which may be an element of an array."""
        name = name_of(symbol)
        if name not in self.known:
            for each in (symbol,) if array is None else array.elements:
                self.known[name_of(each)] = self.next, each
                self.next += 1
            self.next += GAP
        return self.known[name][0]

    def of_kind(self, kind: str) -> list[tuple[int, Symbol]]:
        """The variables to which pointers of a kind can point."""
        return [(number, symbol) for number, symbol in self.known.values() if kind_of(symbol) == kind]

    def at(self, number: int, kind: str) -> Symbol | None:
        """What lies at an address, if it is of the kind."""
        found = (each for at, each in self.known.values() if at == number and kind_of(each) == kind)
        return next(found, None)
