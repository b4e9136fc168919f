"""Finds positions of a program that can be exchanged: names propose them, then each exchange is verified.

Arrays, arguments and variables that were numbered by hand have numbers in their names. Variables whose
names differ in one number are taken for a family, requests likewise. `seriatim.systems.held_positions`
guesses what holds a position. Whether two positions can be exchanged is tried
(`seriatim.program.symmetry.broken`). So a wrong guess costs time, but never a wrong answer.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from seriatim.budget import Deadline
from seriatim.program.indices import Mixed
from seriatim.program.recursion import deep_recursion
from seriatim.program.symmetry import Bodies, Symmetry, broken, find_defect, move
from seriatim.program.syntax import Program, is_generated, is_global
from seriatim.systems.held_positions import Flows, PositionGroup, numbers_of

NUMBER = re.compile(r"\d+")

MIN_CLASS = 3
"""Classes with fewer positions than this are not worth the effort."""

TRIALS_PER_POSITION = 4
"""Exchanges that are tried, for each position."""

VAIN_TRIALS = 10
"""Exchanges that are tried before a first one succeeds."""

Numbered = dict[str, dict[tuple[int, ...], str]]
"""Names grouped by their text without numbers, then by the numbers."""


def find_symmetry(program: Program, deadline: Deadline) -> Symmetry | None:
    """The symmetry with the largest class, of those that names propose; None if no class is worth it."""
    bodies = Bodies(program)
    best: Symmetry | None = None
    with deep_recursion():
        for proposal in proposals(program, bodies):
            if find_defect(proposal, program) is None:
                found = replace(proposal, classes=classes(proposal, bodies, deadline))
                if best is None or largest(found) > largest(best):
                    best = found
                    if largest(best) == len(best.classes):
                        break
    return None if best is None or largest(best) < MIN_CLASS else best


def largest(symmetry: Symmetry) -> int:
    return max(map(len, symmetry.members()), default=0)


def classes(proposal: Symmetry, bodies: Bodies, deadline: Deadline) -> tuple[int, ...]:
    """The class of each position. If (i j) and (j k) are symmetries, so is (i k): it is enough to try each
    position against one of each class, the last ones first, since literal indices are mostly small. Positions
    that are not tried any more get a class of their own."""
    size = len(proposal.classes)
    firsts: list[int] = []
    found = [0] * size
    trials = 0
    for position in reversed(range(size)):
        own = len(firsts)
        for number, first in enumerate(firsts):
            if trials >= (VAIN_TRIALS if len(firsts) == size - 1 - position else TRIALS_PER_POSITION * size):
                break
            trials += 1
            deadline.check()
            exchange = move({first: position, position: first}, size)
            if broken(proposal, bodies, exchange) is None:
                own = number
                break
        if own == len(firsts):
            firsts.append(position)
        found[position] = own
    return tuple(found)


def proposals(program: Program, bodies: Bodies) -> Iterator[Symmetry]:
    """Symmetries that names propose: families over the same numbers together, then one by one; each with and
    without the variables and answers that may hold positions."""
    mentioned = set(chain.from_iterable(bodies.mentioned.values()))
    families = number_names(name for name in bodies.initial)
    locals_ = number_names(name for name in mentioned if not is_global(name) and not is_generated(name))
    requests = number_names(iter(program.requests))
    groups = Flows(program, stems(requests)).groups()
    for numbers, alternatives in number_sets(families, requests).items():
        held = [group for group in groups if len(group.numbers & set(numbers)) >= MIN_CLASS]
        for chosen in alternatives:
            variables = [tuple(families[stem][number,] for number in numbers) for stem in chosen]
            for stem, members in locals_.items():
                if members.keys() <= {(number,) for number in numbers}:
                    variables.append(tuple(stem.replace("#", str(number)) for number in numbers))
            plain = Symmetry(tuple(range(len(numbers))), tuple(variables), ())
            for own in (holding(plain, held, numbers, bodies), plain):
                if own is not plain or chosen:
                    yield replace(own, requests=tuple(request_families(program, own, bodies, numbers)))
                if own is plain:
                    break


def number_sets(families: Numbered, requests: Numbered) -> dict[tuple[int, ...], list[list[str]]]:
    """The numbers that positions may have, each with choices of families of variables."""
    stems_of: dict[tuple[int, ...], list[str]] = {}
    for stem, members in families.items():
        if all(len(numbers) == 1 for numbers in members) and len(members) >= MIN_CLASS:
            stems_of.setdefault(tuple(sorted(number for (number,) in members)), []).append(stem)
    found = {
        numbers: [stems, *([stem] for stem in stems if len(stems) > 1)] for numbers, stems in stems_of.items()
    }
    for members in requests.values():
        for slot in range(len(next(iter(members)))):
            numbers = tuple(sorted({own[slot] for own in members}))
            if len(numbers) >= MIN_CLASS:
                alternatives = found.setdefault(numbers, [])
                if [] not in alternatives:
                    alternatives.append([])
    return found


def stems(requests: Numbered) -> dict[str, str]:
    return {name: stem for stem, members in requests.items() for name in members.values()}


def holding(
    plain: Symmetry, groups: list[PositionGroup], numbers: tuple[int, ...], bodies: Bodies
) -> Symmetry:
    """The same symmetry, with variables and answers that may hold positions."""
    names = {name for family in plain.variables for name in family}
    held = [group for group in groups if names.isdisjoint(group.variables)]
    if not held:
        return plain
    found = replace(
        plain,
        numbers=numbers,
        holders=tuple(sorted({name for group in held for name in group.variables})),
        answers=tuple(sorted({name for group in held for name in group.answers if name in bodies.of})),
    )
    try:
        bodies.indices(found)
    except Mixed:
        return plain
    return found


def number_names(names: Iterator[str]) -> Numbered:
    """The names with numbers in them; what is left of a name has `#` in their places."""
    found: Numbered = {}
    for name in sorted(names):
        numbers = tuple(map(int, NUMBER.findall(name)))
        if numbers and "#" not in name:
            found.setdefault(NUMBER.sub("#", name), {})[numbers] = name
    return found


def request_families(
    program: Program, variables: Symmetry, bodies: Bodies, numbers: tuple[int, ...]
) -> Iterator[tuple[tuple[str, tuple[int, ...]], ...]]:
    """Requests that differ in numbers of positions. A number in the name of a request is one if most
    requests that differ there mention a variable at the position that it would be, or the position itself."""
    positions = {number: position for position, number in enumerate(numbers)}
    indices, _ = bodies.indices(variables)
    at = {name: place for family in variables.variables for place, name in enumerate(family)}
    for members in number_names(iter(program.requests)).values():
        count = len(next(iter(members)))
        mentioned = {
            name: {at[variable] for variable in bodies.mentioned[name] if variable in at}
            | {positions[n] for n in numbers_of(name, bodies.of[name], indices) if n in positions}
            for name in members.values()
        }
        slots = [
            slot
            for slot in range(count)
            if all(own[slot] in positions for own in members)
            and 2 * sum(positions[own[slot]] in mentioned[name] for own, name in members.items())
            > len(members)
        ]
        families: dict[tuple[int, ...], list[tuple[str, tuple[int, ...]]]] = {}
        for own, name in members.items():
            fixed = tuple(number for slot, number in enumerate(own) if slot not in slots)
            families.setdefault(fixed, []).append((name, tuple(positions[own[slot]] for slot in slots)))
        if slots:
            yield from map(tuple, families.values())
