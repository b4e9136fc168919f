"""Mutual exclusion: locks, banks, tickets, semaphores."""

from families.family import Family
from families.writing import acquire, block, code, handler, next_modulo, program, release


def locks(count: int) -> str:
    """Cells in a ring, each with a lock; requests swap neighbours under both locks, taken in one order."""
    return swaps(count, is_second_lock_taken=True)


def locks_broken(count: int) -> str:
    """Swaps take the first of their two locks only."""
    return swaps(count, is_second_lock_taken=False)


def swaps(count: int, is_second_lock_taken: bool) -> str:
    handlers = []
    for cell in range(count):
        neighbour = (cell + 1) % count
        first, second = sorted((cell, neighbour))
        taken = [f"LOCK{first}", f"LOCK{second}"] if is_second_lock_taken else [f"LOCK{first}"]
        handlers.append(
            handler(
                f"swap{cell}",
                "\nyield\n".join(map(acquire, taken)),
                code(f"""
                    x := CELL{cell}
                    yield
                    CELL{cell} := CELL{neighbour}
                    CELL{neighbour} := x
                """),
                *map(release, taken),
                "return x",
            )
        )
    change = handler("change", acquire("LOCK0"), "CELL0 := 1 - CELL0", release("LOCK0"), "return CELL0")
    return program((*handlers, change))


MAX_BALANCE = 2


def bank(count: int) -> str:
    """Accounts in a ring, each with a lock; transfers to the next account hold both locks all the time."""
    handlers = []
    for source in range(count):
        target = (source + 1) % count
        first, second = sorted((source, target))
        handlers.append(
            handler(
                f"transfer{source}",
                acquire(f"LOCK{first}"),
                "yield",
                acquire(f"LOCK{second}"),
                code(f"""
                    yield
                    done := 0
                    if ACCOUNT{source} > 0 and ACCOUNT{target} < {MAX_BALANCE}:
                        ACCOUNT{source} := ACCOUNT{source} - 1
                        yield
                        ACCOUNT{target} := ACCOUNT{target} + 1
                        done := 1
                    LOCK{first} := 0
                    yield
                    LOCK{second} := 0
                    return done
                """),
            )
        )
    deposit = handler(
        "deposit",
        acquire("LOCK0"),
        code(f"""
            yield
            balance := ACCOUNT0
            if balance < {MAX_BALANCE}:
                ACCOUNT0 := balance + 1
            LOCK0 := 0
            return balance
        """),
    )
    last = count - 1
    balance = handler(
        "balance",
        acquire(f"LOCK{last}"),
        f"balance := ACCOUNT{last}",
        "yield",
        release(f"LOCK{last}"),
        "return balance",
    )
    return program((*handlers, deposit, balance))


def bank_broken(count: int) -> str:
    """Transfers give up the first lock before they take the second: meanwhile a coin is nowhere, and an
    audit, although it holds all locks, misses it."""
    handlers = ["ACCOUNT0 := 1\n"]
    for source in range(count):
        target = (source + 1) % count
        handlers.append(
            handler(
                f"transfer{source}",
                acquire(f"LOCK{source}"),
                code(f"""
                    coin := 0
                    if ACCOUNT{source} > 0:
                        ACCOUNT{source} := ACCOUNT{source} - 1
                        coin := 1
                    LOCK{source} := 0
                """),
                "if coin == 1:",
                block(
                    "yield",
                    acquire(f"LOCK{target}"),
                    f"ACCOUNT{target} := ACCOUNT{target} + 1",
                    release(f"LOCK{target}"),
                ),
                "return coin",
            )
        )
    numbers = range(count)
    audit = handler(
        "audit",
        "\nyield\n".join(acquire(f"LOCK{number}") for number in numbers),
        "total := " + " + ".join(f"ACCOUNT{number}" for number in numbers),
        *(release(f"LOCK{number}") for number in numbers),
        "return total",
    )
    return program((*handlers, audit))


def ticket_lock(tickets: int) -> str:
    """A ticket lock around a flip in two steps. Tickets are reused, so no more are handed out at a time than
    leave one over."""
    return ticketed(
        tickets,
        before=code(f"""
            while HOLDERS == {tickets - 1}:
                yield
            HOLDERS := HOLDERS + 1
        """),
        after="HOLDERS := HOLDERS - 1",
    )


def ticket_lock_broken(tickets: int) -> str:
    """Nobody counts the tickets that are out: with one request too many, two hold the same one."""
    return ticketed(tickets, before="", after="")


def ticketed(tickets: int, before: str, after: str) -> str:
    pieces = (
        before,
        "ticket := NEXT",
        next_modulo("NEXT", tickets),
        code("""
            yield
            while SERVING != ticket:
                yield
            x := X
            yield
            X := 1 - x
        """),
        next_modulo("SERVING", tickets),
        after,
        "return x",
    )
    return program((handler("flip", *filter(None, pieces)), handler("get", "return X")))


def semaphore(permits: int) -> str:
    """So many may enter; inside, a bit is flipped in one step."""
    return guarded(permits, "x := X", "X := 1 - x", "yield")


def semaphore_broken(permits: int) -> str:
    """The flip takes two steps, and the semaphore admits two requests."""
    return guarded(permits, "x := X", "yield", "X := 1 - x")


def guarded(permits: int, *inside: str) -> str:
    enter = code(f"""
        while INSIDE == {permits}:
            yield
        INSIDE := INSIDE + 1
        yield
    """)
    flip = handler("flip", enter, *inside, "INSIDE := INSIDE - 1", "return x")
    return program((flip, handler("get", "return X")))


LOCKING = (
    Family(locks, True, (2, 3, 4)),
    Family(locks_broken, False, (3, 4, 6)),
    Family(bank, True, (2, 3)),
    Family(bank_broken, False, (2, 4, 7)),
    Family(ticket_lock, True, (2, 4, 8)),
    Family(ticket_lock_broken, False, (2, 4, 6)),
    Family(semaphore, True, (1, 8, 63)),
    Family(semaphore_broken, False, (2, 8, 63)),
)
