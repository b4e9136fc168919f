"""Answers of a service: their names, and how the real service would describe them."""

from collections.abc import Iterator
from math import prod

from seriatim.frontends.python.domains import Atoms, Domain
from seriatim.frontends.python.inference import Inference
from seriatim.frontends.python.values import Composite

MAX_ANSWERS = 4096
"""Values of one shape of answers."""


MAX_FREE = 1000
"""Integers without bounds that are named as part of an answer, on both sides of 0."""


FIRST_ANSWER = 20_000
"""Codes of answers that are put together lie from here on: above atoms, below the limit of variables."""

SHAPE_SIZE = 5_000
"""Codes of each shape."""


def answer_count(function: str, inference: Inference, shapes: dict[str, Composite]) -> int:
    """How many answers a function has; 0 stands for infinitely many."""
    values = inference.read(f"answer {function}")
    if not values.is_finite:
        return 0
    total = values.size()
    for shape, composite in shapes.items():
        domains = [
            inference.read(f"answer {function} {shape} {leaf}")
            for leaf in range(len(list(composite.leaves())))
        ]
        if not all(domain.is_finite for domain in domains):
            return 0
        total += prod(domain.size() for domain in domains)
    return total


def free_leaf(function: str, inference: Inference, shapes: dict[str, Composite]) -> int | None:
    """The part that alone makes a difference, if it is an integer without bounds: then an answer is told by
    this integer, as in `{'count': count}`. All answers have to have one shape, and other parts one value."""
    if len(shapes) != 1 or not inference.read(f"answer {function}").is_empty:
        return None
    ((shape, composite),) = shapes.items()
    domains = [
        inference.read(f"answer {function} {shape} {leaf}") for leaf in range(len(list(composite.leaves())))
    ]
    free = [index for index, domain in enumerate(domains) if not domain.is_finite]
    rest = [domain for domain in domains if domain.is_finite]
    if len(free) != 1 or domains[free[0]].atoms or any(domain.size() > 1 for domain in rest):
        return None
    return free[0]


def answer_names(
    function: str, inference: Inference, shapes: dict[str, Composite], atoms: Atoms
) -> dict[int, str]:
    """How Python writes the answers of a function."""
    values = inference.read(f"answer {function}")
    names: dict[int, str] = {atoms.code(atom): atom.text for atom in values.in_order()}
    if values.is_boolean:
        names |= {0: "False", 1: "True"}
    for code, composite, digits in _compose_answers(function, inference, shapes, atoms):
        names[code] = composite.text(iter(digits))
    return names


def canonical_answers(
    function: str, inference: Inference, shapes: dict[str, Composite], atoms: Atoms
) -> dict[int, str]:
    """How the real service would describe the answers of a function."""
    values = inference.read(f"answer {function}")
    names = {
        atoms.code(atom): atom.text.partition("(")[0] if atom.text.startswith("raise ") else atom.text
        for atom in values.in_order()
    }
    for code, composite, digits in _compose_answers(function, inference, shapes, atoms):
        names[code] = composite.canonical(iter(digits))
    return names


def _compose_answers(
    function: str, inference: Inference, shapes: dict[str, Composite], atoms: Atoms
) -> Iterator[tuple[int, Composite, list[str]]]:
    """The code of each answer that is put together, with its parts as Python writes them."""
    if (free := free_leaf(function, inference, shapes)) is not None:
        yield from _free_answers(function, inference, shapes, atoms, free)
        return
    for index, (shape, composite) in enumerate(shapes.items()):
        count = len(list(composite.leaves()))
        domains = [inference.read(f"answer {function} {shape} {leaf}") for leaf in range(count)]
        if any(domain.is_empty or not domain.is_finite for domain in domains):
            continue
        total = prod(domain.size() for domain in domains)
        for number in range(min(total, MAX_ANSWERS)):
            yield FIRST_ANSWER + SHAPE_SIZE * index + number, composite, _digits(number, domains, atoms)


def _free_answers(
    function: str, inference: Inference, shapes: dict[str, Composite], atoms: Atoms, free: int
) -> Iterator[tuple[int, Composite, list[str]]]:
    """Those whose integer is not too large; others are told by it alone."""
    ((shape, composite),) = shapes.items()
    names: list[str] = []
    for leaf in range(len(list(composite.leaves()))):
        domain = inference.read(f"answer {function} {shape} {leaf}")
        names.append("" if leaf == free or domain.is_empty else domain.name(domain.values(atoms)[0], atoms))
    for number in range(-MAX_FREE, MAX_FREE + 1):
        yield number, composite, [*names[:free], str(number), *names[free + 1 :]]


def _digits(number: int, domains: list[Domain], atoms: Atoms) -> list[str]:
    shown: list[str] = []
    for domain in domains:
        number, digit = divmod(number, domain.size())
        shown.append(domain.name(domain.values(atoms)[digit], atoms))
    return shown
