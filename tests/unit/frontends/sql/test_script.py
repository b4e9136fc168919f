"""Scripts are read whole; what is not understood is refused by name, with its line."""

import pytest

from seriatim.frontends.sql.language import Do, If, Script, SelectLocking, SetVariable, Strength, Wait
from seriatim.frontends.sql.pieces import Kind, split
from seriatim.frontends.sql.script import read_script
from seriatim.source import InputError, SourceText

SCHEMA = "CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, s text);\nINSERT INTO t VALUES (1, 0, 'a');\n"
HEADER = "-- transaction: go(a in 0..1)\n"


def script(text: str) -> Script:
    return read_script(SourceText("x.sql", text))


def refusals(text: str) -> list[tuple[str, int | None, str]]:
    with pytest.raises(InputError) as caught:
        read_script(SourceText("x.sql", text))
    return [
        (each.code, None if each.span is None else each.span.line, each.message)
        for each in caught.value.diagnostics
    ]


def test_a_transaction_has_parameters_conditions_and_variables() -> None:
    script = read_script(
        SourceText(
            "x.sql",
            SCHEMA
            + "-- transaction: move(a in 0..1, k in {'x', 'y'}) once\n"
            + "BEGIN; SELECT v FROM t WHERE id = :a FOR NO KEY UPDATE SKIP LOCKED \\gset old_\n"
            + "\\set twice :old_v * 2\n\\if :twice > 0\nDELETE FROM t;\n"
            + "\\else\nUPDATE t SET v = 1; -- ;\n\\endif\nCOMMIT;\n",
        )
    )
    (only,) = script.transactions
    assert [parameter.values for parameter in only.parameters] == [(0, 1), ("x", "y")]
    assert only.once
    _, select, assign, branch, _ = only.items
    assert isinstance(select, Do)
    assert select.gset == "old_"
    assert isinstance(select.statement, SelectLocking)
    assert (select.statement.strength, select.statement.wait) == (Strength.NO_KEY_UPDATE, Wait.SKIP)
    assert isinstance(assign, SetVariable)
    assert isinstance(branch, If)
    assert (len(branch.then), len(branch.otherwise)) == (1, 1)
    assert select.span.line == 4


def test_strings_comments_and_dollar_quotes_end_no_statement() -> None:
    pieces = split("SELECT /* ; */ 'a;''b' -- ;\n, $$x;y$$;\n-- one\n\\if 1\nSELECT 2 \\gset p_\n", "x.sql")
    assert [(piece.kind, piece.span.line, piece.gset) for piece in pieces] == [
        (Kind.STATEMENT, 1, None),
        (Kind.COMMENT, 3, None),
        (Kind.COMMAND, 4, None),
        (Kind.STATEMENT, 5, "p_"),
    ]


@pytest.mark.parametrize(
    ("statement", "code", "word"),
    [
        ("SELEC 1;", "SER951", "SQL"),
        ("SELECT (1;", "SER951", "SQL"),
        ("WITH w AS (DELETE FROM t RETURNING id) SELECT * FROM w;", "SER952", "WITH"),
        ("SELECT id, rank() OVER (ORDER BY v) FROM t;", "SER952", "OVER"),
        ("SELECT id FROM t UNION SELECT v FROM t;", "SER952", "UNION"),
        ("SELECT DISTINCT ON (v) id FROM t;", "SER952", "DISTINCT"),
        ("SELECT avg(v) FROM t;", "SER952", "AVG"),
        ("SELECT random() AS r FROM t;", "SER952", "RANDOM"),
        ("SELECT v FROM t FOR UPDATE OF t NOWAIT SKIP LOCKED;", "SER951", "SQL"),
        ("SELECT t.v FROM t JOIN t AS u USING (id);", "SER952", "USING"),
        ("SELECT t.v FROM t, t AS u FOR UPDATE;", "SER952", "several tables"),
        ("SELECT v FROM t RIGHT JOIN t AS u ON true;", "SER952", "RIGHT"),
        ("UPDATE t SET v = u.v FROM t AS u;", "SER952", "FROM"),
        ("DELETE FROM t USING t AS u;", "SER952", "USING"),
        ("INSERT INTO t SELECT * FROM generate_series(1, 99999);", "SER952", "generate_series"),
        ("BEGIN READ ONLY; DELETE FROM t; COMMIT;", "SER952", "READ ONLY"),
        ("CREATE TABLE u (a int);", "SER952", "CREATE"),
        ("TRUNCATE t;", "SER952", "TRUNCATE"),
        ("SET x = 1;", "SER952", "SET"),
        ("BEGIN CHAINED;", "SER952", "CHAINED"),
        ("COMMIT AND CHAIN;", "SER952", "AND"),
        ("SELECT v FROM u;", "SER953", "unknown table"),
        ("SELECT w FROM t;", "SER953", "unknown column"),
        ("SELECT v FROM t, t AS u;", "SER953", "ambiguous"),
        ("SELECT 1.5 AS x FROM t;", "SER952", "fraction"),
        ("SELECT v FROM t WHERE s = '1'::int;", "SER952", "cast"),
        ("\\shell ls", "SER952", "shell"),
        ("\\set b random(1, 9)", "SER952", "random"),
        ("SELECT now() AS n FROM t;", "SER952", "CURRENT_TIMESTAMP"),
        ("\\else", "SER951", "without"),
        ("\\if 1 = 1", "SER951", "without"),
        ("LOCK TABLE u;", "SER953", "unknown table"),
        ("LOCK TABLE t IN SOME MODE;", "SER951", "lock mode"),
        ("INSERT INTO t VALUES (1, 2, 'a') ON CONFLICT (v) DO NOTHING;", "SER953", "no key"),
    ],
)
def test_what_is_not_understood_is_refused(statement: str, code: str, word: str) -> None:
    ((found, line, message),) = refusals(SCHEMA + HEADER + statement + "\n")
    assert found == code
    assert word.lower() in message.lower()
    assert line == 4


def test_a_transaction_without_a_name_is_told_how_to_get_one() -> None:
    found = refusals(SCHEMA + "BEGIN;\nSELECT v FROM t;\nCOMMIT;\n")
    assert found == [("SER954", 3, "a transaction begins here without a name")]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    text = SCHEMA + HEADER + "SELECT w FROM t;\nSELECT v FROM u;\nTRUNCATE t;\n"
    assert [line for _, line, _ in refusals(text)] == [4, 5, 6]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "SER954"),
        (SCHEMA + "-- transaction: go(a)\nSELECT v FROM t;\n", "SER954"),
        (SCHEMA + "-- transaction: go(a in 3..1)\nSELECT v FROM t;\n", "SER954"),
        (SCHEMA + HEADER + HEADER, "SER954"),
        (SCHEMA + "-- ser: t.v between 1 and 2\n" + HEADER, "SER954"),
        (SCHEMA + "-- ser: t.w in 0..1\n" + HEADER, "SER954"),
        (SCHEMA + "-- ser: t.v in 1..2\n" + HEADER, "SER959"),
        (SCHEMA + "-- ser: t has at most 0 rows\n" + HEADER, "SER959"),
        ("CREATE TABLE t (id int PRIMARY KEY, x float);\n" + HEADER, "SER952"),
        ("CREATE TABLE t (id int, x int REFERENCES u(id));\n" + HEADER, "SER953"),
        (SCHEMA + "CREATE TABLE u (x int REFERENCES t ON DELETE CASCADE);\n" + HEADER, "SER952"),
        (SCHEMA + "CREATE TABLE u (x int REFERENCES t(v));\n" + HEADER, "SER959"),
        ("CREATE TABLE t (id int DEFAULT random());\n" + HEADER, "SER952"),
        (SCHEMA + "INSERT INTO t VALUES (1, 1, 'b');\n" + HEADER, "SER959"),
        (SCHEMA + "INSERT INTO t (id) VALUES (2);\n" + HEADER, "SER959"),
        (SCHEMA + "CREATE VIEW w AS SELECT 1;\n" + HEADER, "SER952"),
    ],
)
def test_bad_schemas_and_headers_are_refused(text: str, code: str) -> None:
    assert [found for found, _, _ in refusals(text)] == [code]


def test_a_transaction_without_a_comment_is_told_so_once() -> None:
    text = SCHEMA + "\\echo 'now'\nBEGIN;\nUPDATE t SET v = 1;\nSELECT w FROM t;\nCOMMIT;\nBEGIN;\nCOMMIT;\n"
    found = refusals(text)
    assert [code for code, _, _ in found] == ["SER954", "SER953", "SER954"]
    assert [line for _, line, _ in found] == [4, 6, 8]
    ((code, _, message),) = refusals(SCHEMA + "\\set a 1\nBEGIN;\nUPDATE t SET v = :a;\nEND;\n")
    assert (code, message) == ("SER954", "a transaction begins here without a name")


def test_tables_are_made_once() -> None:
    again = "CREATE TABLE IF NOT EXISTS t (other int);\n"
    script = read_script(SourceText("x.sql", SCHEMA + again + HEADER + "SELECT v FROM t;\n"))
    assert script.table("t").columns == ("id", "v", "s")


def test_a_statement_is_named_as_it_is_written() -> None:
    for text, name in (
        (
            "CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';",
            "CREATE FUNCTION before the transactions",
        ),
        ("TRUNCATE TABLE t;", "TRUNCATE before the transactions"),
        ("SELECT 1;", "`SELECT` among the tables and their rows"),
    ):
        ((_, _, message),) = refusals(SCHEMA + text + "\n" + HEADER + "SELECT v FROM t;\n")
        assert message == f"{name} is not supported"


def test_scopes_come_from_types() -> None:
    text = (
        "CREATE TYPE mood AS ENUM ('ok', 'bad');\nCREATE TABLE t (b boolean, m mood);\n"
        + HEADER
        + "SELECT b FROM t;\n"
    )
    (table,) = read_script(SourceText("x.sql", text)).tables
    assert [each.values for each in table.fields] == [(False, True), ("ok", "bad")]


def test_what_is_drawn_for_each_client_is_a_parameter() -> None:
    """As a choice, it could be another one when clients come one at a time, and hide a violation."""
    body = "\\set a random(1, 2)\nSELECT v FROM t WHERE id = :a;\n"
    [found] = script(SCHEMA + "-- transaction: look\n" + body).transactions
    assert [(each.name, each.values) for each in found.parameters] == [("a", (1, 2))]


def test_the_header_names_the_values_to_look_at_of_what_is_drawn() -> None:
    body = "\\set a random(1, 100000 * :scale)\nSELECT v FROM t WHERE id = :a;\n"
    [found] = script(SCHEMA + "-- transaction: look(a in 1..3)\n" + body).transactions
    assert [(each.name, each.values) for each in found.parameters] == [("a", (1, 2, 3))]


@pytest.mark.parametrize(
    ("statement", "remedy"),
    [
        ("UPDATE t SET v = 1 WHERE id IN (SELECT id FROM t FOR UPDATE SKIP LOCKED);", "lock first: SELECT"),
        ("UPDATE t SET v = u.v FROM t AS u;", "read the values first, SELECT … \\gset"),
        ("DELETE FROM t USING t AS u;", "read the values first, SELECT … \\gset"),
        ("DO $$ BEGIN END $$;", "\\gset for values and \\if"),
        ("\\set b random(1, 100000)", "go(b in 1..2); this line may stay"),
        ("\\if :{?a}\n\\endif", "count(*)"),
    ],
)
def test_a_refusal_says_what_to_write_instead(statement: str, remedy: str) -> None:
    with pytest.raises(InputError) as caught:
        script(SCHEMA + HEADER + statement + "\n")
    [found] = caught.value.diagnostics
    assert remedy in (found.hint or "")


def test_commands_that_choose_a_database_belong_to_no_transaction() -> None:
    text = "\\c postgres\nDROP DATABASE IF EXISTS d;\nCREATE DATABASE d;\n\\c d\n"
    assert len(script(text + SCHEMA + HEADER + "SELECT v FROM t;\n").transactions) == 1


def test_nothing_that_could_touch_existing_tables_goes_to_a_live_server() -> None:
    text = (
        "DROP DATABASE IF EXISTS prod;\nDROP TABLE IF EXISTS t CASCADE;\nVACUUM;\nSET enable_seqscan = off;\n"
    )
    found = script(text + SCHEMA + HEADER + "SELECT v FROM t;\n").schema_text
    assert [each.split()[0] for each in found] == ["CREATE", "INSERT"]


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE u (id int REFERENCES public.t (id));",
        "CREATE UNIQUE INDEX ON public.t (v);",
        "ALTER TABLE public.t ADD UNIQUE (v);",
        "CREATE SEQUENCE public.s;",
        "CREATE TYPE public.e AS ENUM ('a');",
        "INSERT INTO public.t VALUES (2, 0, 'b');",
        HEADER + "UPDATE public.t SET v = 1;",
        HEADER + "DELETE FROM public.t;",
        HEADER + "SELECT v FROM t FOR UPDATE OF public.t;",
        HEADER + "LOCK TABLE public.t;",
    ],
)
def test_tables_of_other_schemas_are_refused(statement: str) -> None:
    """On a live server they would be tables that are there, not those of the file."""
    end = "" if HEADER in statement else HEADER + "SELECT v FROM t;\n"
    assert refusals(f"{SCHEMA}{statement}\n{end}")[0][0] == "SER952"
