"""Without stores to locals that nobody reads: such as the arbitrary first value of a local that is set later.

A store is left out only if it cannot fail, so the program does the same. One that reads an ordinary
global stays: the access may race with others.
"""

from dataclasses import replace

from seriatim.program.threads.reduction import is_harmless
from seriatim.program.threads.syntax import (
    Action,
    Assign,
    Edge,
    Havoc,
    Template,
    ThreadProgram,
    reads,
    writes,
)
from seriatim.systems.threads.liveness import live_locals
from seriatim.terms.expressions import variables


def without_dead_stores(program: ThreadProgram) -> ThreadProgram:
    while True:
        live = live_locals(program)
        smaller = program.with_templates(
            tuple(
                replace(
                    template,
                    edges=tuple(
                        _kept(program, template, edge, live[template.name]) for edge in template.edges
                    ),
                )
                for template in program.templates
            )
        )
        if smaller == program:
            return program
        program = smaller


def _kept(program: ThreadProgram, template: Template, edge: Edge, live: dict[int, frozenset[str]]) -> Edge:
    needed = live[edge.target]
    kept: list[Action] = []
    for action in reversed(edge.actions):
        if not _is_dead(program, template, action, needed):
            kept.append(action)
            needed = (needed - frozenset(writes(action))) | (reads(action) & frozenset(template.types))
    return replace(edge, actions=tuple(reversed(kept)))


def _is_dead(program: ThreadProgram, template: Template, action: Action, needed: frozenset[str]) -> bool:
    match action:
        case Assign(targets=(name,), values=(value,)) if name in template.types and name not in needed:
            is_seen = not program.ordinary.isdisjoint(variables(value) - template.types.keys())
            return not is_seen and is_harmless(program, template, value, template.types[name])
        case Havoc(target=name):
            return name in template.types and name not in needed
        case _:
            return False
