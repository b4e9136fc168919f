"""Operators mean one thing: as values, as terms of logic, for solvers, and as texts of both languages."""

from itertools import product
from random import Random

import pytest

from seriatim.actions.printer import expression_text
from seriatim.actions.syntax import Assert as ActionAssert
from seriatim.arithmetic.evaluation import evaluate as value_of_term
from seriatim.arithmetic.solvers.horn import Term as Answer
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.solvers.questions import Questions
from seriatim.arithmetic.solvers.validity import is_contradictory
from seriatim.arithmetic.terms import ONE, TRUE, ZERO, Name, Sort, Term
from seriatim.budget import Deadline
from seriatim.certificate.thread_predicates import WRITTEN, formula_fields, read_formula
from seriatim.frontends.actions.parser import parse
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.symbolic.state import start
from seriatim.program.threads.printer import print_expression
from seriatim.program.threads.symbolic import divisors, symbolic_step
from seriatim.program.threads.syntax import Assert
from seriatim.source import InputError, SourceText
from seriatim.terms.expressions import Apply, Constant, Expression, Value, Variable, apply, evaluate
from seriatim.terms.logic import MAKE, constant, make
from seriatim.terms.operators import ATOM, DIVISIONS, INFIX, TABLE, NoTerm, Op
from seriatim.terms.smt import read_answer, smt

NUMBERS = (-3, -1, 0, 1, 2, 5)


def operands(op: Op) -> list[tuple[Value, ...]]:
    """Operands to try."""
    match op:
        case "?":
            return list(product((True, False), NUMBERS, NUMBERS))
        case "==" | "!=":
            return [*product(NUMBERS, repeat=2), *product((True, False), repeat=2)]
    values: tuple[Value, ...] = (True, False) if TABLE[op].takes is bool else NUMBERS
    divides = op in DIVISIONS
    return [each for each in product(values, repeat=TABLE[op].arity) if not divides or each[1] != 0]


def value(op: Op, values: tuple[Value, ...]) -> Value:
    return evaluate(apply(op, *map(Constant, values)), {})


def test_every_operator_makes_terms() -> None:
    assert MAKE.keys() == TABLE.keys()


@pytest.mark.parametrize("op", TABLE)
def test_terms_have_the_values_of_operators(op: Op) -> None:
    for values in operands(op):
        expected = value(op, values)
        assert isinstance(expected, bool) is (TABLE[op].gives is bool)
        names = [Name(f"x{n}", constant(each).sort) for n, each in enumerate(values)]
        known: list[Term] = [constant(each) for each in values]
        if op == "/" or (op == "%" and values[1] <= 0):
            with pytest.raises(NoTerm):
                make(op, known)
            continue
        assert make(op, known) == constant(expected)
        if op != "%":
            given = {name: int(each) for name, each in zip(names, values, strict=True)}
            assert value_of_term(make(op, names), given) == expected


def test_logic_has_no_quotients_and_few_remainders() -> None:
    x, y = Name("x", Sort.INT), Name("y", Sort.INT)
    assert value_of_term(make("%", (x, constant(3))), {x: -1}) == 2
    for divisor in (y, ZERO, constant(-3)):
        with pytest.raises(NoTerm):
            make("%", (x, divisor))
    with pytest.raises(NoTerm):
        make("*", (ZERO, make("/", (ONE, x))))  # simplified later, it would hide the division by 0


@pytest.mark.parametrize("op", [op for op in TABLE if TABLE[op].smt])
def test_solvers_compute_the_same(op: Op) -> None:
    claims = [
        smt(apply("==", apply(op, *map(Constant, values)), Constant(value(op, values))))
        for values in operands(op)
    ]
    script = f"(assert (not (and {' '.join(claims)})))"
    for solver in SolverName:
        assert is_contradictory(script, solver, Deadline(60), Questions())


def tree(random: Random, is_truth: bool, depth: int, ops: tuple[Op, ...]) -> Expression:
    """A random expression; no sign stands before a number, because numbers have their own."""
    if depth == 0:
        leaf: Expression = Variable("p") if is_truth else Variable(random.choice("xy"))
        return leaf if is_truth or random.random() < 0.5 else Constant(random.randint(-9, 9))
    kind = bool if is_truth else int
    op = random.choice([each for each in ops if TABLE[each].gives in (kind, None)])
    of_truths = TABLE[op].takes is bool
    kinds = [of_truths or (TABLE[op].takes is None and random.random() < 0.5)] * TABLE[op].arity
    if op == "?":
        kinds = [True, is_truth, is_truth]
    parts = [tree(random, kind, random.randrange(depth), ops) for kind in kinds]
    if op == "neg" and isinstance(parts[0], Constant):
        return parts[0]
    return apply(op, *parts)


@pytest.mark.parametrize("seed", range(60))
def test_threads_read_what_they_print(seed: int) -> None:
    random = Random(seed)
    ops: tuple[Op, ...] = ("neg", "!", "?", *INFIX.values())
    for _ in range(10):
        written = tree(random, True, 5, ops)
        declared = "local p: bool; local x: int; local y: int;"
        text = f"thread main() {{ {declared} assert {print_expression(written)}; }}"
        (edge,) = read_threads(SourceText("t.conc", text)).main_template.edges
        (action,) = edge.actions
        assert isinstance(action, Assert)
        assert action.condition == written, text


@pytest.mark.parametrize("seed", range(60))
def test_actions_read_what_they_print(seed: int) -> None:
    random = Random(seed)
    ops = tuple(op for op in TABLE if op not in DIVISIONS)
    for _ in range(10):
        written = tree(random, True, 5, ops)
        text = (
            f"action main():\n    skip\naction work(x, y, p: bool):\n    assert {expression_text(written)}\n"
        )
        _, action = parse(SourceText("t.actions", text)).actions
        (statement,) = action.body
        assert isinstance(statement, ActionAssert)
        assert expression_text(statement.condition) == expression_text(written)
        assert statement.condition == written, text


def test_formulas_of_certificates_use_the_operators_of_threads_only() -> None:
    assert set(WRITTEN.values()) == {op for op in TABLE if TABLE[op].level != ATOM}
    for (word, arity), op in WRITTEN.items():
        assert read_formula([word, *range(arity)], "") == Apply(op, tuple(map(Constant, range(arity))))
        assert formula_fields(read_formula([word, *range(arity)], "")) == [word, *range(arity)]
        for wrong in (arity - 2, arity + 1):
            if (word, wrong) not in WRITTEN:
                with pytest.raises(InputError, match="formula"):
                    read_formula([word, *range(wrong)], "")
    for unknown in (["min", 1, 2], ["neg", 1], ["and", True, True], [], [["+"], 1, 2]):
        with pytest.raises(InputError, match="formula"):
            read_formula(unknown, "")
    deep: object = 0
    for _ in range(402):
        deep = ["-", deep]
    with pytest.raises(InputError, match="at most 400 operators"):
        read_formula(deep, "")


ANSWERS: tuple[Answer, ...] = (
    ("and", ("!0", ("not", ("!0",)), ("or", (True, "!0", "!0")))),
    ("=", (("+", ("!1", "!2", 3)), ("-", ("!1", "!2", 1)))),
    ("distinct", (("*", (2, "!1")), ("-", ("!2",)))),
    ("=>", (("<", ("!1", "!2")), (">=", (("mod", ("!1", 3)), 1)))),
    ("if", ("!0", ("<=", ("!1", 0)), (">", ("!2", "!1")))),
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_answers_of_solvers_mean_the_same_in_both_trees(answer: Answer) -> None:
    p_, x_, y_ = Name("p", Sort.BOOL), Name("x", Sort.INT), Name("y", Sort.INT)
    names: list[Term] = [p_, x_, y_]
    variables: list[Expression] = [Variable("p"), Variable("x"), Variable("y")]
    term = read_answer(answer, names, constant, make)
    expression = read_answer(answer, variables, Constant, lambda op, parts: apply(op, *parts))
    for p, x, y in product((True, False), NUMBERS, NUMBERS):
        values = {p_: int(p), x_: x, y_: y}
        assert value_of_term(term, values) == evaluate(expression, {"p": p, "x": x, "y": y})


def test_unknown_answers_are_refused() -> None:
    names: list[Term] = [Name("x", Sort.INT)]
    for answer in (("select", ("!0", "!0")), ("div", ("!0", 2)), ("mod", ("!0", "!0")), ("and", ())):
        with pytest.raises(NoTerm):
            read_answer(answer, names, constant, make)


def test_needs_are_found_before_anything_is_simplified() -> None:
    x = Variable("x")
    quotient = apply("/", Constant(1), x)
    positive = apply(">", quotient, Constant(0))
    nonzero = apply("!=", x, Constant(0))
    assert list(divisors(apply("*", Constant(0), quotient), ())) == [nonzero]
    connectives: tuple[tuple[Op, Expression], ...] = (
        ("&&", nonzero),
        ("==>", nonzero),
        ("||", apply("!", nonzero)),
    )
    for op, path in connectives:
        found = list(divisors(Apply(op, (nonzero, positive)), ()))
        assert found == [apply("==>", path, nonzero)], op
    assert list(divisors(apply("?", nonzero, quotient, Constant(0)), ())) == [apply("==>", nonzero, nonzero)]


def test_ranges_are_checked_by_stores_not_by_terms() -> None:
    text = "global x: 0..3 = 3; thread main() { assert x + 1 == 4; x := x + 1; }"
    program = read_threads(SourceText("t.conc", text))
    main = program.main_template
    steps = [symbolic_step(program, main, edge, {"x": Variable("x")}, "f") for edge in main.edges]
    messages = [{each.message for each in step.failures} for step in steps]
    assert len(messages) == 2
    assert all("range" not in each for each in messages[0])
    assert messages[1] == {"`x` leaves its range"}


def test_truth_values_are_no_numbers_in_logic_either() -> None:
    assert constant(True) == TRUE != ONE
    assert constant(1) == ONE != TRUE


def test_locals_of_requests_that_nobody_has_set_are_zero() -> None:
    assert start({}, {}).value("x") == ZERO
