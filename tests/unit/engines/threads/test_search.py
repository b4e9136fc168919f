"""Searches for failing runs: one that does not insist on few threads, and one that asks a solver."""

from seriatim.budget import Deadline
from seriatim.engines.threads.search import Exhausted, Failing, Search
from seriatim.engines.threads.unrolling import Unrolling
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.threads.runs import replay
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.source import SourceText
from seriatim.systems.threads.finite import FiniteSystem

COUNTDOWN = """global inside: int = 0; global left: int = 1000000;
thread main() {{ while (left > 0) {{ left := left - 1; fork 0 w(); }} }}
thread w() {{ inside := inside + 1; assert inside <= {most}; inside := inside - 1; }}
"""


def program(text: str) -> ThreadProgram:
    return read_threads(SourceText("t.conc", text))


def search(text: str, patience: int | None) -> Search:
    return Search(FiniteSystem(program(text), Deadline()), Deadline(), (), patience)


def test_one_thread_after_the_other_does_not_keep_a_search_from_two() -> None:
    """A million threads can run one after the other; two at a time fail."""
    text = COUNTDOWN.format(most=1)
    assert search(text, None).advance(20_000) is None
    found = search(text, 500).advance(20_000)
    assert isinstance(found, Failing)
    assert found.threads == 2


def test_an_impatient_search_comes_back() -> None:
    """What one thread alone does late is found with more patience."""
    text = """global n: int = 0;
thread main() { while (n < 3000) { n := n + 1; if (*) { fork 0 w(); } } assert n < 3000; }
thread w() { while (true) { } }
"""
    assert isinstance(search(text, 200).advance(200_000), Failing)


def test_an_impatient_search_ends_where_everything_was_seen() -> None:
    text = "global n: 0..3 = 0; thread main() { fork 0 w(); fork 0 w(); } thread w() { n := 1; }"
    found = search(text, 4).advance(20_000)
    assert isinstance(found, Exhausted)
    assert found.threads == 2


def test_threads_of_two_templates_may_have_the_same_number() -> None:
    """The second thread has an `x` of another type, if the first one has started one of its own."""
    text = """global g: bool;
thread main() { local x: bool; fork 0 main(); fork 0 a(); assert x; }
thread a() { local x: 0..2; while (*) { atomic { assume !g; g := !g; assume !g; } } fork x a(); fork 0 a(); }
"""
    run = Unrolling(program(text), Deadline(60)).advance(60)
    assert run is not None
    *_, last = replay(program(text), run)
    assert last.failure is not None
