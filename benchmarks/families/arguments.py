"""Requests with arguments over an array, and the same handlers written out by hand."""

from families.family import Family
from families.writing import acquire, code, handler, program, release

MAX_BALANCE = 2


def transfers(count: int) -> str:
    """Transfers between any two accounts of an array, under one lock; source and target are arguments."""
    return code(f"""
        const COUNT := {count}
        ACCOUNT[COUNT] in 0..{MAX_BALANCE} := 1

        request transfer(source in 0..COUNT - 1, target in 0..COUNT - 1):
            lock(LOCK)
            done := 0
            if source != target and ACCOUNT[source] > 0 and ACCOUNT[target] < {MAX_BALANCE}:
                ACCOUNT[source] := ACCOUNT[source] - 1
                yield
                ACCOUNT[target] := ACCOUNT[target] + 1
                done := 1
            unlock(LOCK)
            return done
    """)


def transfers_broken(count: int) -> str:
    """No lock: the balance that is written was read before a pause, and another transfer is lost."""
    return code(f"""
        const COUNT := {count}
        ACCOUNT[COUNT] in 0..{MAX_BALANCE} := 1

        request transfer(source in 0..COUNT - 1, target in 0..COUNT - 1):
            done := 0
            if source != target and ACCOUNT[source] > 0 and ACCOUNT[target] < {MAX_BALANCE}:
                left := ACCOUNT[source] - 1
                more := ACCOUNT[target] + 1
                yield
                ACCOUNT[source] := left
                ACCOUNT[target] := more
                done := 1
            return done
    """)


def journal(count: int) -> str:
    """Cells of an array are changed under one lock, and a variable holds the index of the last one."""
    return code(f"""
        const COUNT := {count}
        CELL[COUNT] in 0..1 := 0
        LAST in 0..COUNT := COUNT

        request flip(index in 0..COUNT - 1):
            lock(LOCK)
            CELL[index] := 1 - CELL[index]
            yield
            LAST := index
            value := CELL[index]
            unlock(LOCK)
            return value

        request undo:
            lock(LOCK)
            found := LAST
            yield
            if found < COUNT:
                CELL[found] := 1 - CELL[found]
            LAST := COUNT
            unlock(LOCK)
            return found
    """)


def journal_broken(count: int) -> str:
    """No lock: a flip answers with what another one has left."""
    return "".join(line for line in journal(count).splitlines(True) if "lock(LOCK)" not in line)


def transfers_written(count: int) -> str:
    """The same, with a handler written for each pair of accounts and a variable for each account."""
    accounts = "".join(f"ACCOUNT{number} := 1\n" for number in range(count))
    pairs = ((source, target) for source in range(count) for target in range(count))
    return program((accounts, *(transfer(source, target) for source, target in pairs)))


def transfer(source: int, target: int) -> str:
    return handler(
        f"transfer_{source}_{target}",
        acquire("LOCK"),
        code(f"""
            done := 0
            if {int(source != target)} and ACCOUNT{source} > 0 and ACCOUNT{target} < {MAX_BALANCE}:
                ACCOUNT{source} := ACCOUNT{source} - 1
                yield
                ACCOUNT{target} := ACCOUNT{target} + 1
                done := 1
        """),
        release("LOCK"),
        "return done",
    )


ARGUMENTS = (
    Family(transfers, True, (2, 3)),
    Family(transfers_broken, False, (2, 3)),
    Family(transfers_written, True, (2, 3)),
    Family(journal, True, (2, 3)),
    Family(journal_broken, False, (2, 3)),
)
