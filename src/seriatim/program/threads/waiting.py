"""Waiting for signals: how many threads wait at a condition, and how many of them are woken.

A thread that waits gives up its lock and counts itself in `waiting`, in one step. A signal moves one thread
from there to `woken`, and to all of them if it is for all; with nobody there it does nothing. A thread that
waits goes on when it can take one from `woken`. It may also go on for no reason, which takes one from
`waiting`: by chance, so nobody relies on it; where time may be over, also on purpose. Nobody begins to wait
while somebody is woken who is still there.

*Claim.* That loses no run, and adds none. Only threads that waited when a signal came take what it gave,
because nobody begins to wait before they have gone. To go is a step that nobody prevents, and that changes
nothing but these counts. So in any run, a thread that is woken can go at once, before others do anything.

*Claim.* A program has a run that fails if and only if it has one without the counts, where a thread may go on
from waiting at any time. Each run is one without counts. Conversely, let threads go by chance, or because
they are woken, where they go without counts; if a thread would have to be gone, let it go earlier, which only
brings it to where it wants its lock. So what fails, and what races, is asked about the program without
counts, which is smaller; hangs need them.
"""

from dataclasses import replace

from seriatim.program.threads.syntax import Action, Assign, Assume, Edge, Template, ThreadProgram, reads


def without_waiting(program: ThreadProgram) -> ThreadProgram:
    """The program without the counts of those who wait."""
    if not program.waiting:
        return program
    counts = program.waiting
    return replace(
        program,
        types={name: type_ for name, type_ in program.types.items() if name not in counts},
        initial={name: value for name, value in program.initial.items() if name not in counts},
        templates=tuple(_uncounted(template, counts) for template in program.templates),
        waiting=frozenset(),
    )


def _uncounted(template: Template, counts: frozenset[str]) -> Template:
    edges: dict[tuple[int, int, tuple[Action, ...], bool], Edge] = {}
    for edge in template.edges:
        kept = tuple(each for action in edge.actions for each in _without(action, counts))
        key = edge.source, edge.target, kept, edge.atomic
        edges.setdefault(key, replace(edge, actions=kept, by_chance=False))
    entry, found = without_empty_steps(template.entry, list(edges.values()))
    return replace(template, entry=entry, edges=tuple(found))


def _without(action: Action, counts: frozenset[str]) -> tuple[Action, ...]:
    match action:
        case Assume() if reads(action) & counts:
            return ()
        case Assign(targets=targets, values=values) if not counts.isdisjoint(targets):
            pairs = [pair for pair in zip(targets, values, strict=True) if pair[0] not in counts]
            names, kept = tuple(name for name, _ in pairs), tuple(value for _, value in pairs)
            return (replace(action, targets=names, values=kept),) if pairs else ()
        case _:
            assert not reads(action) & counts, "nobody else looks at them"
            return (action,)


def without_empty_steps(entry: int, edges: list[Edge]) -> tuple[int, list[Edge]]:
    """The same graph without steps that do nothing, where nothing else can be done instead. Of an endless
    loop that does nothing, one step stays: a thread in it neither waits nor has ended."""
    leaving: dict[int, list[Edge]] = {}
    for edge in edges:
        leaving.setdefault(edge.source, []).append(edge)
    leads: dict[int, int] = {}
    for place, found in leaving.items():
        if len(found) == 1 and not found[0].actions and found[0].target != place:
            leads[place] = found[0].target

    for start in list(leads):
        passed: dict[int, None] = {}
        place = start
        while place in leads and place not in passed:
            passed[place] = None
            place = leads[place]
        if place in passed:
            del leads[place]

    def end(place: int) -> int:
        while place in leads:
            place = leads[place]
        return place

    kept = [replace(edge, target=end(edge.target)) for edge in edges if end(edge.source) == edge.source]
    return end(entry), kept
