"""What a translation of packet programs must do, one test for each rule."""

from dataclasses import replace

import pytest

from seriatim.budget import Deadline
from seriatim.frontends.p4.assuming import approximations
from seriatim.frontends.p4.execution import Execution
from seriatim.frontends.p4.models import Model
from seriatim.frontends.p4.parameters import Inventory, Parameters
from seriatim.frontends.p4.replayer import FIRST_VALUE, Repetition
from seriatim.frontends.protocol import ApproximationKind
from seriatim.program.syntax import Choice, walk
from seriatim.report.text_look import TextLook
from seriatim.report.verdict_text import headline
from seriatim.result import Faulty, Holds, Undecided, Violated
from testkit.inputs.packet_programs import COUNT, analysis, decided, refusals, text

WIDE = "// ser: r width 2\n"
BMV2 = {"p4-model": "bmv2"}

# --- nothing is dropped silently ----------------------------------------------------------------------------

REFUSED = [
    ("clone3(CloneType.I2E, 1, meta);", "`clone3` is not supported in a program that writes registers"),
    ("recirculate(meta);", "`recirculate` is not supported in a program that writes registers"),
    ("police.count(0);", "a meter has no method `count`"),
    ("unknown(1);", "nothing declares a function or action `unknown`"),
    ("hdr.h.nope = 1;", "`hdr.h` has no field `nope`"),
    ("hdr.h.res = n + 16w1;", "the operands have different types: bit<8> and bit<16>"),
    ("hdr.h.res = 16w1;", "expected bit<8>, but found bit<16>"),
    ("bit<8> z; hdr.h.res = z; r.write(0, z);", "`z` is read before it has a value"),
    ("r.write(7, 1);", "cell 7 is read or written, but the register has no such cell"),
    ("r.read(n, 0); hdr.h.res = n / 0;", "this divides by 0"),
]


@pytest.mark.parametrize(("statement", "message"), REFUSED)
def test_what_is_not_translated_is_refused_by_name_and_line(statement: str, message: str) -> None:
    source = text(f"{COUNT}\n{statement}", locals="    meter(4, MeterType.packets) police;")
    (found,) = refusals(WIDE + source)
    assert found.message == message
    assert found.span is not None
    assert statement.partition(";")[0][:5] in source.split("\n")[found.span.line - 2]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("table t { key = { hdr.h.a : exact; } actions = { NoAction; } odd = m; }", "property `odd`"),
        ("table t { key = { hdr.h.a : fuzzy; } actions = { NoAction; } }", "match kind `fuzzy`"),
        (
            "table t { key = { hdr.h.a : ternary; } actions = { NoAction; }"
            " const entries = { priority = 3 : 1 : NoAction(); } }",
            "`priority` is not supported",
        ),
    ],
)
def test_every_part_of_a_table_is_read_or_refused(part: str, message: str) -> None:
    (found,) = refusals(WIDE + text(f"{COUNT} t.apply();", locals=part))
    assert found.message.startswith(message)
    assert found.code == "SER962"


def test_control_blocks_and_actions_cannot_be_atomic() -> None:
    for part in ("action a() { }", "table t { actions = { NoAction; } }"):
        (found,) = refusals(text(COUNT, locals=f"@atomic {part}"))
        assert found.message == "`@atomic` before an action or a table is not supported"
    (found,) = refusals(text(COUNT).replace("control I(", "@atomic control I("))
    assert found.message == "`@atomic` before a control is not supported"


def test_a_control_for_checksums_that_does_more_is_refused() -> None:
    changed = text(COUNT).replace(
        "control C(inout headers hdr, inout metadata meta) { apply { } }",
        "control C(inout headers hdr, inout metadata meta) { apply { hdr.h.a = 1; } }",
    )
    (found,) = refusals(WIDE + changed)
    assert found.message == "this statement of a control for checksums is not supported"


def test_a_register_in_a_parser_is_refused() -> None:
    top = text(COUNT).replace("parser P(", "register<bit<8>>(1) top;\nparser P(")
    (found,) = refusals(WIDE + top.replace("p.extract(hdr.h);", "p.extract(hdr.h); top.read(hdr.h.a, 0);"))
    assert found.message == "a register in a parser or deparser is not supported"


def test_arguments_of_externs_with_names_are_refused() -> None:
    (found,) = refusals(WIDE + text("r.read(index = 0, result = n);"))
    assert found.message == "a named argument is not supported here"


def test_a_deparser_that_does_more_than_emit_is_refused() -> None:
    (found,) = refusals(text(COUNT).replace("p.emit(hdr.h);", "if (hdr.h.isValid()) { p.emit(hdr.h); }"))
    assert found.message == "this statement of a deparser is not supported"


# --- parameters, not choices --------------------------------------------------------------------------------

TABLE = """
    action mark(bit<8> d) { meta.m = d; }
    table t { key = { hdr.h.rest : exact; } actions = { mark; NoAction; } default_action = NoAction(); }
"""


def test_fields_tables_and_hashes_are_parameters_of_packets() -> None:
    body = """
        bit<32> cell;
        t.apply();
        hash(cell, HashAlgorithm.crc16, (bit<32>) 0, { hdr.h.rest }, (bit<32>) 4096);
        if (hdr.h.flag == 1) { r.write(cell, meta.m); } else { r.read(hdr.h.res, cell); }
    """
    marks = "// ser: r cells 2\n// ser: mark.d in 1..2\n"
    found = analysis(marks + text(body, locals=TABLE))
    asked = {parameter.name for kinds in found.model.kinds.values() for parameter, _ in kinds[0].parameters}
    assert {"I.t", "I.t.mark.d", "hdr.h.flag"} <= asked
    assert any(name.startswith("cell@") for name in asked)
    assert not any(isinstance(each, Choice) for h in found.model.program.handlers for each in walk(h.body))


def test_a_hash_is_never_left_out() -> None:
    """A Bloom filter whose index nobody knows would be proved."""
    body = """
        bit<32> cell;
        hash(cell, HashAlgorithm.crc16, (bit<32>) 0, { hdr.h.rest }, (bit<32>) 4);
        r.read(n, cell);
        r.write(cell, 1);
        hdr.h.res = n;
    """
    found = analysis(text(body))
    assert len(found.model.program.variables) == 4
    assert isinstance(decided(text(body)).answer, Violated)


def test_random_numbers_are_choices_and_change_every_time() -> None:
    found = analysis(WIDE + text("random(n, 0, 2); r.write(0, n); r.read(hdr.h.res, 0);"))
    assert any(isinstance(each, Choice) for h in found.model.program.handlers for each in walk(h.body))
    kinds = [each.kind for each in approximations(found)]
    assert ApproximationKind.ENVIRONMENT in kinds


def test_equal_draws_at_two_places_are_two_when_a_run_is_repeated() -> None:
    body = "random(n, 0, 2); r.write(0, n); random(n, 0, 2); r.write(0, n); r.read(hdr.h.res, 0);"
    found = analysis(WIDE + text(body))
    names = found.model.program.requests[:1]
    assert len(Repetition(found, names, (), Deadline(60), FIRST_VALUE).draws()) == 9


# --- slices -------------------------------------------------------------------------------------------------


def test_reading_what_was_left_out_is_an_internal_error() -> None:
    found = analysis(
        WIDE + text("meta.m = hdr.h.a + 1; r.read(n, 0); r.write(0, n + 1); hdr.h.res = n + meta.m;")
    )
    lying = replace(found.part, needed=found.part.needed - {"meta.m"})
    inventory = Inventory(found.scopes)
    execution = Execution(
        found.switch,
        lying,
        found.scopes,
        Model.SPEC,
        Parameters(inventory, {"hdr.h.isValid()": 1}),
        lambda _: 0,
        {},
        False,
    )
    with pytest.raises(AssertionError, match=r"meta.m is read, but what writes it was left out"):
        execution.run()


def test_what_answers_do_not_depend_on_needs_no_scope() -> None:
    body = f"if (hdr.h.a > 7) {{ hdr.h.more = 1; }} {COUNT}"
    found = analysis(WIDE + text(body))
    assert found.part.answers == ("hdr.h.res",)
    assert len(found.model.program.handlers) == 2


def test_a_field_that_is_only_passed_on_needs_no_scope() -> None:
    body = "r.read(n, 0); r.write(0, 1); if (n == 0) { hdr.h.res = hdr.h.a + 3; }"
    answer = decided(text(body)).answer
    assert isinstance(answer, Violated)


def test_whoever_leaves_early_keeps_what_was_read() -> None:
    body = "r.read(hdr.h.res, 0); r.write(0, 1); if (hdr.h.flag == 1) { return; } hdr.h.res = 0;"
    found = analysis(text(body))
    assert found.part.answers == ("hdr.h.res",)
    assert isinstance(decided(text(body)).answer, Violated)


def test_without_answers_the_final_registers_count() -> None:
    answer = decided(WIDE + text("r.read(n, 0); r.write(0, n + 1);")).answer
    assert isinstance(answer, Violated)
    proved = decided(WIDE + text("@atomic { r.read(n, 0); r.write(0, n + 1); }")).answer
    assert isinstance(proved, Holds)


def test_kinds_of_packets_that_do_the_same_are_one_request() -> None:
    marks = "// ser: hdr.h.a in 0..7\n// ser: hdr.h.b in 0..7\n// ser: r width 1\n"
    body = (
        "if (hdr.h.a == 3 && hdr.h.b == 3) { r.write(0, 0); } r.read(n, 0); r.write(0, n + 1); hdr.h.res = n;"
    )
    found = analysis(marks + text(body))
    assert len(found.explored.trees) > 20
    assert len(found.model.program.handlers) <= 4


# --- scopes -------------------------------------------------------------------------------------------------


def chosen(source: str) -> list[str]:
    """The scopes that were chosen, as the report tells them."""
    found = approximations(analysis(source))
    return [each.sentence for each in found if each.sentence.startswith("chosen: ")]


def test_missing_scopes_are_chosen_and_told() -> None:
    body = "if (hdr.h.a == 6) { r.write(0, hdr.h.b); } r.read(hdr.h.res, 0);"
    assert chosen(text(body)) == [
        "chosen: hdr.h.a in {0, 6}, since it has no scope",
        "chosen: hdr.h.b in 0..1, since it has no scope",
    ]
    assert chosen("// ser: hdr.h.a in {0, 6}\n// ser: hdr.h.b in 0..1\n" + text(body)) == []


@pytest.mark.parametrize(
    "condition", ["hdr.h.a > 50", "hdr.h.a < 50", "hdr.h.a - hdr.h.b > 50", "meta.m >= 200"]
)
def test_a_chosen_scope_is_widened_until_comparisons_have_both_answers(condition: str) -> None:
    body = f"meta.m = hdr.h.a; if ({condition}) {{ r.write(0, 1); }} r.read(hdr.h.res, 0);"
    assert analysis(text(body)).explored.dead == ()
    result = decided(text(body))
    assert isinstance(result.answer, Holds)
    assert result.answer.reason.startswith("Proved for the values chosen only. ")
    assert headline(result, TextLook()).endswith(
        ": serializable for any number of requests, for the values chosen\n"
    )


def test_a_proof_in_written_scopes_is_not_told_as_one_for_values_chosen() -> None:
    marks = "// ser: hdr.h.a in {0, 60}\n"
    body = "if (hdr.h.a > 50) { r.write(0, 1); } r.read(hdr.h.res, 0);"
    result = decided(marks + text(body))
    assert isinstance(result.answer, Holds)
    assert "chosen" not in result.answer.reason
    assert headline(result, TextLook()).endswith(": serializable for any number of requests\n")


def test_a_counter_in_a_chosen_width_stays_open_and_in_a_written_one_is_proved() -> None:
    """Its values leave what was chosen, as those of a column of SQL may."""
    counter = text(f"@atomic {{ {COUNT} }}")
    answer = decided(counter).answer
    assert isinstance(answer, Undecided)
    assert answer.reason == "while `r` counts modulo 4, no violation was found, with any number of requests"
    assert answer.hint == "for a proof about this, write // ser: r width 2"
    assert isinstance(decided("// ser: r width 2\n" + counter).answer, Holds)


def test_a_comparison_that_no_choice_reaches_leaves_no_proof() -> None:
    body = f"@atomic {{ {COUNT} }} if (n > 200) {{ hdr.h.res = 7; }}"
    (dead,) = analysis(text(body)).explored.dead
    answer = decided(text(body)).answer
    assert isinstance(answer, Undecided)
    assert answer.reason.startswith(
        "no violation was found, with any number of requests, but the comparison in line "
    )
    assert dead.message.removeprefix("this comparison") in answer.reason
    racing = decided(text(f"{COUNT} if (n > 200) {{ hdr.h.res = 7; }}"))
    assert isinstance(racing.answer, Violated)  # The interpreter has seen it at full widths.


def test_a_register_of_which_all_values_are_few_needs_no_width() -> None:
    body = "@atomic { r.read(n, 0); if (n < 20) { r.write(0, n + 1); } hdr.h.res = n; }"
    found = analysis(text(body))
    assert found.explored.contents["I.r"] == tuple(range(21))
    assert chosen(text(body)) == []


@pytest.mark.parametrize(
    ("mark", "comparison"),
    [
        ("hdr.h.a in 0..1", "hdr.h.a > 50"),
        ("hdr.h.a in 0..1", "hdr.h.a == 6"),
        ("hdr.h.a in {64}", "hdr.h.a > 0"),
        ("r width 2", "n > 100"),
        ("r in 0..3", "n == 9"),
    ],
)
def test_a_scope_that_decides_a_comparison_is_refused(mark: str, comparison: str) -> None:
    body = f"r.read(n, 0); if ({comparison}) {{ hdr.h.res = n; }} r.write(0, n + (bit<8>) hdr.h.flag);"
    marks = f"// ser: {mark}\n" + ("" if mark.startswith("r ") else WIDE)
    (found,) = refusals(marks + text(body))
    assert found.code == "SER968"
    assert found.message.startswith("this comparison is always")


def test_a_scope_with_values_on_both_sides_is_accepted() -> None:
    body = "r.read(n, 0); if (hdr.h.a > 50) { hdr.h.res = n; } r.write(0, n + 1);"
    marks = "// ser: hdr.h.a in {0, 60}\n" + WIDE
    assert isinstance(decided(marks + text(body)).answer, Violated)


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        ("hdr.h.a in 0..300", "a scope has at most 64 values"),
        ("hdr.h.a in {300}", "300 is not a value of bit<8>"),
        ("hdr.h.nope in 0..1", "no field, register or data of an action is called `hdr.h.nope`"),
        ("hdr.h.a in 3..1", "3..1 is empty"),
        ("hdr.h.a", "`hdr.h.a` says nothing about `hdr.h.a`"),
        ("hdr.h.a of 1", "cannot read `hdr.h.a of 1`"),
        ("r cells 9", "register `I.r` has 4 cells"),
        ("r width 9", "a width of 9 is not possible"),
        ("r in 1..2", "registers start as 0, which is not in the scope"),
        ("x cells 2", "there is no register `x` that packets read or write"),
    ],
)
def test_marks_that_cannot_be_understood_are_refused(mark: str, message: str) -> None:
    (found,) = refusals(f"// ser: {mark}\n" + text(COUNT))
    assert (found.code, found.message) == ("SER964", message)
    assert found.span is not None
    (given,) = refusals(text(COUNT), {"scope": mark})
    assert given.message == message


def test_a_register_that_grows_counts_modulo_a_chosen_number_and_others_do_not() -> None:
    assert chosen(text(COUNT)) == ["chosen: I.r has 2 bits: it counts modulo 4"]
    stored = "r.read(n, 0); r.write(0, 7); hdr.h.res = n;"
    assert analysis(text(stored)).explored.contents["I.r"] == (0, 7)
    assert chosen(text(stored)) == []


def test_a_violation_inside_the_scope_comes_before_a_fault() -> None:
    scope = {"scope": "r in 0..3"}
    assert isinstance(decided(text(COUNT), scope).answer, Violated)
    atomic = decided(text(f"@atomic {{ {COUNT} }}"), scope).answer
    assert isinstance(atomic, Faulty)
    assert "would become 4" in atomic.diagnostic.message


# --- tables -------------------------------------------------------------------------------------------------

BY_REGISTER = """
    action answer(bit<8> d) {{ hdr.h.res = d; }}
    table t {{
        key = {{ n : exact; }} actions = {{ answer; NoAction; }} {entries} default_action = NoAction();
    }}
"""
LOOKUP = "r.read(n, 0); r.write(0, 1); t.apply();"


def test_a_key_that_depends_on_a_register_may_lead_to_any_entry() -> None:
    """Each key has an action and data of its own, so an answer can tell the keys apart."""
    source = text(LOOKUP, locals=BY_REGISTER.format(entries=""))
    assert [len(kinds) for kinds in analysis(source).model.kinds.values()] == [5, 3]
    assert isinstance(decided(source).answer, Violated)
    atomic = text("@atomic { " + LOOKUP + " }", locals=BY_REGISTER.format(entries=""))
    assert isinstance(decided(atomic).answer, Holds)


def test_entries_are_those_of_the_program_or_of_a_file() -> None:
    own = text(LOOKUP, locals=BY_REGISTER.format(entries="const entries = { 0 : answer(5); 1 : answer(6); }"))
    given = "table_add t answer 0 => 5\ntable_add I.t answer 1 => 6\n"
    other = text(LOOKUP, locals=BY_REGISTER.format(entries=""))
    models = [analysis(own).model, analysis(other, {"entries": given}).model]
    assert models[0].program == models[1].program
    assert isinstance(decided(own).answer, Violated)
    assert isinstance(decided(other, {"entries": given}).answer, Violated)


def test_the_control_plane_may_change_a_default_action_that_is_not_constant() -> None:
    action = f"    action count() {{ {COUNT} }}"
    table = "table t { actions = { count; NoAction; } DEFAULT; }"
    free = text("t.apply();", locals=action + table.replace("DEFAULT", "default_action = NoAction()"))
    assert isinstance(decided(WIDE + free).answer, Violated)
    fixed = table.replace("DEFAULT", "const default_action = NoAction()")
    assert not analysis(WIDE + text("t.apply();", locals=action + fixed)).model.program.variables
    given = {"entries": "table_set_default t NoAction"}
    assert not analysis(WIDE + free, given).model.program.variables


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("table_add nope answer 0 => 5", "line 1 of the entries: no table `nope`"),
        ("table_add t answer 0 1 => 5", "line 1 of the entries: 2 keys, but `t` has 1"),
        ("table_add t answer zero => 5", "line 1 of the entries cannot be read"),
        ("mirroring_add 1 2", "line 1 of the entries cannot be read"),
        ("table_add t nope 0 => 5", "table `I.t` has no action `nope`"),
        ("table_add t answer 0 => 5 6", "action `answer` takes 1 values"),
    ],
)
def test_entries_that_do_not_fit_are_refused(line: str, message: str) -> None:
    (found,) = refusals(text(LOOKUP, locals=BY_REGISTER.format(entries="")), {"entries": line})
    assert found.message.startswith(message)


# --- models -------------------------------------------------------------------------------------------------


def verdicts(source: str) -> list[type[object]]:
    return [type(decided(source, {"p4-model": model.value}).answer) for model in Model]


def test_a_step_is_an_operation_an_action_or_ingress() -> None:
    inside = "    action count() { r.read(n, 0); r.write(0, n + 1); hdr.h.res = n; }"
    assert verdicts(WIDE + text(COUNT)) == [Violated, Violated, Holds]
    assert verdicts(WIDE + text("count();", locals=inside)) == [Violated, Holds, Holds]
    assert verdicts(WIDE + text(f"@atomic {{ {COUNT} }}")) == [Holds, Holds, Holds]


EGRESS = "q.read(k, 0); q.write(0, k + 1); hdr.h.res = k;"


@pytest.mark.parametrize(
    ("ports", "body", "expected"),
    [
        ("{1, 2}", EGRESS, Violated),
        ("{1, 5}", EGRESS, Holds),
        ("{1}", EGRESS, Holds),
        ("{1, 2}", f"@atomic {{ {EGRESS} }}", Violated),
        ("{1, 2}", "count();", Holds),
    ],
)
def test_egress_of_bmv2_has_four_threads_and_its_steps_are_actions(
    ports: str, body: str, expected: type[object]
) -> None:
    marks = f"// ser: hdr.h.a in {ports}\n// ser: q width 2\n"
    source = text(
        "sm.egress_spec = (bit<9>) hdr.h.a;",
        egress_locals=f"    action count() {{ {EGRESS} }}",
        egress=body,
    )
    assert isinstance(decided(marks + source, BMV2).answer, expected)


def test_a_packet_that_is_dropped_in_ingress_does_not_reach_egress() -> None:
    source = text("mark_to_drop(sm);", egress=EGRESS)
    assert not analysis("// ser: q width 2\n" + source).model.program.variables


# --- confirmation -------------------------------------------------------------------------------------------


def test_a_violation_is_repeated_at_full_widths() -> None:
    result = decided(WIDE + text(COUNT))
    assert result.confirmation is not None
    assert result.confirmation.confirmed
    assert result.confirmation.sentence.startswith("Repeated at full widths")


def test_a_violation_of_the_model_alone_is_undecided() -> None:
    """`a - a` is 0 in every packet, which the model does not know."""
    body = "r.read(n, 0); r.write(0, 1); hdr.h.res = n == 0 ? hdr.h.a - hdr.h.a : 0;"
    answer = decided(text(body)).answer
    assert isinstance(answer, Undecided)
    assert "possible violation" in answer.reason


def test_a_fix_is_the_smallest_block_that_was_proved() -> None:
    lines = "hdr.h.more = 1;\nr.read(n, 0);\nr.write(0, n + 1);\nhdr.h.res = n;"
    answer = decided(WIDE + text(lines)).answer
    assert isinstance(answer, Violated)
    (fix,) = answer.fixes
    assert fix.startswith("@atomic { … } around lines 18 to 19, from `r.read(n, 0);` to `r.write(0, n + 1);`")
    assert fix.endswith(" (proved)")


def test_a_fix_in_a_chosen_width_is_proved_for_the_values_chosen() -> None:
    answer = decided(text("r.read(n, 0);\nr.write(0, n + 1);\nhdr.h.res = n;")).answer
    assert isinstance(answer, Violated)
    assert answer.fixes
    assert all(each.endswith(" (proved for the values chosen)") for each in answer.fixes)
