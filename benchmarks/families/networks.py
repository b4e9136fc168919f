"""Packet routing: rings of routers whose policy changes while packets are under way.

A packet travels east (up) or west (down) through routers 1 to n until it leaves at an end, 0 or n + 1; its
answer tells where, and whether it ever turned round.
"""

from families.family import Family
from families.writing import block, code, handler, program

WHERE_AND_WHETHER = "return 2 * at + turned"


def ring(size: int) -> str:
    """The policy is stamped on the packet where it enters."""
    ways = (
        handler(
            f"route{entry}",
            code(f"""
                east := EAST
                at := {entry}
                yield
            """),
            hops(size, "east == 1"),
            WHERE_AND_WHETHER,
        )
        for entry in range(1, size + 1)
    )
    return program((CHANGE_POLICY, *ways))


def ring_broken(size: int) -> str:
    """Every router asks for the policy: a packet may turn round, even for ever."""
    ways = (
        handler(f"route{entry}", f"at := {entry}", hops(size, "EAST == 1"), WHERE_AND_WHETHER)
        for entry in range(1, size + 1)
    )
    return program((CHANGE_POLICY, *ways))


CHANGE_POLICY = handler("change_policy", "EAST := ?", "return EAST")


def hops(size: int, is_east: str) -> str:
    return "\n".join((f"while at > 0 and at < {size + 1}:", block(move(is_east), "yield")))


def move(is_east: str) -> str:
    """One hop; `way` is 1 after a hop to the west, 2 after one to the east."""
    return code(f"""
        if {is_east}:
            if way == 1:
                turned := 1
            way := 2
            at := at + 1
        else:
            if way == 2:
                turned := 1
            way := 1
            at := at - 1
    """)


MAX_READERS = 2


def ring_rw(size: int) -> str:
    """Each router has a table; updates, router by router, and packets exclude each other by a reader-writer
    lock."""
    enter = code(f"""
        while WRITING == 1 or READERS == {MAX_READERS}:
            yield
        READERS := READERS + 1
        yield
    """)
    update = handler(
        "update",
        code("""
            while WRITING == 1 or READERS > 0:
                yield
            WRITING := 1
            yield
        """),
        tables_written(size),
        "WRITING := 0",
        "return east",
    )
    ways = (
        handler(f"route{entry}", enter, table_hops(size, entry), "READERS := READERS - 1", WHERE_AND_WHETHER)
        for entry in entries(size)
    )
    return program((update, *ways))


def ring_rw_broken(size: int) -> str:
    """No lock: packets meet tables of which only some are updated."""
    update = handler("update", tables_written(size), "return east")
    ways = (handler(f"route{entry}", table_hops(size, entry), WHERE_AND_WHETHER) for entry in entries(size))
    return program((update, *ways))


def entries(size: int) -> list[int]:
    """Packets enter at the two ends."""
    return sorted({1, size})


def tables_written(size: int) -> str:
    return "\n".join(("east := ?", *(f"EAST{router} := east\nyield" for router in range(1, size + 1))))


def table_hops(size: int, entry: int) -> str:
    """Hops by the tables; a packet that turns round is dropped."""
    look = "\n".join(
        code(f"""
            if at == {router}:
                east := EAST{router}
        """)
        for router in range(1, size + 1)
    )
    drop = code("""
        if turned == 1:
            at := 0
        yield
    """)
    body = block("east := 0", look, move("east == 1"), drop)
    return "\n".join((f"at := {entry}", f"while at > 0 and at < {size + 1}:", body))


NETWORKS = (
    Family(ring, True, (1, 4, 16)),
    Family(ring_broken, False, (2, 4, 8)),
    Family(ring_rw, True, (1, 4, 8)),
    Family(ring_rw_broken, False, (2, 4, 8)),
)
