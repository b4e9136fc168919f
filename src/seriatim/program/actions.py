"""Atomic steps with the globals that they read and write: the actions of which conflicts are made.

An *action* is a big step ⇒ of the reference semantics together with its accesses: the globals that the
executed path reads, guards included, and those that it assigns, whatever the value. Two actions *conflict*
if one of them writes a global that the other one reads or writes.

A request *settles* by doing what touches no global and leaves it no choice, `yield`s included. Claim: from
where it settles, a request has the same actions, with the same accesses, as from where it was. For what it
skips is possible at any time, in one way only, and nobody else can tell. So local states that settle alike
need not be told apart, and a step that leaves the globals as they are and the request in a state that
settles as before is a *wait step*: it has looked, and whatever it could do before, it can do afterwards, and
nothing else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from seriatim.program.semantics import (
    MAX_BITS,
    STEPS_PER_CHECK,
    Configuration,
    StopCheck,
    Unbounded,
    never_stop,
    redex,
    response,
    resume,
    small_steps,
)
from seriatim.program.syntax import (
    POINT,
    Assign,
    Choice,
    Expression,
    Fault,
    Number,
    Read,
    While,
    is_global,
)

Names = frozenset[str]
NO_NAMES: Names = frozenset()


@dataclass(frozen=True, slots=True)
class Accesses:
    """The globals that an action touches."""

    reads: Names = NO_NAMES
    writes: Names = NO_NAMES

    def conflicts(self, other: "Accesses") -> Names:
        """The globals on which two actions conflict."""
        return self.writes & (other.reads | other.writes) | self.reads & other.writes


NO_ACCESSES = Accesses()


def actions(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> frozenset[tuple[Configuration, Accesses]]:
    """All ⟨e', ρ', g'⟩ with ⟨e, ρ, g⟩ ⇒ ⟨e', ρ', g'⟩, as `seriatim.program.semantics.big_steps` finds them,
    each with the accesses of each path that leads to it.

    Raises `Unbounded` after `limit` rounds of loops and choices.
    """
    return _follow(configuration, NO_ACCESSES, accesses_of, limit, check_stop)


def marked_steps(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> frozenset[tuple[Configuration, bool]]:
    """The same steps, each with whether its path passes a mark `@lp`."""
    return _follow(configuration, False, _passes_mark, limit, check_stop)


def _passes_mark(next_: Expression, before: bool) -> bool:
    return before or (isinstance(next_, Assign) and next_.name == POINT)


Noted = TypeVar("Noted")


def _follow(
    configuration: Configuration,
    start: Noted,
    note: Callable[[Expression, Noted], Noted],
    limit: int,
    check_stop: StopCheck,
) -> frozenset[tuple[Configuration, Noted]]:
    """The ends of all paths of an atomic step, with what is noted on the way."""
    ends: set[tuple[Configuration, Noted]] = set()
    seen: set[tuple[Configuration, Noted]] = set()
    pending = [(configuration, start)]
    steps = 0
    while pending:
        steps += 1
        if steps % STEPS_PER_CHECK == 0:
            check_stop()
        current, noted = pending.pop()
        rest = resume(current.expression)
        if rest is not None:
            ends.add((Configuration(rest, current.locals, current.globals), noted))
            continue
        answer = response(current.expression)
        if answer is not None:
            ends.add((Configuration(Number(answer), current.locals, current.globals), noted))
            continue
        next_ = redex(current.expression)
        if isinstance(next_, While | Choice):
            if (current, noted) in seen:
                continue
            seen.add((current, noted))
            if len(seen) > limit or too_long(current):
                raise Unbounded
        after = note(next_, noted)
        pending.extend((end, after) for end in small_steps(current))
    return frozenset(ends)


def accesses_of(next_: Expression, before: Accesses) -> Accesses:
    """The accesses so far, with those of the next small step."""
    match next_:
        case Read(name=name) if is_global(name):
            return Accesses(before.reads | {name}, before.writes)
        case Assign(name=name, value=Number()) if is_global(name):
            return Accesses(before.reads, before.writes | {name})
        case _:
            return before


def settle(
    configuration: Configuration, limit: int = 100_000, check_stop: StopCheck = never_stop
) -> Configuration | None:
    """Where a request gets without touching a global and without a choice; None if it goes on like that for
    ever, so that nothing it does is visible to others.

    The globals of the configuration do not matter. Raises `Unbounded` after `limit` rounds of loops.
    """
    current = configuration
    seen: set[Configuration] = set()
    while True:
        rest = resume(current.expression)
        if rest is not None:
            current = Configuration(rest, current.locals, current.globals)
            continue
        if response(current.expression) is not None:
            return current
        next_ = redex(current.expression)
        if isinstance(next_, Choice | Fault) or accesses_of(next_, NO_ACCESSES) != NO_ACCESSES:
            return current
        if isinstance(next_, While):
            if current in seen:
                return None
            seen.add(current)
            if len(seen) % STEPS_PER_CHECK == 0:
                check_stop()
            if len(seen) > limit or too_long(current):
                raise Unbounded
        (current,) = small_steps(current)


def too_long(configuration: Configuration) -> bool:
    """Whether some value is so long that it is assumed to grow without bound."""
    return any(value.bit_length() > MAX_BITS for _, value in (*configuration.locals, *configuration.globals))
