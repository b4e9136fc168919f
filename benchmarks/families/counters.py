"""Counters: bounded, locked and modular ones, and requests that count what others do."""

from families.family import Family
from families.writing import acquire, block, code, handler, next_modulo, program, release


def counter(bound: int) -> str:
    """A counter from 0 to a bound; a request that would cross an end waits."""
    return program(
        handler(name, wait_while(f"X == {end}"), f"X := X {sign} 1", "return X")
        for name, end, sign in (("incr", bound, "+"), ("decr", 0, "-"))
    )


def counter_broken(bound: int) -> str:
    """The same, but others may run between reading the counter and writing it: updates are lost."""
    return program(
        handler(
            name,
            wait_while(f"X == {end}"),
            code(f"""
                x := X
                yield
                X := x {sign} 1
                return X
            """),
        )
        for name, end, sign in (("incr", bound, "+"), ("decr", 0, "-"))
    )


def wait_while(condition: str) -> str:
    return code(f"""
        while {condition}:
            yield
    """)


def locked_counter(bound: int) -> str:
    """A lock protects the counter; a request that would cross an end leaves it as it is. Only the lock keeps
    the counter within its bounds."""
    return locked(bound, "yield", "r := X", release("LOCK"), "return r")


def locked_counter_broken(bound: int) -> str:
    """The answer is read after the lock was given up, when the counter may have moved on."""
    return locked(bound, release("LOCK"), "yield", "return X")


def locked(bound: int, *ending: str) -> str:
    return program(
        handler(
            name,
            acquire("LOCK"),
            code(f"""
                yield
                if X {comparison} {end}:
                    yield
                    X := X {sign} 1
            """),
            *ending,
        )
        for name, comparison, end, sign in (("incr", "<", bound, "+"), ("decr", ">", 0, "-"))
    )


def modular(modulus: int) -> str:
    """Every request moves the counter by two half steps, until one of them stops all others and tells where
    the counter is. It is serializable because half steps add up, not because of any commit point."""
    return half_steps(
        modulus,
        block(
            code("""
                if ?:
                    STOP := 1
                    return X
                return 0
            """)
        ),
        wait_while("STOP == 1"),
    )


def modular_broken(modulus: int) -> str:
    """Every request tells where the counter is, also when others are half way."""
    return half_steps(modulus, block("return X"))


def half_steps(modulus: int, ending: str, *before: str) -> str:
    step = (*before, next_modulo("X", modulus))
    return program([handler("advance", *step, "yield", *step) + ending + "\n"])


def flips_broken(count: int) -> str:
    """One request waits until a bit has been flipped back and forth so many times: it never ends alone."""
    return program(
        (
            handler("flip", "X := 1 - X", "return X"),
            handler(
                "watch",
                f"left := {count}",
                "while left > 0:",
                block(wait_while("X == 0"), wait_while("X == 1"), "left := left - 1"),
                "return 100",
            ),
        )
    )


def observer_broken(count: int) -> str:
    """One request looks at a bit before and after each of so many pauses, and tells whether it ever looked
    the same. Alone it always does."""
    return program(
        (
            handler(
                "observe",
                code(f"""
                    same := 0
                    left := {count}
                    while left > 0:
                        x := X
                        yield
                        if x == X:
                            same := 1
                        left := left - 1
                    return same
                """),
            ),
            handler("clear", "X := 0", "return 0"),
            handler("set", "X := 1", "return 1"),
        )
    )


def unbounded(accounts: int) -> str:
    """A lock protects accounts without any bound: each deposit is moved on, and an audit adds up."""
    return program([*deposits(accounts), audit(accounts, acquire("LOCK"), release("LOCK"))])


def unbounded_broken(accounts: int) -> str:
    """The audit does not take the lock: a deposit may be on its way."""
    return program([*deposits(accounts), audit(accounts, "", "")])


def deposits(accounts: int) -> list[str]:
    return [
        handler(
            f"deposit{number}",
            acquire("LOCK"),
            code(f"""
                A{number} := A{number} + {number + 1}
                yield
                TOTAL := TOTAL + {number + 1}
                r := A{number}
            """),
            release("LOCK"),
            "return r",
        )
        for number in range(accounts)
    ]


def audit(accounts: int, before: str, after: str) -> str:
    total = " - ".join(["TOTAL", *(f"A{number}" for number in range(accounts))])
    parts = (before, "t := TOTAL", "yield", f"r := t + {total} - TOTAL", after, "return r")
    return handler("audit", *(part for part in parts if part))


COUNTERS = (
    Family(unbounded, True, (1, 2)),
    Family(unbounded_broken, False, (1, 4, 16)),
    Family(counter, True, (1, 12, 200, 1000)),
    Family(counter_broken, False, (2, 12, 200)),
    Family(locked_counter, True, (1, 50, 500)),
    Family(locked_counter_broken, False, (1, 50, 500)),
    Family(modular, True, (2, 5, 13)),
    Family(modular_broken, False, (2, 5, 13)),
    Family(flips_broken, False, (1, 10, 50)),
    Family(observer_broken, False, (1, 8, 20)),
)
