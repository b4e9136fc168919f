"""Which values an expression can have: some integers, and some other values that have numbers as codes.

Integers, `True` and `False` stand for themselves, as in Python, where `True == 1`. Every other value that a
service can tell apart (`None`, strings, members of an enumeration, exceptions as answers, …) is an *atom*
with a code. Claim: a number never means two things. Codes lie from `FIRST_CODE` on; wherever atoms and
integers meet in one variable or in one comparison, `join` demands that the integers are bounded and
smaller.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

FIRST_CODE = 10_000
"""Larger than the integers that share a variable with atoms."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value that is no number: its text is how Python writes it."""

    text: str
    truthy: bool = True


NONE = Atom("None", truthy=False)
ABSENT = Atom("—")
"""What a dictionary has at a key that is not in it."""


class Unbounded(Exception):
    """Integers without bounds meet values that are no numbers."""


class Atoms:
    """The atoms of a service and their codes, in the order in which they are met."""

    def __init__(self) -> None:
        self.codes: dict[Atom, int] = {}

    def code(self, atom: Atom) -> int:
        return self.codes.setdefault(atom, FIRST_CODE + len(self.codes))

    def names(self) -> dict[int, str]:
        return {code: atom.text for atom, code in self.codes.items()}


@dataclass(frozen=True, slots=True)
class Domain:
    """Some values. Without `has_numbers` there are atoms only."""

    has_numbers: bool = False
    low: int | None = None
    """None is without a bound."""
    high: int | None = None
    is_boolean: bool = False
    """Whether its numbers are `False` and `True`."""
    atoms: frozenset[Atom] = frozenset()
    is_scope: bool = False
    """Whether somebody has bounded the values for the sake of checking."""
    only: frozenset[int] | None = None
    """The numbers, if there are gaps between them."""
    given: "Domain | None" = None
    """Of an argument, the scope that it was taken from."""

    def in_order(self) -> list[Atom]:
        """The atoms, always in the same order: codes are given out by it."""
        return sorted(self.atoms, key=lambda atom: atom.text)

    @property
    def is_finite(self) -> bool:
        return not self.has_numbers or (self.low is not None and self.high is not None)

    @property
    def is_empty(self) -> bool:
        return not self.has_numbers and not self.atoms

    def numbers(self) -> tuple[int, ...]:
        """The numbers of a finite domain, in order."""
        if not self.has_numbers:
            return ()
        if self.only is not None:
            return tuple(sorted(self.only))
        assert self.low is not None
        assert self.high is not None
        return tuple(range(self.low, self.high + 1))

    def span(self) -> int:
        """How many numbers a finite domain has."""
        if not self.has_numbers or self.low is None or self.high is None:
            return 0
        return self.high - self.low + 1 if self.only is None else len(self.only)

    def size(self) -> int:
        return self.span() + len(self.atoms)

    def name(self, value: int, atoms: Atoms) -> str:
        """A value as Python writes it."""
        named = atoms.names()
        if value in named and any(atoms.codes[atom] == value for atom in self.in_order()):
            return named[value]
        return str(bool(value)) if self.is_boolean and value in (0, 1) else str(value)

    def texts(self) -> list[str]:
        """All values of a finite domain, as Python writes them."""
        numbers = (str(bool(number)) if self.is_boolean else str(number) for number in self.numbers())
        return [*numbers, *(atom.text for atom in self.in_order())]

    def values(self, atoms: Atoms) -> tuple[int, ...]:
        """All values of a finite domain, as numbers and codes."""
        return (*self.numbers(), *sorted(atoms.code(atom) for atom in self.in_order()))

    def __str__(self) -> str:
        parts = [atom.text for atom in self.in_order()]
        if self.is_boolean:
            parts.insert(0, "bool")
        elif self.has_numbers:
            low = "" if self.low is None else str(self.low)
            high = "" if self.high is None else str(self.high)
            parts.insert(0, f"{low}..{high}" if low or high else "any int")
        return " | ".join(parts) or "nothing"


NOTHING = Domain()
BOOLEANS = Domain(True, 0, 1, is_boolean=True)
INTEGERS = Domain(True)


def integers(low: int | None, high: int | None, is_scope: bool = False) -> Domain:
    return Domain(True, low, high, is_scope=is_scope)


def atomic(*atoms: Atom) -> Domain:
    return Domain(atoms=frozenset(atoms))


def list_numbers(numbers: Iterable[int]) -> Domain:
    """Some numbers, by name."""
    found = frozenset(numbers)
    low, high = min(found), max(found)
    return Domain(True, low, high, is_scope=True, only=found if len(found) <= high - low else None)


def constant(value: object) -> tuple[Domain, Atom | int] | None:
    """The domain of a constant, and its value; None if it is of no kind that is known."""
    match value:
        case bool():
            return Domain(True, int(value), int(value), is_boolean=True), int(value)
        case int():
            return integers(value, value), value
        case None:
            return atomic(NONE), NONE
        case str() | bytes():
            atom = Atom(repr(value), bool(value))
            return atomic(atom), atom
        case _:
            return None


def join(left: Domain, right: Domain) -> Domain:
    """The values of both; raises `Unbounded` where a number could be taken for a code."""
    if left.is_empty or right.is_empty:
        return right if left.is_empty else left
    atoms = left.atoms | right.atoms
    if not (left.has_numbers and right.has_numbers):
        numbers = left if left.has_numbers else right
        joined = replace(numbers, atoms=atoms, is_scope=left.is_scope or right.is_scope, given=None)
    else:
        low = None if left.low is None or right.low is None else min(left.low, right.low)
        high = None if left.high is None or right.high is None else max(left.high, right.high)
        is_boolean, is_scope = left.is_boolean and right.is_boolean, left.is_scope or right.is_scope
        only = None
        if left.only is not None or right.only is not None:
            only = _exactly(left, right)
        joined = Domain(True, low, high, is_boolean, atoms, is_scope, only)
    demand_apart(joined)
    return joined


FEW = 64
"""Numbers that are kept one by one."""


def _exactly(left: Domain, right: Domain) -> frozenset[int] | None:
    """The numbers of both, if they are few and have gaps."""
    if not (left.is_finite and right.is_finite) or max(left.span(), right.span()) > FEW:
        return None
    found = frozenset((*left.numbers(), *right.numbers()))
    return found if len(found) <= max(found) - min(found) and len(found) <= FEW else None


def demand_apart(domain: Domain) -> None:
    """Raises `Unbounded` where a number could be taken for a code."""
    if domain.atoms and domain.has_numbers and (domain.high is None or domain.high >= FIRST_CODE):
        raise Unbounded


def join_all(domains: Iterable[Domain]) -> Domain:
    found = NOTHING
    for domain in domains:
        found = join(found, domain)
    return found


def widen(old: Domain, new: Domain) -> Domain:
    """The new domain, with bounds that have moved given up: repeated, this comes to an end."""
    if not old.has_numbers or not new.has_numbers:
        return new
    low = new.low if old.low is not None and new.low is not None and new.low >= old.low else None
    high = new.high if old.high is not None and new.high is not None and new.high <= old.high else None
    is_boolean = new.is_boolean and low is not None and high is not None
    only = new.only if low is not None and high is not None else None
    return replace(new, low=low, high=high, is_boolean=is_boolean, only=only)
