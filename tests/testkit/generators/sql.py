"""Random SQL scripts: two or three small transactions on one or two tables."""

from random import Random

TABLE = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL CHECK (v < 3));"
BAG = "CREATE TABLE u (k int, w int);"


def random_script(random: Random, level: str, transactions: int = 2) -> str:
    """`level` is that of all transactions."""
    lines = [
        TABLE,
        f"INSERT INTO t VALUES (0, {random.choice([0, 1, 1, 2])}), (1, {random.choice([0, 1, 1, 2])});",
    ]
    with_bag = random.random() < 0.25
    with_children = random.random() < 0.15
    if with_children:
        lines += ["CREATE TABLE c (k int PRIMARY KEY, p int REFERENCES t);"]
    if with_bag:
        lines += [BAG, f"INSERT INTO u VALUES (0, {random.randrange(2)});"]
    crosses = random.random() < (0.35 if level == "read committed" else 0.6)
    is_queue = not with_children and random.random() < 0.15
    for number in range(transactions):
        lines.append(f"-- transaction: t{number} once")
        size = random.choice([1, 2, 2, 2, 3])
        if is_queue:
            body = _worker(random)
        elif crosses and number < 2:
            body = _crossing(random, number)
        else:
            body = _transaction(random, size, level, with_bag, with_children)
        lines += _without_brackets(random, body) if level == "serializable" else body
    return "\n".join(lines) + "\n"


def _without_brackets(random: Random, body: list[str]) -> list[str]:
    """Half of the time without BEGIN and COMMIT: then each statement is a transaction, and PostgreSQL
    promises nothing about all of them together."""
    is_bracketed = body[0] == "BEGIN;" and body[-1] == "COMMIT;" and "SAVEPOINT s;" not in body
    return body[1:-1] if is_bracketed and random.random() < 0.5 else body


def _crossing(random: Random, key: int) -> list[str]:
    """Reads a row, and writes what the other transaction of the pair reads."""
    read = random.choice(
        [f"SELECT v FROM t WHERE id = {key}", "SELECT sum(v) AS s FROM t", "SELECT count(*) AS n FROM t"]
    )
    write = random.choice(
        [
            f"UPDATE t SET v = v + 1 WHERE id = {1 - key}",
            f"DELETE FROM t WHERE id = {1 - key}",
            f"INSERT INTO t VALUES ({2 + key}, 1)",
        ]
    )
    return ["BEGIN;", f"{read};", f"{write};", "COMMIT;"]


def _worker(random: Random) -> list[str]:
    """Takes a row that nobody else has taken, and does something with it; or disturbs those who do."""
    v, w = random.randrange(3), random.randrange(3)
    take = random.choice(
        [
            "SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
            f"SELECT id FROM t WHERE v = {v} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
            f"SELECT id FROM t WHERE v <> {v} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
            "SELECT id FROM t WHERE id = 0 FOR NO KEY UPDATE SKIP LOCKED",
            "SELECT v FROM t WHERE id = 1 FOR SHARE SKIP LOCKED",
            "SELECT id FROM t ORDER BY id DESC LIMIT 1 FOR UPDATE SKIP LOCKED",
        ]
    )
    look = random.choice(["SELECT sum(v) AS s FROM t;", f"SELECT count(*) AS n FROM t WHERE v = {w};"])
    body = random.choice(
        [
            [f"{take};"],
            [look, f"{take};"],
            [f"{take};", look],
            [f"{take.replace('SELECT v', 'SELECT id')} \\gset", f"UPDATE t SET v = {w} WHERE id = :id;"],
            [look, f"{take.replace('SELECT v', 'SELECT id')} \\gset", "DELETE FROM t WHERE id = :id;"],
            [f"UPDATE t SET v = {w} WHERE id = {random.randrange(2)};", look],
            [look, f"DELETE FROM t WHERE id = {random.randrange(2)};"],
            [f"SELECT v FROM t WHERE id = {random.randrange(2)} FOR SHARE;", look],
            [f"INSERT INTO t VALUES ({random.choice([0, 2])}, {v});", look],
        ]
    )
    return ["BEGIN;", *body, random.choice(["COMMIT;", "COMMIT;", "COMMIT;", "ROLLBACK;"])]


def _skew(random: Random) -> list[str]:
    """Reads much, and writes one row if it likes what it has read."""
    key, new, v = random.randrange(2), random.randrange(4), random.randrange(3)
    read = random.choice(
        [
            "SELECT sum(v) AS s FROM t",
            f"SELECT count(*) AS s FROM t WHERE v = {v}",
            f"SELECT v AS s FROM t WHERE id = {key}",
        ]
    )
    write = random.choice(
        [
            f"UPDATE t SET v = {v} WHERE id = {1 - key}",
            f"UPDATE t SET v = 2 - v WHERE id = {1 - key}",
            f"DELETE FROM t WHERE id = {1 - key}",
            f"INSERT INTO t VALUES ({new}, {v})",
            f"UPDATE t SET v = :s % 3 WHERE id = {random.randrange(2)}",
        ]
    )
    test = random.choice([":s > 0", ":s < 2", ":s > 1", ":s = 1", ":s < 3"])
    branch = [f"{write};"] if ":s %" in write else [f"\\if {test}", f"{write};", "\\endif"]
    return ["BEGIN;", f"{read} \\gset", *branch, "COMMIT;"]


def _transaction(random: Random, size: int, level: str, with_bag: bool, with_children: bool) -> list[str]:
    if random.random() < (0.85 if level != "read committed" else 0.5):
        return _skew(random)
    if size == 1 and random.random() < 0.4:
        return [_statement(random, level, with_bag, with_children) + ";"]
    body = [_statement(random, level, with_bag, with_children) + ";" for _ in range(size)]
    if random.random() < 0.3:
        key, limit = random.randrange(2), random.randrange(2)
        body = [
            f"SELECT v FROM t WHERE id = {key} \\gset",
            f"\\if :v > {limit}",
            *body[:1],
            *(["\\else", *body[1:]] if random.random() < 0.5 else []),
            "\\endif",
        ]
    if random.random() < 0.15:
        body = ["SAVEPOINT s;", *body[:1], "ROLLBACK TO s;", *body[1:]]
    end = "ROLLBACK;" if random.random() < 0.1 else "COMMIT;"
    return ["BEGIN;", *body, end]


def _statement(random: Random, level: str, with_bag: bool, with_children: bool) -> str:
    key, new = random.randrange(2), random.choice([0, 2, 2, 3])
    v, w = random.randrange(3), random.randrange(3)
    kinds = [
        f"SELECT v FROM t WHERE id = {key}",
        f"SELECT count(*) AS n FROM t WHERE v = {v}",
        "SELECT sum(v) AS s FROM t",
        f"SELECT v FROM t WHERE id = {key} FOR UPDATE",
        f"SELECT id, v FROM t WHERE v = {v} ORDER BY id FOR UPDATE",
        f"SELECT v FROM t WHERE id = {key} FOR SHARE",
        f"UPDATE t SET v = {v} WHERE id = {key}",
        f"UPDATE t SET v = 2 - v WHERE id = {key}",
        f"UPDATE t SET v = v + 1 WHERE id = {key}",
        f"UPDATE t SET v = {v} WHERE v = {w}",
        f"UPDATE t SET v = 2 - v WHERE v = {w} RETURNING id, v",
        f"UPDATE t SET v = (SELECT count(*) FROM t WHERE v = {w}) WHERE id = {key}",
        f"DELETE FROM t WHERE id = {key}",
        f"DELETE FROM t WHERE v = {v}",
        f"INSERT INTO t VALUES ({new}, {v})",
        f"INSERT INTO t VALUES ({new}, {v}) ON CONFLICT DO NOTHING",
        f"INSERT INTO t SELECT id + 2, {w} FROM t WHERE v = {v}",
        f"INSERT INTO t VALUES ({new}, {v}) ON CONFLICT (id) DO UPDATE SET v = excluded.v WHERE t.v <> {w}",
    ]
    if level == "read committed":
        kinds += [
            f"SELECT id FROM t WHERE v = {v} ORDER BY id FOR UPDATE SKIP LOCKED",
            "SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED",
        ]
    if with_bag:
        kinds += [
            f"INSERT INTO u VALUES ({key}, {v})",
            f"UPDATE u SET w = {v} WHERE k = {key}",
            "SELECT k, w FROM u",
            f"DELETE FROM u WHERE w = {v}",
            "SELECT t.v, u.w FROM t JOIN u ON u.k = t.id",
        ]
    if with_children:
        kinds += [
            f"INSERT INTO c VALUES ({new}, {random.choice([key, 2])})",
            f"INSERT INTO c VALUES (1, {key})",
            "SELECT k, p FROM c",
            f"DELETE FROM c WHERE p = {key}",
            f"DELETE FROM t WHERE id = {key}",
        ] * 2
    if random.random() < 0.12:
        kinds = [
            f"UPDATE t SET id = {new} WHERE id = {key}",
            f"UPDATE t SET id = {3 - new} WHERE id = {key} AND v = {v}",
            f"UPDATE t SET id = id WHERE id = {key}",
            *([f"UPDATE c SET p = {key} WHERE k = 1"] if with_children else []),
        ]
    return random.choice(kinds)
