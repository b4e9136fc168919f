"""Adds pauses: a request may also rest directly before it waits, even if it does not have to wait.

Claim: if a program with more pauses is serializable and no step of it fails, the same holds of the program.
Why: each of its runs is one of the program with more pauses, where nothing happens at those; and there, a
request that runs alone does what it does here. So answers and final values of serial runs are the same.

A step that ends because somebody holds a lock cannot be made before the step by which the lock was taken. If
requests pause before they wait, it ends in any case, and what is left is a waiting round, which changes
nothing. (docs/theory/symbolic-reduction.md)
"""

from seriatim.program.changing import map_children
from seriatim.program.syntax import Expression, Sequence, While, Yield, sequence, yields


def with_pauses(code: Expression) -> Expression:
    """Adds a pause before every loop that only waits, except at the very beginning and after a pause."""
    return _add_pauses(code, True)


def _add_pauses(code: Expression, has_paused: bool) -> Expression:
    """`has_paused` says that the request has just paused, or has not begun, when it comes here."""
    match code:
        case Sequence(items=items):
            parts: list[Expression] = []
            for item in items:
                parts.append(_add_pauses(item, has_paused))
                has_paused = isinstance(item, Yield)
            return sequence(*parts)
        case While(condition=condition, body=Yield()) if not yields(condition):
            return code if has_paused else sequence(Yield(code.span), code)
        case _:
            return map_children(code, lambda part: _add_pauses(part, False))
