"""Gates: others may move inside functions, and bodies do what they do without them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.budget import Deadline
from seriatim.cli.main import main
from seriatim.frontends.sql.engines import place_named
from seriatim.frontends.sql.exploring import explore
from seriatim.frontends.sql.live.gates import Gate, closed_bodies, with_gates, without_gates
from seriatim.frontends.sql.live.runs import run_serially
from seriatim.frontends.sql.live.server import NoServer, shared_server
from seriatim.frontends.sql.live.text import Text, read_text

ROWS = "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);\nINSERT INTO t VALUES (1, 0);\n"
WRITE = "-- transaction: write once\nUPDATE t SET n = 1 - n WHERE id = 1;\n"


def function(body: str, language: str = "plpgsql", name: str = "f() RETURNS text") -> str:
    return f"CREATE FUNCTION {name} LANGUAGE {language} AS $$ {body} $$;\n"


TWICE = function(
    "DECLARE a int; b int; BEGIN SELECT n INTO a FROM t; SELECT n INTO b FROM t; RETURN a || '/' || b; END"
)
LOOK = "-- transaction: look once\nSELECT f() AS seen;\n"


@pytest.fixture(scope="module")
def _server() -> Iterator[None]:
    try:
        shared_server()
        yield
    except NoServer as missing:
        pytest.skip(f"{missing.reason}: {missing.hint}")


@pytest.mark.parametrize(
    ("body", "gated"),
    [
        ("BEGIN UPDATE t SET n = 1; RETURN 1; END", "BEGIN | UPDATE t SET n = 1; RETURN 1; END"),
        ("DECLARE a int := (SELECT 1); b int := (SELECT 2); BEGIN NULL; END", None),
        ("BEGIN a := 1; a := (SELECT n FROM t); END", "BEGIN a := 1; | a := (SELECT n FROM t); END"),
        (
            "BEGIN IF a THEN DELETE FROM t; ELSE PERFORM g(); END IF; END",
            "BEGIN IF a THEN | DELETE FROM t; ELSE | PERFORM g(); END IF; END",
        ),
        (
            "BEGIN SELECT CASE WHEN a THEN b ELSE c END INTO d FROM t; END",
            "BEGIN | SELECT CASE WHEN a THEN b ELSE c END INTO d FROM t; END",
        ),
        (
            "BEGIN MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE WHEN NOT MATCHED "
            "THEN INSERT VALUES (1);"
            " END",
            "BEGIN | MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE WHEN NOT MATCHED "
            "THEN INSERT VALUES "
            "(1); END",
        ),
        (
            "BEGIN <<l>> FOR r IN SELECT * FROM t LOOP EXIT l; END LOOP; FOR r IN SELECT * FROM t LOOP "
            "INSERT INTO u VALUES (1); END LOOP; END",
            "BEGIN <<l>> FOR r IN SELECT * FROM t LOOP EXIT l; END LOOP; | FOR r IN SELECT * FROM t LOOP "
            "| INSERT INTO u VALUES (1); END LOOP; END",
        ),
        (
            "BEGIN BEGIN INSERT INTO t VALUES (1); EXCEPTION WHEN unique_violation THEN "
            "UPDATE t SET n = 2; END;"
            " END",
            "BEGIN BEGIN | INSERT INTO t VALUES (1); EXCEPTION WHEN unique_violation THEN | "
            "UPDATE t SET n = 2; "
            "END; END",
        ),
        ("BEGIN -- SELECT 1; SELECT 2;\n RETURN 'a; SELECT 1'; END", None),
    ],
)
def test_gates_stand_before_statements_that_look_at_tables(body: str, gated: str | None) -> None:
    text, gates = with_gates(read_text(ROWS + function(body)))
    written = text.setup[2].text
    for number in range(len(gates)):
        written = written.replace(f"ASSERT ser_gate.pass({number}); ", "| ")
    assert written == function(gated or body).strip().removesuffix(";")
    assert without_gates(text.setup[2].text) == function(body).strip().removesuffix(";")


def test_gates_know_their_lines() -> None:
    body = "\nDECLARE a int;\nBEGIN\n  SELECT n INTO a FROM t;\n  UPDATE t SET n = a;\nEND"
    assert [each.line for each in with_gates(read_text(ROWS + function(body)))[1]] == [6, 7]


@pytest.mark.parametrize(
    ("script", "closed"),
    [
        (function("SELECT 1; SELECT 2", "sql STABLE"), []),
        (function("SELECT n FROM t", "sql"), []),
        (function("BEGIN RETURN 1; END"), []),
        (function("plpy.execute('SELECT 1')", "plpython3u"), ["f"]),
        ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END;\n", ["f"]),
        (function("SET LOCAL lock_timeout = 1; SELECT 1", "sql"), ["f"]),
    ],
)
def test_bodies_without_gates_are_named_if_that_matters(script: str, closed: list[str]) -> None:
    text = read_text(script)
    gated, gates = with_gates(text)
    assert (gates, gated) == ((), text)
    assert list(closed_bodies(text, gates)) == closed


def check(tmp_path: Path, script: str, *options: str) -> Result:
    path = tmp_path / "x.sql"
    path.write_text(script)
    return CliRunner().invoke(main, ["check", str(path), *options])


DO = "-- transaction: a\nDO $$ DECLARE x int; BEGIN SELECT n INTO x FROM t; UPDATE t SET n = 1 - x; END $$;\n"
PROCEDURE = (
    "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT n INTO x FROM t; COMMIT; "
    "UPDATE t SET n = 1 - x; END $$;\n-- transaction: a\nCALL p();\n"
)
TRIGGER = (
    "CREATE TABLE total (n bigint);\nINSERT INTO total VALUES (0);\n"
    + function(
        "DECLARE x bigint; BEGIN SELECT count(*) INTO x FROM t; UPDATE total SET n = x; RETURN NULL; END",
        name="f() RETURNS trigger",
    )
    + "CREATE TRIGGER f AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();\n"
    "-- transaction: put(i in 2..3)\nINSERT INTO t VALUES (:i, 0);\n"
)


@pytest.mark.usefixtures("_server")
@pytest.mark.parametrize("script", [TWICE + LOOK + WRITE, DO, PROCEDURE, TRIGGER])
def test_violations_inside_bodies_are_seen(tmp_path: Path, script: str) -> None:
    found = check(tmp_path, ROWS + script)
    assert found.exit_code == 1, found.output
    assert "pauses inside" in found.output or script == TRIGGER
    assert "ser_gate" not in found.output


@pytest.mark.usefixtures("_server")
def test_a_snapshot_hides_what_others_do_inside(tmp_path: Path) -> None:
    found = check(tmp_path, ROWS + TWICE + LOOK + WRITE, "--isolation", "repeatable-read")
    assert found.exit_code == 3
    words = " ".join(found.output.split())
    assert "pairs, also inside f, (" in words
    assert "were not tried" not in words


@pytest.mark.usefixtures("_server")
def test_a_violation_inside_is_repeated_from_its_certificate(tmp_path: Path) -> None:
    certificate = tmp_path / "c.json"
    assert check(tmp_path, ROWS + TWICE + LOOK + WRITE, "--certificate", str(certificate)).exit_code == 1
    again = CliRunner().invoke(main, ["verify", str(certificate), str(tmp_path / "x.sql")])
    assert again.exit_code == 0, again.output


BODIES = [
    "DECLARE k int; BEGIN UPDATE t SET n = 5 WHERE id = 9; IF NOT FOUND THEN INSERT "
    "INTO t VALUES (9, 1); END IF;"
    " GET DIAGNOSTICS k = ROW_COUNT; RETURN k || found::text; END",
    "DECLARE k int; BEGIN DELETE FROM t WHERE id = 9; k := (SELECT count(*) FROM t); "
    "RETURN found::text || k; END",
    "DECLARE k int; BEGIN UPDATE t SET n = n + 1; IF (SELECT count(*) FROM t) > 0 THEN GET DIAGNOSTICS k = "
    "ROW_COUNT; END IF; RETURN found::text; END",
    "DECLARE r record; s text := ''; BEGIN FOR r IN SELECT id FROM t ORDER BY id "
    "LOOP UPDATE t SET n = r.id WHERE "
    "id = r.id; s := s || found; END LOOP; RETURN s; END",
    "BEGIN INSERT INTO t VALUES (1, 1); RETURN 'in'; EXCEPTION WHEN unique_violation "
    "THEN UPDATE t SET n = 7; "
    "RETURN 'out' || found; END",
    "BEGIN EXECUTE 'UPDATE t SET n = 3'; RETURN found::text; END",
]


@pytest.mark.usefixtures("_server")
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("level", ["read-committed", "serializable"])
def test_a_body_alone_does_the_same_with_gates(body: str, level: str) -> None:
    text = read_text(ROWS + function(body) + LOOK)
    with place_named("", text, level) as place:
        plain = run_serially(place, text.calls * 2, (0, 1))
        place.use_gates(True)
        assert place.gates
        assert run_serially(place, place.text.calls * 2, (0, 1)) == plain
        place.use_gates(False)
        assert run_serially(place, place.text.calls * 2, (0, 1)) == plain


@pytest.mark.usefixtures("_server")
def test_functions_that_the_server_refuses_with_gates_run_without(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_bodies(text: Text) -> tuple[Text, tuple[Gate, ...]]:
        gated, gates = with_gates(text)
        broken = tuple(replace(each, text=each.text.replace("ASSERT", "NONSENSE")) for each in gated.setup)
        return Text(broken, gated.calls), gates

    monkeypatch.setattr("seriatim.frontends.sql.live.postgres.with_gates", break_bodies)
    with place_named("", read_text(ROWS + TWICE + LOOK + WRITE), "read-committed") as place:
        found = explore(place, Deadline(60))
        assert not place.gates
    assert found.violation is None
    assert "switches inside f were not tried" in found.notes
