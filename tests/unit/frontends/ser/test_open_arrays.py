"""Arrays with a cell for each integer: read, printed, executed, and told from the few cells of examples."""

from dataclasses import replace
from random import Random

import pytest

from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.ser.formatting import format_text
from seriatim.frontends.ser.parser import parse
from seriatim.program import execution, semantics
from seriatim.program.inputs import digest
from seriatim.program.semantics import Configuration, store
from seriatim.program.syntax import AssignCell, Cell, Program, Read, walk
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.properties.safe import SAFETY
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import InputError
from testkit.generators.unbounded import CellMaker
from testkit.samples import sample

BANK = """
LOCK[account: int] := 0
BALANCE[account: int] := 100
request take(a: account, amount: int) {
    lock(LOCK[a]); b := BALANCE[a]; yield; BALANCE[a] := b - amount; unlock(LOCK[a]); b
}
"""


def test_requests_are_about_all_cells_and_examples_about_a_few() -> None:
    program = parse(BANK)
    (general,) = program.unbounded_handlers
    assert general.parameters == ("a", "amount")
    assert {part.name for part in walk(general.body) if isinstance(part, Cell)} == {"LOCK[]", "BALANCE[]"}
    assert "take(2, 1)" in program.requests
    assert "BALANCE[2]" in program.variables
    assert not any(
        isinstance(part, Cell | AssignCell) for each in program.handlers for part in walk(each.body)
    )
    assert [(each.name, each.index, each.initial) for each in program.open_arrays] == [
        ("LOCK", "account", 0),
        ("BALANCE", "account", 100),
    ]


def test_parameters_of_one_kind_need_it_once() -> None:
    text = "A[cell: int] := 0\nrequest h(i, j: cell, v: int) { A[i] := A[j] + v }"
    assert parse(text) == parse(text.replace("i, j: cell", "i: cell, j: cell"))


def test_the_formatter_keeps_it() -> None:
    text = "A[cell: int] := 3\n\nrequest set(i: cell, v: int) {\n    A[i] := v\n}\n"
    assert format_text(text) == text


def test_the_digest_knows_initial_values_and_indices() -> None:
    digests = {
        digest(parse(text))
        for text in (BANK, BANK.replace("100", "99"), BANK.replace("b - amount", "b + amount"))
    }
    assert len(digests) == 3
    assert digest(parse(BANK)) != digest(replace(parse(BANK), open_arrays=()))


REFUSED = {
    "request h(i: cell) { 0 }": "SER044",
    "A[cell: int] := 0\nrequest h(i: cel) { A[i] }": "SER044",
    "A[cell: bool] := 0\nrequest h { A[0] }": "SER046",
    "A[cell:] := 0\nrequest h { A[0] }": "SER046",
    "A[cell: int] := 0\nrequest h { A }": "SER035",
    "request h { a[cell: int] := 0; a[0] }": "SER031",
    "A[cell: int] := 0\nA[cell: int] := 0\nrequest h { A[0] }": "SER025",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(InputError) as error:
        parse(text)
    assert REFUSED[text] in {each.code for each in error.value.diagnostics}


def test_it_is_decided_for_any_number_of_cells() -> None:
    found = decide(parse(BANK), Options(timeout=40)).answer
    assert isinstance(found, Holds)
    assert found.certificate.evidence.kind == "symbolic-reduction"
    assert "any number of accounts" in found.reason


def test_a_violation_has_small_indices() -> None:
    broken = BANK.replace("unlock(LOCK[a]); ", "").replace("lock(LOCK[a]); ", "")
    assert isinstance(decide(parse(broken), Options(timeout=40)).answer, Violated)


OTHER_CELLS = "A[cell: int] := 0\nrequest h(i: cell) { A[i + 1] := 1; yield; await A[i + 1] == 1; 0 }"


def test_who_comes_to_a_cell_that_examples_lack_is_not_called_stuck() -> None:
    assert parse(OTHER_CELLS).leaves_cells_out
    assert not parse(BANK).leaves_cells_out
    result = decide(parse(OTHER_CELLS), Options(timeout=40, question=DEADLOCK_FREEDOM))
    assert isinstance(result.answer, Undecided)
    assert result.stuck is None
    assert decide(parse(OTHER_CELLS), Options(timeout=40)).stuck is None


def test_assertions_about_locks_of_cells_hold() -> None:
    text = BANK.replace("BALANCE[a] := b - amount;", "BALANCE[a] := b - amount; assert LOCK[a] == 1;")
    found = decide(parse(text), Options(timeout=40, question=SAFETY)).answer
    assert isinstance(found, Holds)
    assert found.certificate.evidence.kind == "simulation"
    wrong = decide(parse(text.replace("LOCK[a] == 1", "LOCK[a] == 0")), Options(question=SAFETY)).answer
    assert isinstance(wrong, Violated)


def test_a_cell_that_examples_lack_is_no_failure() -> None:
    found = decide(parse("A[cell: int] := 0\nrequest h(i: int) { A[i] }"), Options(question=SAFETY)).answer
    assert not isinstance(found, Violated)


# Examples are what the reference interpreter makes of the general requests


def ends(program: Program, is_general: bool, number: int, globals_: semantics.Store) -> set[object]:
    """What a request can come to in its first two steps; the cells by what they have more than at first."""
    initial = {f"{each.name}[{cell}]": each.initial for each in program.open_arrays for cell in range(3)}
    handler = program.handlers[number]
    if is_general:
        name, _, rest = handler.name.partition("(")
        given = [int(each) for each in rest.rstrip(")").split(", ")]
        general = next(each for each in program.unbounded_handlers if each.name.startswith(f"{name}("))
        arguments = store(dict(zip(general.parameters, given, strict=True)))
        first = Configuration(general.body, arguments, globals_)
    else:
        values = dict(globals_)
        shown = {name: values.get(name, 0) + start for name, start in initial.items()}
        first = Configuration(handler.body, (), store({**values, **shown}))
    found: set[object] = set()
    for middle in semantics.big_steps(first):
        for end in semantics.big_steps(middle):
            values = dict(end.globals)
            if not is_general:
                values |= {name: values.get(name, 0) - start for name, start in initial.items()}
            found.add((answered(end), store(values)))
    return found


def answered(end: Configuration) -> object:
    """The answer; a local that is left to be read is one: the example has its value in the text."""
    if isinstance(end.expression, Read):
        return semantics.lookup(end.locals, end.expression.name)
    return semantics.response(end.expression)


@pytest.mark.parametrize("seed", sample(200, 10))
def test_examples_do_what_general_requests_do(seed: int) -> None:
    random = Random(seed)
    program = parse(CellMaker(random).program())
    for number in random.sample(range(len(program.handlers)), 3):
        globals_ = store({f"D[{cell}]": random.randint(-1, 2) for cell in range(3)})
        assert ends(program, False, number, globals_) <= ends(program, True, number, globals_)
        if not program.leaves_cells_out:
            assert ends(program, False, number, globals_) == ends(program, True, number, globals_)


@pytest.mark.parametrize("seed", sample(200, 10))
def test_both_interpreters_execute_cells_alike(seed: int) -> None:
    random = Random(seed)
    program = parse(CellMaker(random).program())
    for handler in program.unbounded_handlers:
        arguments = store({name: random.randint(0, 2) for name in handler.parameters})
        globals_ = store({f"D[{cell}]": random.randint(-1, 2) for cell in range(3)})
        first = Configuration(handler.body, arguments, globals_)
        assert set(execution.Interpreter().ends(first)) == semantics.big_steps(first)
