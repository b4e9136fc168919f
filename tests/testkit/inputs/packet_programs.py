"""A packet program around a few statements, for tests."""

from collections.abc import Mapping

from seriatim.deciding.pipeline import Options
from seriatim.deciding.sources import decide_about
from seriatim.frontends.p4.frontend import translate
from seriatim.frontends.p4.translation import Analysis, analyse
from seriatim.program.recursion import deep_recursion
from seriatim.result import Result
from seriatim.source import Diagnostic, InputError, SourceText

FRAME = """#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; bit<1> flag; bit<7> rest; bit<8> res; bit<8> more; }}
struct headers {{ h_t h; }}
struct metadata {{ bit<8> m; }}
parser P(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    state start {{ p.extract(hdr.h); transition accept; }}
}}
control V(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control I(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    register<bit<8>>(4) r;
    register<bit<8>>(4) s;
    bit<8> n = 0;
{locals}
    apply {{
{ingress}
    }}
}}
control E(inout headers hdr, inout metadata meta, inout standard_metadata_t sm) {{
    register<bit<8>>(4) q;
    bit<8> k = 0;
{egress_locals}
    apply {{
{egress}
    }}
}}
control C(inout headers hdr, inout metadata meta) {{ apply {{ }} }}
control D(packet_out p, in headers hdr) {{ apply {{ p.emit(hdr.h); }} }}
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""

COUNT = "r.read(n, 0); r.write(0, n + 1); hdr.h.res = n;"
"""A counter that two packets can read before one of them writes."""


def text(ingress: str = "", **parts: str) -> str:
    filled = {"locals": "", "egress_locals": "", "egress": ""} | parts
    return FRAME.format(ingress=ingress, **filled)


def analysis(source: str, settings: Mapping[str, str] | None = None) -> Analysis:
    with deep_recursion():
        return analyse(SourceText("a.p4", source), settings or {})


def decided(source: str, settings: Mapping[str, str] | None = None) -> Result:
    """What `ser check` comes to."""
    read = SourceText("a.p4", source)
    return decide_about(translate(read, settings or {}), read, Options())[0]


def refusals(source: str, settings: Mapping[str, str] | None = None) -> tuple[Diagnostic, ...]:
    """What is wrong with a program; fails if it is accepted."""
    try:
        translate(SourceText("a.p4", source), settings or {})
    except InputError as error:
        return error.diagnostics
    raise AssertionError("the program was accepted")
