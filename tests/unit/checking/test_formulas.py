"""Formulas of certificates: which are about a program, and what solvers say about questions."""

from dataclasses import replace
from typing import NoReturn

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.scripts import SolverAnswer
from seriatim.arithmetic.term_text import read_term
from seriatim.arithmetic.terms import FALSE, ONE, TRUE, ZERO, Term
from seriatim.certificate.evidence import Evidence
from seriatim.certificate.simulation import Predicate, RequestFlow, RestingPoint, SimulationEvidence
from seriatim.certificate.symbolic_reduction import SymbolicReductionEvidence
from seriatim.checking import formulas, simulation, symbolic_reduction
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.context import Context
from seriatim.checking.formulas import ABOUT, committed_of, invariant_of, points_of, require_all
from seriatim.checking.obligation import DoesNotFollow, Obligation, report_on
from seriatim.checking.simulation import COMMITS, SAFE, simulation_obligations
from seriatim.checking.symbolic_reduction import EXCHANGED, STAYS, symbolic_reduction_obligations
from seriatim.frontends.ser.parser import parse
from seriatim.program.inputs import Input
from seriatim.program.network_system import NetworkSystem
from seriatim.program.printer import print_expression
from seriatim.program.symbolic.execution import TooManyPaths
from seriatim.program.symbolic.invariant import Invariant
from seriatim.program.symbolic.model import from_program
from seriatim.program.symbolic.moves import Policy

MODEL = from_program(
    parse("X := 3\nrequest a(n: int) { yield; X := n; yield; X + n }\nrequest b { yield; X }")
)
POINTS = tuple(
    RestingPoint(MODEL.routines[each.handler].name, print_expression(each.code), place == 1)
    for place, each in enumerate(MODEL.points)
)
BACKWARDS = tuple(reversed(POINTS))


def test_points_are_found_by_their_text() -> None:
    assert points_of(MODEL, POINTS) == [0, 1, 2]
    assert points_of(MODEL, BACKWARDS) == [2, 1, 0]
    assert points_of(MODEL, POINTS[1:2]) == [1]
    assert committed_of(BACKWARDS, [2, 1, 0]) == {1}
    assert committed_of(POINTS[::2], [0, 2]) == frozenset()


@pytest.mark.parametrize(
    "points",
    [
        (*POINTS, POINTS[0]),
        (POINTS[0], POINTS[0]),
        (replace(POINTS[0], handler="b"),),
        (replace(POINTS[0], handler="c"),),
        (replace(POINTS[0], code="0"),),
    ],
)
def test_other_points_are_refused(points: tuple[RestingPoint, ...]) -> None:
    with pytest.raises(DoesNotFollow):
        points_of(MODEL, points)


def invariant(
    *predicates: tuple[tuple[int, ...], str],
    flows: tuple[RequestFlow, ...] = (),
    numbers: tuple[int, ...] = (2, 1, 0),
    level: int = 2,
    committed: frozenset[int] | None = None,
) -> Invariant:
    said = tuple(Predicate(at, read_term(formula)) for at, formula in predicates)
    return invariant_of(Policy(MODEL, committed), level, list(numbers), said, flows)


def test_formulas_are_put_into_the_order_of_points() -> None:
    found = invariant(
        ((), "(= g.X 3)"),
        ((0, 1), "(<= |0.n| 5)"),
        ((1, 2), "(<= |1.n| 7)"),
        ((0, 2), "(<= |0.n| |1.n|)"),
        ((2, 2), "(<= |0.n| |1.n|)"),
    )
    assert found.known == {
        (): read_term("(= g.X 3)"),
        (1, 2): read_term("(<= |1.n| 5)"),
        (0, 1): read_term("(<= |0.n| 7)"),
        (0, 2): read_term("(<= |1.n| |0.n|)"),
        (0, 0): read_term("(<= |0.n| |1.n|)"),
    }
    assert invariant(((), "(= s.X g.X)"), committed=frozenset()).known == {(): read_term("(= s.X g.X)")}


@pytest.mark.parametrize(
    ("predicates", "message"),
    [
        ([((3,), "true")], "points that are not in the list"),
        ([((0, 3), "true")], "points that are not in the list"),
        ([((0, 0, 0), "true")], "points that are not in the list"),
        ([((1, 0), "true")], "not in its order"),
        ([((), "true"), ((), "true")], "two formulas"),
        ([((0, 1), "true"), ((0, 1), "false")], "two formulas"),
        ([((), "(= g.Y 0)")], "no variable `g.Y`"),
        ([((), "(= s.X 0)")], "no variable `s.X`"),
        ([((), "(= |0.n| 0)")], "no variable `0.n`"),
        ([((1,), "(= |0.n| 0)")], "no variable `0.n`"),
        ([((2,), "(= |1.n| 0)")], "no variable `1.n`"),
    ],
)
def test_formulas_about_something_else_are_refused(
    predicates: list[tuple[tuple[int, ...], str]], message: str
) -> None:
    with pytest.raises(DoesNotFollow, match=message):
        invariant(*predicates)


FLOW = RequestFlow((("g.X", 2),), (ZERO, ONE, read_term("|0.n|")), 6)


def test_weights_belong_to_the_points_of_the_list() -> None:
    [flow] = invariant(flows=(FLOW,)).flows
    assert flow.weights == (read_term("|0.n|"), ONE, ZERO)
    [flow] = invariant(flows=(replace(FLOW, weights=(ONE,)),), numbers=(1,)).flows
    assert flow.weights == (ZERO, ONE, ZERO)
    serial = replace(FLOW, factors=(("g.X", 2), ("s.X", -2)), total=0)
    assert len(invariant(flows=(serial,), committed=frozenset()).flows) == 1


@pytest.mark.parametrize(
    ("flow", "message"),
    [
        (replace(FLOW, weights=FLOW.weights[1:]), "each point"),
        (replace(FLOW, weights=(*FLOW.weights, ONE)), "each point"),
        (replace(FLOW, factors=(("g.Y", 1),)), "no variable `g.Y`"),
        (replace(FLOW, factors=(("s.X", 1),)), "no variable `s.X`"),
        (replace(FLOW, weights=(ONE, read_term("|0.n|"), ONE)), "no variable `0.n`"),
        (replace(FLOW, weights=(ONE, ONE, read_term("|1.n|"))), "no variable `1.n`"),
        (replace(FLOW, weights=(ONE, ONE, read_term("g.X"))), "no variable `g.X`"),
        (replace(FLOW, total=5), "a sum is 6 at the start, not 5"),
    ],
)
def test_sums_of_something_else_are_refused(flow: RequestFlow, message: str) -> None:
    with pytest.raises(DoesNotFollow, match=message):
        invariant(flows=(flow,))


YES, NO, PERHAPS = SolverAnswer.UNSATISFIABLE, SolverAnswer.SATISFIABLE, SolverAnswer.UNKNOWN
KNOWN, FOLLOWS = read_term("(<= g.X 3)"), read_term("(<= g.X 4)")


@pytest.mark.parametrize(
    ("z3", "cvc5", "expected"),
    [
        (YES, YES, None),
        (YES, PERHAPS, None),
        (PERHAPS, YES, None),
        (PERHAPS, PERHAPS, GaveUp),
        (YES, NO, DoesNotFollow),
        (NO, YES, DoesNotFollow),
        (NO, PERHAPS, DoesNotFollow),
    ],
)
def test_one_solver_has_to_confirm_and_none_may_contradict(
    z3: SolverAnswer, cvc5: SolverAnswer, expected: type[Exception] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = {SolverName.Z3: z3, SolverName.CVC5: cvc5}
    monkeypatch.setattr(formulas, "ask", lambda _, solver, __: answers[solver])
    context = Context(chosen=tuple(answers))
    if expected is not None:
        with pytest.raises(expected):
            require_all("it follows", [("it", KNOWN, FOLLOWS)], context)
        return
    found = require_all("it follows", [("it", KNOWN, FOLLOWS)], context)
    assert found.holds
    assert found.confirmed_by == tuple(sorted(name for name in answers if answers[name] is YES))
    assert found.gave_up == tuple(name for name in answers if answers[name] is PERHAPS)


@pytest.mark.parametrize(
    ("known", "follows", "holds"),
    [(KNOWN, FOLLOWS, True), (FOLLOWS, KNOWN, False), (TRUE, KNOWN, False), (KNOWN, FALSE, False)],
)
def test_solvers_tell_what_follows(known: Term, follows: Term, holds: bool) -> None:
    if holds:
        assert require_all("it follows", [("it", known, follows)], Context()).holds
    else:
        with pytest.raises(DoesNotFollow):
            require_all("it follows", [("it", known, follows)], Context())


def test_without_solvers_only_what_is_plain_follows() -> None:
    context = Context(chosen=())
    found = require_all("it follows", [("it", FALSE, FOLLOWS), ("it", KNOWN, TRUE)], context)
    assert found.detail == "0 questions to a solver"
    with pytest.raises(DoesNotFollow):
        require_all("it follows", [("it", KNOWN, FOLLOWS)], context)


def test_questions_are_counted_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    context, it = Context(Allowance(3)), ("it", KNOWN, FOLLOWS)
    assert require_all("it follows", [it, it], context).detail == "2 questions to a solver"
    monkeypatch.setattr(formulas, "MAX_SIZE", 6)
    require_all("it follows", [it], context)
    with pytest.raises(GaveUp, match="states"):
        require_all("it follows", [it], context)
    monkeypatch.setattr(formulas, "MAX_SIZE", 5)
    with pytest.raises(GaveUp, match="symbols"):
        require_all("it follows", [it], Context())


SIMULATION = SimulationEvidence(1, (), ())
REDUCTION = SymbolicReductionEvidence(1, False, (), ())


def obligations(content: Input, evidence: Evidence) -> list[Obligation]:
    if isinstance(evidence, SimulationEvidence):
        return list(
            report_on(simulation_obligations(content, evidence, Context(), is_serial=True)).obligations
        )
    assert isinstance(evidence, SymbolicReductionEvidence)
    return list(report_on(symbolic_reduction_obligations(content, evidence, Context())).obligations)


@pytest.mark.parametrize("evidence", [SIMULATION, REDUCTION], ids=["simulation", "symbolic-reduction"])
def test_formulas_are_about_programs_alone(evidence: Evidence) -> None:
    system = NetworkSystem(("g",), (), (), (), 0, (), (), ())
    assert [each.holds for each in obligations(system, evidence)] == [False]


@pytest.mark.parametrize("evidence", [SIMULATION, REDUCTION], ids=["simulation", "symbolic-reduction"])
@pytest.mark.parametrize("where", ["from_program", "invariant_of", "conditions"])
def test_a_program_with_too_many_paths_is_not_checked(
    evidence: Evidence, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(*_: object) -> NoReturn:
        raise TooManyPaths("too many paths")

    if where == "conditions":
        monkeypatch.setattr(Invariant, "conditions", give_up)
    else:
        for module in (simulation, symbolic_reduction):
            monkeypatch.setattr(module, where, give_up)
    with pytest.raises(GaveUp, match="too many paths"):
        obligations(parse("request a { 0 }"), evidence)


def test_reports_say_what_was_looked_at() -> None:
    """Where nobody rests, the formula about nobody is enough."""
    program = parse("request a { X := 1; 0 }")
    says = (Predicate((), read_term("(<= g.X 1)")),)
    for evidence, claims in (
        (replace(SIMULATION, predicates=says), [ABOUT, COMMITS]),
        (replace(REDUCTION, predicates=says), [ABOUT, STAYS, SAFE, EXCHANGED]),
    ):
        found = obligations(program, evidence)
        assert [each.claim for each in found if each.holds] == claims
        assert found[0].detail == "1 formula"
        assert claims[1:2] != [STAYS] or found[1].detail == "0 points"
    safe = simulation_obligations(program, replace(SIMULATION, predicates=says), Context(), is_serial=False)
    assert [each.claim for each in safe] == [ABOUT, SAFE]
