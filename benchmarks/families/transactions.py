"""Transactions: optimistic ones on a key-value store, and snapshots of a table."""

from collections.abc import Callable

from families.family import Family
from families.writing import block, code, handler, program


def key_value(count: int) -> str:
    """A transaction reads two keys, pauses, and writes one if both are unchanged, else tries again."""
    return store(count, lambda own, other: f"KEY{own} == own and KEY{other} == other")


def key_value_broken(count: int) -> str:
    """Only the key that is written is compared: the other one may have changed (write skew)."""
    return store(count, lambda own, _: f"KEY{own} == own")


def store(count: int, is_unchanged: Callable[[int, int], str]) -> str:
    handlers = []
    for own in range(count):
        other = (own + 1) % count
        handlers.append(
            handler(
                f"transaction{own}",
                code(f"""
                    done := 0
                    while done == 0:
                        own := KEY{own}
                        other := KEY{other}
                        yield
                        if {is_unchanged(own, other)}:
                            KEY{own} := 1 - other
                            done := 1
                        else:
                            yield
                    return 2 * own + other
                """),
            )
        )
    return program((*handlers, handler("get", "return KEY0")))


def snapshot(count: int) -> str:
    """Somebody has to stay on duty: a request takes a snapshot of the table and goes off duty if, by its
    snapshot, somebody else is on. It commits only if the whole snapshot still holds; else it tries again."""
    rows = range(count)
    holds = " and ".join(f"off{row} == OFF{row}" for row in rows)
    return duties(
        count,
        lambda leave: "\n".join(
            (
                "done := 0",
                "while done == 0:",
                block(
                    take_snapshot(count),
                    "yield",
                    f"if {holds}:",
                    block("done := 1", leave),
                    "else:",
                    block("yield"),
                ),
            )
        ),
    )


def snapshot_broken(count: int) -> str:
    """Snapshot isolation: two requests write different rows by one snapshot, and nobody stays on duty."""
    return duties(count, lambda leave: "\n".join((take_snapshot(count), "yield", leave)))


def duties(count: int, transaction: Callable[[str], str]) -> str:
    rows = range(count)
    off_now = " + ".join(f"OFF{row}" for row in rows)
    off_then = " + ".join(f"off{row}" for row in rows)
    handlers = (
        handler(
            f"leave{own}",
            transaction(
                code(f"""
                    if {off_then} < {count - 1} and off{own} == 0:
                        OFF{own} := 1
                """)
            ),
            f"return {off_now}",
        )
        for own in rows
    )
    return program((*handlers, handler("come", "OFF0 := 0", "return 0")))


def take_snapshot(count: int) -> str:
    return "\n".join(f"off{row} := OFF{row}" for row in range(count))


TRANSACTIONS = (
    Family(key_value, True, (2, 4, 6)),
    Family(key_value_broken, False, (2, 4, 8)),
    Family(snapshot, True, (2, 4, 6)),
    Family(snapshot_broken, False, (2, 4, 8)),
)
