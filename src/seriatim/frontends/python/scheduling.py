"""The event loop of one request: its tasks in turn, in the order in which asyncio lets them go on.

asyncio keeps what is ready in a queue: tasks that were started or woken, and callbacks of `gather` and
`TaskGroup` that wake others. A call outside, or `sleep`, may be answered at any time; then the task that
awaits it comes to the end of the queue. Here each request has such a queue of its own, in locals.

Claim: a request that is alone does exactly what asyncio lets it do. For its queue is that of asyncio, and
answers arrive before any step of it, in any order. With other requests, asyncio's one queue holds the tasks
of all of them; those of one request are in the same order there, and between two of them anything that
belongs to others may happen, which a pause allows.

*Locks.* A task takes a lock that is free and for which no task of the request waits; otherwise it waits in
line. Releasing a lock wakes the first in line. Other requests may come in between: once requests have
overlapped (`OVERLAP`), a task may also be made to wait although the lock is free. A request that is alone,
in a run in which requests never overlap, never is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.python.core_code import equal_to, join_code
from seriatim.frontends.python.resumable import (
    ANSWER,
    ANSWERED,
    RUN,
    Resumable,
    both,
    either,
    locals_of,
    resumable,
)
from seriatim.frontends.python.waiting import CANCELLED
from seriatim.program.changing import transform
from seriatim.program.syntax import (
    NOWHERE,
    Assign,
    Binary,
    Choice,
    Expression,
    If,
    Number,
    Operator,
    Prefix,
    Read,
    Return,
    Sequence,
    Unary,
    While,
    Yield,
)
from seriatim.source import Span

BUSY, OVERLAP = "asyncio.busy", "asyncio.overlap"
"""Globals: whether a request is in flight, and whether one has ever begun while another one was."""

LOOP = "#loop "
"""How the names of locals begin that belong to the event loop of a request."""

NEXT, ALIVE, MORE, OPENED = f"{LOOP}next", f"{LOOP}alive", f"{LOOP}more", f"{LOOP}opened"
PUSH, ADVANCE, WAKE, CANCEL = f"{LOOP}push", f"{LOOP}advance", f"{LOOP}wake", f"{LOOP}cancel"
"""Assignments to these stand for code that depends on all tasks, and are replaced by it."""

GATE, GROUP, TASK, LOCK = 1, 1000, 2000, 3000
"""What a task waits for: an answer from outside, a group, the end of a task, a lock."""


LIFE = f"{LOOP}life "


def life(task: int) -> str:
    """0: not started; 1: alive; 2: ended."""
    return f"{LIFE}{task}"


def wait(task: int) -> str:
    return f"{LOOP}wait {task}"


def at(task: int) -> str:
    return f"{LOOP}at {task}"


def failure(task: int) -> str:
    """The exception by which a task has ended, as a code; 0 if by none."""
    return f"{LOOP}failure {task}"


def left(group: int) -> str:
    """How many tasks of a group have not ended."""
    return f"{LOOP}left {group}"


def doomed(task: int) -> str:
    """Whether a task is cancelled: `CancelledError` is raised when its turn comes."""
    return f"{LOOP}doomed {task}"


def requested(group: int) -> str:
    """Whether who awaits a `gather` was cancelled."""
    return f"{LOOP}requested {group}"


def rank(lock: int, task: int) -> str:
    """The place in the line for a lock, from 1; 0 if not in line."""
    return f"{LOOP}rank {lock} {task}"


def line(lock: int) -> str:
    """How many tasks are in line for a lock."""
    return f"{LOOP}line {lock}"


def joined(callback: int) -> str:
    """Whether a task will call back when it ends."""
    return f"{LOOP}joined {callback}"


@dataclass(frozen=True, slots=True)
class Callback:
    """What a task calls when it ends."""

    task: int
    group: int
    waiter: int
    is_gather: bool


@dataclass(frozen=True, slots=True)
class Child:
    """A task besides that of the handler."""

    number: int
    code: Expression
    arguments: tuple[str, ...]
    """Locals that it gets when it is started."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The tasks of a handler."""

    main: Expression
    children: tuple[Child, ...]
    callbacks: tuple[Callback, ...]
    locks: tuple[str, ...]
    """The globals of the locks that tasks take, by number."""
    span: Span
    is_cancellable: bool = False
    """Whether the request may be cancelled while it waits."""
    cancellation: int = 0
    """The number of `CancelledError` among exceptions; 0 if no task is ever cancelled."""

    @property
    def count(self) -> int:
        return 1 + len(self.children)


def do(*code: Expression) -> Expression:
    return join_code(list(code))


def put(name: str, value: int) -> Expression:
    return Assign(name, Number(value))


def add(name: str, value: int) -> Expression:
    operator = Operator.ADD if value > 0 else Operator.SUBTRACT
    return Assign(name, Binary(operator, Read(name), Number(abs(value))))


def is_(name: str, value: int) -> Expression:
    return equal_to(Read(name), value, NOWHERE)


def push(entry: int) -> Expression:
    """To the end of the queue: a task, one more than its number; or -1 minus the number of a callback."""
    return put(PUSH, entry)


def wake(task: int) -> Expression:
    """A task that waits comes to the end of the queue."""
    return do(put(wait(task), 0), push(task + 1))


def schedule(plan: Plan) -> Expression:
    """The code of a handler with tasks."""
    tasks = list(make_resumables(plan))
    dispatch = [dispatch_task(plan, number, task) for number, task in enumerate(tasks)]
    find = do(
        pause_main(tasks[0], plan.span),
        arrivals(plan),
        pop(plan),
        While(
            Binary(Operator.GREATER, Read(NEXT), Number(plan.count)),
            do(call_back(plan), arrivals(plan), pop(plan)),
        ),
    )
    body = do(
        *dispatch,
        put(NEXT, 0),
        While(both(Binary(Operator.UNEQUAL, Read(ALIVE), Number(0)), is_(NEXT, 0)), find),
    )
    whole = do(
        put(ALIVE, 1),
        put(life(0), 1),
        put(NEXT, 1),
        While(Binary(Operator.UNEQUAL, Read(ALIVE), Number(0)), body),
        Return(Read(ANSWER)),
    )
    return transform(whole, lambda part: expand(plan, part))


def make_resumables(plan: Plan) -> Iterator[Resumable]:
    codes = [plan.main, *(child.code for child in plan.children)]
    used = [locals_of(code) for code in codes]
    kept = {argument for child in plan.children for argument in child.arguments}
    for number, code in enumerate(codes):
        others = frozenset[str]().union(*(names for index, names in enumerate(used) if index != number))
        plain = {name for name in used[number] - others - kept if not name.startswith(LOOP)}
        yield resumable(code, at(number), frozenset(plain))


def dispatch_task(plan: Plan, number: int, task: Resumable) -> Expression:
    """Lets a task go on, if it is its turn."""
    ended = is_(RUN, ANSWERED) if number == 0 else is_(RUN, 0)
    end = If(ended, do(*task.forget(), finish_task(plan, number)))
    flags = [put(name, 0) for name in task.own if name.startswith(LOOP)]
    step = do(Assign(RUN, Read(at(number))), task.code, end, *flags)
    return If(is_(NEXT, number + 1), step)


def finish_task(plan: Plan, number: int) -> Expression:
    """A task has ended: it calls back, then the tasks that await it wake up."""
    code: list[Expression] = [put(life(number), 2), put(at(number), 0), add(ALIVE, -1)]
    if plan.cancellation:
        code.append(put(doomed(number), 0))
    if number:
        code += [put(name, 0) for name in plan.children[number - 1].arguments]
    for index, callback in enumerate(plan.callbacks):
        if callback.task == number:
            code.append(If(Read(joined(index)), do(put(joined(index), 0), push(-1 - index))))
    code += [If(is_(wait(each), TASK + number), wake(each)) for each in range(plan.count)]
    return do(*code)


def pause_main(main: Resumable, span: Span) -> Expression:
    """A pause, at the place where the handler itself waits."""
    found: Expression = Yield(span)
    for number, place in enumerate(main.pauses, 1):
        found = If(is_(at(0), number), Yield(place), found)
    return found


def arrivals(plan: Plan) -> Expression:
    """Some answers arrive, in any order; and locks that other requests have released."""
    one: Expression = put(MORE, 0)
    for task in range(plan.count):
        opened = do(put(OPENED, task), wake(task))
        one = If(both(is_(wait(task), GATE), Choice()), opened, one)
        for index, lock in enumerate(plan.locks):
            waits = both(is_(wait(task), LOCK + index), both(is_(rank(index, task), 1), is_(lock, 0)))
            one = If(both(waits, Choice()), wake(task), one)
    if plan.is_cancellable:
        cancelled = do(put(CANCELLED, 1), put(CANCEL, 0), put(CANCELLED, 0))
        one = If(both(is_(life(0), 1), Choice()), cancelled, one)
    again = do(put(MORE, 1), one)
    rounds = [If(Read(MORE), one) for _ in range(plan.count - 1)]
    return do(again, *rounds)


def cell(index: int) -> str:
    return f"{LOOP}queue {index}"


def pop(plan: Plan) -> Expression:
    shift = [Assign(cell(index), Read(cell(index + 1))) for index in range(plan.count - 1)]
    return do(Assign(NEXT, Read(cell(0))), *shift, put(cell(plan.count - 1), 0))


def call_back(plan: Plan) -> Expression:
    """What `gather` and `TaskGroup` do when a task of theirs has ended."""
    found: Expression = Number(0)
    for index, callback in enumerate(plan.callbacks):
        group, waiter = left(callback.group), callback.waiter
        waits = is_(wait(waiter), GROUP + callback.group)
        over = wake(waiter)
        if callback.is_gather and plan.cancellation:
            late = Assign(f"{group} failure", Number(plan.cancellation))
            over = do(If(Read(requested(callback.group)), late), over)
        less = do(add(group, -1), If(both(is_(group, 0), waits), over))
        if callback.is_gather:
            fails = both(Unary(Prefix.NOT, is_(failure(callback.task), 0)), waits)
            reason = Assign(f"{group} failure", Read(failure(callback.task)))
            less = If(fails, do(reason, wake(waiter)), less)
        found = If(is_(NEXT, plan.count + 1 + index), less, found)
    return found


def expand(plan: Plan, part: Expression) -> Expression:
    """The code that an assignment stands for."""
    match part:
        case Assign(name=name, value=Number(value=value)) if name == PUSH:
            entry = value if value > 0 else plan.count - value
            code = put(cell(plan.count - 1), entry)
            for index in reversed(range(plan.count - 1)):
                code = If(is_(cell(index), 0), put(cell(index), entry), code)
            return code
        case Assign(name=name, value=Number(value=lock)) if name == ADVANCE:
            forward: list[Expression] = [
                If(Binary(Operator.GREATER, Read(rank(lock, task)), Number(0)), add(rank(lock, task), -1))
                for task in range(plan.count)
            ]
            return do(*forward, add(line(lock), -1))
        case Assign(name=name, value=Number(value=lock)) if name == WAKE:
            code = do(
                *(
                    If(both(is_(rank(lock, task), 1), is_(wait(task), LOCK + lock)), wake(task))
                    for task in range(plan.count)
                )
            )
            return transform(code, lambda inner: expand(plan, inner))
        case Assign(name=name, value=Number(value=task)) if name == CANCEL:
            return transform(cancel_task(plan, task), lambda inner: expand(plan, inner))
        case Sequence(items=items):
            return join_code(list(items))
        case _:
            return part


def cancel_task(plan: Plan, task: int) -> Expression:
    """Cancels a task, if it has not ended; or the tasks that it awaits, which are later ones."""
    code: Expression = do(If(Unary(Prefix.NOT, is_(wait(task), 0)), wake(task)), put(doomed(task), 1))
    for later in range(task + 1, plan.count):
        code = If(is_(wait(task), TASK + later), cancel_task(plan, later), code)
    gathers = {each.group for each in plan.callbacks if each.is_gather and each.waiter == task}
    for group in sorted(gathers):
        members = sorted({each.task for each in plan.callbacks if each.group == group})
        alive = either_of([is_(life(member), 1) for member in members])
        every = do(*(cancel_task(plan, member) for member in members), put(requested(group), 1))
        code = If(is_(wait(task), GROUP + group), If(alive, every, put(doomed(task), 1)), code)
    return If(is_(life(task), 1), code)


def either_of(tests: list[Expression]) -> Expression:
    first, *rest = tests
    for test in rest:
        first = either(first, test)
    return first


def noting_overlap(body: Expression) -> Expression:
    """The code of any handler, which tells the others when requests overlap."""
    begin = do(If(Read(BUSY), put(OVERLAP, 1)), put(BUSY, 1))

    def ending(part: Expression) -> Expression:
        match part:
            case Return():
                return do(put(BUSY, 0), part)
            case Sequence(items=items):
                return join_code(list(items))
            case _:
                return part

    return do(begin, transform(body, ending))
