"""Sums of globals and threads: what they must not say, lest an unsafe program be proved safe."""

from contextlib import suppress

import pytest

from seriatim.arithmetic.solvers.horn import Relations, solve_horn
from seriatim.budget import Deadline, OutOfBudget
from seriatim.engines.threads.flows import find_flows, find_flows_by_value
from seriatim.engines.threads.modular import modular_clauses
from seriatim.engines.threads.predicates import FALSE_QUERY
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText
from testkit.samples import deep


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


MANY = "thread main() { while (*) { fork 0 w(); } }"
TAKE = "atomic { assume m == 0; m := 1; }"

UNSAFE = {
    "a lock that is released twice: its old value is a guess": f"""
        global m: 0..1 = 0; global in: 0..9 = 0; {MANY}
        thread w() {{ {TAKE} in := in + 1; assert in == 1; in := in - 1; m := 0; m := 0; }}""",
    "a lock that is taken without a test": f"""
        global m: 0..1 = 0; global in: 0..9 = 0; {MANY}
        thread w() {{ m := 1; in := in + 1; assert in == 1; in := in - 1; m := 0; }}""",
    "main changes a global before the first fork": """
        global x: int = 0;
        thread main() { x := 5; fork 0 w(); }
        thread w() { assert x == 0; }""",
    "main starts with one of two totals": """
        global x: int = 0; global done: int = 0;
        thread main() { if (*) { x := 1; } while (*) { fork 0 w(); } assert x == done; }
        thread w() { atomic { x := x + 1; done := done + 1; } }""",
    "a join takes threads of two templates": """
        global x: int = 0;
        thread main() { fork 1 a(); fork 1 b(); join 1; assert x == 1; }
        thread a() { x := x + 1; }
        thread b() { }""",
    "threads that have finished count until they are joined": """
        global x: int = 0;
        thread main() { while (*) { fork 1 w(); join 1; } assert x == 0; }
        thread w() { x := x + 1; }""",
    "main is forked": """
        global x: int = 0;
        thread main() { x := x + 1; if (*) { fork 0 main(); } assert x == 1; x := x - 1; }""",
}


STATE = "global s: int = 0; global in: int = 0;"
WRITE = "atomic { assume s == 0; s := 2; } in := in + 1; assert in == 1; in := in - 1;"

UNSAFE_BY_VALUE = {
    "another thread sets the state meanwhile": f"""
        {STATE} thread main() {{ while (*) {{ fork 0 w(); fork 1 r(); }} }}
        thread w() {{ {WRITE} s := 0; }}
        thread r() {{ atomic {{ assume s != 1; s := 1; }} s := 0; }}""",
    "the state is set back twice": f"""
        {STATE} thread main() {{ while (*) {{ fork 0 w(); fork 1 r(); }} }}
        thread w() {{ {WRITE} s := 0; s := 0; }}
        thread r() {{ atomic {{ assume s == 0; s := 1; }} s := 0; }}""",
}
SAFE_BY_VALUE = f"""
    {STATE} global readers: int = 0;
    thread main() {{ while (*) {{ fork 0 w(); fork 1 r(); }} }}
    thread w() {{ {WRITE} s := 0; }}
    thread r() {{
        atomic {{ assume s != 2; s := 1; readers := readers + 1; }}
        assert in == 0;
        atomic {{ readers := readers - 1; if (readers == 0) {{ s := 0; }} }}
    }}"""


@pytest.mark.parametrize("name", [*UNSAFE, *UNSAFE_BY_VALUE])
@pytest.mark.parametrize("level", [1, pytest.param(2, marks=deep)])
def test_no_sum_proves_an_unsafe_program(name: str, level: int) -> None:
    unsafe = program((UNSAFE | UNSAFE_BY_VALUE)[name])
    flows = find_flows(unsafe) if name in UNSAFE else find_flows_by_value(unsafe)
    assert flows or name in UNSAFE
    with suppress(OutOfBudget):
        clauses = modular_clauses(unsafe, level, Deadline(20), flows)
        assert not isinstance(solve_horn(clauses.text(), FALSE_QUERY, Deadline(3)), Relations)


def test_a_state_counts_by_its_value() -> None:
    """`s` is 2 while a writer is inside: no sum of plain globals says so."""
    safe = program(SAFE_BY_VALUE)
    assert not any("s" in dict(flow.globals) for flow in find_flows(safe))
    flows = find_flows_by_value(safe)
    assert [flow.values for flow in flows if flow.values] == [(("s", 2, -1),)]
    clauses = modular_clauses(safe, 1, Deadline(20), flows)
    assert isinstance(solve_horn(clauses.text(), FALSE_QUERY, Deadline(60)), Relations)


def test_values_bring_nothing_where_globals_have_two() -> None:
    assert not find_flows_by_value(program(f"global m: 0..1 = 0; {MANY} thread w() {{ {TAKE} m := 0; }}"))


def test_sums_make_one_thread_enough() -> None:
    """Without them, nobody knows from one thread alone that no other one holds the lock."""
    locked = program(
        f"global m: 0..1 = 0; global in: 0..9 = 0; {MANY}"
        f"thread w() {{ {TAKE} in := in + 1; assert in == 1; in := in - 1; m := 0; }}"
    )
    flows = find_flows(locked)
    assert {name for flow in flows for name, _ in flow.globals} == {"m", "in"}
    assert all(weight >= 0 for flow in flows for _, _, weight in flow.threads)
    clauses = modular_clauses(locked, 1, Deadline(20), flows)
    assert isinstance(solve_horn(clauses.text(), FALSE_QUERY, Deadline(60)), Relations)
