"""The points that `@lp` marks in a program, as commits of its locals.

A request takes effect in the step that passes a mark; one that is answered without having passed any takes
effect in the step that answers it. So a local is committed, in the sense of
`seriatim.engines.commits.engine`, if the way to it passes a mark, and it is committed to the only answer that
is possible from there.

Not all marks make sense: a request may pass two of them, or be where it depends on the way whether it has
passed one, or have different answers after it. Then there are no commits, and `Unclear` says why.
"""

from seriatim.program.actions import marked_steps
from seriatim.program.liveness import live_locals
from seriatim.program.recursion import deep_recursion
from seriatim.program.semantics import Configuration, lookup, response
from seriatim.systems.slicing import CoveredSystem
from seriatim.systems.source_map import configuration, global_store, local_state
from seriatim.systems.unfolding import ProgramUnfolding


class Unclear(Exception):
    """The marks do not say in which step a request takes effect; the message says why."""


Leaving = dict[int, list[tuple[int, bool]]]
"""For each local, where its moves lead, and whether they pass a mark."""


def marked_commits(system: CoveredSystem, origin: ProgramUnfolding) -> dict[int, int]:
    """The locals of requests that have passed a mark, with their completions; raises `Unclear`."""
    leaving: Leaving = {}
    for (local, global_), moves in system.table.items():
        for target, after in moves:
            for is_marked in marks_in(origin, local, global_, target, after):
                leaving.setdefault(local, []).append((target, is_marked))
    has_passed = dict.fromkeys(origin.starts, False)
    pending = list(has_passed)
    while pending:
        local = pending.pop()
        who = f"a request of `{origin.requests[origin.request_of(local)]}`"
        for target, is_marked in leaving.get(local, ()):
            if is_marked and has_passed[local]:
                raise Unclear(f"{who} may pass a second mark after {place(origin, local)}")
            passes = has_passed[local] or is_marked
            if target >= 0 and target not in has_passed:
                has_passed[target] = passes
                pending.append(target)
            elif target >= 0 and has_passed[target] != passes:
                where = place(origin, target)
                raise Unclear(f"{who} may be at {where} with and without having passed a mark")
    return find_promised(leaving, {local for local, passed in has_passed.items() if passed}, origin)


def place(origin: ProgramUnfolding, local: int) -> str:
    return f"the pause in line {local_state(origin, local).line}"


def marks_in(origin: ProgramUnfolding, local: int, global_: int, target: int, after: int) -> set[bool]:
    """Whether a move passes a mark; both, if there are several ways to make it."""
    with deep_recursion():
        return {
            is_marked
            for end, is_marked in marked_steps(
                configuration(origin, local, global_), check_stop=origin.steps.deadline.check
            )
            if is_end(origin, end, target, after)
        }


def is_end(origin: ProgramUnfolding, end: Configuration, target: int, after: int) -> bool:
    """Whether this is what a move to a target leads to."""
    if end.globals != global_store(origin, after):
        return False
    if target < 0:
        return str(response(end.expression)) == origin.completions[~target][1]
    wanted = configuration(origin, target, after)
    return end.expression == wanted.expression and all(
        lookup(end.locals, name) == lookup(wanted.locals, name) for name in live_locals(end.expression)
    )


def find_promised(leaving: Leaving, passed: set[int], origin: ProgramUnfolding) -> dict[int, int]:
    """For each local of requests that have passed a mark, the only answer that is possible from there."""
    possible: dict[int, set[int]] = {local: set() for local in leaving}
    is_changing = True
    while is_changing:
        is_changing = False
        for local, moves in leaving.items():
            found = {~target for target, _ in moves if target < 0}
            found.update(*(possible.get(target, set()) for target, _ in moves if target >= 0))
            if not found <= possible[local]:
                possible[local] |= found
                is_changing = True
    for local in sorted(passed):
        answers = sorted(origin.completions[answer][1] for answer in possible.get(local, ()))
        who = f"a request of `{origin.requests[origin.request_of(local)]}` that has passed its mark"
        if not answers:
            raise Unclear(f"{who} may never be answered")
        if len(answers) > 1:
            raise Unclear(f"{who} may still answer {answers[0]} or {answers[1]}")
    return {local: min(possible[local]) for local in sorted(passed)}
