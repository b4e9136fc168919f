"""Undecided, and still of use: the variable in the way is named, and fewer barriers count."""

from seriatim import answer
from seriatim.budget import Deadline
from seriatim.checking.allowance import Allowance
from seriatim.engines.portfolio import Conclusion
from seriatim.engines.stage import Facts, GaveUp, Refutation
from seriatim.frontends.ser.parser import parse
from seriatim.method import Method, Minimality
from seriatim.pipeline import Options, certified, checked, decide, with_fewer_barriers
from seriatim.properties.strict import StrictSerializability
from seriatim.result import Undecided
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
    found = decide(parse(COUNTER), Options(Limits(max_states=2_000))).answer
    assert isinstance(found, Undecided)
    assert "`NEXT`" in found.reason
    assert "line 6" in found.reason
    assert found.hint is not None
    assert found.hint.startswith("bound `NEXT`")


def test_a_variable_with_few_values_is_not_blamed() -> None:
    found = decide(parse(COUNTER.replace("n + 1", "(n + 1) % 3")), Options(Limits(max_states=3))).answer
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
    verdict = checked(certified(found, program, options), program, Allowance(deadline=deadline))
    assert isinstance(verdict, answer.Refutation)
    assert verdict.certificate.question == StrictSerializability(16)


def test_no_violation_with_fewer_barriers_stays_undecided() -> None:
    program, deadline = parse("request flip { x := N; N := 1 - x; x }"), Deadline(20)
    question = StrictSerializability(2)
    options = Options(Limits(max_states=500), question=question)
    nothing = Conclusion(GaveUp("too much"), Method.AUTO, 0, {}, Facts(), None)
    origin = unfold(program, options.limits, deadline)
    assert with_fewer_barriers(nothing, question.states(), origin, options, deadline) is nothing
