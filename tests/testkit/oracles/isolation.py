"""Tiny logs of transactions, and the isolation levels that they show, by trying everything that the
definitions speak of: which transactions happened, their orders, and their snapshots."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from random import Random

from seriatim.certificate.transactions import REAL_TIME, Level
from seriatim.checking.history.transactions import Operation, Scalar, Status, Transaction, TransactionLog

List = tuple[Scalar, ...]
State = dict[Scalar, List]
Found = List | Scalar | None


def holding(log: TransactionLog) -> dict[Level, bool]:
    """Whether each level holds; levels about times are left out where the log has none."""
    unsure = [t for t in log.transactions if t.status == "info"]
    sure = [t for t in log.transactions if t.status == "ok"]
    worlds = [[*sure, *some] for size in range(len(unsure) + 1) for some in combinations(unsure, size)]
    found: dict[Level, bool] = {}
    for level in Level:
        if level in REAL_TIME and not log.is_timed:
            continue
        if level is Level.READ_UNCOMMITTED:
            found[level] = any(is_merged(order, log) for order in permutations(sure))
        else:
            found[level] = any(holds(level, world, log) for world in worlds)
    return found


def holds(level: Level, world: list[Transaction], log: TransactionLog) -> bool:
    match level:
        case Level.SERIALIZABLE | Level.SESSION_SERIALIZABLE | Level.STRICT_SERIALIZABLE:
            extra = {Level.SESSION_SERIALIZABLE: "so", Level.STRICT_SERIALIZABLE: "rt"}.get(level, "")
            return serial(world, {}, extra)
        case Level.SNAPSHOT | Level.SESSION_SNAPSHOT | Level.STRONG_SNAPSHOT | Level.PREFIX:
            extra = {Level.SNAPSHOT: "", Level.STRONG_SNAPSHOT: "rt"}.get(level, "so")
            return scheduled(world, [], [], {}, {}, extra, level is not Level.PREFIX)
        case _:
            return any(fits(level, order, log) for order in permutations(world))


def precedes(one: Transaction, other: Transaction, how: str) -> bool:
    if one is other or one.status != "ok":
        return False
    if how == "so":
        return one.process == other.process and (one.start or one.line) < (other.start or other.line)
    return how == "rt" and one.end is not None and other.start is not None and one.end < other.start


def writes_of(transaction: Transaction) -> State:
    found: State = {}
    for kind, key, value in transaction.operations:
        if kind != "r":
            assert isinstance(value, int | str)
            found[key] = (*found.get(key, ()), value)
    return found


def reads_right(transaction: Transaction, state: State) -> bool:
    """Whether a transaction that runs alone in a state reads what it read."""
    here = dict(state)
    for kind, key, value in transaction.operations:
        if kind != "r":
            assert isinstance(value, int | str)
            here[key] = (*here.get(key, ()), value)
        elif transaction.status == "ok":
            now = here.get(key, ())
            if value != (now if isinstance(value, tuple) else now[-1] if now else None):
                return False
    return True


def after(state: State, transaction: Transaction) -> State:
    return {
        **state,
        **{key: (*state.get(key, ()), *values) for key, values in writes_of(transaction).items()},
    }


def serial(left: list[Transaction], state: State, extra: str) -> bool:
    return not left or any(
        reads_right(each, state) and serial([t for t in left if t is not each], after(state, each), extra)
        for each in left
        if not any(precedes(other, each, extra) for other in left)
    )


def scheduled(
    world: list[Transaction],
    begun: list[Transaction],
    ended: list[Transaction],
    state: State,
    snapshots: dict[int, State],
    extra: str,
    first_wins: bool,
) -> bool:
    """All schedules of snapshots and commits."""
    if len(ended) == len(world):
        return True
    for each in world:
        if not any(each is other for other in begun):
            waits = any(precedes(o, each, extra) and not any(o is e for e in ended) for o in world)
            more = {**snapshots, id(each): state}
            is_possible = not waits and reads_right(each, state)
            if is_possible and scheduled(world, [*begun, each], ended, state, more, extra, first_wins):
                return True
        elif not any(each is other for other in ended):
            old = snapshots[id(each)]
            if first_wins and any(old.get(key) != state.get(key) for key in writes_of(each)):
                continue
            now = after(state, each)
            if scheduled(world, begun, [*ended, each], now, snapshots, extra, first_wins):
                return True
    return False


def foreign_reads(transaction: Transaction) -> Iterator[tuple[Scalar, Found, bool, bool]]:
    """What a transaction found apart from its own writes; whether that fits them; and whether it is mixed
    with own writes, so that it says nothing about others."""
    own: dict[Scalar, List] = {}
    for kind, key, value in transaction.operations:
        if kind != "r":
            assert isinstance(value, int | str)
            own[key] = (*own.get(key, ()), value)
            continue
        mine = own.get(key, ())
        if isinstance(value, tuple):
            if not mine or value[-len(mine) :] == mine:
                yield key, value[: len(value) - len(mine)], True, False
            else:
                yield key, value, False, any(e in mine for e in value)
        elif not mine or mine[-1] != value:
            yield key, value, not mine, value in mine


def everything(log: TransactionLog) -> set[tuple[Scalar, Scalar]]:
    return {(k, v) for t in log.transactions for k, values in writes_of(t).items() for v in values}


def reads_garbage(transactions: Sequence[Transaction], log: TransactionLog) -> bool:
    known = everything(log)
    for each in transactions:
        for kind, key, value in each.operations:
            if kind == "r" and each.status == "ok" and value is not None:
                elements = value if isinstance(value, tuple) else (value,)
                if any((key, element) not in known for element in elements):
                    return True
    return False


def reads_ahead(transaction: Transaction) -> bool:
    for at, (kind, key, value) in enumerate(transaction.operations):
        if kind == "r":
            later = {v for f, k, v in transaction.operations[at:] if f != "r" and k == key}
            if later & set(value if isinstance(value, tuple) else (value,)):
                return True
    return False


def reads_twice(transaction: Transaction) -> bool:
    values = [value for _, _, value in transaction.operations if isinstance(value, tuple)]
    return any(len(set(value)) < len(value) for value in values)


def reads_from(transaction: Transaction, order: Sequence[Transaction]) -> bool:
    """Whether all that a transaction read was written by these."""
    known = {(k, v) for t in order for k, values in writes_of(t).items() for v in values}
    return all(
        (key, element) in known
        for kind, key, value in transaction.operations
        if kind == "r" and value is not None
        for element in (value if isinstance(value, tuple) else (value,))
    )


def is_merged(order: Sequence[Transaction], log: TransactionLog) -> bool:
    """Read uncommitted, for one order of the committed transactions."""
    if reads_garbage(order, log):
        return False
    whole: State = {}
    for each in order:
        whole = after(whole, each)
    lists: dict[Scalar, list[List]] = {}
    for each in order:
        for key, value, _, is_mixed in foreign_reads(each):
            if isinstance(value, tuple) and not is_mixed:
                lists.setdefault(key, []).append(value)
    for key, values in lists.items():
        elements = whole.get(key, ())
        for value in values:
            rest = iter(elements)
            if not all(element in rest for element in value if element in elements):
                return False
        longest = max(values, key=len)
        if all(longest[: len(value)] == value for value in values):
            read = [at for at, element in enumerate(elements) if element in longest]
            unread = [w for w in (writes_of(t).get(key, ()) for t in order) if not {*w} & {*longest}]
            if any(elements.index(e) < max(read, default=-1) for w in unread for e in w):
                return False
    return True


ReadFrom = tuple[Transaction, Scalar, Transaction | None]
"""A reader, a key, and the writer of the version that it read; None for the initial one."""


def fits(level: Level, order: Sequence[Transaction], log: TransactionLog) -> bool:
    """Read committed to PSI, for one order of the transactions, which gives the order of versions."""
    if reads_garbage(order, log):
        return False
    place = {id(t): at for at, t in enumerate(order)}
    reads = versions_read(order, log)
    if reads is None or any(w is not None and place[id(w)] >= place[id(r)] for r, _, w in reads):
        return False
    if level is Level.READ_COMMITTED:
        return True
    if level is Level.CURSOR_STABILITY:
        return not any(
            key in writes_of(reader)
            and any(
                key in writes_of(other) and (writer is None or place[id(writer)] < place[id(other)])
                for other in order[: place[id(reader)]]
            )
            for reader, key, writer in reads
        )
    if level is Level.MONOTONIC_ATOMIC_VIEW:
        return all(is_monotonic([r for r in reads if r[0] is each], order, log) for each in order)
    if not all(is_internal(each) for each in order if each.status == "ok"):
        return False
    base = dependencies(level, order, reads, log)
    if any(place[a] >= place[b] for a, b in base):
        return False
    return not any(
        other is not reader
        and key in writes_of(other)
        and (writer is None or place[id(other)] > place[id(writer)])
        and (id(other), id(reader)) in base
        for reader, key, writer in reads
        for other in order
    )


def versions_read(order: Sequence[Transaction], log: TransactionLog) -> list[ReadFrom] | None:
    """Who read from whom; None if something was read that is no version."""
    versions: dict[tuple[Scalar, object], Transaction] = {}
    whole: State = {}
    for each in order:
        whole = after(whole, each)
        for key in writes_of(each):
            versions[key, whole[key] if log.has_lists else whole[key][-1]] = each
    found: list[ReadFrom] = []
    for each in order:
        if each.status != "ok":
            continue
        if reads_ahead(each) or reads_twice(each) or not reads_from(each, order):
            return None
        for key, value, _, is_mixed in foreign_reads(each):
            if is_mixed:
                continue
            if value not in (None, ()) and (key, value) not in versions:
                return None
            found.append((each, key, versions.get((key, value))))
    return found


def is_monotonic(reads: list[ReadFrom], order: Sequence[Transaction], log: TransactionLog) -> bool:
    """Whether a transaction sees all of what it has seen some of before."""
    seen: list[Transaction] = []
    for reader, key, writer in reads:
        place = -1 if writer is None else order.index(writer)
        later = [each for each in order[place + 1 :] if key in writes_of(each) and each is not reader]
        if any(each is other for each in seen for other in later):
            return False
        if writer is not None:
            seen += [t for t in order[: place + 1] if key in writes_of(t)] if log.has_lists else [writer]
    return True


def is_internal(transaction: Transaction) -> bool:
    seen: dict[Scalar, Found] = {}
    for key, value, is_fitting, _ in foreign_reads(transaction):
        if not is_fitting or seen.setdefault(key, value) != value:
            return False
    return True


def dependencies(
    level: Level, order: Sequence[Transaction], reads: list[ReadFrom], log: TransactionLog
) -> set[tuple[int, int]]:
    """What comes before what at a level; a list is read from all its writers."""
    place = {id(t): at for at, t in enumerate(order)}
    base = {(id(w), id(r)) for r, _, w in reads if w is not None}
    if log.has_lists:
        for reader, key, writer in reads:
            if writer is not None:
                base |= {(id(t), id(reader)) for t in order[: place[id(writer)] + 1] if key in writes_of(t)}
    if level in (Level.CAUSAL, Level.PARALLEL_SNAPSHOT):
        base |= {(id(a), id(b)) for a in order for b in order if precedes(a, b, "so")}
    if level in (Level.CONSISTENT_VIEW, Level.PARALLEL_SNAPSHOT):
        pairs = combinations(order, 2)
        base |= {(id(a), id(b)) for a, b in pairs if writes_of(a).keys() & writes_of(b).keys()}
    if level is not Level.READ_ATOMIC:
        for middle in map(id, order):
            into = [a for a, b in base if b == middle]
            base |= {(a, b) for m, b in base if m == middle for a in into}
    return base


# --- random logs --------------------------------------------------------------------------------------------

Plan = list[tuple[str, str, int]]
"""Operations in which reads have no value yet."""

STATUSES: tuple[Status, ...] = (*("ok",) * 10, "info", "fail")


def random_log(random: Random, sizes: tuple[int, int] = (2, 4)) -> TransactionLog:
    """Writes first; then each key gets an order of versions, and each read one of them, or almost."""
    has_lists = random.random() < 0.6
    plans = random_plans(random, random.randint(*sizes), has_lists)
    statuses = [random.choice(STATUSES) for _ in plans]
    order = list(range(len(plans)))
    if random.random() < 0.5:
        random.shuffle(order)
    blocks: dict[str, list[tuple[int, List]]] = {}
    for key in "xyz":
        mine = random.sample(order, len(order)) if random.random() < 0.2 else order
        for number in mine:
            block = tuple(v for f, k, v in plans[number] if f != "r" and k == key)
            if block and (statuses[number] != "fail" or random.random() < 0.15):
                blocks.setdefault(key, []).append((number, block))
    operations = [
        fill(random, number, plans[number], blocks, order, has_lists) for number in range(len(plans))
    ]
    return as_log(random, operations, statuses, has_lists)


def random_plans(random: Random, count: int, has_lists: bool) -> list[Plan]:
    keys, value = random.randint(1, 3), 0
    plans: list[Plan] = []
    for _ in range(count):
        plan: Plan = []
        for _ in range(random.choice((1, 2, 2, 2, 3))):
            key = "xyz"[random.randrange(keys)]
            if random.random() < 0.5:
                value += 1
                plan.append(("append" if has_lists else "w", key, value))
            else:
                plan.append(("r", key, 0))
        plans.append(plan)
    return plans


def fill(
    random: Random,
    number: int,
    plan: Plan,
    blocks: dict[str, list[tuple[int, List]]],
    order: list[int],
    has_lists: bool,
) -> tuple[Operation, ...]:
    """Gives each read a value that some versions explain, or almost."""
    own: dict[str, List] = {}
    views: dict[str, List] = {}
    upto = order.index(number)
    found: list[Operation] = []
    for kind, key, value in plan:
        if kind != "r":
            own[key] = (*own.get(key, ()), value)
            found.append((kind, key, value))
            continue
        if key not in views or random.random() < 0.05:
            old = [
                block
                for other, block in blocks.get(key, ())
                if other != number and (order.index(other) < upto or random.random() < 0.1)
            ]
            cut = random.choice((len(old), len(old), max(0, len(old) - 1), random.randint(0, len(old))))
            elements = [element for block in old[:cut] for element in block]
            if elements and random.random() < 0.06:
                elements.pop(random.randrange(len(elements)))
            if random.random() < 0.03:
                elements.append(random.randint(1, 12))
            views[key] = tuple(elements)
        whole = (*views[key], *own.get(key, ()))
        if own.get(key) and random.random() < 0.05:
            whole = random.choice((views[key], whole[:-1], whole[1:]))
        found.append(("r", key, whole if has_lists else whole[-1] if whole else None))
    return tuple(found)


def as_log(
    random: Random, operations: list[tuple[Operation, ...]], statuses: list[Status], has_lists: bool
) -> TransactionLog:
    """Processes and times: a process has one transaction at a time, and may be used again after `info`."""
    is_timed = random.random() < 0.8
    waiting = list(range(len(operations)))
    if random.random() < 0.3:
        random.shuffle(waiting)
    running: dict[str, tuple[int, int]] = {}
    done: list[Transaction] = []
    clock = 0
    while waiting or running:
        clock += 1
        free = [name for name in "pqr" if name not in running]
        if waiting and free and (not running or random.random() < 0.5):
            running[random.choice(free)] = waiting.pop(0), clock
            continue
        process = random.choice(sorted(running))
        number, start = running.pop(process)
        status = statuses[number]
        end = clock if status == "ok" and is_timed else None
        done.append(Transaction(clock, process, start if is_timed else None, end, status, operations[number]))
    return TransactionLog(tuple(done), has_lists, is_timed, "digest")
