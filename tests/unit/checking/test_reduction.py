"""Reductions as evidence: which pauses may be called late; none, where there is a violation."""

from collections.abc import Iterator
from itertools import combinations

import pytest

from seriatim.budget import Deadline, OutOfBudget
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.reduction import ReductionEvidence
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.reduction import NOT_LATE, KeptSteps, close_views
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import Report, verify
from seriatim.checking.views import Views
from seriatim.frontends.ser.parser import parse
from seriatim.program.execution import big_steps
from seriatim.program.inputs import digest
from seriatim.program.syntax import Program
from testkit.generators.cases import case_of


def report(program: Program, evidence: ReductionEvidence) -> Report:
    return verify(
        Certificate(digest(program), "serializable", evidence), program, Context(big_steps=big_steps)
    )


def every_invariant(program: Program) -> tuple[Invariant, ...]:
    """Those that do not hold are not used."""
    names = ProgramReference(program, big_steps).names
    return tuple(Invariant(name, sign) for name in names for sign in (1, -1))


def views(program: Program) -> Views:
    evidence = ReductionEvidence(every_invariant(program), ())
    return close_views(ProgramReference(program, big_steps), evidence, Allowance(1_000, Deadline()))


def pauses(program: Program) -> dict[str, Waiting]:
    """By handler and number in the order of the text; number 0 is where requests begin."""
    found = views(program)
    described = {
        (handler, found.reference.description(state)[0])
        for handler, state in (found.flights[number] for number in range(len(found.flights)))
    }
    return {
        f"{name}{number}": Waiting(name, code, ())
        for name in found.names
        for number, code in enumerate(
            sorted((code for handler, code in described if handler == name), key=len, reverse=True)
        )
    }


def accepted(program: Program) -> Iterator[str]:
    """The names of pauses that together may be called late."""
    known = pauses(program)
    for size in range(len(known) + 1):
        for late in combinations(known, size):
            evidence = ReductionEvidence(every_invariant(program), tuple(known[name] for name in late))
            if report(program, evidence).accepted:
                yield " ".join(late)


LOCK = "while (L == 1) { yield }; L := 1; yield;"

ACCEPTED: dict[str, tuple[str, int, set[str]]] = {
    "anywhere while a lock is held": (
        f"request a {{ {LOCK} x := X; yield; X := 1 - x; yield; L := 0; x }}",
        10,
        {"", "a3", "a2 a3", "a1 a2 a3"},
    ),
    "anywhere while a unit of a semaphore is held": (
        "S := 1 request a { while (S == 0) { yield }; S := S - 1; yield; X := 1 - X; yield; S := S + 1; X }",
        8,
        {"", "a2", "a1 a2"},
    ),
    "two handlers with a lock in common, and a variable of its own each": (
        f"request a {{ {LOCK} Y := 1 - Y; L := 0; X }} request b {{ {LOCK} X := 1 - X; L := 0; Z }}",
        18,
        {"", "a1", "b1", "a1 b1"},
    ),
    "when writing what others read": (
        "request a { D := 1; yield; X := 1 - X; 0 } request b { D }",
        7,
        {"a1"},
    ),
    "when writing what others keep in a variable of their own": (
        "request a { X := 1 - X; yield; W := 1 - W; 0 } request b { Y := X; 0 }",
        12,
        {"a1"},
    ),
    "before writing what everybody writes": (
        "request a { X := 1 - X; yield; D := 1; 0 } request b { x := X; yield; D := 1; x }",
        20,
        {"a1 b1"},
    ),
    "when reading what others write": (
        "request a { x := X; yield; x } request b { X := 1 - X; 0 }",
        8,
        {"a1"},
    ),
    "after a choice and after waiting": (
        "request a { x := ?; yield; while (Y == 0) { yield }; Y := x; x } request b { Y := 1 - Y; Y }",
        8,
        {""},
    ),
    "at the end of one of two ways": (
        "request a { yield; if (?) { yield; X := 1 - X; 0 } else { yield; 1 } } request b { X }",
        8,
        {""},
    ),
    "before a choice that only the answer shows": (
        "request a { X := 1 - X; yield; x := ?; yield; x } request b { X }",
        10,
        {"a1 a2"},
    ),
    "when reading into a variable of one's own, if others write what is read": (
        "request a { X := 1 - X; 0 } request b { Z := 1 - Z; yield; Y := X; 0 }",
        18,
        {""},
    ),
    "in a handler that mentions nothing": ("request a { yield; yield; yield; 0 }", 3, {"", "a2", "a1 a2"}),
}
"""A program, how many views it has, and which pauses may be called late, by the moment of the effect."""


@pytest.mark.parametrize(("text", "count", "late"), ACCEPTED.values(), ids=ACCEPTED)
def test_a_request_may_take_effect_there_and_nowhere_else(text: str, count: int, late: set[str]) -> None:
    program = parse(text)
    assert len(views(program).steps) == count
    assert set(accepted(program)) == late


REFUSED = {
    "without a lock": "request a { x := X; yield; X := (x + 1) % 3; X }",
    "with a lock that is given back early": f"request a {{ {LOCK} x := X; L := 0; yield; X := 1 - x; x }}",
    "with a reader that takes no lock": f"""
        request a {{ {LOCK} X := 1; yield; X := 0; L := 0; 1 }} request b {{ X }}
    """,
    "with a lock that is tried once": """
        request a { if (L == 1) { 9 } else { L := 1; yield; x := X; yield; X := 1 - x; L := 0; x } }
    """,
    "with two units where there should be one": """
        S := 2
        request a { while (S == 0) { yield }; S := S - 1; x := X; yield; X := 1 - x; S := S + 1; x }
    """,
    "when somebody who waits can tell": """
        request a { while (L == 1) { w := 1; yield }; L := 1; yield; L := 0; w }
    """,
    "when two variables are read one after the other": """
        request a { x := X; yield; y := Y; x + 2 * y } request b { X := 1; Y := 1; 0 }
    """,
    "when a variable of one's own keeps what is only there meanwhile": """
        request a { X := 1; yield; X := 0; 0 } request b { Y := X; yield; Y }
    """,
    "when somebody changes a variable any number of times": """
        request a { while (?) { X := 1 - X; yield }; 0 } request b { x := X; yield; x + 2 * X }
    """,
    "with a lock that is not waited for": """
        request a { if (L == 0) { L := 1 }; yield; x := X; yield; X := 1 - x; L := 0; x }
    """,
    "when two variables are written one after the other": """
        request a { X := 1; yield; Y := 1; 0 } request b { x := X; yield; y := Y; x + 2 * y }
    """,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_nothing_is_accepted_where_there_is_a_violation(text: str) -> None:
    program = parse(text)
    assert case_of(program).fewest() == 2
    assert list(accepted(program)) == []


def test_an_effect_is_neither_undone_nor_there_from_the_start() -> None:
    program = parse("request a { yield; yield; yield; 0 }")
    known = pauses(program)
    for late in (["a1"], ["a0", "a1", "a2"]):
        found = report(program, ReductionEvidence((), tuple(known[name] for name in late)))
        assert found.complaint == f"{NOT_LATE}: not so in `a`"


def test_late_may_depend_on_values() -> None:
    """Requests with x = 1 have already turned X; the others are going to."""
    program = parse(
        "request a { if (?) { X := 1 - X; x := 1 }; yield; if (x == 0) { X := 1 - X }; 0 } request b { X }"
    )
    for values, is_right in [((("x", 1),), True), ((("x", 0),), False), ((("x", 2),), False), ((), False)]:
        late = (Waiting("a", "if (x == 0) { X := 1 - X }; 0", values),)
        assert report(program, ReductionEvidence((), late)).accepted == is_right


USED = {
    "of a lock": ("request a { LOCK 0; yield; L := 0; 0 }", {"L"}),
    "of nothing, as nobody waits": ("request a { if (L == 0) { L := 1 }; yield; L := 0; 0 }", set()),
    "of nothing, as somebody keeps the lock": ("request a { LOCK if (?) { L := 0 }; 0 }", set()),
    "of nothing, as somebody gives back first": (
        "request a { LOCK while (L == 0) { yield }; L := 0; 0 }"
        "request b { while (L == 0) { yield }; L := 0; yield; while (L == 1) { yield }; L := 1; 0 }",
        set(),
    ),
}


@pytest.mark.parametrize(("text", "variables"), USED.values(), ids=USED)
def test_only_invariants_that_hold_are_used(text: str, variables: set[str]) -> None:
    """Nobody's weight is negative: otherwise, those of two need not be what is there at least."""
    found = views(parse(text.replace("LOCK", LOCK)))
    for handler in found.names:
        assert {invariant.variable for invariant in found.weights(found.fresh[handler])} == variables


def test_a_program_without_bound_is_given_up_on() -> None:
    with pytest.raises(GaveUp):
        views(parse("request a { X := X + 1; yield; 0 }"))


def test_the_deadline_holds_while_steps_are_exchanged() -> None:
    program = parse("request a { x := X; yield; X := x; yield; X := x; 0 }")
    steps = KeptSteps(views(program), set(views(program).names))
    steps.views.allowance.deadline = Deadline(0)
    with pytest.raises(OutOfBudget):
        steps.stuck(lambda _, __: True)
