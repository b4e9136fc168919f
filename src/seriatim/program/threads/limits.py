"""Limits of what is looked at: arrays that may be longer, memory that a program may ask for more often.

A limit is an assertion that is no claim of the program. If none can fail, an answer is about all runs. If one
can, the runs that stay within all limits are looked at: a violation among them is one of the program; that
there is none proves nothing.
"""

from dataclasses import replace

from seriatim.program.threads.runs import ThreadRun, replay
from seriatim.program.threads.syntax import Action, Assert, Assume, ThreadProgram, actions


def limits(program: ThreadProgram) -> tuple[str, ...]:
    """Says what is not looked at, in words."""
    found = (each.says for _, _, each in actions(program) if isinstance(each, Assert) and each.is_limit)
    return tuple(dict.fromkeys(found))


def exceeded(program: ThreadProgram, run: ThreadRun) -> str:
    """The limit that a run exceeds at its end, in words; empty if it exceeds none, or has no steps."""
    moments = list(replay(program, run))
    last = moments[-1] if moments else None
    if last is None or last.failure is None or last.failure.message not in limits(program):
        return ""
    return last.failure.message


def within_limits(program: ThreadProgram) -> ThreadProgram:
    """The program without the runs that exceed a limit."""
    return program.with_templates(
        tuple(
            replace(
                template,
                edges=tuple(
                    replace(each, actions=tuple(map(_assumed, each.actions))) for each in template.edges
                ),
            )
            for template in program.templates
        )
    )


def _assumed(action: Action) -> Action:
    if isinstance(action, Assert) and action.is_limit:
        return Assume(action.condition, action.span, is_given=True)
    return action
