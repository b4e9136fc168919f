"""The interpreter at full widths: what a packet does, what a step is, and who may take one."""

from collections.abc import Mapping

import pytest

from seriatim.frontends.p4.machine.switch import Answer, Machine, Packet, State
from seriatim.frontends.p4.machine.tables import Chosen
from seriatim.frontends.p4.models import Model
from seriatim.frontends.p4.parser import parse
from seriatim.frontends.p4.terms import Call
from seriatim.source import InputError, SourceText

FRAME = """
#include <core.p4>
#include <v1model.p4>
header note_t {{ bit<8> a; bit<8> b; bit<32> n; int<8> s; }}
struct headers {{ note_t note; note_t[3] notes; }}
struct metadata {{ bit<8> x; bool flag; }}
enum Colour {{ RED, GREEN }}
enum bit<8> Code {{ LOW = 3, HIGH = 200 }}
const bit<8> LIMIT = 250;
{top}
parser P(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    state start {{ transition accept; }}
}}
control V(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control In(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    register<bit<32>>(4) r;
    bit<32> v = 0;
    {locals}
    apply {{ sm.egress_spec = 1; {body} }}
}}
control Eg(inout headers h, inout metadata m, inout standard_metadata_t s) {{
    register<bit<32>>(4) q;
    bit<32> w = 0;
    action again() {{ q.read(w, 0); w = w + 1; q.write(0, w); }}
    apply {{ {egress} }}
}}
control C(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control D(packet_out p, in headers hdr) {{ apply {{ p.emit(hdr.note); {emit} }} }}
V1Switch(P(), V(), In(), Eg(), C(), D()) main;
"""

INCREMENT = "r.read(v, 0); v = v + 1; r.write(0, v); hdr.note.n = v;"


def build(model: Model = Model.SPEC, /, **parts: str) -> Machine:
    filled = {"top": "", "locals": "", "body": "", "egress": "", "emit": ""} | parts
    return Machine(parse(SourceText("a.p4", FRAME.format(**filled))), model)


def packet(**fields: int) -> Packet:
    return Packet({"hdr.note.isValid()": 1} | {f"hdr.note.{name}": value for name, value in fields.items()})


def run(body: str, fields: Mapping[str, int] | None = None, **parts: str) -> dict[str, int]:
    """The fields of the note after one packet went through alone."""
    (end,) = build(Model.SPEC, body=body, **parts).serial_ends([packet(**(fields or {}))])
    (answer,) = end.answers
    assert answer is not None
    return dict(answer.headers)


def numbers(ends: "frozenset[State]") -> set[tuple[int, ...]]:
    """The numbers that packets leave with, packet by packet."""
    return {tuple(dict(answer.headers)["note.n"] for answer in end.answers if answer) for end in ends}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("hdr.note.a = hdr.note.a + 10;", 4),
        ("hdr.note.a = hdr.note.a - 251;", 255),
        ("hdr.note.a = hdr.note.a |+| 10;", 255),
        ("hdr.note.a = 10 |-| hdr.note.a;", 0),
        ("hdr.note.a = hdr.note.a << 9;", 0),
        ("hdr.note.a = hdr.note.a >> 2;", 62),
        ("hdr.note.a = ~hdr.note.a;", 5),
        ("hdr.note.a = -hdr.note.a;", 6),
        ("hdr.note.a = hdr.note.a[7:4] ++ hdr.note.a[7:4];", 255),
        ("hdr.note.a[3:0] = 3;", 243),
        ("hdr.note.a = (bit<8>) (int<8>) hdr.note.a;", 250),
        ("hdr.note.a = hdr.note.a == LIMIT ? 8w1 : 2;", 1),
        ("hdr.note.a = Code.HIGH;", 200),
        ("hdr.note.a = hdr.note.a % 7 * 3 / 2;", 7),
        ("Colour c = Colour.GREEN; if (c == Colour.RED) { hdr.note.a = 1; } else { hdr.note.a = 2; }", 2),
        ("bool b = (bool) hdr.note.a[1:1]; if (b && !(1 > 2)) hdr.note.a = 9;", 9),
        ("{ bit<8> a = 3; hdr.note.a = a; } ", 3),
        ("hdr.note.a = 1; return; hdr.note.a = 2;", 1),
    ],
)
def test_numbers_have_the_widths_of_their_types(code: str, expected: int) -> None:
    assert run(code, {"a": 250})["note.a"] == expected


def test_signed_numbers_keep_their_sign() -> None:
    assert run("hdr.note.s = hdr.note.s >> 1;", {"s": 0xF0})["note.s"] == -8
    assert run("hdr.note.s = hdr.note.s |-| 127;", {"s": 0xF0})["note.s"] == -128


def test_arguments_are_copied_in_and_out() -> None:
    locals_ = "action both(inout bit<8> x, inout bit<8> y) { x = 1; y = y + 1; exit; }"
    assert run("both(hdr.note.a, hdr.note.a);", {"a": 5}, locals=locals_)["note.a"] == 6


def test_functions_and_inner_controls() -> None:
    top = """bit<8> twice(in bit<8> x) { return x + x; }
    control Sub(inout bit<8> y) { register<bit<8>>(1) r; bit<8> v = 0;
        apply { r.read(v, 0); v = v + 1; r.write(0, v); y = v; } }"""
    locals_ = "Sub() one; Sub() two;"
    body = (
        "hdr.note.a = twice(hdr.note.a); one.apply(hdr.note.b); two.apply(hdr.note.b); one.apply(hdr.note.b);"
    )
    found = run(body, {"a": 100}, top=top, locals=locals_)
    assert (found["note.a"], found["note.b"]) == (200, 2)


def test_exit_ends_ingress_but_not_egress() -> None:
    assert run("hdr.note.a = 1; exit; hdr.note.a = 2;", egress="h.note.b = 7;")["note.b"] == 7
    assert run("exit;", egress="h.note.a = 1; exit; h.note.a = 2;")["note.a"] == 1


def test_packets_are_dropped_in_ingress_or_in_egress() -> None:
    for parts in ({"body": "mark_to_drop(sm);"}, {"egress": "mark_to_drop(s);"}):
        (end,) = build(Model.SPEC, **parts).serial_ends([packet()])
        assert end.answers == (Answer(None),)


def test_the_last_word_about_the_port_counts() -> None:
    (end,) = build(body="mark_to_drop(sm); sm.egress_spec = 5;").serial_ends([packet()])
    assert [each.port for each in end.answers if each] == [5]


def test_only_valid_headers_leave() -> None:
    (end,) = build(
        body="hdr.note.setInvalid(); hdr.notes[1].setValid();", emit="p.emit(hdr.notes);"
    ).serial_ends([packet(a=3)])
    (answer,) = end.answers
    assert answer is not None
    assert [name for name, _ in answer.headers] == [f"notes[1].{field}" for field in ("a", "b", "n", "s")]


def test_stacks_are_pushed_and_popped() -> None:
    body = "hdr.notes[0] = hdr.note; hdr.notes.push_front(1); hdr.note.b = hdr.notes[1].a;"
    body += "hdr.notes.pop_front(1); if (hdr.notes[0].isValid() && !hdr.notes[1].isValid()) hdr.note.n = 1;"
    found = run(body, {"a": 9})
    assert (found["note.b"], found["note.n"]) == (9, 1)


TABLE = """
    action set(bit<8> x) {{ hdr.note.b = x; }}
    action none() {{ hdr.note.b = 99; }}
    table t {{
        key = {{ hdr.note.a : {match}; }}
        actions = {{ set; none; }}
        const entries = {{ {entries} }}
        default_action = none();
    }}
"""


@pytest.mark.parametrize(
    ("match", "entries", "key", "expected"),
    [
        ("exact", "4 : set(1); 5 : set(2);", 5, 2),
        ("exact", "4 : set(1); 5 : set(2);", 6, 99),
        ("ternary", "1 &&& 3 : set(1); _ : set(2);", 5, 1),
        ("ternary", "1 &&& 3 : set(1); _ : set(2);", 6, 2),
        ("range", "3..5 : set(1); 5..9 : set(2);", 5, 1),
        ("lpm", "0x80 &&& 0x80 : set(1); 0xC0 &&& 0xC0 : set(2);", 0xC1, 2),
        ("lpm", "0x80 &&& 0x80 : set(1); 0xC0 &&& 0xC0 : set(2);", 0x81, 1),
    ],
)
def test_entries_of_tables(match: str, entries: str, key: int, expected: int) -> None:
    found = run("t.apply();", {"a": key}, locals=TABLE.format(match=match, entries=entries))
    assert found["note.b"] == expected


def test_whether_a_table_was_hit_and_what_it_ran() -> None:
    locals_ = TABLE.format(match="exact", entries="4 : set(1);")
    body = "if (t.apply().hit) hdr.note.n = 1; else hdr.note.n = 2;"
    assert [run(body, {"a": key}, locals=locals_)["note.n"] for key in (4, 5)] == [1, 2]
    body = "switch (t.apply().action_run) { set: { hdr.note.n = 3; } default: { hdr.note.n = 4; } }"
    assert [run(body, {"a": key}, locals=locals_)["note.n"] for key in (4, 5)] == [3, 4]


def test_somebody_else_may_choose_what_tables_and_hashes_give() -> None:
    asked: list[object] = []

    def choose(table: str, keys: tuple[int, ...]) -> Chosen:
        asked.append((table, keys))
        return Chosen("set", (7,))

    body = "t.apply(); hash(hdr.note.n, HashAlgorithm.crc16, 32w0, {hdr.note.a, hdr.note.b}, 32w16);"
    machine = build(body=body, locals=TABLE.format(match="exact", entries=""))

    def compute(_: Call, values: tuple[int, ...]) -> int:
        asked.append(values)
        return 5

    chosen = Packet(packet(a=4).fields, choose, compute)
    (end,) = machine.serial_ends([chosen])
    (answer,) = end.answers
    assert answer is not None
    assert (dict(answer.headers)["note.b"], dict(answer.headers)["note.n"]) == (7, 5)
    assert asked == [("In.t", (4,)), (0, 4, 7, 16)]


def test_one_packet_after_the_other_counts() -> None:
    machine = build(body=INCREMENT)
    ends = frozenset(machine.serial_ends([packet()] * 3))
    assert numbers(ends) == {
        (a, b, 6 - a - b) for a in (1, 2, 3) for b in (1, 2, 3) if len({a, b, 6 - a - b}) == 3
    }


ACTION = "action count() { r.read(v, 0); v = v + 1; r.write(0, v); hdr.note.n = v; }"


@pytest.mark.parametrize(
    ("model", "parts", "races"),
    [
        (Model.SPEC, {"body": INCREMENT}, True),
        (Model.SPEC, {"body": f"@atomic {{ {INCREMENT} }}"}, False),
        (Model.SPEC, {"locals": ACTION, "body": "count();"}, True),
        (Model.ACTION, {"locals": ACTION, "body": "count();"}, False),
        (Model.ACTION, {"body": INCREMENT}, True),
        (Model.BMV2, {"body": INCREMENT}, False),
        (Model.SPEC, {"egress": "again(); h.note.n = w;"}, True),
        (Model.BMV2, {"egress": "again(); h.note.n = w;"}, False),
    ],
)
def test_what_a_step_is(model: Model, parts: dict[str, str], races: bool) -> None:
    found = numbers(build(model, **parts).ends([packet(), packet()]))
    assert found == {(1, 2), (2, 1)} | ({(1, 1)} if races else set())


def test_threads_of_egress_overlap_unless_their_ports_are_equal_modulo_four() -> None:
    machine = build(
        Model.BMV2,
        body="sm.egress_spec = (bit<9>) hdr.note.a;",
        egress="q.read(w, 0); w = w + 1; q.write(0, w); h.note.n = w;",
    )
    assert (1, 1) in numbers(machine.ends([packet(a=1), packet(a=2)]))
    assert numbers(machine.ends([packet(a=1), packet(a=5)])) == {(1, 2), (2, 1)}


def test_packets_of_one_port_enter_egress_in_the_order_of_ingress() -> None:
    machine = build(
        Model.BMV2,
        body=INCREMENT + "sm.egress_spec = (bit<9>) hdr.note.a;",
        egress="again(); h.note.b = (bit<8>) w;",
    )

    def orders(*ports: int) -> set[tuple[tuple[int, int], ...]]:
        ends = machine.ends([packet(a=port) for port in ports])
        answers = [[dict(answer.headers) for answer in end.answers if answer] for end in ends]
        return {tuple((each["note.n"], each["note.b"]) for each in found) for found in answers}

    assert orders(1, 1) == {((1, 1), (2, 2)), ((2, 2), (1, 1))}
    assert ((1, 2), (2, 1)) in orders(1, 2)


def test_a_run_is_followed_step_by_step() -> None:
    machine = build(body=INCREMENT)
    end = machine.follow([packet(), packet()], [0, 1, 0, 1])
    assert end is not None
    assert numbers(frozenset({end})) == {(1, 1)}
    assert end.cells == ((("In.r", 0), 1),)
    assert machine.follow([packet()], [0, 0, 0]) is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("r.read(v, 4);", "`r` has no cell 4"),
        ("sm.mcast_grp = 1;", "copies of packets for a group are not executed"),
        ("hdr.note.a = hdr.note.n;", "a value of `bit<32>` does not fit `bit<8>`"),
        ("hash(v, HashAlgorithm.crc16, 32w0, {hdr.note.a}, 32w4);", "the result of this call is not known"),
    ],
)
def test_what_has_no_meaning_is_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        run(body)
    assert refused.value.diagnostics[0].message == message
