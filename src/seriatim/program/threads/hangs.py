"""Hangs: threads that wait for ever.

A thread is *blocked* if it has not finished and none of its steps can be taken. A thread at a place that no
step leaves has ended the program (`exit`, or the end of main), and so has one that fails: nobody waits any
more. A program *hangs* in a configuration in which no thread can take a step, some have not finished, and
none has ended the program.

Nobody relies on a step that is taken *by chance*, such as waking up for no reason: it leads to configurations
that are looked at as well, but a thread that can only take such steps cannot go on. A run that comes to an
assumption that does not hold is of no interest: there, the thread ends the program.

In the program that is asked about hangs, a step that would fail leads to such a place instead.
"""

from collections.abc import Iterator
from dataclasses import replace

from seriatim.program.threads.limits import within_limits
from seriatim.program.threads.races import tamed
from seriatim.program.threads.symbolic import divisors
from seriatim.program.threads.syntax import (
    FINISHED,
    Action,
    Assert,
    Assume,
    Edge,
    Template,
    ThreadProgram,
    expressions,
)
from seriatim.terms.expressions import Expression, negation


def has_ended_program(template: Template, place: int) -> bool:
    """Whether a thread there has ended the program."""
    return place != FINISHED and place not in template.edges_from


def with_ends(program: ThreadProgram) -> ThreadProgram:
    """The program in which failures end it, and in which no run exceeds a limit."""
    return program.with_templates(tuple(map(_with_ends, within_limits(program).templates)))


def _with_ends(template: Template) -> Template:
    ended = max(template.places, default=0) + 1
    edges: list[Edge] = []
    for edge in template.edges:
        before: list[Action] = []
        for action in edge.actions:
            for condition in _demanded(action):
                failing = (*before, Assume(negation(condition), edge.span))
                edges.append(replace(edge, target=ended, actions=failing, text=f"{edge.text}: fails"))
            before.extend(tamed(action, edge.span))
        edges.append(replace(edge, actions=tuple(before)))
    return replace(template, edges=tuple(edges))


def _demanded(action: Action) -> Iterator[Expression]:
    """States what has to hold, or the action fails, or the run is of no interest."""
    for each in expressions(action):
        yield from divisors(each, ())
    if isinstance(action, Assert) or (isinstance(action, Assume) and action.is_given):
        yield action.condition
