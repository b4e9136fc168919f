"""The anomalies of the literature as scripts, and the levels of PostgreSQL that allow them."""

from dataclasses import dataclass

SCHEMA = (
    "CREATE TABLE test (id int PRIMARY KEY, value int NOT NULL);\nINSERT INTO test VALUES (1, 10), (2, 20);\n"
)


@dataclass(frozen=True)
class Case:
    """An anomaly: transactions, and the answers that show it."""

    name: str
    transactions: tuple[str, ...]
    shown: tuple[object, ...]
    """The answers of each transaction; None is any."""
    final: tuple[tuple[int, int], ...] | None
    allowed: frozenset[str]
    """The levels."""

    def script(self) -> str:
        bodies = [
            f"-- transaction: t{n} once\nBEGIN;\n{body}\n" for n, body in enumerate(self.transactions, 1)
        ]
        return SCHEMA + "".join(bodies)


NOWHERE: frozenset[str] = frozenset()
COMMITTED = frozenset({"read committed"})
SNAPSHOT = frozenset({"read committed", "repeatable read"})

CASES = (
    Case(
        "G0: dirty write",
        (
            "UPDATE test SET value = 11 WHERE id = 1; UPDATE test SET value = 21 WHERE id = 2; COMMIT;",
            "UPDATE test SET value = 12 WHERE id = 1; UPDATE test SET value = 22 WHERE id = 2; COMMIT;",
        ),
        (None, None),
        ((1, 11), (2, 22)),
        NOWHERE,
    ),
    Case(
        "G1a: aborted read",
        (
            "UPDATE test SET value = 101 WHERE id = 1; ROLLBACK;",
            "SELECT value FROM test WHERE id = 1; COMMIT;",
        ),
        (None, (((101,),),)),
        None,
        NOWHERE,
    ),
    Case(
        "G1b: intermediate read",
        (
            "UPDATE test SET value = 101 WHERE id = 1; UPDATE test SET value = 11 WHERE id = 1; COMMIT;",
            "SELECT value FROM test WHERE id = 1; COMMIT;",
        ),
        (None, (((101,),),)),
        None,
        NOWHERE,
    ),
    Case(
        "G1c: circular information flow",
        (
            "UPDATE test SET value = 11 WHERE id = 1; SELECT value FROM test WHERE id = 2; COMMIT;",
            "UPDATE test SET value = 22 WHERE id = 2; SELECT value FROM test WHERE id = 1; COMMIT;",
        ),
        ((1, ((22,),)), (1, ((11,),))),
        None,
        NOWHERE,
    ),
    Case(
        "OTV: observed transaction vanishes",
        (
            "UPDATE test SET value = 11 WHERE id = 1; UPDATE test SET value = 19 WHERE id = 2; COMMIT;",
            "UPDATE test SET value = 12 WHERE id = 1; UPDATE test SET value = 18 WHERE id = 2; COMMIT;",
            "SELECT value FROM test WHERE id = 1; SELECT value FROM test WHERE id = 2;"
            " SELECT value FROM test WHERE id = 2; SELECT value FROM test WHERE id = 1; COMMIT;",
        ),
        (None, None, (((11,),), ((19,),), ((18,),), ((11,),))),
        None,
        NOWHERE,
    ),
    Case(
        "P2: non-repeatable read",
        (
            "SELECT value FROM test WHERE id = 1; SELECT value FROM test WHERE id = 1; COMMIT;",
            "UPDATE test SET value = 12 WHERE id = 1; COMMIT;",
        ),
        ((((10,),), ((12,),)), None),
        None,
        COMMITTED,
    ),
    Case(
        "P3: phantom",
        (
            "SELECT id FROM test WHERE value > 15; SELECT id FROM test WHERE value > 15; COMMIT;",
            "INSERT INTO test VALUES (3, 30); COMMIT;",
        ),
        ((((2,),), ((2,), (3,))), None),
        None,
        COMMITTED,
    ),
    Case(
        "PMP: predicate-many-preceders",
        (
            "SELECT id FROM test WHERE value = 30; SELECT id FROM test WHERE value % 3 = 0; COMMIT;",
            "INSERT INTO test VALUES (3, 30); COMMIT;",
        ),
        (((), ((3,),)), None),
        None,
        COMMITTED,
    ),
    Case(
        "P4: lost update",
        (
            "SELECT value FROM test WHERE id = 1; UPDATE test SET value = 11 WHERE id = 1; COMMIT;",
            "SELECT value FROM test WHERE id = 1; UPDATE test SET value = 12 WHERE id = 1; COMMIT;",
        ),
        ((((10,),), 1), (((10,),), 1)),
        None,
        COMMITTED,
    ),
    Case(
        "G-single: read skew",
        (
            "SELECT value FROM test WHERE id = 1; SELECT value FROM test WHERE id = 2; COMMIT;",
            "UPDATE test SET value = 12 WHERE id = 1; UPDATE test SET value = 18 WHERE id = 2; COMMIT;",
        ),
        ((((10,),), ((18,),)), None),
        None,
        COMMITTED,
    ),
    Case(
        "G-single: read skew by a predicate",
        (
            "SELECT id FROM test WHERE value % 5 = 0; SELECT id FROM test WHERE value % 3 = 0; COMMIT;",
            "UPDATE test SET value = 12 WHERE value = 10; COMMIT;",
        ),
        ((((1,), (2,)), ((1,),)), None),
        None,
        COMMITTED,
    ),
    Case(
        "G2-item: write skew",
        (
            "SELECT value FROM test WHERE id IN (1, 2); UPDATE test SET value = 11 WHERE id = 1; COMMIT;",
            "SELECT value FROM test WHERE id IN (1, 2); UPDATE test SET value = 21 WHERE id = 2; COMMIT;",
        ),
        ((((10,), (20,)), 1), (((10,), (20,)), 1)),
        None,
        SNAPSHOT,
    ),
    Case(
        "G2: anti-dependency cycle",
        (
            "SELECT id FROM test WHERE value % 3 = 0; INSERT INTO test VALUES (3, 30); COMMIT;",
            "SELECT id FROM test WHERE value % 3 = 0; INSERT INTO test VALUES (4, 42); COMMIT;",
        ),
        (((), 1), ((), 1)),
        None,
        SNAPSHOT,
    ),
    Case(
        "read-only anomaly",
        (
            "SELECT value FROM test WHERE id = 2; UPDATE test SET value = 11 WHERE id = 1; COMMIT;",
            "UPDATE test SET value = 21 WHERE id = 2; COMMIT;",
            "SELECT id, value FROM test; COMMIT;",
        ),
        ((((20,),), 1), None, (((1, 10), (2, 21)),)),
        None,
        SNAPSHOT,
    ),
)
