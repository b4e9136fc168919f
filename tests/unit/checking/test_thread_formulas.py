"""Formulas about threads, written by hand for unsafe programs: proofs, if the checker forgot a clause.

A variant of each program is safe, and the same formulas prove it: so it is that clause that refuses them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import pytest

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.thread_flows import Flow
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_predicates import Predicate
from seriatim.checking.verify import verify
from seriatim.frontends.conc.frontend import read_threads
from seriatim.program.inputs import digest
from seriatim.program.threads.syntax import FINISHED, ThreadProgram
from seriatim.properties.safe import SAFETY
from seriatim.source import SourceText
from seriatim.terms.expressions import TRUE, Constant, Expression, Variable, apply

Said = Callable[[int, str], Expression | None]
"""What is said of main at a place, and of a thread of a template; None: that they are never there."""


def is_zero(name: str) -> Expression:
    return apply("==", Variable(f"g.{name}"), Constant(0))


@dataclass(frozen=True, slots=True)
class Forgery:
    unsafe: str
    safe: str
    says: Said
    flows: tuple[Flow, ...] = ()


FORGERIES = {
    "what an outsider starts": Forgery(
        "thread main() { fork 1 a(); } thread a() { fork 2 d(); } thread d() { assert false; }",
        "thread main() { fork 1 a(); } thread a() { } thread d() { assert false; }",
        lambda _, name: None if name == "d" else TRUE,
    ),
    "what an outsider joins": Forgery(
        """
        global x: int = 0;
        thread main() { fork 1 b(); fork 2 d(); fork 3 a(); }
        thread a() { join 2 assign x; } thread b() { assert x == 0; }
        thread d() returns (r: int) { r := 1; }""",
        """
        global x: int = 0;
        thread main() { fork 1 b(); fork 2 d(); fork 3 a(); }
        thread a() { join 2; } thread b() { assert x == 0; }
        thread d() returns (r: int) { r := 1; }""",
        lambda place, name: (
            None if place == 0 and name else is_zero("x") if place == 0 or name == "b" else TRUE
        ),
    ),
    "every kind of thread that is joined": Forgery(
        """
        global y: int = 0;
        thread main() { fork 1 a(); fork 1 c(); join 1; y := 1; }
        thread a() { assert y == 0; } thread c() { }""",
        """
        global y: int = 0;
        thread main() { local r: int; fork 1 a(); fork 1 c(); join 1 assign r; y := 1; }
        thread a() returns (r: int) { assert y == 0; } thread c() { }""",
        lambda place, name: None if name == "a" and place == FINISHED else says_zero(place),
        (
            Flow(
                (),
                ((0, 0), (1, -1), (2, -1), (3, 0), (FINISHED, 0)),
                (("a", 0, 1), ("a", FINISHED, 1)),
                0,
            ),
        ),
    ),
    "threads that weigh less than nothing": Forgery(
        """
        global x: int = 0;
        thread main() { while (*) { atomic { x := x + 1; fork 0 w(); } } assert x <= 0; }
        thread w() { assume false; }""",
        "",
        lambda _place, _name: TRUE,
        (Flow((("x", 1),), (), (("w", 0, -1), ("w", FINISHED, -1)), 0),),
    ),
    "another total": Forgery(
        """
        global x: int = 1;
        thread main() { while (*) { atomic { x := x - 1; fork 0 w(); } } assert x <= 0; }
        thread w() { assume false; }""",
        """
        global x: int = 0;
        thread main() { while (*) { atomic { x := x - 1; fork 0 w(); } } assert x <= 0; }
        thread w() { assume false; }""",
        lambda _place, _name: TRUE,
        (Flow((("x", 1),), (), (("w", 0, 1), ("w", FINISHED, 1)), 0),),
    ),
    "a sum that a thread changes": Forgery(
        """
        global x: int = 0;
        thread main() { fork 0 w(); assert x <= 0; }
        thread w() { x := x + 1; }""",
        """
        global x: int = 0;
        thread main() { fork 0 w(); assert x <= 0; }
        thread w() { x := x + 0; }""",
        lambda _place, _name: TRUE,
        (Flow((("x", 1),), (), (), 0),),
    ),
}


def says_zero(place: int) -> Expression:
    return TRUE if place == FINISHED else is_zero("y")


def is_accepted(text: str, forgery: Forgery) -> bool:
    program = read_threads(SourceText("t.conc", text))
    evidence = ThreadModularEvidence(1, forgery.flows, tuple(predicates(program, forgery.says)))
    return verify(Certificate(digest(program), SAFETY.verdicts[0], evidence, SAFETY), program).accepted


def predicates(program: ThreadProgram, says: Said) -> list[Predicate]:
    spots = [
        (template.name, place)
        for template in program.templates
        if template.name != program.main
        for place in (*template.places, FINISHED)
    ]
    found: list[Predicate] = []
    for place, spot in product((*program.main_template.places, FINISHED), (None, *sorted(spots))):
        formula = says(place, spot[0] if spot else "")
        if formula is not None:
            found.append(Predicate(place, (spot,) if spot else (), formula))
    return found


@pytest.mark.parametrize("name", FORGERIES)
def test_a_proof_that_forgets_something_is_refused(name: str) -> None:
    forgery = FORGERIES[name]
    assert not is_accepted(forgery.unsafe, forgery)
    assert not forgery.safe or is_accepted(forgery.safe, forgery)
