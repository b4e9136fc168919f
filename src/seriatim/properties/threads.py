"""Questions about threads as questions about a program: does a step fail, or does it hang?"""

from dataclasses import replace

from seriatim.program.threads.hangs import with_ends
from seriatim.program.threads.races import tamed, watch
from seriatim.program.threads.syntax import Action, Assert, Edge, ThreadProgram
from seriatim.program.threads.waiting import without_waiting
from seriatim.properties.statement import NeverFails, NeverRaces, NeverStuck, Statement, UsesMemoryWell


class NotPosed(Exception):
    """A question is not about threads."""


def pose(program: ThreadProgram, statement: Statement) -> ThreadProgram:
    """The program that has a failing run if and only if the statement does not hold; about hangs, the
    program in which failures are ends. Raises `NotPosed`."""
    match statement:
        case NeverFails():
            return without_waiting(program)
        case NeverRaces():
            return watch(without_waiting(program))
        case NeverStuck():
            return with_ends(program)
        case UsesMemoryWell():
            return _about_memory(without_waiting(program))
        case _:
            raise NotPosed


def _about_memory(program: ThreadProgram) -> ThreadProgram:
    """Other failures end the program: a thread stops there, and others could have gone on before."""
    return program.with_templates(
        tuple(
            replace(template, edges=tuple(_edge_about_memory(edge) for edge in template.edges))
            for template in program.templates
        )
    )


def _edge_about_memory(edge: Edge) -> Edge:
    actions: list[Action] = []
    for action in edge.actions:
        if isinstance(action, Assert) and action.is_about_memory:
            actions.append(action)
        else:
            actions.extend(tamed(action, edge.span))
    return replace(edge, actions=tuple(actions))
