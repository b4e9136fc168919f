"""Proposes `@atomic` blocks, the smallest first; each proposal still has to be proved like any program."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from seriatim.frontends.p4 import syntax, terms
from seriatim.frontends.p4.syntax import Annotation, Block, Program, all_of, walk

ATOMIC = (Annotation("atomic"),)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A changed program, and the change in words."""

    words: str
    program: Program
    size: int
    """The number of lines in the new blocks."""


Place = tuple[Block, int, int]
"""A block, and the numbers of the first and last statement to enclose."""


def candidates(program: Program, text: Sequence[str]) -> list[Candidate]:
    """Programs with one more `@atomic` block, the smallest first; last, one with a block in every place."""
    places = sorted(_places(program), key=_lines)
    found = [_candidate(program, [place], text) for place in places]
    widest: dict[int, Place] = {}
    for place in places:
        widest[id(place[0])] = place
    every = list(widest.values())
    if len(every) > 1:
        found.append(_candidate(program, every, text))
    return found


def _lines(place: Place) -> tuple[int, int]:
    block, first, last = place
    start, end = block.statements[first].span, block.statements[last].span
    return end.end_line - start.line, start.line


def _places(program: Program) -> Iterator[Place]:
    """Ranges of statements whose first and last one may touch registers."""
    touching = _names_that_touch(program)
    for control in all_of(program, syntax.Control):
        for block in all_of(control, Block):
            if block.is_atomic:
                continue
            numbers = [number for number, each in enumerate(block.statements) if _touches(each, touching)]
            for place, first in enumerate(numbers):
                for last in numbers[place:]:
                    is_single = isinstance(block.statements[first], Block | syntax.CallStatement)
                    if (last > first or not is_single) and _keeps_names(block, first, last):
                        yield block, first, last


def _names_that_touch(program: Program) -> frozenset[str]:
    """The names of registers, and of actions, tables, controls and functions that use some."""
    found: set[str] = {
        each.name
        for each in all_of(program, syntax.Instance)
        if isinstance(each.type, terms.NamedType) and each.type.name == "register"
    }
    size = -1
    while size != len(found):
        size = len(found)
        for each in walk(program):
            if isinstance(each, syntax.Action | syntax.Table | syntax.Function | syntax.Control) and any(
                name in found for name in _mentioned_names(each)
            ):
                found.add(each.name)
        for instance in all_of(program, syntax.Instance):
            if isinstance(instance.type, terms.NamedType) and instance.type.name in found:
                found.add(instance.name)
    return frozenset(found)


def _mentioned_names(node: object) -> Iterator[str]:
    yield from (each.name for each in all_of(node, terms.Name))
    yield from (each.name for each in all_of(node, syntax.ActionRef))


def _touches(statement: syntax.Statement, touching: frozenset[str]) -> bool:
    return any(name in touching for name in _mentioned_names(statement))


def _keeps_names(block: Block, first: int, last: int) -> bool:
    """Whether no name that is declared in the range is used after it."""
    inside = block.statements[first : last + 1]
    declared = {each.name for each in inside if isinstance(each, syntax.Variable | syntax.Constant)}
    behind = {name for each in block.statements[last + 1 :] for name in _mentioned_names(each)}
    return declared.isdisjoint(behind)


def _candidate(program: Program, places: Sequence[Place], text: Sequence[str]) -> Candidate:
    changed: Program = program
    words: list[str] = []
    outermost_first = sorted(places, key=lambda place: (place[0].span.line, -place[0].span.end_line))
    for block, first, last in outermost_first:
        inner = Block(block.statements[first : last + 1], ATOMIC, block.statements[first].span)
        statements = (*block.statements[:first], inner, *block.statements[last + 1 :])
        changed = _replace_block(changed, block, replace(block, statements=statements))
        start, end = block.statements[first].span, block.statements[last].span
        around = (
            f"lines {start.line} to {end.end_line}" if start.line != end.end_line else f"line {start.line}"
        )
        words.append(f"{around}, from `{_line_text(text, start.line)}` to `{_line_text(text, end.end_line)}`")
    lines = sum(_lines(place)[0] for place in places)
    return Candidate(f"@atomic {{ … }} around {'; and around '.join(words)}", changed, lines)


def _line_text(text: Sequence[str], line: int) -> str:
    return text[line - 1].partition("//")[0].strip()


def _replace_block(node: Any, old: Block, new: Block) -> Any:
    """Replaces one block in a tree, by identity, since equal blocks may occur elsewhere."""
    if node is old:
        return new
    if isinstance(node, tuple):
        parts = tuple(_replace_block(each, old, new) for each in node)
        return node if all(one is other for one, other in zip(parts, node, strict=True)) else parts
    if not is_dataclass(node) or isinstance(node, type):
        return node
    changes: dict[str, Any] = {}
    for each in fields(node):
        before = getattr(node, each.name)
        after = _replace_block(before, old, new)
        if after is not before:
            changes[each.name] = after
    return replace(node, **changes) if changes else node
