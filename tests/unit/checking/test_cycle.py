"""Evidence of the kind `cycle`: accepted if the run has these conflicts, refused with a reason if not."""

from dataclasses import replace

import pytest

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.cycle import Access, Conflict, CycleEvidence
from seriatim.certificate.turns import Turn
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.frontends.all import read_input
from seriatim.program.inputs import digest
from seriatim.properties.conflict_serializable import ConflictSerializability
from seriatim.source import SourceText
from testkit.inputs.written_runs import turn

STEP = "every turn is a step of the input, with these accesses, and none of these steps only waits"
CYCLE = "each conflict is of two requests, one of which writes, and the next one begins where it ends"


def turns(text: str) -> tuple[Turn, ...]:
    return tuple(turn(line) for line in text.split(";"))


def conflict(first: int, second: int, variable: str, accesses: tuple[Access, Access]) -> Conflict:
    return Conflict(first, second, variable, accesses)


def report(text: str, evidence: CycleEvidence, limit: int = 10_000) -> Report:
    content = read_input(SourceText("-", text))
    question = ConflictSerializability()
    certificate = Certificate(digest(content), "not_conflict_serializable", evidence, question)
    return verify(certificate, content, Context(Allowance(limit)))


SLOW = "request slow { x := X; yield; Y := x; X := 1; 0 } request flip { X := 1 - X; Y }"
READ, WRITE = (
    conflict(1, 2, "X", ("read", "write")),
    conflict(2, 3, "X", ("write", "write")),
)
FOUND = CycleEvidence(turns("1 slow X=0,Y=0; 2 flip X=1,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 0"), (READ, WRITE))
"""`slow` reads X before `flip` writes it, and writes it after that."""


def test_a_cycle_is_accepted_and_told_in_words() -> None:
    found = report(SLOW, FOUND)
    assert found.accepted, found.complaint
    naming, cycle, steps = found.obligations[-3:]
    assert naming.detail == "3 turns of 2 requests"
    assert (cycle.claim, cycle.detail) == (CYCLE, "a cycle of 2 conflicts")
    assert cycle.data == (
        "request 1 reads X in turn 1, and request 2 writes it in turn 2: request 1 comes before request 2",
        "request 2 writes X in turn 2, and request 1 writes it in turn 3: request 2 comes before request 1",
    )
    assert (steps.claim, steps.detail) == (STEP, "replayed")
    assert steps.data == FOUND.turns


ACCEPTED: dict[str, CycleEvidence] = {
    "in another order": replace(FOUND, conflicts=(WRITE, READ)),
    "a turn that reads and writes": replace(FOUND, conflicts=(READ, conflict(2, 3, "X", ("read", "write")))),
    "several variables": replace(FOUND, conflicts=(READ, conflict(2, 3, "Y", ("read", "write")))),
    "nobody needs to be answered": CycleEvidence(
        turns("1 slow X=0,Y=0; 2 slow X=0,Y=0; 1 slow X=1,Y=0 ➜ 0; 3 flip X=0,Y=0 ➜ 0; 2 slow X=1,Y=0 ➜ 0"),
        (conflict(2, 3, "X", ("read", "write")), conflict(3, 5, "X", ("write", "write"))),
    ),
}


@pytest.mark.parametrize("evidence", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_cycles_are_accepted(evidence: CycleEvidence) -> None:
    assert report(SLOW, evidence).complaint == ""


def with_turns(text: str) -> CycleEvidence:
    return replace(FOUND, turns=turns(text))


def with_conflicts(*conflicts: Conflict) -> CycleEvidence:
    return replace(FOUND, conflicts=conflicts)


WRONG: dict[str, tuple[CycleEvidence, str]] = {
    "no conflicts": (with_conflicts(), "there are no conflicts"),
    "a conflict backwards": (
        with_conflicts(conflict(2, 1, "X", ("write", "read")), WRITE),
        "conflict 1 is not between a turn and a later one",
    ),
    "a conflict with itself": (
        with_conflicts(READ, conflict(2, 2, "X", ("write", "write"))),
        "conflict 2 is not between a turn and a later one",
    ),
    "from no turn": (
        with_conflicts(conflict(0, 2, "X", ("read", "write")), WRITE),
        "conflict 1 is not between a turn and a later one",
    ),
    "to no turn": (
        with_conflicts(READ, conflict(2, 4, "X", ("write", "write"))),
        "conflict 2 is not between a turn and a later one",
    ),
    "the next one from no turn": (with_conflicts(READ, replace(WRITE, first=4)), "there is no turn 4"),
    "the next one from before": (with_conflicts(READ, replace(WRITE, first=0)), "there is no turn 0"),
    "of one request": (
        with_conflicts(conflict(1, 3, "X", ("read", "write"))),
        "both turns of conflict 1 are of the same request",
    ),
    "nobody writes": (
        with_conflicts(replace(READ, accesses=("read", "read")), WRITE),
        "neither turn of conflict 1 writes",
    ),
    "not closed": (
        with_conflicts(READ),
        "conflict 1 ends at another request than the next one begins at",
    ),
    "not joined": (
        with_conflicts(READ, READ, WRITE),
        "conflict 1 ends at another request than the next one begins at",
    ),
    "a read that there is not": (
        with_conflicts(replace(READ, variable="Y"), WRITE),
        "turn 1: request 1, `slow`, cannot do that there",
    ),
    "a write that there is not": (
        with_conflicts(READ, replace(WRITE, variable="Y")),
        "turn 2: request 2, `flip`, cannot do that there",
    ),
    "a write instead of a read": (
        with_conflicts(replace(READ, accesses=("write", "write")), WRITE),
        "turn 1: request 1, `slow`, cannot do that there",
    ),
    "a read instead of a write": (
        with_conflicts(READ, conflict(2, 3, "X", ("write", "read"))),
        "turn 3: request 1, `slow`, cannot do that there",
    ),
    "a right claim does not make up for a wrong one": (
        with_conflicts(replace(READ, variable="Y"), WRITE, READ, WRITE),
        "turn 1: request 1, `slow`, cannot do that there",
    ),
    "another state": (
        with_turns("1 slow X=0,Y=0; 2 flip X=0,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 0"),
        "turn 2: request 2, `flip`, cannot do that there",
    ),
    "another state where nothing is claimed": (
        CycleEvidence(
            turns("1 flip X=0,Y=0 ➜ 0; 2 slow X=1,Y=0; 3 flip X=0,Y=0 ➜ 0; 2 slow X=1,Y=1 ➜ 0"),
            (conflict(2, 3, "X", ("read", "write")), conflict(3, 4, "X", ("write", "write"))),
        ),
        "turn 1: request 1, `flip`, cannot do that there",
    ),
    "another answer": (
        with_turns("1 slow X=0,Y=0; 2 flip X=1,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 1"),
        "turn 3: request 1, `slow`, cannot do that there",
    ),
    "an answer too early": (
        with_turns("1 slow X=0,Y=0 ➜ 0; 2 flip X=1,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 0"),
        "turn 1: request 1, `slow`, cannot do that there",
    ),
    "a turn after the answer": (
        with_turns("1 slow X=0,Y=0; 2 flip X=1,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 0; 2 flip X=0,Y=0 ➜ 0"),
        "turn 4: request 2, `flip`, cannot do that there",
    ),
    "a handler that is not there": (
        with_turns("1 slow X=0,Y=0; 2 flop X=1,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 0"),
        "turn 2: request 2, `flop`, cannot do that there",
    ),
    "a number too large": (
        with_turns("1 slow X=0,Y=0; 3 flip X=1,Y=0 ➜ 0; 1 slow X=1,Y=0 ➜ 0"),
        "turn 2: request 3 should be request 2",
    ),
}


@pytest.mark.parametrize(("evidence", "message"), WRONG.values(), ids=WRONG.keys())
def test_cycles_that_are_wrong_are_refused(evidence: CycleEvidence, message: str) -> None:
    assert report(SLOW, evidence).complaint.endswith(f": {message}")


HELD = """
request lock { while (L == 1) { yield }; L := 1; yield; L := 0; 0 }
request peek { x := L; yield; L; x }
"""


def test_a_wait_step_may_be_a_turn_and_is_no_part_of_a_cycle() -> None:
    """Who looks at a lock that is held would otherwise come after its holder, and before it."""
    look = CycleEvidence(
        turns("1 lock L=1; 2 lock L=1; 1 lock L=0 ➜ 0"),
        (conflict(1, 2, "L", ("write", "read")), conflict(2, 3, "L", ("read", "write"))),
    )
    assert report(HELD, look).complaint.endswith("turn 2: request 2, `lock`, cannot do that there")
    beside = CycleEvidence(
        turns("1 peek L=0; 2 lock L=1; 3 lock L=1; 1 peek L=1 ➜ 0"),
        (conflict(1, 2, "L", ("read", "write")), conflict(2, 4, "L", ("write", "read"))),
    )
    assert report(HELD, beside).complaint == ""


SWITCH = """{
  "initial_global": "off",
  "requests": [["p", "a"], ["q", "c"]],
  "responses": [["d", "done"]],
  "transitions": [
    ["a", "off", "b", "off"], ["b", "on", "d", "on"], ["b", "off", "b", "off"], ["c", "off", "d", "on"]
  ]
}"""


def test_the_state_of_a_network_system_is_one_variable() -> None:
    """Each step reads it, and writes it if it changes it; one that changes nothing at all is a wait step."""
    run = turns("1 p off; 1 p off; 2 q on ➜ done; 1 p on ➜ done")
    read, write = conflict(1, 3, "state", ("read", "write")), conflict(3, 4, "state", ("write", "read"))
    assert report(SWITCH, CycleEvidence(run, (read, write))).complaint == ""
    wrong = {
        "turn 1": (replace(read, accesses=("write", "write")), write),
        "turn 2": (replace(read, first=2), write),
        "turn 4": (read, replace(write, accesses=("write", "write"))),
    }
    for place, conflicts in wrong.items():
        assert place in report(SWITCH, CycleEvidence(run, conflicts)).complaint


def test_turns_are_not_replayed_for_nothing() -> None:
    with pytest.raises(GaveUp):
        report(SLOW, FOUND, limit=2)
    assert report(SLOW, FOUND, limit=3).accepted
