"""Regular expressions over letters 0, 1, …, kept simple as they are made, and what they are made into.

Expressions that come from automata share many parts: as text they are long, as data they are small.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from seriatim.arithmetic.semilinear.algebra import Algebra
from seriatim.arithmetic.semilinear.sets import SemilinearSet, Word


@dataclass(frozen=True, slots=True, eq=False)
class Nothing:
    """No word."""


@dataclass(frozen=True, slots=True, eq=False)
class Empty:
    """The empty word."""


@dataclass(frozen=True, slots=True, eq=False)
class Letter:
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class EitherRegex:
    """At least two parts, none of which is itself of this kind."""

    parts: tuple["Regex", ...]


@dataclass(frozen=True, slots=True, eq=False)
class Then:
    left: "Regex"
    right: "Regex"


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    inner: "Regex"


Regex = Nothing | Empty | Letter | EitherRegex | Then | Star

NOTHING = Nothing()
EMPTY = Empty()


def either(*parts: Regex) -> Regex:
    flat: dict[Regex, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, EitherRegex) else (part,)))
    flat.pop(NOTHING, None)
    if len(flat) == 1:
        return next(iter(flat))
    return EitherRegex(tuple(flat)) if flat else NOTHING


def then(left: Regex, right: Regex) -> Regex:
    if left is NOTHING or right is NOTHING:
        return NOTHING
    if left is EMPTY:
        return right
    return left if right is EMPTY else Then(left, right)


def star(inner: Regex) -> Regex:
    if isinstance(inner, EitherRegex):
        inner = either(*(part for part in inner.parts if part is not EMPTY))
    if inner is NOTHING or inner is EMPTY:
        return EMPTY
    return inner if isinstance(inner, Star) else Star(inner)


def children(regex: Regex) -> tuple[Regex, ...]:
    match regex:
        case Nothing() | Empty() | Letter():
            return ()
        case EitherRegex(parts=parts):
            return parts
        case Then(left=left, right=right):
            return left, right
        case Star(inner=inner):
            return (inner,)
        case _:
            assert_never(regex)


def bottom_up(regex: Regex) -> Iterator[Regex]:
    """All parts, each of them once, after its own parts."""
    seen: set[Regex] = set()
    pending = [(regex, False)]
    while pending:
        part, is_done = pending.pop()
        if is_done:
            yield part
        elif part not in seen:
            seen.add(part)
            pending.append((part, True))
            pending.extend((child, False) for child in reversed(children(part)))


def parikh_image(regex: Regex, letters: Sequence[Word], algebra: Algebra) -> SemilinearSet:
    """How often each dimension is counted in a word, for all words; letter n counts as `letters[n]`."""
    found: dict[Regex, SemilinearSet] = {}
    for part in bottom_up(regex):
        match part:
            case Nothing():
                image = algebra.empty()
            case Empty():
                image = algebra.zero()
            case Letter(number=number):
                image = algebra.single(letters[number])
            case EitherRegex(parts=parts):
                image = algebra.union(found[each] for each in parts)
            case Then(left=left, right=right):
                image = algebra.sum(found[left], found[right])
            case Star(inner=inner):
                image = algebra.star(found[inner])
            case _:
                assert_never(part)
        found[part] = image
    return found[regex]


@dataclass(frozen=True, slots=True)
class RegexSize:
    """How large an expression is."""

    parts: int
    """Different parts."""
    letters: int
    """In the text, where parts that are shared are written out each time."""
    star_height: int


def size(regex: Regex) -> RegexSize:
    letters: dict[Regex, int] = {}
    height: dict[Regex, int] = {}
    for part in bottom_up(regex):
        letters[part] = int(isinstance(part, Letter)) + sum(letters[child] for child in children(part))
        height[part] = int(isinstance(part, Star)) + max(
            (height[child] for child in children(part)), default=0
        )
    return RegexSize(len(letters), letters[regex], height[regex])


EITHER, THEN, ATOM = range(3)
"""How tightly expressions bind."""


def write_regex(regex: Regex, letter: Callable[[int], str]) -> str:
    """The expression as text: `ab`, `a | b`, `a*`; ε is the empty word, ∅ no word."""
    texts: dict[Regex, tuple[str, int]] = {}

    def within(part: Regex, least: int) -> str:
        text, binding = texts[part]
        return text if binding >= least else f"({text})"

    for part in bottom_up(regex):
        match part:
            case Nothing():
                texts[part] = "∅", ATOM
            case Empty():
                texts[part] = "ε", ATOM
            case Letter(number=number):
                texts[part] = letter(number), ATOM
            case EitherRegex(parts=parts):
                texts[part] = " | ".join(within(each, THEN) for each in parts), EITHER
            case Then(left=left, right=right):
                texts[part] = f"{within(left, THEN)} {within(right, THEN)}", THEN
            case Star(inner=inner):
                texts[part] = f"{within(inner, ATOM)}*", ATOM
            case _:
                assert_never(part)
    return texts[regex][0]
