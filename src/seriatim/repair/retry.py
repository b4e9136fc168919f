"""Candidates that compare and retry: before a request writes, it looks whether what it read is still there.

A handler reads `x := X`, yields, and later writes X. The candidate repeats what lies between the read and the
write for as long as X is not x any more.

Claim. A request that runs alone finds X as it has read it, so the loop is not entered, and nothing changes.
In the loop, what was read is read again: the *attempt* writes no shared variable, and reads no local that it
writes later, so to execute it again is to execute it for the first time, later. Nobody holds anything
meanwhile, so nobody waits for a request that has left.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.ser.surface import AssignElement, Element, Request, Surface, SurfaceProgram, walk
from seriatim.program.syntax import Assign, Binary, Number, Operator, Read, While, is_global, sequence
from seriatim.repair.candidate import Candidate, Change, candidate
from seriatim.repair.edit import Edit, Offsets
from seriatim.repair.handlers import Written, accesses, find_assigned, statements
from seriatim.repair.yields import join_words

INDENTATION = "    "


@dataclass(frozen=True, slots=True)
class Attempt:
    """Statements of a handler, from the read of a shared variable up to where it is written."""

    request: Request
    first: int
    end: int
    """The number of the statement that writes."""
    local: str
    shared: Read | Element

    @property
    def items(self) -> tuple[Surface, ...]:
        return statements(self.request)[self.first : self.end]

    @property
    def condition(self) -> Surface:
        return Binary(Operator.UNEQUAL, self.shared, Read(self.local))


def add_retries(program: SurfaceProgram, text: str) -> Iterator[Candidate]:
    """A loop in every handler that reads, yields and writes."""
    written = Written(program)
    found = [attempt for request in written.requests() if (attempt := attempt_of(written, request))]
    if not found:
        return
    offsets = Offsets(text)
    edits: list[Edit] = []
    bodies: dict[str, Surface] = {}
    for attempt in found:
        items = statements(attempt.request)
        loop: Surface = While(attempt.condition, sequence(*attempt.items))
        bodies[attempt.request.name] = sequence(*items[: attempt.end], loop, *items[attempt.end :])
        edits.append(loop_edit(attempt, offsets))
    names = join_words([f"`{attempt.request.name}`" for attempt in found])
    shared = join_words(list(dict.fromkeys(offsets.text_of(attempt.shared.span) for attempt in found)))
    meaning = f"A request that finds {shared} changed starts over; no request waits, and all yields stay."
    made = candidate(
        Change.RETRY,
        f"compare and retry in {names}",
        meaning,
        text,
        edits,
        written.with_bodies(bodies),
        len(edits),
    )
    if made is not None:
        yield made


def attempt_of(written: Written, request: Request) -> Attempt | None:
    """The attempt: from the last read of a shared variable into a local to the write of the variable."""
    items = statements(request)
    for end, item in enumerate(items):
        for first in range(end - 1, -1, -1):
            match items[first]:
                case Assign(name=local, value=Read() | Element() as shared) if (
                    not is_global(local) and is_global(shared.name) and writes_to(item, shared)
                ):
                    attempt = Attempt(request, first, end, local, shared)
                    return attempt if can_be_repeated(written, attempt) else None
    return None


def writes_to(item: Surface, shared: Read | Element) -> bool:
    for part in walk(item):
        match part, shared:
            case Assign(name=name), Read(name=wanted) if name == wanted:
                return True
            case AssignElement(name=name, index=index), Element(name=wanted, index=same) if (
                name == wanted and index == same and isinstance(index, Read | Number)
            ):
                return True
    return False


def can_be_repeated(written: Written, attempt: Attempt) -> bool:
    """Whether it yields after the read, never waits, writes nothing shared, and does the same again."""
    later = attempt.items[1:]
    index = {part.name for part in walk(attempt.shared) if isinstance(part, Read)} - {attempt.shared.name}
    return (
        any(map(written.yields, later))
        and not any(map(written.may_wait, attempt.items))
        and not any(map(written.find_written, attempt.items))
        and attempt.local not in find_assigned(later)
        and not index & find_assigned(attempt.items)
        and reads_only_what_it_set(attempt.items)
    )


def reads_only_what_it_set(items: tuple[Surface, ...]) -> bool:
    """Whether locals that are assigned somewhere in it are read only after they have been, on all ways."""
    own = find_assigned(items)
    known: set[str] = set()
    for item in items:
        value = item.value if isinstance(item, Assign) else item
        reads = {name for part in walk(value) for name, writes in accesses(part) if not writes}
        if reads & (own - known):
            return False
        if isinstance(item, Assign):
            known.add(item.name)
    return True


def loop_edit(attempt: Attempt, offsets: Offsets) -> Edit:
    """The loop, before the statement that writes."""
    items = statements(attempt.request)
    at = offsets.of(items[attempt.end].span)[0]
    begin, end = offsets.of(attempt.items[0].span)[0], offsets.of(attempt.items[-1].span)[1]
    copy = offsets.text[begin:end]
    test = f"{offsets.text_of(attempt.shared.span)} != {attempt.local}"
    indentation = offsets.indentation(at)
    is_layout = offsets.uses_layout(attempt.request.span, items[0].span)
    if indentation is None or "\n" not in copy:
        head = f"while {test} {{ {copy} }}" if is_layout else f"while ({test}) {{ {copy} }}"
        return Edit(at, at, offsets.insert(at, is_layout, head))
    inner = copy.replace("\n", "\n" + INDENTATION)
    if is_layout:
        loop = f"while {test}:\n{indentation}{INDENTATION}{inner}"
    else:
        loop = f"while ({test}) {{\n{indentation}{INDENTATION}{inner}\n{indentation}}}"
    return Edit(at, at, offsets.insert(at, is_layout, loop))
