"""Undecided, and still of use: the variable in the way is named, and fewer barriers count."""

from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.deciding import answer
from seriatim.deciding.answer import certify, check_certificate
from seriatim.deciding.pipeline import Options, decide, with_fewer_barriers
from seriatim.deciding.smaller_arrays import smaller_programs, with_decided_size
from seriatim.deciding.undecided import how_to_bound
from seriatim.engines.portfolio import Conclusion
from seriatim.engines.stage import Facts, GaveUp, Refutation
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method, Minimality
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Undecided
from seriatim.source import SourceText
from seriatim.systems.from_input import unfold
from seriatim.systems.limits import Limits

COUNTER = """
request next {
    lock(L);
    n := NEXT;
    yield;
    NEXT := n + 1;
    unlock(L);
    n
}
"""
RACING = "request flip { x := N; yield; N := 1 - x; x }"


def test_the_variable_in_the_way_is_named_with_its_line_and_what_to_do() -> None:
    found = decide(parse(COUNTER), Options(Limits(max_states=2_000), method=Method.COMMIT)).answer
    assert isinstance(found, Undecided)
    assert "`NEXT`" in found.reason
    assert "line 6" in found.reason
    assert found.hint is not None
    assert found.hint.startswith("bound `NEXT`")


def test_a_variable_of_a_service_is_bounded_by_a_mark() -> None:
    assert how_to_bound("self.next") == "mark its first line # ser: 0..3"
    assert how_to_bound("NEXT[2]") == "declare `NEXT in 0..3 wrap`"


def test_a_variable_with_few_values_is_not_blamed() -> None:
    found = decide(
        parse(COUNTER.replace("n + 1", "(n + 1) % 3")), Options(Limits(max_states=3), method=Method.COMMIT)
    ).answer
    assert isinstance(found, Undecided)
    assert "`NEXT`" not in found.reason


def test_a_violation_with_fewer_barriers_is_one_with_more() -> None:
    program, deadline = parse(RACING), Deadline(20)
    question = StrictSerializability(16)
    options = Options(question=question)
    nothing = Conclusion(GaveUp("too much"), Method.AUTO, 0, {}, Facts(), None)
    origin = unfold(program, options.limits, deadline)
    found = with_fewer_barriers(nothing, question.states(), origin, options, deadline)
    assert isinstance(found.answer, Refutation)
    assert found.answer.minimality is Minimality.UNKNOWN
    shown = certify(found, program, question, None)
    verdict = check_certificate(shown, program, Allowance(deadline=deadline))
    assert isinstance(verdict, answer.Refutation)
    assert verdict.certificate.question == StrictSerializability(16)


def test_no_violation_with_fewer_barriers_stays_undecided() -> None:
    program, deadline = parse("request flip { x := N; N := 1 - x; x }"), Deadline(20)
    question = StrictSerializability(2)
    options = Options(Limits(max_states=500), question=question)
    nothing = Conclusion(GaveUp("too much"), Method.AUTO, 0, {}, Facts(), None)
    origin = unfold(program, options.limits, deadline)
    assert with_fewer_barriers(nothing, question.states(), origin, options, deadline) is nothing


ARRAY = """
const N := 3
A[N] := 0
request add(i in 0..N-1) { x := A[i]; yield; if (A[i] == x) { A[i] := (x + 1) % 4; x } else { 9 } }
"""


def test_it_is_said_which_size_of_arrays_is_decided() -> None:
    options, source = Options(Limits(max_states=30)), SourceText("array.ser", ARRAY)
    result = decide(parse(ARRAY), options, source=source)
    assert isinstance(result.answer, Undecided)
    told = with_decided_size(result, result.answer, options, Deadline(20)).answer
    assert isinstance(told, Undecided)
    assert told.reason.endswith("with arrays of size 2 instead, the handlers are not serializable")


def test_smaller_programs_have_smaller_arrays() -> None:
    text = "A[3] := 0\nrequest a { A[0] }"
    assert [(size, len(p.initial_values)) for size, p in smaller_programs(text)] == [(1, 1), (2, 2)]
    assert [size for size, _ in smaller_programs("X := 0\nrequest a { X }")] == []


def test_only_programs_with_arrays_leave_time_for_smaller_ones() -> None:
    assert not parse(COUNTER).has_arrays
    assert parse(ARRAY).has_arrays
