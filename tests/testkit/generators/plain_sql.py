"""Random SQL files that SQLite and MariaDB both read, but for how they insert or update."""

from random import Random

TABLES = (
    "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, w int UNIQUE);\n"
    "CREATE TABLE u (id int PRIMARY KEY, t int REFERENCES t (id), n int NOT NULL CHECK (n >= 0));\n"
    "INSERT INTO t VALUES (1, 0, 1), (2, 1, NULL);\nINSERT INTO u VALUES (1, 1, 1);\n"
)


def plain_file(random: Random, is_mariadb: bool) -> str:
    """Two or three requests, each one transaction of up to three statements."""
    parts = [TABLES]
    for number in range(random.choice([2, 2, 3])):
        body = [_statement(random, is_mariadb) for _ in range(random.choice([1, 2, 2, 3]))]
        if len(body) > 1 or random.random() < 0.5:
            body = ["BEGIN;", *body, "ROLLBACK;" if random.random() < 0.1 else "COMMIT;"]
        parts += [f"-- transaction: t{number}\n", "\n".join(body), "\n"]
    return "".join(parts)


def _statement(random: Random, is_mariadb: bool) -> str:
    key, other, value = (random.choice([1, 2, 3]) for _ in range(3))
    where = random.choice(
        [
            f"id = {key}",
            f"id = {key}",
            f"v = {value - 1}",
            f"id >= {key}",
            "w IS NULL",
            f"w = {value}",
            "v > 0",
        ]
    )
    of_u = random.choice([f"id = {key}", f"t = {key}", "n > 0", f"n < {value}"])
    inserts = f"INSERT INTO t VALUES ({key}, {value}, {random.choice(['NULL', str(other)])})"
    upsert = (
        "ON DUPLICATE KEY UPDATE v = v + 1" if is_mariadb else "ON CONFLICT (id) DO UPDATE SET v = t.v + 1"
    )
    locks = random.choice(["", " FOR UPDATE"]) if is_mariadb else ""
    return random.choice(
        [
            f"SELECT v, w FROM t WHERE {where}{locks};",
            f"SELECT count(*) AS c, sum(v) AS s FROM t WHERE {where};",
            f"SELECT t.id, u.n FROM t LEFT JOIN u ON u.t = t.id WHERE {where.replace('id', 't.id')};",
            f"SELECT n FROM u WHERE {of_u};",
            f"UPDATE t SET v = v + 1 WHERE {where};",
            f"UPDATE t SET w = {other} WHERE id = {key};",
            f"UPDATE t SET v = (SELECT count(*) FROM u) WHERE {where};",
            f"UPDATE u SET n = n - 1 WHERE {of_u};",
            f"DELETE FROM t WHERE {where};",
            f"DELETE FROM u WHERE {of_u};",
            f"{inserts};",
            f"{inserts} {upsert};",
            f"INSERT INTO u VALUES ({key}, {other}, (SELECT count(*) FROM t));",
            f"INSERT INTO u SELECT id + 1, id, v FROM t WHERE {where};",
        ]
    )
