"""Packets that share no state cannot disturb each other: such programs are serializable."""

import pytest

from seriatim.budget import Deadline
from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_translation
from seriatim.frontends.p4.frontend import translate
from seriatim.frontends.protocol import Translation
from seriatim.program.syntax import Program
from seriatim.result import Holds
from seriatim.source import InputError, SourceText

PROGRAM = """
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> n; }
struct headers { h_t h; }
struct metadata { bit<8> m; }
parser P(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply { } }
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {
    DECLARED
    apply { sm.egress_spec = 1; hdr.h.n = hdr.h.n + 1; DONE }
}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) { apply { } }
control C(inout headers hdr, inout metadata meta) { apply { } }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


STORED = "register<bit<8>>(1) r; bit<8> x;"
STORE = "r.write(0, hdr.h.n);"


def source(declared: str = "", done: str = "") -> SourceText:
    return SourceText("x.p4", PROGRAM.replace("DECLARED", declared).replace("DONE", done))


@pytest.mark.parametrize(
    ("declared", "done"),
    [
        ("", ""),
        ("counter(4, CounterType.packets) c;", "c.count(0);"),
        ("register<bit<8>>(1) r; bit<8> x;", "r.read(x, 0);"),
        ("register<bit<8>>(1) r; bit<8> x;", "r.read(x, 0); hdr.h.n = x;"),
        ("", "sm.mcast_grp = 1;"),
        ("", "clone(CloneType.I2E, 5);"),
        ("", "recirculate_preserving_field_list(0);"),
        ("", "digest<metadata>(1, meta);"),
        ("", "truncate(20);"),
        ("meter(4, MeterType.packets) m; bit<8> x;", "m.execute_meter(0, x); hdr.h.n = x;"),
    ],
)
def test_packets_that_share_no_state_are_serializable(declared: str, done: str) -> None:
    text = source(declared, done)
    translation = translate(text)
    assert isinstance(translation, Translation)
    assert "packets share no state" in translation.approximations[0].sentence
    result, _ = decide_translation(
        translation, text, Options(), None, Deadline(60), replay=False, is_default=True
    )
    assert isinstance(result.answer, Holds)


def test_a_register_that_is_written_is_state() -> None:
    translation = translate(source("register<bit<1>>(1) r; bit<1> x;", "r.read(x, 0); r.write(0, x + 1);"))
    assert isinstance(translation, Translation)
    assert isinstance(translation.content, Program)
    assert translation.content.variables


@pytest.mark.parametrize(
    ("declared", "done"),
    [
        (STORED, f"{STORE} clone3(CloneType.I2E, 5, meta);"),
        (STORED, f"r.read(x, 0); if (x == 0) {{ recirculate(meta); }} {STORE}"),
    ],
)
def test_what_may_keep_state_is_refused_and_never_left_out(declared: str, done: str) -> None:
    with pytest.raises(InputError):
        translate(source(declared, done))
