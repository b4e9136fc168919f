"""Candidates that put a lock around what handlers do with shared variables.

Claim. Taking a free lock and giving it back changes nothing for a request that runs alone, and a run with the
lock is one without it in which some steps only wait, so there are no new outcomes. A region is locked only if
each holder gives the lock back: it contains no `return`, except as its last statement, and no loop that
yields, in which the holder could wait for somebody who waits for the lock.
"""

from collections.abc import Iterator

from seriatim.frozen import frozen
from seriatim.program.syntax import (
    Assign,
    Binary,
    Expression,
    Handler,
    Number,
    Operator,
    Program,
    Read,
    Return,
    Sequence,
    While,
    Yield,
    global_names,
    is_global,
    sequence,
    walk,
    yields,
)
from seriatim.repair.candidate import Candidate, Change, written
from seriatim.repair.edit import Edit, Offsets
from seriatim.repair.yields import listed, with_bodies


@frozen
class Region:
    """The statements of a handler from its first to its last use of shared variables."""

    handler: int
    first: int
    last: int
    """Of the items of its body, inclusive."""


def locked(program: Program, text: str) -> Iterator[Candidate]:
    """A lock in the handlers that yield and use shared variables; then in all that use some."""
    found = [region_of(index, handler) for index, handler in enumerate(program.handlers)]
    regions = [region for region in found if region is not None]
    yielding = [region for region in regions if yields(program.handlers[region.handler].body)]
    for chosen in [yielding, regions] if yielding != regions else [regions]:
        if chosen and not any(may_wait_inside(program, region) for region in chosen):
            candidate = with_lock(program, text, chosen)
            if candidate is not None:
                yield candidate


def items_of(handler: Handler) -> tuple[Expression, ...]:
    return handler.body.items if isinstance(handler.body, Sequence) else (handler.body,)


def region_of(index: int, handler: Handler) -> Region | None:
    uses = [
        number
        for number, item in enumerate(items_of(handler))
        if any(isinstance(part, Read | Assign) and is_global(part.name) for part in walk(item))
    ]
    return Region(index, uses[0], uses[-1]) if uses else None


def may_wait_inside(program: Program, region: Region) -> bool:
    """Whether the holder of the lock might wait for others, or leave without giving it back."""
    items = items_of(program.handlers[region.handler])
    inside = items[region.first : region.last + 1]
    if any(isinstance(part, While) and yields(part) for item in inside for part in walk(item)):
        return True
    last = items[-1]
    answer = last.value if isinstance(last, Return) else last
    parts = (*inside[:-1], answer) if region.last == len(items) - 1 else inside
    return any(isinstance(part, Return) for item in parts for part in walk(item))


def with_lock(program: Program, text: str, regions: list[Region]) -> Candidate | None:
    lock = fresh("LOCK", set(global_names(program)))
    answer = fresh("answer", {part.name for part in parts_of(program) if isinstance(part, Read | Assign)})
    edits: list[Edit] = []
    bodies = [handler.body for handler in program.handlers]
    for region in regions:
        handler = program.handlers[region.handler]
        edits += region_edits(handler, region, Offsets(text), lock, answer)
        bodies[region.handler] = locked_body(items_of(handler), region, lock, answer)
    intended = with_bodies(program, bodies)
    changed = written(text, edits, intended)
    if changed is None:
        return None
    names = listed([f"`{program.handlers[region.handler].name}`" for region in regions])
    meaning = f"Requests wait while another one holds {lock}: what they do with shared variables takes turns."
    return Candidate(Change.LOCK, f"put a lock into {names}", meaning, changed, intended)


def locked_body(items: tuple[Expression, ...], region: Region, lock: str, answer: str) -> Expression:
    """The statements of a handler, with the lock taken before the region and given back after it."""
    wait: Expression = While(Binary(Operator.EQUAL, Read(lock), Number(1)), Yield())
    take, give = Assign(lock, Number(1)), Assign(lock, Number(0))
    before, inside = items[: region.first], items[region.first : region.last + 1]
    if region.last < len(items) - 1:
        return sequence(*before, wait, take, *inside, give, *items[region.last + 1 :])
    last = items[-1]
    kept = Assign(answer, last.value if isinstance(last, Return) else last)
    result = Return(Read(answer)) if isinstance(last, Return) else Read(answer)
    return sequence(*before, wait, take, *inside[:-1], kept, give, result)


def region_edits(handler: Handler, region: Region, offsets: Offsets, lock: str, answer: str) -> list[Edit]:
    """The same, in the text."""
    items = items_of(handler)
    is_layout = uses_layout(handler, offsets)
    first = offsets.of(items[region.first].span)[0]
    opening = inserted(offsets, first, is_layout, f"while ({lock} == 1) {{ yield }}", f"{lock} := 1")
    if region.last < len(items) - 1:
        after = offsets.of(items[region.last + 1].span)[0]
        closing = inserted(offsets, after, is_layout, f"{lock} := 0")
        return [Edit(first, first, opening), Edit(after, after, closing)]
    last = items[-1]
    begin, end = offsets.of(last.span)
    value_begin = offsets.of(last.value.span)[0] if isinstance(last, Return) else begin
    returned = f"return {answer}" if isinstance(last, Return) else answer
    keeping = f"{answer} := "
    closing = inserted(offsets, begin, is_layout, "", f"{lock} := 0") + returned
    if first == begin:
        return [Edit(begin, value_begin, opening + keeping), Edit(end, end, closing)]
    return [Edit(first, first, opening), Edit(begin, value_begin, keeping), Edit(end, end, closing)]


def inserted(offsets: Offsets, at: int, is_layout: bool, *statements: str) -> str:
    """Statements before what stands at a place, in the style of their surroundings."""
    indentation = offsets.indentation(at)
    end = "; " if indentation is None else ("" if is_layout else ";") + "\n" + indentation
    return "".join(statement + end for statement in statements)


def uses_layout(handler: Handler, offsets: Offsets) -> bool:
    """Whether the statements of a handler stand on lines of their own without separators."""
    begin, body = offsets.of(handler.span)[0], offsets.of(handler.body.span)[0]
    return "{" not in offsets.text[begin:body]


def parts_of(program: Program) -> Iterator[Expression]:
    for handler in program.handlers:
        yield from walk(handler.body)


def fresh(name: str, taken: set[str]) -> str:
    """The name, or that name with a number that makes it new."""
    candidates = (name if number == 1 else f"{name}_{number}" for number in range(1, len(taken) + 2))
    return next(candidate for candidate in candidates if candidate not in taken)
