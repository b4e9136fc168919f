"""Logs are read as they are, or refused with the line."""

from collections.abc import Iterator
from decimal import Decimal
from random import Random

import pytest

from seriatim.history.edn import read_forms
from seriatim.history.log import Entry, Invoked, Returned, Unpaired, entries_of
from seriatim.history.reading import Format, format_by_suffix, read_records
from seriatim.source import InputError


def read(text: str, form: Format = Format.JSON_LINES) -> list[object]:
    return list(read_records(text.splitlines(keepends=True), form))


@pytest.mark.parametrize(
    ("line", "entry"),
    [
        ('{"request": "read", "answer": 1}', Entry(1, "read", "1")),
        ('{"request": "read", "answer": null}', Entry(1, "read", "null")),
        ('{"request": "read"}', Entry(1, "read", None)),
        ('{"request": "put( a , 1 )", "answer": true}', Entry(1, "put(a,1)", "true")),
        ('{"request": "put", "arguments": ["a", 1], "answer": "ok"}', Entry(1, "put(a,1)", "ok")),
        ('{"request": "read", "answer": {"b": 1, "a": [2]}}', Entry(1, "read", '{"a":[2],"b":1}')),
        ('{"request": "go()", "answer": 1, "start": 1.5, "end": 2}', Entry(1, "go", "1", Decimal("1.5"), 2)),
        ('{"request": "go", "start": 3}', Entry(1, "go", None, 3)),
        (
            '{"request": "go", "answer": 0, "start": "1970-01-01T00:00:01+00:00", "end": "2.5"}',
            Entry(1, "go", "0", 1, Decimal("2.5")),
        ),
    ],
)
def test_entries_are_read_from_json(line: str, entry: Entry) -> None:
    assert read(line) == [entry]


def test_columns_are_read_from_csv() -> None:
    text = 'request,answer,start,end,process\nread,1,0,2,a\n"put(a,1)",ok,3,4,b\nread,,5,,a\n'
    assert read(text, Format.CSV) == [
        Entry(2, "read", "1", 0, 2, "a"),
        Entry(3, "put(a,1)", "ok", 3, 4, "b"),
        Entry(4, "read", None, 5, process="a"),
    ]


EDN = """
; a history
[#jepsen.history.Op{:index 0, :type :invoke, :f :transfer, :value {:from 0, :to 1, :amount 5}, :process 1}
 {:type :info :f :kill :process :nemesis :value #{"n1" "n2"}}
 {:type :ok, :f :transfer, :value {:from 0, :to 1, :amount 5}, :process 1 :error [:a "b\\"c"]}
 {:type :invoke :f :cas :value [1 2] :process 2} #_ {:type :odd}
 {:type :fail :f :cas :value [1 2] :process 2}
 {:type :invoke :f :read :process 3 :value nil}]
"""


def test_histories_of_jepsen_are_read_as_they_are() -> None:
    found = read(EDN, Format.EDN)
    assert found[0] == Invoked(3, "1", "transfer(0,1,5)", '{"amount":5,"from":0,"to":1}')
    assert isinstance(found[1], Returned)
    assert (found[1].line, found[1].happened) == (5, True)
    assert found[2:] == [
        Invoked(6, "2", "cas(1,2)", "[1,2]"),
        Returned(7, "2", "[1,2]", happened=False),
        Invoked(8, "3", "read", "null"),
    ]


def test_events_become_entries_with_positions_as_times() -> None:
    entries = entries_of(read_records(EDN.splitlines(keepends=True), Format.EDN))
    assert [(e.request, e.start, e.end) for e in entries] == [("transfer(0,1,5)", 0, 1), ("read", 4, None)]


def test_events_are_read_from_json_as_well() -> None:
    begun = '{"type": "invoke", "f": "write", "value": 3, "process": 0}'
    text = begun + '\n{"type": "ok", "process": 0, "value": 3}\n'
    assert read(text) == [Invoked(1, "0", "write(3)", "3"), Returned(2, "0", "3", happened=True)]


@pytest.mark.parametrize(
    ("text", "form", "line", "words"),
    [
        ('{"request": "a", "answer": 1}\n{nothing', Format.JSON_LINES, 2, "not JSON"),
        ("[1]", Format.JSON_LINES, 1, "not a JSON object"),
        ('{"answer": 1}', Format.JSON_LINES, 1, "neither an entry nor an event"),
        ('{"request": 5}', Format.JSON_LINES, 1, "not text"),
        ('{"request": "a", "arguments": 5}', Format.JSON_LINES, 1, "not a list"),
        ('{"request": "a", "arguments": ["x,y"]}', Format.JSON_LINES, 1, "a comma"),
        ('{"request": "a", "arguments": [1, [2, 3]]}', Format.JSON_LINES, 1, "a comma"),
        ('{"type": "invoke", "process": 1, "f": "a", "value": ["x,y"]}', Format.JSON_LINES, 1, "a comma"),
        ('{"request": "a", "answer": 1, "start": 2, "end": 1}', Format.JSON_LINES, 1, "before"),
        ('{"request": "a", "answer": 1, "end": 1}', Format.JSON_LINES, 1, "before"),
        ('{"request": "a", "answer": 1, "start": 1}', Format.JSON_LINES, 1, "no `end`"),
        ('{"request": "a", "start": 1, "end": 2}', Format.JSON_LINES, 1, "no `answer`"),
        ('{"request": "a", "start": true}', Format.JSON_LINES, 1, "not a time"),
        ('{"request": "a", "start": "yesterday"}', Format.JSON_LINES, 1, "not a time"),
        ('{"request": "a", "answer": 1, "start": NaN, "end": 1}', Format.JSON_LINES, 1, "not a time"),
        ('{"type": "invoke", "f": "a"}', Format.JSON_LINES, 1, "no `process`"),
        ('{"type": "invoke", "process": 1}', Format.JSON_LINES, 1, "no `f`"),
        ("a,b\n1,2\n", Format.CSV, 1, "column `request` is missing"),
        ("", Format.CSV, 1, "column `request` is missing"),
        ("request,answer\nwrite(1),ok\nread,1,2\n", Format.CSV, 3, "more values than"),
        ("request,answer,answer\nread,1,2\n", Format.CSV, 1, "the same name"),
        ('{"request": "read", "answer": 2, "answer": 1}', Format.JSON_LINES, 1, "a key twice"),
        ('{"request": "read", "answer": "\\ud800"}', Format.JSON_LINES, 1, "not JSON"),
        ("{:type :invoke :f :read :process 0}\n{:type :ok :type :fail}", Format.EDN, 2, "a key twice"),
        ("{:type :ok :value #{{:a 1 :a 2}}}", Format.EDN, 1, "a key twice"),
        (f"{{:value {'9' * 5_000}}}", Format.EDN, 1, "too many digits"),
        (f"\n{{:value {{:a {'9' * 5_000}}}}}", Format.EDN, 2, "too many digits"),
        (f"{{:value {'[' * 1_000}{']' * 1_000}}}", Format.EDN, 1, "too deeply"),
        ("{:type :invoke", Format.EDN, 1, "not closed"),
        ("\n{:type}", Format.EDN, 2, "without a value"),
        ("]", Format.EDN, 1, "unexpected"),
        ("5", Format.EDN, 1, "not an operation"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, form: Format, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text, form)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.line == line
    assert words in diagnostic.message


@pytest.mark.parametrize(
    "records",
    [
        [Invoked(1, "a", "read"), Invoked(2, "a", "read")],
        [Returned(2, "a", "1", happened=True)],
    ],
)
def test_requests_of_a_process_begin_and_end_in_turns(records: list[Invoked | Returned]) -> None:
    with pytest.raises(Unpaired) as caught:
        entries_of(iter(records))
    assert caught.value.line == 2


def test_formats_are_known_by_suffixes() -> None:
    assert [format_by_suffix(each) for each in ("a.csv", "b.EDN", "c.jsonl", "d.log", "-")] == [
        Format.CSV,
        Format.EDN,
        Format.JSON_LINES,
        Format.JSON_LINES,
        Format.JSON_LINES,
    ]


NANOSECONDS = ("1700000000000000001", "1700000000000000002")


@pytest.mark.parametrize(
    ("early", "late"),
    [
        NANOSECONDS,
        ("1700000000.000000001", "1700000000.000000002"),
        ("2026-01-01T00:00:00.123456701Z", "2026-01-01T00:00:00.123456702Z"),
        ("2026-01-01T00:00:00.5", "2026-01-01T01:00:00.6+01:00"),
    ],
)
def test_times_keep_all_their_digits(early: str, late: str) -> None:
    """As floats, or cut to microseconds, these times would be equal, and a stale read would be explained."""
    text = f"request,answer,start,end\nread,1,{early},{late}\n"
    (entry,) = read(text, Format.CSV)
    assert isinstance(entry, Entry)
    assert entry.start is not None
    assert entry.end is not None
    assert entry.start < entry.end


def test_fractions_of_json_are_exact() -> None:
    line = '{"request": "read", "answer": 0.5, "start": 1700000000.000000001, "end": 1700000000.000000002}'
    (entry,) = read(line)
    assert isinstance(entry, Entry)
    assert entry.answer == "0.5"
    assert entry.start == Decimal("1700000000.000000001")
    assert entry.end == Decimal("1700000000.000000002")


@pytest.mark.parametrize(
    "text",
    [
        "{:type :invoke :f :read #_ :dropped :process 0 :value nil}",
        "{:type :invoke :f :read #_#_ :twice dropped :process 0 :value nil}",
        "[#_{:type :odd} {:type :invoke :f :read :process 0 #_ #tag {:a 1} :value nil}]",
        "#_[{:type :invoke :f :write :process 0}] {:type :invoke :f :read :process 0 :value nil}",
    ],
)
def test_forms_of_edn_that_are_commented_out_are_dropped_wherever_they_stand(text: str) -> None:
    (found,) = read(text, Format.EDN)
    assert isinstance(found, Invoked)
    assert found.request == "read"


def test_a_comment_of_edn_needs_a_form() -> None:
    with pytest.raises(InputError, match="nothing follows"):
        read("{:type :invoke :f :read :process 0 :value nil #_}", Format.EDN)


def test_forms_of_edn_come_as_their_lines_do() -> None:
    """Not even a vector around the whole history has to end; texts may go on in the next line."""

    def lines() -> Iterator[str]:
        yield '[{:type :invoke :f :write :process 0 :value "a\n'
        yield 'b"}\n'
        yield "{:type :invoke\n"
        yield "  :f :read :process 1 :value nil}\n"
        raise AssertionError("read too far")

    found = read_records(lines(), Format.EDN)
    assert next(found) == Invoked(1, "0", "write(a\nb)", "a\nb")
    assert next(found) == Invoked(3, "1", "read", "null")


def test_a_text_of_edn_that_is_not_closed_is_refused_with_its_line() -> None:
    with pytest.raises(InputError, match="not closed") as caught:
        read('{:type :invoke :f :read :process 0\n :error "oh\n}\n', Format.EDN)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.line == 2


ATOMS = ("nil", "true", "12", "-3", "4.5", ":k", ":a/b", "foo", '"a b"', "[1 2]", "[:x, nil]", "[]")
FORMS = (*ATOMS, '"a\\"b"', "{:x 1}", "#{1 2}", "[1 [2]]", "#_ 1 2", "; c\n 3", "(1 2)", "\\a", "#tag 4")


@pytest.mark.parametrize("seed", range(40))
def test_simple_maps_are_read_as_all_others(seed: int) -> None:
    """A comment before the first map turns the pattern for simple maps off."""
    random = Random(seed)
    text = ""
    for _ in range(random.randint(1, 5)):
        pairs = [f":{name} {random.choice(FORMS if random.random() < 0.1 else ATOMS)}" for name in "abc"]
        text += random.choice(("", " ")) + "{" + random.choice((" ", ", ")).join(pairs) + "}\n"
    slow = list(read_forms([";\n", *text.splitlines(keepends=True)]))
    assert [(form, line - 1) for form, line in slow] == list(read_forms(text.splitlines(keepends=True)))


def test_mistakes_after_simple_maps_have_the_right_line() -> None:
    with pytest.raises(InputError) as caught:
        read("{:type :invoke :f :read :process 0}\n" * 3 + "{:type}\n", Format.EDN)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.line == 4


PRINTED = """
INFO  jepsen.util - 0\t:invoke\t:write\t4
INFO  jepsen.util - 1\t:invoke\t:cas\t[4 2]
INFO  jepsen.core - something else
INFO  jepsen.util - 0\t:ok\t:write\t4
INFO  jepsen.util - 1\t:fail\t:cas\t[4 2]
INFO  jepsen.util - 0\t:invoke\t:write\t5
INFO  jepsen.util - 0\t:info\t:write\t:timed-out
"""


def test_what_jepsen_prints_is_read_and_a_failed_cas_has_compared() -> None:
    entries = entries_of(read_records(PRINTED.splitlines(), Format.JEPSEN_LOG))
    assert [(e.request, e.answer) for e in entries] == [
        ("write(4)", "4"),
        ("cas(4,2)", "false"),
        ("write(5)", None),
    ]


def test_events_may_name_a_key() -> None:
    text = '{:process 0, :type :invoke, :f :append, :key "k", :value "x y"}'
    assert read(text, Format.EDN) == [Invoked(1, "0", "append(k,x y)", '["k","x y"]')]


def test_independent_keys_of_jepsen_are_keys_of_a_map() -> None:
    cas = "{:process 0 :type :invoke :f :cas :value [7 [1 2]]}"
    text = cas + "{:process 1 :type :invoke :f :read :value [7 nil]}"
    requests = [each.request for each in read(text, Format.EDN) if isinstance(each, Invoked)]
    assert requests == ["cas(7,1,2)", "read(7,null)"]


def test_decimals_of_edn_are_exact() -> None:
    """A fraction without M is as exact as a double, in EDN as here."""
    forms = read_forms(["{:a 1.00000000000000000001M :b 1.0M :c 1.00000000000000000001}"])
    ((found, _),) = forms
    assert isinstance(found, dict)
    assert found["a"] != found["b"]
    assert found["b"] == found["c"]
