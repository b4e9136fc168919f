"""Examples of integers and of cells say little about all of them: neither verdicts nor the checker rely on
what only the examples lack."""

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.run import RunEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.verify import GaveUp, verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.parser import parse
from seriatim.history.handlers import Handlers
from seriatim.history.model import Unfit
from seriatim.method import Minimality
from seriatim.program.inputs import digest
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY
from seriatim.result import Undecided, Violated
from seriatim.systems.limits import Limits
from seriatim.systems.unfolding import ProgramUnfolding

FAR_RACE = "request a(n: int) { if (n == 1000) { x := X; yield; X := x + 1; return X }; 0 }"
FAR_FAILURE = "request a(n: int) { if (n == 1000) { assert 0 }; 0 }"
FAR_CELL = """
A[key: int] := 0
request f { x := X; yield; if (x == X) { A[7] := 1 }; 0 }
request g { X := X + 1; 0 }
"""
SLOW_RACE = f"{FAR_RACE} request g {{ Y := Y + 1; yield; if (Y == 3) {{ Y := 0; return 1 }}; 0 }}"


@pytest.mark.parametrize("text", [FAR_RACE, FAR_FAILURE])
@pytest.mark.parametrize("question", [SERIALIZABILITY, ConflictSerializability()])
def test_what_only_other_arguments_do_is_not_overlooked(text: str, question: Property) -> None:
    assert isinstance(decide(parse(text), Options(question=question)).answer, Undecided)


def test_no_run_is_unexplained_because_a_request_alone_needs_another_cell() -> None:
    """`f` and `g` answer 0 in any case."""
    program = parse(FAR_CELL)
    assert not isinstance(decide(program, Options()).answer, Violated)
    before = (("A[0]", 0), ("A[1]", 0), ("A[2]", 0), ("X", 0))
    after = (*before[:-1], ("X", 1))
    turns = (Turn(1, "f", before, None), Turn(2, "g", after, "0"), Turn(1, "f", after, "0"))
    with pytest.raises(GaveUp, match="a cell that the examples do not have"):
        verify(Certificate(digest(program), "not_serializable", RunEvidence(turns)), program)


def test_a_log_is_not_compared_with_requests_that_need_other_cells() -> None:
    model = Handlers("far", ProgramUnfolding(parse(FAR_CELL), Limits(), Deadline()), {}, 1_000)
    assert model.request("g") == 1
    with pytest.raises(Unfit, match="may need any cell"):
        model.request("f")


def test_fewer_requests_with_other_arguments_may_be_enough() -> None:
    found = decide(parse(SLOW_RACE), Options()).answer
    assert isinstance(found, Violated)
    assert found.minimality is Minimality.UNKNOWN


def test_two_requests_are_the_fewest_in_any_case() -> None:
    found = decide(parse("request a(n: int) { x := X; yield; X := x + n; X }"), Options()).answer
    assert isinstance(found, Violated)
    assert found.minimality is Minimality.PROVED


def test_that_examples_show_no_violation_is_not_said_of_all_requests() -> None:
    found = decide(parse(FAR_RACE), Options()).answer
    assert isinstance(found, Undecided)
    assert found.clean_up_to == 0
