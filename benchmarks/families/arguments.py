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


ARGUMENTS = (Family(transfers, True, (2, 3)), Family(transfers_written, True, (2, 3)))
