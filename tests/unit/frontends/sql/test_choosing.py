"""Values that a file leaves open: chosen, said, widened; and what never follows from them."""

import json
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.deciding.logs import translate_alone
from seriatim.frontends.sql.assuming import values_text
from seriatim.frontends.sql.choosing import MOST_REQUESTS, complete
from seriatim.frontends.sql.frontend import translate
from seriatim.frontends.sql.live.text import read_text
from seriatim.frontends.sql.script import read_script
from seriatim.source import InputError, SourceText

SCHEMA = (
    "CREATE TYPE mood AS ENUM ('sad', 'ok');\n"
    "CREATE TABLE account (id int PRIMARY KEY, owner text NOT NULL, balance int NOT NULL"
    " CHECK (balance >= 0), open boolean, made timestamp, m mood, CHECK (id > 0));\n"
    "INSERT INTO account VALUES (7, 'ann', 3, true, '2024-05-01', 'ok'),"
    " (8, 'it''s', 2, true, NULL, 'sad');\n"
)


def headers(body: str) -> list[str]:
    found, _ = complete(SourceText("x.sql", SCHEMA + body))
    return [line for line in found.text.split("\n") if line.startswith("-- transaction")]


@pytest.mark.parametrize(
    ("body", "header"),
    [
        ("-- transaction: a\nSELECT 1 FROM account WHERE id = :id;\n", "a(id in {7, 8})"),
        ("-- transaction: a(id) once\nDELETE FROM account WHERE id = :id;\n", "a(id in {7, 8}) once"),
        ("-- transaction: a\nSELECT 1 FROM account WHERE :id = id;\n", "a(id in {7, 8})"),
        ("-- transaction: a\nSELECT 1 FROM account WHERE id IN (1, :id);\n", "a(id in {7, 8})"),
        ("-- transaction: a\nSELECT 1 FROM account WHERE owner = :'who';\n", "a(who in {'ann', 'a'})"),
        ("-- transaction: a\nUPDATE account SET open = :o WHERE id = 7;\n", "a(o in {true, false})"),
        ("-- transaction: a\nUPDATE account SET m = :m;\n", "a(m in {'ok', 'sad'})"),
        ("-- transaction: a\nUPDATE account SET balance = balance - :n;\n", "a(n in {1})"),
        ("-- transaction: a\nSELECT 1 FROM account ORDER BY id LIMIT :n;\n", "a(n in {1})"),
        (
            "-- transaction: a\nINSERT INTO account (id, owner, balance) VALUES (:id, :'w', 0);\n",
            "a(id in {1, 2}, w in {'a', 'b'})",
        ),
        ("-- transaction: a(n in 1..3)\nSELECT :n, :other;\n", "a(n in 1..3, other in {1, 2})"),
    ],
)
def test_open_variables_get_values_of_their_columns(body: str, header: str) -> None:
    assert headers(body) == [f"-- transaction: {header}"]


@pytest.mark.parametrize(
    "body",
    [
        "-- transaction: a\nSELECT id, owner AS w FROM account WHERE id = 7 \\gset\nSELECT :id, :'w';\n",
        "-- transaction: a\nSELECT * FROM account WHERE id = 7 \\gset p_\nSELECT :p_balance;\n",
        "-- transaction: a\nSELECT count(*) FROM account \\gset\nSELECT :count;\n",
        "-- transaction: a\nUPDATE account SET m = 'ok' RETURNING balance + 1 AS b \\gset\nSELECT :b;\n",
        "-- transaction: a\n\\set x 3\nSELECT :x, ':y', '10:20'::text, \"a:b\" /* :z */; -- :u\n",
        "-- transaction: a(x in 1..2)\nSELECT :x;\n",
        "-- transaction: a\nSELECT $$ :q $$;\n",
    ],
)
def test_what_has_a_value_keeps_it(body: str) -> None:
    source = SourceText("x.sql", SCHEMA + body)
    assert complete(source) == (source, ())


def test_there_are_never_many_requests_and_both_readers_agree() -> None:
    random = Random(5)
    columns = ["id", "owner", "balance", "open", "m"]
    for _ in range(60):
        uses = [
            random.choice([f"{random.choice(columns)} = :v{n}", f"balance + :v{n} > 0"])
            for n in range(random.randrange(1, 7))
        ]
        text = SCHEMA + f"-- transaction: a\nSELECT 1 FROM account WHERE {' AND '.join(uses)};\n"
        found, chosen = complete(SourceText("x.sql", text))
        calls = read_text(found.text).calls
        assert 0 < len(calls) <= MOST_REQUESTS
        assert [name for name, _ in calls[0].arguments] == [name for name, _ in chosen[0].values]
        assert found.text.count("\n") == text.count("\n")
        (transaction,) = read_script(found).transactions
        assert [each.name for each in transaction.parameters] == [name for name, _ in chosen[0].values]


def check(text: str, folder: Path, *options: str) -> Result:
    path = folder / "x.sql"
    path.write_text(text, "utf-8")
    return CliRunner().invoke(main, ["check", str(path), *options])


SPEND = (
    "CREATE TABLE wallet (id int PRIMARY KEY, coins int NOT NULL CHECK (coins >= 0));\n"
    "INSERT INTO wallet VALUES (5, 2);\n-- transaction: spend\nBEGIN;\n"
    "SELECT coins FROM wallet WHERE id = :id \\gset\n\\if :coins >= :n\n"
    "UPDATE wallet SET coins = :coins - :n WHERE id = :id;\n\\endif\nCOMMIT;\n"
)


def test_a_variable_without_values_simply_works(tmp_path: Path) -> None:
    saved = tmp_path / "x.json"
    done = check(SPEND, tmp_path, "--certificate", str(saved))
    assert done.exit_code == 1
    told = " ".join(done.stdout.split())
    assert "in spend, :id is 5 or 1, :n is 1: chosen, because the file names no values" in told
    assert CliRunner().invoke(main, ["verify", str(saved), str(tmp_path / "x.sql")]).exit_code == 0
    assert check(SPEND, tmp_path, "--isolation", "repeatable-read").exit_code == 0


def test_it_works_on_every_database(tmp_path: Path) -> None:
    done = check(SPEND, tmp_path, "--engine", "sqlite", "--json")
    assert done.exit_code == 0, "by SQLite's promise"
    assert "chosen, because" in done.stdout


COUNTER = (
    "CREATE TABLE c (n int NOT NULL);\nINSERT INTO c VALUES (0);\n-- transaction: add\nBEGIN;\n"
    "SELECT n FROM c \\gset\nUPDATE c SET n = :n + 1;\nCOMMIT;\n"
)


def test_scopes_are_chosen_and_widened(tmp_path: Path) -> None:
    assert check(COUNTER, tmp_path).exit_code == 1
    done = check(COUNTER, tmp_path, "--isolation", "repeatable-read")
    assert done.exit_code == 3
    assert "while it holds 0..7, no violation was found" in " ".join(done.stdout.split())
    closed = COUNTER.replace("NOT NULL", "NOT NULL CHECK (n <= 60)")
    assert check(closed, tmp_path, "--isolation", "repeatable-read").exit_code == 3


def test_rows_get_a_scope_too(tmp_path: Path) -> None:
    text = (
        "CREATE TABLE log (n int NOT NULL);\n-- transaction: note\nBEGIN;\n"
        "SELECT count(*) AS n FROM log \\gset\nINSERT INTO log VALUES (:n);\nCOMMIT;\n"
    )
    done = check(text, tmp_path)
    assert done.exit_code == 1
    assert "chosen, because the file names no scope" in " ".join(done.stdout.split())


def test_a_chosen_scope_knows_the_numbers_that_statements_test(tmp_path: Path) -> None:
    """Without them, the branch behind `n > 1000` would never run."""
    text = COUNTER.replace("COMMIT;", "SELECT count(*) FROM c WHERE n > 1000;\nCOMMIT;")
    done = check(text, tmp_path, "--isolation", "repeatable-read")
    assert "… (11 values)" in done.stdout


def test_a_proof_inside_a_chosen_scope_is_none_about_the_file(tmp_path: Path) -> None:
    """A certificate of a proof cannot be made, and one that is forged is refused."""
    path = tmp_path / "x.sql"
    closed = COUNTER.replace("NOT NULL", "NOT NULL CHECK (n <= 2)")
    saved = tmp_path / "x.json"
    done = check(closed, tmp_path, "--isolation", "repeatable-read", "--certificate", str(saved))
    assert done.exit_code == 0
    path.write_text(COUNTER, "utf-8")
    refused = CliRunner().invoke(main, ["verify", str(saved), str(path)])
    assert refused.exit_code == 2
    assert "no violation was found" in refused.output
    found = json.loads(saved.read_text("utf-8"))
    assert found["verdict"] == "serializable"


def test_logs_are_not_compared_with_a_scoped_model() -> None:
    source = SourceText("x.sql", COUNTER)
    assert translate(source, {"isolation": "repeatable-read"}).escape is not None
    with pytest.raises(InputError, match="more and more values"):
        translate_alone(source, None)


def test_assumptions_are_short() -> None:
    assert values_text(tuple(range(100))) == "0..99"
    assert values_text((1, 2)) == "1, 2"
    assert values_text(tuple(f"k{n}" for n in range(100))).endswith("k7, … (100 values)")
