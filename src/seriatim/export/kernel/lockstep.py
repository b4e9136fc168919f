"""Two forms of one program, executed side by side: the core, which certificates know, and as it is written.

Both read, write, choose and yield in the same order. So one atomic step of the core, with its choices, is one
of the other form with the same choices; and if the two ever differ, that is an error, which is raised. The
kernel executes the written form by itself: here is only found out which local states belong together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from seriatim.export.kernel.written import (
    AnyOf,
    Claimed,
    Fit,
    GetCell,
    SetCell,
    Sugar,
    Take,
    TakeCell,
    Wait,
    Written,
)
from seriatim.frontends.ser.surface import Policy
from seriatim.program import semantics
from seriatim.program.semantics import Configuration, Store, Unbounded, lookup, response, update
from seriatim.program.syntax import (
    Choice,
    Expression,
    Fault,
    If,
    Number,
    Read,
    Return,
    Sequence,
    While,
    Yield,
    is_global,
    sequence,
)

MOST_STEPS = 100_000
"""Small steps of one atomic step."""


class Differ(Exception):
    """The two forms do not do the same."""


@dataclass(frozen=True, slots=True)
class Running:
    """⟨e, ρ, g⟩, where e is of either form."""

    code: Written
    locals: Store
    globals: Store

    def get(self, name: str) -> int:
        return lookup(self.globals if is_global(name) else self.locals, name)

    def put(self, name: str, value: int) -> "Running":
        """The state after an assignment, whose value is the assigned one."""
        if is_global(name):
            return Running(Number(value), self.locals, update(self.globals, name, value))
        return Running(Number(value), update(self.locals, name, value), self.globals)

    def become(self, code: Written) -> "Running":
        return Running(code, self.locals, self.globals)


Pair = tuple[Running, Running]
"""(of the core, as written)."""


def atomic_steps(pair: Pair) -> Iterator[Pair]:
    """All ends of the next atomic step. Raises `Differ` and `Unbounded`."""
    seen: set[Pair] = set()
    pending = [pair]
    while pending:
        core, mine = (settled(running) for running in pending.pop())
        if core is None or mine is None:
            if core is not mine:
                raise Differ("one fails or never ends")
            continue
        ends = ended(core), ended(mine)
        if ends[0] is None and ends[1] is None:
            if (core, mine) not in seen:
                seen.add((core, mine))
                pending.extend(zip(small_steps(core), small_steps(mine), strict=True))
        elif ends[0] is None or ends[1] is None:
            raise Differ("one yields where the other does not")
        else:
            if ends[0].globals != ends[1].globals or answer(ends[0]) != answer(ends[1]):
                raise Differ("they leave or answer different values")
            yield ends[0], ends[1]


def answer(running: Running) -> int | None:
    return response(cast("Expression", running.code))


def ended(running: Running) -> Running | None:
    """Where an atomic step has come to, if it ends here."""
    rest = resumed(running.code)
    if rest is not None:
        return running.become(rest)
    given = answer(running)
    return None if given is None else running.become(Number(given))


def settled(running: Running) -> Running | None:
    """The end of the atomic step or the next choice; None at a fault, or in a loop without end."""
    seen: set[Running] = set()
    for _ in range(MOST_STEPS):
        if ended(running) is not None:
            return running
        following = small_steps(running)
        if len(following) != 1:
            return running if following else None
        if isinstance(redex(running.code), While):
            if running in seen:
                return None
            seen.add(running)
        (running,) = following
    raise Unbounded


# --- small steps --------------------------------------------------------------------------------------------


def small_steps(running: Running) -> tuple[Running, ...]:
    """→, where a choice has two successors, 0 first; none where a step ends, and at a fault."""
    code = running.code
    match code:
        case Number() | Yield() | Fault() | Return(value=Number()):
            return ()
        case Choice() | Read() | While():
            return core_steps(running)
        case Take() | AnyOf() | Wait():
            return (sugar_step(running, code),)
    inner = focus(code)
    if isinstance(inner, Return):
        return (running.become(inner),)
    if isinstance(inner, Number):
        return (sugar_step(running, code),) if isinstance(code, Sugar) else core_steps(running)
    return tuple(after.become(refocus(code, after.code)) for after in small_steps(running.become(inner)))


def core_steps(running: Running) -> tuple[Running, ...]:
    """Steps of the core by the reference interpreter."""
    configuration = Configuration(cast("Expression", running.code), running.locals, running.globals)
    return tuple(
        Running(after.expression, after.locals, after.globals)
        for after in semantics.small_steps(configuration)
    )


FAULT = Fault("", "")


def sugar_step(running: Running, code: Sugar) -> Running:
    """As in `small`, in `proofs/Program.v`; but any value of a range is found by choices, as in the core."""
    match code:
        case GetCell(cells=cells, index=Number(value=index)):
            is_there = 0 <= index < len(cells)
            return running.become(Number(running.get(cells[index])) if is_there else FAULT)
        case SetCell(cells=cells, index=Number(value=index), value=Number(value=value)):
            return running.put(cells[index], value) if 0 <= index < len(cells) else running.become(FAULT)
        case TakeCell(cells=cells, index=Number(value=index)):
            return running.become(Take(cells[index]) if 0 <= index < len(cells) else FAULT)
        case Take(name=name):
            return running.put(name, 1) if running.get(name) == 0 else running.become(sequence(Yield(), code))
        case Wait(condition=condition):
            return running.become(If(condition, Number(0), sequence(Yield(), code)))
        case Claimed(condition=Number(value=value)):
            return running.become(Number(0) if value else FAULT)
        case Fit(value=Number(value=value)):
            return running.become(fitting(code, value))
        case AnyOf(low=low, high=high):
            middle = (low + high) // 2
            halves: If[Written] = If(Choice(), AnyOf(middle + 1, high), AnyOf(low, middle))
            return running.become(Number(low) if low == high else halves)
        case _:
            raise AssertionError("its parts have values")


def fitting(fit: Fit, value: int) -> Written:
    if fit.low <= value <= fit.high:
        return Number(value)
    match fit.policy:
        case Policy.REFUSE:
            return FAULT
        case Policy.WRAP:
            return Number(fit.low + (value - fit.low) % (fit.high - fit.low + 1))
        case Policy.SATURATE:
            return Number(min(max(value, fit.low), fit.high))


def redex(code: Written) -> Written:
    """The part that the next small step rewrites."""
    while not isinstance(code, Choice | Read | While | Fault | Take | AnyOf | Wait) and not isinstance(
        focus(code), Number | Return
    ):
        code = focus(code)
    return code


def focus(code: Written) -> Written:
    """The part whose turn it is."""
    match code:
        case GetCell(index=inner) | TakeCell(index=inner) | Fit(value=inner) | Claimed(condition=inner):
            return inner
        case SetCell(index=index, value=value):
            return value if isinstance(index, Number) else index
        case _:
            return semantics.focus(cast("Expression", code))


def refocus(code: Written, inner: Written) -> Written:
    """The code with `inner` in the place of its `focus`."""
    match code:
        case GetCell(cells=cells):
            return GetCell(cells, inner)
        case TakeCell(cells=cells):
            return TakeCell(cells, inner)
        case Fit(low=low, high=high, policy=policy):
            return Fit(low, high, policy, inner)
        case Claimed():
            return Claimed(inner)
        case SetCell(cells=cells, index=Number() as index):
            return SetCell(cells, index, inner)
        case SetCell(cells=cells, value=value):
            return SetCell(cells, inner, value)
        case _:
            return semantics.refocus(cast("Expression", code), cast("Expression", inner))


def resumed(code: Written) -> Written | None:
    """Returns what is left after the `yield` at which the code stands, if it stands at one."""
    match code:
        case Yield():
            return Number(0)
        case Number() | Choice() | Read() | While() | Fault() | Take() | AnyOf() | Wait():
            return None
        case Sequence(items=(Yield(), *rest)):
            return sequence(*rest)
    inner = focus(code)
    after = None if isinstance(inner, Return) else resumed(inner)
    return None if after is None else refocus(code, after)
