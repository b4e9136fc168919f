"""Locals that only count: they are set to constants, to each other and to sums of both, and tested.

Without them, a loop such as `for (i = 0; i < 10000; i++)` goes round any number of times. That allows more,
so a proof about it holds for the loop as written, and needs no state for each round
(`seriatim.program.threads.reduction`). Ids of threads may be computed from counters: they go, too.
"""

from collections.abc import Iterable

from seriatim.program.threads.reduction import Name
from seriatim.program.threads.syntax import (
    Action,
    Assert,
    Assign,
    Assume,
    Fork,
    Havoc,
    Integers,
    Join,
    Template,
    ThreadProgram,
    reads,
)
from seriatim.terms.expressions import can_divide_by_zero, variables


def find_counters(program: ThreadProgram, dropped: Iterable[Name]) -> tuple[Name, ...]:
    """The largest set of locals that nothing needs but tests of them alone, beside what is dropped anyway."""
    gone = frozenset(dropped)
    found: list[Name] = []
    for template in program.templates:
        kept = {name for owner, name in gone if owner == template.name}
        counters = {
            name
            for name, type_ in template.types.items()
            if isinstance(type_, Integers) and name not in (*template.parameters, *template.results, *kept)
        }
        while needed := _needed(program, template, counters, gone):
            counters -= needed
        if _is_tested(template, counters):
            found += [(template.name, name) for name in sorted(counters)]
    return tuple(found)


def _needed(
    program: ThreadProgram, template: Template, counters: set[str], gone: frozenset[Name]
) -> set[str]:
    """Those of which something else is computed, or that are computed from something else."""
    free = counters | {name for owner, name in gone if owner == template.name}
    needed: set[str] = set()
    for edge in template.edges:
        for action in edge.actions:
            needed |= _needed_by(program, template, action, free, gone)
    return needed & counters


def _needed_by(
    program: ThreadProgram, template: Template, action: Action, free: set[str], gone: frozenset[Name]
) -> set[str]:
    needed: set[str] = set()
    match action:
        case Assign(targets=targets, values=values):
            for target, value in zip(targets, values, strict=True):
                inside = variables(value)
                is_gone = target in free or (target not in template.types and ("", target) in gone)
                if not is_gone:
                    needed |= inside
                elif not inside <= free or can_divide_by_zero(value):
                    needed |= {target, *inside}
        case Assume(condition=condition):
            inside = variables(condition)
            needed |= set() if inside <= free and not can_divide_by_zero(condition) else inside
        case Havoc(target=target):
            needed.add(target)
        case Assert():
            needed |= reads(action)
        case Fork(template=started, arguments=arguments):
            for parameter, value in zip(program.by_name[started].parameters, arguments, strict=True):
                needed |= set() if (started, parameter) in gone else variables(value)
        case Join(targets=targets):
            needed.update(targets)
    return needed


def _is_tested(template: Template, counters: set[str]) -> bool:
    return any(
        isinstance(action, Assume) and not reads(action).isdisjoint(counters)
        for edge in template.edges
        for action in edge.actions
    )
