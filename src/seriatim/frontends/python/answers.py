"""Answers of a service: their names, and how the real service would describe them."""

from collections.abc import Iterator
from math import prod

from seriatim.frontends.python.domains import Atoms, Domain
from seriatim.frontends.python.inference import Inference
from seriatim.frontends.python.values import Composite

MAX_ANSWERS = 4096
"""Values of one shape of answers."""


FIRST_ANSWER = 1_000_000


SHAPE_SIZE = 10_000


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


def answer_names(
    function: str, inference: Inference, shapes: dict[str, Composite], atoms: Atoms
) -> dict[int, str]:
    """How Python writes the answers of a function."""
    values = inference.read(f"answer {function}")
    names: dict[int, str] = {atoms.code(atom): atom.text for atom in values.in_order()}
    if values.is_boolean:
        names |= {0: "False", 1: "True"}
    for code, composite, digits in _composed_answers(function, inference, shapes, atoms):
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
    for code, composite, digits in _composed_answers(function, inference, shapes, atoms):
        names[code] = composite.canonical(iter(digits))
    return names


def _composed_answers(
    function: str, inference: Inference, shapes: dict[str, Composite], atoms: Atoms
) -> Iterator[tuple[int, Composite, list[str]]]:
    """The code of each answer that is put together, with its parts as Python writes them."""
    for index, (shape, composite) in enumerate(shapes.items()):
        count = len(list(composite.leaves()))
        domains = [inference.read(f"answer {function} {shape} {leaf}") for leaf in range(count)]
        if any(domain.is_empty or not domain.is_finite for domain in domains):
            continue
        total = prod(domain.size() for domain in domains)
        for number in range(min(total, MAX_ANSWERS)):
            yield FIRST_ANSWER + SHAPE_SIZE * index + number, composite, _digits(number, domains, atoms)


def _digits(number: int, domains: list[Domain], atoms: Atoms) -> list[str]:
    shown: list[str] = []
    for domain in domains:
        number, digit = divmod(number, domain.size())
        shown.append(domain.name(domain.values(atoms)[digit], atoms))
    return shown
