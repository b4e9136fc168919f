"""With `terminating`, runs that end are covered, also those with an action that could have failed."""

from seriatim.actions.interpreter import Interpreter
from seriatim.actions.values import Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.finite import check_at
from seriatim.checking.sequentialization.premises import Premise
from seriatim.sequencing.decide import Settings
from seriatim.sequencing.outcome import Proved
from testkit.inputs.action_programs import decide, parse_text

TEXT = """
x: int := 0
y: int := 1
action main():
    async a()
    async b()
action a():
    x := 1
action b():
    either:
        assert x == 1
    or:
        y := x
sequential:
    order a, b
    always pending(a()) <= 1 and pending(b()) <= 1
    when a() next: x == 0 and y == 1
    when b() next: x == 1 and y == 1
    when none next: y == 1
    gate a: earliest, enabled
    gate b: earliest, enabled
    measure #a, #b
    ensures y == 1
"""
"""In the run b, a that takes the second block, nothing fails, and y is 0 at the end."""


def test_a_path_is_exchanged_although_another_path_fails_there() -> None:
    program = parse_text(TEXT)
    assert program.proof is not None
    found = check_at(Interpreter(program, Sizes({})), program.proof, 1_000, Deadline(), terminating=True)
    assert Premise.COMMUTES in {each.premise for each in found.findings}
    conditions = Conditions(program, program.proof, terminating=True).all()
    discharged = discharge_all(conditions, SolverName.Z3, Deadline(30))
    unproved = {each.condition.premise for each in discharged if each.status is not Status.PROVED}
    assert Premise.COMMUTES in unproved
    assert not isinstance(decide(program, Settings(terminating=True)), Proved)


def test_what_a_path_has_asserted_is_known_on_it() -> None:
    text = TEXT.replace(
        "    either:\n        assert x == 1\n    or:\n        y := x\n", "    assert x == 1\n    y := x\n"
    )
    program = parse_text(text)
    assert program.proof is not None
    conditions = Conditions(program, program.proof, terminating=True).all()
    exchanges = [each for each in conditions if each.premise is Premise.COMMUTES]
    discharged = discharge_all(exchanges, SolverName.Z3, Deadline(30))
    assert all(each.status is Status.PROVED for each in discharged)
