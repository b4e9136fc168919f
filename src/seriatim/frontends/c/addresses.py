"""Addresses of variables: numbers, which pointers hold.

0 is NULL. A variable whose address is taken gets a number of its own; elements of an array have numbers
that follow each other, and other variables lie far away. So a pointer is an integer, `p + 1` is a sum, and
what `*p` stands for is decided by comparing the number. Which variables have an address is known only when
everything is translated: then it is translated again, until nothing is new.
"""

from seriatim.frontends.c.cases import Guard
from seriatim.frontends.c.symbols import Array, Function, Structure, Symbol, kind_of, name_of

GAP = 16
"""Numbers between two variables, so that small mistakes do not lead from one to the other."""

NOTHING = "$nothing"
"""The name of what a pointer points to that points nowhere; it has no address."""


class Addresses:
    def __init__(self) -> None:
        self.known: dict[str, tuple[int, Symbol]] = {}
        """By the name of the variable."""
        self.escaping: set[str] = set()
        """Locals of main whose address is used as a value, by where they are declared."""
        self.heap: dict[str, int] = {}
        """Memory that a program asks for and frees: the variables that say whether it is freed, by their
        names, and its address."""
        self.guards: dict[str, list[Guard]] = {}
        """What has to hold where variables are accessed that are not always there, by their names. Code that
        is translated before it is known that they are such variables is translated again."""
        self.typed: set[str] = set()
        """Mutexes that may count how often they are held, or notice that: those with attributes."""
        self.next = GAP
        self.is_stale = False
        """Whether a name stands for another variable than when it got its number."""

    def renew(self) -> None:
        """Forgets the numbers of variables; those of functions, whose names never change, stay."""
        self.known = {name: each for name, each in self.known.items() if isinstance(each[1], Function)}
        self.heap = {}
        self.guards = {}
        self.is_stale = False

    @property
    def size(self) -> int:
        named = len(self.known) + len(self.escaping) + len(self.heap) + len(self.typed)
        return named + sum(map(len, self.guards.values()))

    def number(self, symbol: Symbol, array: Array | None) -> int:
        """The address of a variable, which may be an element of an array."""
        name = name_of(symbol)
        if name.startswith(NOTHING):
            return 0
        group = (symbol,) if array is None else array.elements
        if name in self.known and any(self.known.get(name_of(each), (0, None))[1] != each for each in group):
            self.is_stale = True
        elif name not in self.known:
            for each in group:
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

    def names(self) -> dict[int, str]:
        """What the source calls each address."""
        found = {0: "NULL"}
        for number, symbol in self.known.values():
            name = name_of(symbol)
            found.setdefault(number, name if isinstance(symbol, Function) else f"&{name}")
        return found

    def overlap(self) -> bool:
        """Whether something and its first part both have numbers, which differ; in C, addresses do not."""
        for _, symbol in self.known.values():
            part = _first_part(symbol)
            while part is not None:
                if name_of(part) in self.known:
                    return True
                part = _first_part(part)
        return False


def _first_part(symbol: Symbol) -> Symbol | None:
    match symbol:
        case Structure(members=members):
            return next(iter(members.values()), None)
        case Array(elements=elements):
            return elements[0]
        case _:
            return None
