"""Steps with terms for values do what the reference interpreter does with numbers."""

from random import Random

import pytest

from seriatim.arithmetic.evaluation import evaluate
from seriatim.arithmetic.terms import FALSE, Name, Sort, Term, names_in
from seriatim.frontends.ser.parser import parse
from seriatim.program.changing import transform
from seriatim.program.execution import ends, faults
from seriatim.program.semantics import Configuration, Unbounded, lookup, response, store
from seriatim.program.symbolic.execution import Answers, End, Fails, Loops, Rests, TooManyPaths, execute
from seriatim.program.symbolic.state import start
from seriatim.program.syntax import Expression, Number, Program, Read, global_names
from testkit.generators.unbounded import UnboundedMaker
from testkit.samples import sample

VALUES = range(-2, 5)


def named(name: str) -> Name:
    return Name(name, Sort.INT)


def numbers(code: Expression, values: dict[str, int]) -> Expression:
    """The code with numbers for held operands, as the interpreter has it."""

    def change(part: Expression) -> Expression:
        held = isinstance(part, Read) and part.name.startswith("%")
        return Number(values[part.name]) if held and isinstance(part, Read) else part

    return transform(code, change)


def shown(end: End, chosen: dict[Name, int]) -> tuple[object, ...]:
    """What an end says where names have these values."""
    state = end.state
    globals_ = store({name: evaluate(value, chosen) for name, value in state.globals.items()})
    values = {name: evaluate(value, chosen) for name, value in state.locals.items()}
    own = store({name: value for name, value in values.items() if not name.startswith("%")})
    match end:
        case Answers(value=value):
            return "answers", evaluate(value, chosen), globals_
        case Rests(code=code):
            return "rests", numbers(code, values), own, globals_
        case Fails(fault=fault):
            return "fails", fault


def explored(program: Program, loops: Loops, random: Random) -> None:
    """Follows paths from every handler, and compares each step at random values."""
    names = global_names(program)
    for handler in program.handlers:
        code, locals_ = handler.body, ("a", "b")
        for _ in range(4):
            terms: dict[str, Term] = {name: named(name) for name in (*locals_, *held(code))}
            found = execute(code, start({name: named(name) for name in names}, terms), loops)
            for _ in range(6):
                chosen = {named(name): random.choice(VALUES) for name in (*names, *terms)}
                compare(code, found, chosen, names, locals_, loops)
            resting = [end for end in found if isinstance(end, Rests) and end.state.guard != FALSE]
            if not resting:
                break
            code = random.choice(resting).code


def held(code: Expression) -> set[str]:
    found: set[str] = set()

    def look(part: Expression) -> Expression:
        if isinstance(part, Read) and part.name.startswith("%"):
            found.add(part.name)
        return part

    transform(code, look)
    return found


def compare(
    code: Expression,
    found: list[End],
    chosen: dict[Name, int],
    names: tuple[str, ...],
    locals_: tuple[str, ...],
    loops: Loops,
) -> None:
    by_name = {name.name: value for name, value in chosen.items()}
    configuration = Configuration(
        numbers(code, by_name),
        store({name: by_name[name] for name in locals_}),
        store({name: by_name[name] for name in names}),
    )
    try:
        expected: set[tuple[object, ...]] = set()
        for each in ends(configuration, 500):
            answer = response(each.expression)
            if answer is not None:
                expected.add(("answers", answer, each.globals))
            else:
                expected.add(("rests", each.expression, each.locals, each.globals))
        expected |= {("fails", fault) for fault in faults(configuration, 500)}
    except Unbounded:
        return
    reached = {shown(end, chosen) for end in found if evaluate(end.state.guard, chosen)}
    if loops is Loops.CUT_OFF:
        assert reached <= expected
    else:
        is_exact = not any("!" in name.name for end in found for name in names_of(end))
        assert expected <= reached or not is_exact
        assert reached <= expected or not is_exact


def names_of(end: End) -> set[Name]:
    terms = [end.state.guard, *end.state.globals.values(), *end.state.locals.values()]
    return {name for term in terms for name in names_in(term)}


@pytest.mark.parametrize("loops", Loops)
@pytest.mark.parametrize("seed", sample(300, 10))
def test_paths_end_where_the_interpreter_ends(seed: int, loops: Loops) -> None:
    random = Random(seed)
    program = parse(UnboundedMaker(random).program())
    try:
        explored(program, loops, random)
    except TooManyPaths:
        assert seed == 257, "one program of the sample has too many"


def test_a_long_loop_is_summed_up_for_steps_and_cut_off_for_runs_alone() -> None:
    code = parse("request h { while (X < 100) { X := X + 1 }; X }").handlers[0].body
    before = start({"X": named("X")}, {})
    summed = [end for end in execute(code, before, Loops.SUM_UP) if isinstance(end, Answers)]
    cut = [end for end in execute(code, before, Loops.CUT_OFF) if isinstance(end, Answers)]
    at_zero = {named("X"): 0}
    assert any("!" in name.name for end in summed for name in names_of(end))
    assert not any(evaluate(end.state.guard, at_zero) for end in cut)
    assert [
        evaluate(end.value, {named("X"): 97}) for end in cut if evaluate(end.state.guard, {named("X"): 97})
    ] == [100]


def test_an_operand_that_waits_has_a_local_of_its_own() -> None:
    code = parse("request h { x := X + (yield) + Y; x }").handlers[0].body
    (end,) = execute(code, start({"X": named("X"), "Y": named("Y")}, {}), Loops.SUM_UP)
    assert isinstance(end, Rests)
    assert end.state.locals["%1"] == named("X")
    assert lookup((), "x") == 0
