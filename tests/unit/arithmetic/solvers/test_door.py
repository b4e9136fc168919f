"""Every call that may take long in a solver goes through the door, which obeys time, memory and Ctrl-C."""

import ast
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
import z3

from seriatim import budget
from seriatim.arithmetic import solvers
from seriatim.arithmetic.solvers.door import answer, attend, limited
from seriatim.budget import Deadline, OutOfTime

FOLDER = Path(solvers.__file__).parent
SLOW = {"check", "query", "from_string", "parse_string", "checkSat", "invoke", "push", "pop", "unsat_core"}
"""Methods of z3 and cvc5 that may take long."""


def outside(tree: ast.Module) -> Iterator[str]:
    """The slow calls that are not in what is given to `attend`."""
    given = [
        node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "attend"
    ]
    names = {each.id for each in given if isinstance(each, ast.Name)}
    inside: list[ast.AST] = [each for each in given if isinstance(each, ast.Lambda)]
    inside += [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in names]
    attended = {id(node) for each in inside for node in ast.walk(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SLOW:
            owner = ast.unparse(node.func.value)
            if (
                id(node) not in attended
                and "deadline" not in owner
                and not isinstance(node.func.value, ast.Call)
            ):
                yield f"{owner}.{node.func.attr}, line {node.lineno}"


def imports_solver(tree: ast.Module) -> bool:
    """Whether a module imports z3 or cvc5, anywhere in it."""
    return any(
        isinstance(node, ast.Import) and node.names[0].name in ("z3", "cvc5") for node in ast.walk(tree)
    )


def test_all_slow_calls_go_through_the_door() -> None:
    trees = {path.name: ast.parse(path.read_text("utf-8")) for path in FOLDER.glob("*.py")}
    asking = {name: tree for name, tree in trees.items() if imports_solver(tree)}
    assert len(asking) >= 7
    assert {name: found for name, tree in asking.items() if (found := list(outside(tree)))} == {}


def test_a_call_beside_the_door_is_found() -> None:
    text = """
def f(solver, deadline, context):
    def ask():
        return solver.check()
    solver.push()
    deadline.check()
    attend(ask, deadline, context)
    return attend(lambda: solver.query(), deadline), solver.check()
"""
    assert sorted(outside(ast.parse(text))) == ["solver.check, line 8", "solver.push, line 5"]


HARD = "".join(f"(declare-const x{n} Int)(assert (> x{n} 1))" for n in range(6)) + (
    "(assert (= (+ (* x0 x0 x0 x0 x0) (* x1 x1 x1 x1 x1)) (+ (* x2 x2 x2 x2 x2) 3 (* x3 x4 x5 x3 x4))))"
)


def test_a_question_that_takes_long_ends_in_time() -> None:
    context = z3.Context()
    solver = limited(z3.Solver(ctx=context), Deadline(), 2**32 - 1)
    with pytest.raises(OutOfTime):
        answer(HARD, solver, context, Deadline(0.05))


def test_what_the_work_raises_reaches_the_caller() -> None:
    context = z3.Context()
    with pytest.raises(z3.Z3Exception):
        answer("(assert", limited(z3.Solver(ctx=context), Deadline(), 1_000), context, Deadline())


def test_ctrl_c_reaches_whoever_waits_at_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "GRACE", 0.1)
    end = Event()

    def work() -> None:
        signal.raise_signal(signal.SIGINT)
        end.wait(20)

    with pytest.raises(KeyboardInterrupt):
        attend(work, Deadline())
    end.set()
