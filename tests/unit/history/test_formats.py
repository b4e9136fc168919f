"""Logs as others write them: arrays of JSON, independent keys, several registers, drains, spans, nemesis."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seriatim.cli.main import main
from seriatim.history.log import Entry, entries_of
from seriatim.history.reading import Format, read_records
from seriatim.source import InputError

Json = dict[str, object]


def run(tmp_path: Path, model: str | None, text: str, *options: str, suffix: str = "jsonl") -> Result:
    log = tmp_path / f"log.{suffix}"
    log.write_text(text, "utf-8")
    arguments = ["history", *([] if model is None else [model]), str(log), *options]
    return CliRunner().invoke(main, arguments, prog_name="ser")


def verify(certificate: Path, log: Path) -> Result:
    return CliRunner().invoke(main, ["verify", str(certificate), str(log)], prog_name="ser")


def events(*steps: tuple[int, str, str, object]) -> list[Json]:
    """Events as (process, type, f, value)."""
    return [{"process": p, "type": kind, "f": f, "value": value} for p, kind, f, value in steps]


def one_by_one(*steps: tuple[str, object, object]) -> list[Json]:
    """Requests one after the other, as (f, value when invoked, value when done)."""
    return [e for f, asked, told in steps for e in events((0, "invoke", f, asked), (0, "ok", f, told))]


def jsonl(found: list[Json]) -> str:
    return "".join(json.dumps(each) + "\n" for each in found)


STALE = one_by_one(("write", 1, 1), ("write", 2, 2), ("read", None, 1))


@pytest.mark.parametrize(
    "text", [jsonl(STALE), json.dumps(STALE), "[" + ",\n".join(map(json.dumps, STALE)) + "\n]\n"]
)
def test_arrays_of_json_are_logs_as_well(text: str, tmp_path: Path) -> None:
    assert run(tmp_path, "register", text).exit_code == 1


def test_arrays_of_transactions(tmp_path: Path) -> None:
    found = one_by_one(
        ("txn", [["append", 1, 1]], [["append", 1, 1]]), ("txn", [["r", 1, None]], [["r", 1, []]])
    )
    result = run(tmp_path, None, json.dumps(found), "--level", "strict")
    assert result.exit_code == 1
    assert "line 1 ended before line 1 began" in result.output


KEYED: list[tuple[str, list[Json], bool]] = [
    ("register", one_by_one(("write", [1, 5], [1, 5]), ("read", [2, None], [2, None])), True),
    ("register", one_by_one(("write", [1, 5], [1, 5]), ("read", [1, None], [1, None])), False),
    (
        "register",
        one_by_one(("write", [1, 5], [1, 5]), ("cas", [1, [5, 6]], [1, [5, 6]]), ("read", [1, None], [1, 6])),
        True,
    ),
    ("set", one_by_one(("add", [1, 5], [1, 5]), ("read", [1, None], [1, [5]])), True),
    ("set", one_by_one(("add", [1, 5], [1, 5]), ("read", [2, None], [2, [5]])), False),
    (
        "counter",
        one_by_one(("add", [1, 5], [1, 5]), ("read", [1, None], [1, 5]), ("read", [2, None], [2, 0])),
        True,
    ),
    ("counter", one_by_one(("add", [1, 5], [1, 5]), ("read", [1, None], [1, 4])), False),
    ("counter", one_by_one(("add_and_get", [1, 5], [1, 5]), ("get_and_add", [1, 2], [1, 5])), True),
    ("counter", one_by_one(("add_and_get", [1, 5], [1, 5]), ("get_and_add", [1, 2], [1, 4])), False),
    ("register", one_by_one(("write", [1, 5], [1, 5]), ("cas", [1, [6, 7]], [1, False])), True),
    ("register", one_by_one(("write", [1, 5], [1, 5]), ("cas", [1, [5, 7]], [1, False])), False),
    ("queue", one_by_one(("enqueue", [1, 5], [1, 5]), ("dequeue", [2, None], [2, None])), True),
    ("queue", one_by_one(("enqueue", [1, 5], [1, 5]), ("dequeue", [1, None], [1, 6])), False),
    (
        "mutex",
        events(
            (0, "invoke", "acquire", [1, None]),
            (0, "ok", "acquire", [1, None]),
            (1, "invoke", "acquire", [2, None]),
            (1, "ok", "acquire", [2, None]),
        ),
        True,
    ),
    (
        "mutex",
        events(
            (0, "invoke", "acquire", [1, None]),
            (0, "ok", "acquire", [1, None]),
            (1, "invoke", "acquire", [1, None]),
            (1, "ok", "acquire", [1, None]),
        ),
        False,
    ),
]


@pytest.mark.parametrize(("model", "found", "explained"), KEYED)
def test_independent_keys(model: str, found: list[Json], explained: bool, tmp_path: Path) -> None:
    path = tmp_path / "why.json"
    result = run(tmp_path, model, jsonl(found), "--keyed", "--certificate", str(path))
    assert result.exit_code == (0 if explained else 1), result.output
    assert verify(path, tmp_path / "log.jsonl").exit_code == 0
    path.write_text(path.read_text("utf-8").replace('"keyed": true', '"keyed": false'), "utf-8")
    assert verify(path, tmp_path / "log.jsonl").exit_code != 0


def test_keys_are_for_models_that_have_none(tmp_path: Path) -> None:
    assert "has keys of its own" in run(tmp_path, "map", jsonl(STALE), "--keyed").output
    assert (
        "does not name a key"
        in run(tmp_path, "mutex", jsonl(events((0, "invoke", "acquire", None))), "--keyed").output
    )


def test_a_list_of_a_map_is_no_key_with_a_value(tmp_path: Path) -> None:
    text = '{"request": "put(1,2)", "answer": "ok"}\n{"request": "get(1)", "answer": [1, 2]}\n'
    assert run(tmp_path, "map", text).exit_code == 1


def test_a_text_cannot_be_null(tmp_path: Path) -> None:
    text = '{"request": "put(x,null)", "answer": "ok"}\n{"request": "get(x)", "answer": "null"}\n'
    assert run(tmp_path, "kv", text).exit_code == 2


REGISTERS: list[tuple[list[tuple[object, object]], bool]] = [
    (
        [
            ([["write", "x", 1], ["write", "y", 1]], [["write", "x", 1], ["write", "y", 1]]),
            ([["read", "x", None], ["read", "y", None]], [["read", "x", 1], ["read", "y", 1]]),
        ],
        True,
    ),
    (
        [
            ([["write", "x", 1], ["write", "y", 1]], [["write", "x", 1], ["write", "y", 1]]),
            ([["read", "x", None], ["read", "y", None]], [["read", "x", 1], ["read", "y", None]]),
        ],
        False,
    ),
    ([([["write", "x", 1], ["read", "x", None]], [["write", "x", 1], ["read", "x", 1]])], True),
    ([([["write", "x", 1], ["read", "x", None]], [["write", "x", 1], ["read", "x", None]])], False),
]


@pytest.mark.parametrize(("steps", "explained"), REGISTERS)
def test_several_registers_at_once(
    steps: list[tuple[object, object]], explained: bool, tmp_path: Path
) -> None:
    text = jsonl(one_by_one(*(("txn", asked, told) for asked, told in steps)))
    path = tmp_path / "why.json"
    result = run(tmp_path, "registers", text, "--certificate", str(path))
    assert result.exit_code == (0 if explained else 1), result.output
    assert verify(path, tmp_path / "log.jsonl").exit_code == 0


@pytest.mark.parametrize(
    "told", [[["read", "y", 1]], [["read", "x", 1], ["read", "y", 1]], 5, [["read", "x"]]]
)
def test_answers_of_several_registers_fit_the_request(told: object, tmp_path: Path) -> None:
    assert run(tmp_path, "registers", jsonl(one_by_one(("txn", [["read", "x", None]], told)))).exit_code == 2


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([("enqueue", 1, 1), ("enqueue", 2, 2), ("drain", None, [1, 2])], 0),
        ([("enqueue", 1, 1), ("enqueue", 2, 2), ("drain", None, [2])], 1),
        ([("enqueue", 1, 1), ("drain", None, [1, 1])], 1),
        ([("enqueue", 1, 1), ("drain", None, []), ("dequeue", None, 1)], 0),
        ([("enqueue", 1, 1), ("drain", None, "all")], 2),
    ],
)
def test_queues_are_drained(steps: list[tuple[str, object, object]], code: int, tmp_path: Path) -> None:
    result = run(tmp_path, "queue", jsonl(one_by_one(*steps)))
    assert result.exit_code == code, result.output


def test_a_drain_whose_outcome_is_not_known_is_refused(tmp_path: Path) -> None:
    text = jsonl(events((0, "invoke", "drain", None), (0, "info", "drain", None)))
    result = run(tmp_path, "queue", text)
    assert result.exit_code == 2
    assert "any number of elements" in result.output


def test_what_the_nemesis_does_is_left_out() -> None:
    rows: list[Json] = [
        {"type": "info", "process": "nemesis", "f": "start", "value": None},
        {"type": "info", "process": -1, "f": "odd", "value": None},
        {"type": "info", "process": 7, "f": "kill", "value": ["n1"]},
    ]
    records = read_records(jsonl([*rows, *STALE]).splitlines(keepends=True), Format.JSON_LINES)
    assert [entry.request for entry in entries_of(records)] == ["write(1)", "write(2)", "read"]


def test_transactions_without_processes_are_paired_but_have_no_sessions(tmp_path: Path) -> None:
    stale = [("txn", [["w", 1, 1]], [["w", 1, 1]]), ("txn", [["r", 1, None]], [["r", 1, None]])]
    rows = [{k: v for k, v in each.items() if k != "process"} for each in one_by_one(*stale)]
    result = run(tmp_path, None, jsonl(rows))
    assert "session serializable, NOT strong snapshot isolation" in result.output
    twice = jsonl([rows[0], *rows])
    assert "an event without `process` begins again" in run(tmp_path, None, twice).output


# --- spans --------------------------------------------------------------------------------------------------


def typed(value: object) -> Json:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case list():
            return {"arrayValue": {"values": [typed(each) for each in value]}}
        case _:
            return {"stringValue": value}


def span(name: str, start: int, end: int, **attributes: object) -> Json:
    listed = [{"key": f"ser.{key}", "value": typed(value)} for key, value in attributes.items()]
    return {
        "traceId": "00",
        "name": name,
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(end),
        "attributes": [{"key": "http.method", "value": {"stringValue": "PUT"}}, *listed],
    }


NOW = 1_800_000_000_000_000_000


def exported(*spans: Json) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}) + "\n"


def test_spans_of_otlp_are_entries_with_all_their_nanoseconds() -> None:
    text = exported(
        span("PUT /x", NOW, NOW + 1, request="write", arguments=[1], answer="ok"),
        span("db.query", NOW, NOW + 1),
        span("read", NOW + 2, NOW + 3, answer=1),
        span("PUT /x", NOW + 4, NOW + 5, request="write(2)"),
    )
    entries = entries_of(read_records([text], Format.JSON_LINES))
    assert entries == [
        Entry(1, "write(1)", "ok", NOW, NOW + 1),
        Entry(1, "read", "1", NOW + 2, NOW + 3),
        Entry(1, "write(2)", None, NOW + 4),
    ]


def test_spans_as_sdks_print_them(tmp_path: Path) -> None:
    def printed(name: str, start: str, end: str, answer: object) -> str:
        day = "2026-01-01T00:00:00."
        times = {"start_time": f"{day}{start}Z", "end_time": f"{day}{end}Z"}
        return json.dumps({"name": name, **times, "attributes": {"ser.answer": answer}}) + "\n"

    log = printed("write(1)", "000001", "000002", "ok") + printed("write(2)", "000003", "000004", "ok")
    assert run(tmp_path, "register", log + printed("read", "000005", "000006", 2)).exit_code == 0
    assert run(tmp_path, "register", log + printed("read", "000005", "000006", 1)).exit_code == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (exported(span("db.query", 1, 2)), "no span says what was answered"),
        ('{"resourceSpans": 5}', "not what OTLP writes"),
        (exported({"name": "a", "startTimeUnixNano": "1", "attributes": 5}), "neither a list nor an object"),
        (
            exported({"name": "a", "attributes": [{"key": "ser.answer", "value": {"intValue": "1"}}]}),
            "no `startTimeUnixNano`",
        ),
        (exported({"name": "a", "attributes": [{"key": "x", "value": {"intValue": "y"}}]}), "not an integer"),
        (exported({"name": "a", "attributes": [{"key": "x", "value": {"arrayValue": 3}}]}), "no `key` and"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": ["x"]}]}]}', "not an object"),
    ],
)
def test_spans_that_say_nothing_are_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        list(read_records([text], Format.JSON_LINES))
