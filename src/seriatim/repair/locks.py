"""Candidates that put a lock around what handlers do with shared variables.

Claim. Taking a free lock and giving it back changes nothing for a request that runs alone, and a run with the
lock is one without it in which some steps only wait, so there are no new outcomes. A region is locked only if
its request gives the lock back: every way out does (`seriatim.repair.release`), and the region contains
nothing that waits for others, who might wait for the lock.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

from seriatim.frontends.ser.surface import (
    AssignElement,
    Element,
    Lock,
    Policy,
    Request,
    Surface,
    SurfaceProgram,
    Unlock,
    Variable,
    walk,
)
from seriatim.program.syntax import Assign, Number, Read, is_global
from seriatim.repair.candidate import Candidate, Change, candidate
from seriatim.repair.edit import Edit, Offsets
from seriatim.repair.handlers import Region, Written, blocks, find_assigned, fresh
from seriatim.repair.release import NoCandidate, Release
from seriatim.repair.yields import join_words

MAX_NARROWER = 12
"""Regions of one handler that are tried, the narrowest first."""


def add_locks(program: SurfaceProgram, text: str) -> Iterator[Candidate]:
    """One lock for each element of an array; a lock that the program has; a new one, in narrower regions
    first. In each of these ways, first in the handlers that yield."""
    written = Written(program)
    yield from _make(written, text, _cell_locks(written))
    yield from _make(written, text, _reuse_locks(written))
    yield from _make(written, text, _new_locks(written))


Plan = tuple[str, list[tuple[Region, Read | Element]], Variable | None]
"""What is done, in a phrase; where each lock goes; and what to declare."""


def _make(written: Written, text: str, plans: Iterator[Plan]) -> Iterator[Candidate]:
    for title, placed, declared in plans:
        if placed and not any(waits(written, region) for region, _ in placed):
            found = with_locks(written, text, title, placed, declared)
            if found is not None:
                yield found


# Where to lock


def _regions(written: Written) -> Iterator[list[Region]]:
    """All uses of shared variables, in the handlers that yield between them; then in all that use some."""
    found = [region for region in (whole(written, request) for request in written.requests()) if region]
    yielding = [region for region in found if any(map(written.yields, region.inside))]
    yield yielding
    if yielding != found:
        yield found


def whole(written: Written, request: Request) -> Region | None:
    """A lock from the first to the last use of shared variables."""
    block = next(blocks(request))
    uses = [n for n, item in enumerate(block.items) if written.globals_of(item)]
    return Region(block, uses[0], uses[-1]) if uses else None


def narrower(written: Written, region: Region) -> list[Region]:
    """Parts of a handler that begin and end with a use of shared variables and yield in between; those of
    inner blocks as well."""
    found: list[Region] = []
    for block in blocks(region.request):
        uses = [number for number, item in enumerate(block.items) if written.globals_of(item)]
        for first, last in combinations_with_replacement(uses, 2):
            part = Region(block, first, last)
            if part != region and any(map(written.yields, part.inside)) and not waits(written, part):
                found.append(part)
    return sorted(found, key=lambda part: (size(part), part.inside[0].span))[:MAX_NARROWER]


def waits(written: Written, region: Region) -> bool:
    return any(map(written.may_wait, region.inside))


def size(region: Region) -> int:
    """How many parts of the program are under the lock."""
    return sum(1 for item in region.inside for _ in walk(item))


def _new_locks(written: Written) -> Iterator[Plan]:
    name = fresh("LOCK", written.names())
    declared = _declare(written, name, None)
    lock = Read(name)
    for number, regions in enumerate(_regions(written)):
        if number == 0 and len(regions) == 1:
            for part in narrower(written, regions[0]):
                title = f"put a lock around line{_lines(part)} in `{part.request.name}`"
                yield title, [(part, lock)], declared
        yield f"put a lock into {_names(regions)}", [(each, lock) for each in regions], declared


def _reuse_locks(written: Written) -> Iterator[Plan]:
    """Plans to put a lock that some handlers take around what the other handlers do, too."""
    parts = [part for request in written.requests() for part in walk(request.body)]
    known = dict.fromkeys(
        part.target.name for part in parts if isinstance(part, Lock) and isinstance(part.target, Read)
    )
    for name in known:
        for regions in _regions(written):
            others = [each for each in regions if not _takes(each.request.body, name)]
            yield f"put the lock {name} into {_names(others)}", [(each, Read(name)) for each in others], None


def _takes(body: Surface, name: str) -> bool:
    return any(isinstance(part, Lock | Unlock) and part.target.name == name for part in walk(body))


def _cell_locks(written: Written) -> Iterator[Plan]:
    """A lock for each index, where every handler uses elements of arrays with one index alone."""
    sizes = {
        each.name: each.size
        for each in written.program.declarations
        if isinstance(each, Variable) and each.size is not None
    }
    name = fresh("LOCKS", written.names())
    for number, regions in enumerate(_regions(written)):
        is_one = number == 0 and len(regions) == 1
        for chosen in [*([each] for each in narrower(written, regions[0])), regions] if is_one else [regions]:
            arrays = {used for each in chosen for item in each.inside for used in written.globals_of(item)}
            found = {str(sizes.get(array)) for array in arrays}
            placed: list[tuple[Region, Read | Element]] = [
                (each, Element(name, index))
                for each in chosen
                if (index := _only_index(written, each)) is not None
            ]
            if len(placed) == len(chosen) and len(found) == 1 and arrays <= set(sizes):
                size = sizes[min(arrays)]
                title = f"put a lock for each element of {join_words(sorted(arrays))} into {_names(chosen)}"
                yield title, placed, _declare(written, name, size)


def _only_index(written: Written, region: Region) -> Surface | None:
    """The index with which a region uses arrays, if that is the same everywhere and stays what it is."""
    parts = [part for item in region.inside for part in written.parts(item)]
    plain = {part.name for part in parts if isinstance(part, Read | Assign)}
    used = [part for part in parts if isinstance(part, Element | AssignElement) and is_global(part.name)]
    found = {part.index for part in used}
    if len(found) != 1 or any(is_global(name) and name not in written.constants for name in plain):
        return None
    (index,) = found
    match index:
        case Number():
            return index
        case Read(name=name) if name not in find_assigned(region.inside):
            parameters = {each.name for each in region.request.parameters}
            return index if name in parameters | find_assigned(region.before) else None
        case _:
            return None


def _declare(written: Written, name: str, size: Surface | None) -> Variable | None:
    """A declaration for a lock: arrays need one, others have one where all variables have."""
    has_declarations = any(isinstance(each, Variable) for each in written.program.declarations)
    if size is None and not has_declarations:
        return None
    return Variable(name, size, None, Policy.REFUSE, Number(0))


def _names(regions: Sequence[Region]) -> str:
    return join_words([f"`{region.request.name}`" for region in regions]) if regions else ""


def _lines(region: Region) -> str:
    first, last = region.inside[0].span.line, region.inside[-1].span.end_line
    return f" {first}" if first == last else f"s {first} to {last}"


# The change


def with_locks(
    written: Written,
    text: str,
    title: str,
    placed: list[tuple[Region, Read | Element]],
    declared: Variable | None,
) -> Candidate | None:
    answer = fresh("answer", written.names())
    offsets = Offsets(text)
    edits: list[Edit] = []
    bodies: dict[str, Surface] = {}
    for region, target in placed:
        release = Release(written, offsets, target, answer)
        try:
            bodies[region.request.name] = release.lock_region(region)
        except NoCandidate:
            return None
        edits += release.edits
    intended = written.with_bodies(bodies)
    if declared is not None:
        intended = replace(intended, declarations=(*intended.declarations, declared))
        edits.append(offsets.declaration(declared, written.program.declarations))
    meaning = _meaning(placed)
    held = sum(size(region) for region, _ in placed)
    return candidate(Change.LOCK, title, meaning, text, edits, intended, held)


def _meaning(placed: list[tuple[Region, Read | Element]]) -> str:
    target = placed[0][1]
    if isinstance(target, Element):
        return f"Requests wait only for others with the same index, which hold its lock in {target.name}."
    return f"Requests wait while another one holds {target.name}; all yields stay where they are."
