"""Facts that hold after every step: false ones are dropped, and those that a proof needs are kept."""

import pytest

from seriatim.arithmetic.solvers.scripts import needed_flags, refute
from seriatim.arithmetic.term_text import read_term
from seriatim.arithmetic.terms import FALSE, TRUE, Term, both
from seriatim.budget import Deadline
from seriatim.engines.shared.houdini import Facts, Solver, keep_inductive
from seriatim.engines.shared.lock_facts import lock_facts
from seriatim.engines.shared.needed_facts import keep_needed
from seriatim.engines.simulation.candidates import number_facts
from seriatim.engines.simulation.walks import Walks
from seriatim.frontends.ser.parser import parse
from seriatim.program.symbolic.invariant import Invariant
from seriatim.program.symbolic.model import from_program
from seriatim.program.symbolic.moves import Policy
from testkit.samples import deep_cases

LOCKED = "request inc { lock(L); x := X; yield; X := x + 1; unlock(L); x }"
SEQUENCE = """
request write { lock(L); SEQ := SEQ + 1; yield; X := X + 1; yield; SEQ := SEQ + 1; unlock(L); 0 }
request read { while (1) { s := SEQ; yield; x := X; if (s % 2 == 0 && SEQ == s) { return x } } }
"""


def policy_of(text: str, is_serial: bool = True) -> Policy:
    return Policy(from_program(parse(text)), frozenset() if is_serial else None)


def is_inductive(invariant: Invariant) -> bool:
    solver = Solver(Deadline())
    return all(solver.follows(known, follows) for _, known, follows in invariant.conditions())


def facts_of(*at_rest: str) -> Facts:
    facts: Facts = {(): [], (0,): [read_term(each) for each in at_rest], (0, 0): [FALSE]}
    return facts


def test_what_does_not_hold_is_dropped_and_what_holds_is_kept() -> None:
    facts = facts_of("(= g.L 1)", "(= g.X |0.x|)", "(= g.L 0)", "(= g.X 0)", "(<= g.X 3)", "(= |0.x| s.X)")
    invariant = keep_inductive(policy_of(LOCKED), 2, facts, Deadline())
    # That x is the serial X is true, but does not follow: nothing says so of X while nobody holds the lock.
    assert invariant.known[(0,)] == both(read_term("(= g.L 1)"), read_term("(= g.X |0.x|)"))
    assert invariant.known[(0, 0)] == FALSE


def test_facts_at_the_start_are_tried_with_the_initial_values() -> None:
    facts: Facts = {(): [read_term("(= g.X 1)"), read_term("(<= 0 g.X)")], (0,): [], (0, 0): []}
    invariant = keep_inductive(policy_of(LOCKED, is_serial=False), 2, facts, Deadline())
    assert read_term("(= g.X 1)") not in facts[()]
    assert invariant.known[()] in (TRUE, read_term("(<= 0 g.X)"))


@deep_cases("sequence")
@pytest.mark.parametrize("text", [LOCKED, SEQUENCE], ids=["lock", "sequence"])
def test_guessed_facts_prove_and_so_do_the_needed_ones(text: str) -> None:
    policy = policy_of(text)
    facts = number_facts(policy, Walks(policy, Deadline()))
    assert is_inductive(keep_inductive(policy, 2, facts, Deadline()))
    needed, _ = keep_needed(policy, 2, facts, (), Deadline())
    assert all(set(needed[view]) <= set(facts[view]) for view in facts)
    assert sum(map(len, needed.values())) < sum(map(len, facts.values()))
    assert is_inductive(Invariant(policy, 2, {view: both(*each) for view, each in needed.items()}))


def test_facts_about_locks_say_who_excludes_whom() -> None:
    policy = policy_of(LOCKED, is_serial=False)
    invariant = keep_inductive(policy, 2, lock_facts(policy.model), Deadline())
    assert invariant.known[(0,)] == read_term("(= g.L 1)")
    assert invariant.known[(0, 0)] == FALSE


def test_many_facts_are_tried_at_once_as_one_by_one() -> None:
    known = read_term("(and (<= 0 a) (<= a b))")
    facts: list[Term] = [
        read_term(each) for each in ("(<= 0 b)", "(<= b a)", "(= a b)", "(<= (- 3) a)", "(<= a (+ b 1))")
    ]
    together, alone = Solver(Deadline()), Solver(Deadline())
    assert together.following(known, facts) == [alone.follows(known, each) for each in facts]


def test_flags() -> None:
    declared = "(declare-const x Int)(declare-const p Bool)(declare-const q Bool)(declare-const r Bool)"
    some = f"{declared}(assert (= p (< x 0)))(assert (= q (< x 9)))(assert (= x 5))(assert (not (and p q)))\n"
    assert refute(some, ["p", "q"], Deadline()) == (True, False)
    none = f"{declared}(assert (and p q (not (and p q))))\n"
    assert refute(none, ["p", "q"], Deadline()) == (False, False)
    implied = (
        f"{declared}(assert (=> p (< x 0)))(assert (=> q (< x 9)))(assert (=> r (< 0 x)))\n(check-sat)\n"
    )
    assert needed_flags(implied, ["p", "q", "r"], Deadline()) == frozenset({"p", "r"})
    assert needed_flags(implied, ["q", "r"], Deadline()) is None
