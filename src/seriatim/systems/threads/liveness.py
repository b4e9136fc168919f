"""Which locals of a thread matter at a place: those that may be read before they are written."""

from seriatim.program.threads.syntax import (
    FINISHED,
    Edge,
    Join,
    Template,
    ThreadProgram,
    actions,
    reads,
    results_fit,
    writes,
)

Live = dict[int, frozenset[str]]
"""By place."""


def live_locals(program: ThreadProgram) -> dict[str, Live]:
    """By template. Results matter at the end if a join reads them."""
    return {template.name: _live(program, template) for template in program.templates}


def is_read(program: ThreadProgram, finished: Template) -> bool:
    """Whether some join reads the results of a template."""
    return any(
        isinstance(action, Join) and bool(action.targets) and results_fit(program, joining, action, finished)
        for joining, _, action in actions(program)
    )


def _live(program: ThreadProgram, template: Template) -> Live:
    own = frozenset(template.types)
    live: Live = {place: frozenset() for place in template.places}
    live[FINISHED] = frozenset(template.results if is_read(program, template) else ())
    effects = [(edge, *_effect(edge, own)) for edge in reversed(template.edges)]
    changed = True
    while changed:
        changed = False
        for edge, needed, written in effects:
            before = needed | (live[edge.target] - written)
            if not before <= live[edge.source]:
                live[edge.source] |= before
                changed = True
    return live


def _effect(edge: Edge, own: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The locals that a step reads before it writes them, and those that it writes."""
    needed, written = frozenset[str](), frozenset[str]()
    for action in reversed(edge.actions):
        changed = frozenset(writes(action))
        needed = (needed - changed) | (reads(action) & own)
        written |= changed
    return needed, written


def read_globals(program: ThreadProgram) -> frozenset[str]:
    """Globals whose value may matter to somebody."""
    found = frozenset().union(*(reads(action) for _, _, action in actions(program)))
    return found & frozenset(program.types)
