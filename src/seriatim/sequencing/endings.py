"""How runs end at given sizes, exactly: whether one gets stuck, and whether one need not end.

A run is stuck where instances are pending and none of them can do a step. A run need not end if it can come
back to a configuration: where there are finitely many of them, every endless run does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from seriatim.actions.configurations import Configuration, TooLarge, minus, plus
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.values import Instance
from seriatim.budget import Deadline


class Ending(StrEnum):
    """What a program may claim of how its runs end."""

    DEADLOCK_FREE = "deadlock-free"
    """No run gets stuck."""
    TERMINATING = "terminating"
    """Every run ends."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A run after which nothing that is pending can do a step."""

    run: tuple[Instance, ...]
    last: Configuration


@dataclass(frozen=True, slots=True)
class Endless:
    """A run, and instances that can then be executed again and again."""

    run: tuple[Instance, ...]
    again: tuple[Instance, ...]


@dataclass(frozen=True, slots=True)
class Endings:
    interpreter: Interpreter
    stuck: Stuck | None
    endless: Endless | None

    def violates(self, ending: Ending) -> bool:
        """Whether some run does not end as claimed."""
        return (self.stuck if ending is Ending.DEADLOCK_FREE else self.endless) is not None


def find_endings(interpreter: Interpreter, limit: int, deadline: Deadline) -> Endings:
    """Explores all configurations, depth first. Raises `TooLarge` if there are more than the limit."""
    done: set[Configuration] = set()
    stuck: Stuck | None = None
    endless: Endless | None = None
    for initial in interpreter.initial_states():
        start = initial, START
        if start in done:
            continue
        path: list[Configuration] = [start]
        steps: list[Instance] = []
        places = {start: 0}
        branches = [_successors(interpreter, start)]
        has_moved = [False]
        while path:
            deadline.check()
            found = next(branches[-1], None)
            if found is None:
                last = path.pop()
                branches.pop()
                if not has_moved.pop() and stuck is None and _is_stuck(interpreter, last):
                    stuck = Stuck(tuple(steps), last)
                del places[last]
                done.add(last)
                if steps:
                    steps.pop()
                continue
            has_moved[-1] = True
            instance, target = found
            if target in places and endless is None:
                at = places[target]
                endless = Endless(tuple(steps[:at]), (*steps[at:], instance))
            if target in done or target in places:
                continue
            if len(done) + len(path) > limit:
                raise TooLarge
            places[target] = len(path)
            path.append(target)
            steps.append(instance)
            branches.append(_successors(interpreter, target))
            has_moved.append(False)
    return Endings(interpreter, stuck, endless)


def _is_stuck(interpreter: Interpreter, last: Configuration) -> bool:
    """Whether something is pending where nothing can do a step; an action that fails is another mistake."""
    state, pending = last
    return bool(pending) and not any(interpreter.execute(state, each).fails for each in pending)


def _successors(interpreter: Interpreter, here: Configuration) -> Iterator[tuple[Instance, Configuration]]:
    state, pending = here
    for instance in dict.fromkeys(pending):
        rest = minus(pending, instance)
        for outcome in interpreter.execute(state, instance).outcomes:
            yield instance, (outcome.state, plus(rest, outcome.created))
