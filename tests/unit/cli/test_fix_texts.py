"""`ser fix` of SQL and C: what is written has the answer yes; where no change is enough, it ends with 1."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import validate

import seriatim.report
from seriatim.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    ("example", "title"),
    [
        ("sql/on_call.sql", "1. Run the transactions one at a time, by an advisory lock"),
        ("threads/account_race.c", "1. Put a mutex around lines 8 to 11"),
    ],
)
def test_a_change_is_shown_and_written(example: str, title: str, tmp_path: Path) -> None:
    path = tmp_path / Path(example).name
    path.write_text((EXAMPLES / example).read_text("utf-8"))
    shown = CliRunner().invoke(main, ["fix", str(path)])
    assert shown.exit_code == 0
    assert title in shown.output
    written = CliRunner().invoke(main, ["fix", str(path), "--write"])
    assert "Repair 1 is applied" in written.output
    again = CliRunner().invoke(main, ["fix", str(path)])
    assert again.exit_code == 0
    assert "nothing to fix" in again.output


def test_json_fits_its_schema() -> None:
    told = CliRunner().invoke(main, ["fix", str(EXAMPLES / "threads/account_race.c"), "--json"])
    schema = Path(seriatim.report.__file__).parent / "repairs.schema.json"
    validate(json.loads(told.output), json.loads(schema.read_text("utf-8")))


def test_a_failure_that_no_lock_prevents_has_no_repair(tmp_path: Path) -> None:
    path = tmp_path / "wrong.c"
    path.write_text("#include <assert.h>\n#include <pthread.h>\nint main(void) { assert(0); return 0; }\n")
    told = CliRunner().invoke(main, ["fix", str(path)])
    assert told.exit_code == 1
    assert "NO REPAIR FOUND" in told.output


def test_sql_that_no_model_covers_is_sent_to_the_database(tmp_path: Path) -> None:
    path = tmp_path / "seats.sql"
    path.write_text(
        "create table seats (id int primary key, at timestamptz default now());\n"
        "insert into seats (id) values (1);\n"
        "-- transaction: look\nselect count(*) from seats;\n"
    )
    told = CliRunner().invoke(main, ["fix", str(path)])
    assert told.exit_code == 2
    assert told.stderr.count("SER9") == 1
    assert f"PostgreSQL runs the file as it is: `ser check {path}`" in told.stderr
