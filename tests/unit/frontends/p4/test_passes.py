"""Copies, packets that come back, messages and colours in programs whose packets write registers."""

import pytest

from seriatim.result import Holds, Undecided, Violated
from testkit.inputs.packet_programs import decided, refusals, text

ONE_BIT = "// ser: r width 1\n"
FIRST = "r.read(n, 0); r.write(0, 1);"
"""The first packet finds 0; two packets can find it if others run between read and write."""

METADATA = ("struct metadata { bit<8> m; }", "struct metadata { @field_list(1) bit<8> m; }")

CAUSES = [
    f"{FIRST} if (n == 0) {{ clone(CloneType.I2E, 5); }}",
    f"{FIRST} clone(CloneType.I2E, (bit<32>) n);",
    f"{FIRST} meta.m = n; clone_preserving_field_list(CloneType.I2E, 5, 1);",
    f"{FIRST} meta.m = n; clone_preserving_field_list(CloneType.E2E, 5, 1);",
    f"{FIRST} if (n == 0) {{ resubmit_preserving_field_list(1); }}",
    f"{FIRST} meta.m = n; resubmit_preserving_field_list(1);",
    f"{FIRST} meta.m = n; recirculate_preserving_field_list(1);",
    f"{FIRST} digest<bit<8>>(1, n);",
    f"{FIRST} meta.m = n; digest<metadata>(1, meta);",
    f"{FIRST} truncate((bit<32>) n + 60);",
    f"{FIRST} mark_to_drop(sm); if (n == 0) {{ clone(CloneType.I2E, 5); }}",
]


def kept(ingress: str, **parts: str) -> str:
    return ONE_BIT + text(ingress, **parts).replace(*METADATA)


@pytest.mark.parametrize("statements", CAUSES)
def test_what_a_packet_causes_is_a_part_of_its_answer(statements: str) -> None:
    first, done = decided(kept(statements)), decided(kept(f"@atomic {{ {statements} }}"))
    assert isinstance(first.answer, Violated), first.answer
    assert isinstance(done.answer, Holds), done.answer


def test_a_list_without_a_plain_number_may_be_any_list() -> None:
    program = kept(f"{FIRST} meta.m = n; r.write(0, 0); recirculate_preserving_field_list(2);")
    assert isinstance(decided(program).answer, Holds)
    named = program.replace("@field_list(1)", "@field_list(Lists.MINE)")
    assert isinstance(decided(named).answer, Undecided)


def test_the_number_of_a_list_may_be_a_member() -> None:
    members = "enum bit<8> Lists { MINE = 1, OTHER = 2 }\ncontrol V("
    statements = f"{FIRST} meta.m = n; recirculate_preserving_field_list(Lists.MINE);"
    program = kept(statements).replace("control V(", members, 1)
    assert isinstance(decided(program).answer, Violated)
    assert isinstance(decided(program.replace("(Lists.MINE)", "(Lists.OTHER)")).answer, Holds)


def test_metadata_that_is_not_kept_is_not_a_part_of_the_answer() -> None:
    lost = f"{FIRST} meta.m = n; r.write(0, 0); recirculate_preserving_field_list(2);"
    assert isinstance(decided(kept(lost)).answer, Holds)


def test_a_copy_begins_in_egress() -> None:
    egress = "if (sm.instance_type == 1) { q.read(k, 0); q.write(0, 1); hdr.h.res = k; }"
    mark = ONE_BIT.replace(" r ", " q ")
    without = decided(mark + kept(f"{FIRST}", egress=egress))
    copied = decided(mark + kept(f"{FIRST} clone(CloneType.I2E, 5);", egress=egress))
    assert isinstance(without.answer, Holds)
    assert isinstance(copied.answer, Undecided)
    assert "its origin is not repeated" in copied.answer.reason


def test_what_comes_back_brings_along_what_is_kept() -> None:
    body = "if (meta.m == 1) { r.read(n, 0); r.write(0, 1); hdr.h.res = n; }"
    alone = decided(kept(body))
    again = decided(kept(f"{body} else {{ meta.m = 1; recirculate_preserving_field_list(1); }}"))
    assert isinstance(alone.answer, Holds)
    assert isinstance(again.answer, Undecided)


@pytest.mark.parametrize("cause", ["sm.mcast_grp = 1;", "resubmit_preserving_field_list(1);"])
def test_copies_for_groups_need_an_egress_without_registers(cause: str) -> None:
    (found,) = refusals(kept(f"{FIRST} {cause}", egress="q.read(k, 0); q.write(0, k + 1);"))
    assert "is not supported where egress uses registers" in found.message


def test_copies_for_groups_are_not_repeated() -> None:
    found = decided(kept(f"{FIRST} if (n == 0) {{ sm.mcast_grp = 1; }}"))
    assert isinstance(found.answer, Undecided)
    assert isinstance(decided(kept(f"@atomic {{ {FIRST} }} sm.mcast_grp = (bit<16>) n;")).answer, Holds)


def test_a_colour_is_fixed_for_each_packet() -> None:
    meter = "    meter(4, MeterType.packets) police;"
    asked = "police.execute_meter(0, k); if (k == 2) { r.read(n, 0); r.write(0, 1); hdr.h.res = n; }"
    found = decided(kept(asked.replace("k", "meta.m"), locals=meter))
    assert isinstance(found.answer, Violated)
    atomic = asked.replace("{ r", "@atomic { r").replace("k", "meta.m")
    assert isinstance(decided(kept(atomic, locals=meter)).answer, Holds)


def test_a_checksum_reveals_the_metadata_that_it_depends_on() -> None:
    checksum = "update_checksum(meta.m == 1, { hdr.h.a }, hdr.h.more, HashAlgorithm.csum16);"
    program = kept(f"{FIRST} meta.m = n; r.write(0, 0);")
    empty = "control C(inout headers hdr, inout metadata meta) { apply { } }"
    assert empty in program
    revealed = program.replace(empty, empty.replace("{ }", f"{{ {checksum} }}"))
    assert isinstance(decided(program).answer, Holds)
    assert not isinstance(decided(revealed).answer, Holds)


def test_a_control_applied_by_its_type_has_no_registers() -> None:
    part = "control Part(inout bit<8> x) { LOCAL apply { x = x + 1; } }\ncontrol I("
    program = kept(f"{FIRST} Part.apply(n); hdr.h.res = n;").replace("control I(", part, 1)
    assert isinstance(decided(program.replace("LOCAL", "")).answer, Violated)
    (found,) = refusals(program.replace("LOCAL", "register<bit<8>>(1) mine;"))
    assert found.message == "a control with state and without a name is not supported"
