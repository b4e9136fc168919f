"""What `ser sequentialize` finds by itself, and that what it accepts is right."""

from dataclasses import replace

import pytest

from seriatim.actions.configurations import Configuration, TooLarge, minus, plus
from seriatim.actions.interpreter import START, Interpreter
from seriatim.actions.printer import when_text
from seriatim.actions.syntax import Order, Term
from seriatim.actions.values import GlobalState, Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.checking.sequentialization.finite import check_at
from seriatim.checking.sequentialization.premises import Premise
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.gates import plain_gates
from seriatim.sequencing.orders import find_orders
from seriatim.sequencing.outcome import NotProved, Proved, Reachability, RunBreaks
from seriatim.source import InputError
from testkit.generators.actions import random_actions
from testkit.inputs.action_programs import decide, parse_text, protocol, protocol_text
from testkit.samples import IS_DEEP, deep, slowest_cases


@deep
def test_broadcast_needs_nothing_but_an_order_and_what_it_ensures() -> None:
    lines = protocol_text("broadcast").split("\n")
    bare = "\n".join(line for line in lines if not line.startswith(("    always", "    when")))
    outcome = decide(parse_text(bare))
    assert isinstance(outcome, Proved)
    assert outcome.proof.when


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        pytest.param(
            "producer_consumer",
            (Term("produce", True), Term("q", False)),
            marks=deep,
        ),
        ("no_choice", (Term("increment", True), Term("decrement", True))),
    ],
)
def test_measures_are_found(name: str, measure: tuple[Term, ...]) -> None:
    outcome = decide(protocol(name))
    assert isinstance(outcome, Proved)
    assert outcome.proof.measure == measure


SPINNING = """left: int := 3

action main():
    async spin()
    async rest()

action spin():
    if left > 0:
        left := left - 1
        async spin()

action rest():
    skip

sequential:
    order rest, spin
    always 0 <= left
    ensures left == 0
"""


def test_a_missing_measure_names_the_action() -> None:
    outcome = decide(parse_text(SPINNING))
    assert isinstance(outcome, NotProved)
    assert outcome.reason == (
        "no measure gets smaller with spin: each of its steps would have to lower the number of"
        " pending instances of rest, of pending instances of spin"
    )


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("broadcast", Order(("broadcast", "collect"))),
        ("ping_pong", Order(("pong", "ping"), by_index=True)),
        ("n_buyers", Order(("request", "offer", "buy", "close"))),
    ],
)
def test_orders_are_found(name: str, order: Order) -> None:
    program = replace(protocol(name), proof=None)
    assert order in find_orders(program, Deadline(60), terminating=False)[0]


ALL_SIZES = (
    "no_choice",
    "producer_consumer",
    "ping_pong",
    "broadcast",
    "two_phase_commit",
    "leader_election",
    "n_buyers",
    "chain_replication",
    "paxos",
)


def test_leader_election_needs_a_key() -> None:
    program = replace(protocol("leader_election"), proof=None)
    assert find_orders(program, Deadline(60), terminating=False)[0] == []


def test_a_failed_premise_says_whether_a_run_gets_there() -> None:
    outcome = decide(protocol("broken_broadcast"))
    assert isinstance(outcome, NotProved)
    assert outcome.reachability is Reachability.REACHABLE
    assert outcome.trace is not None


def test_a_false_fact_is_told_before_a_solver_is_asked() -> None:
    outcome = decide(protocol("no_choice", ("x == old(x) + 1", "x == old(x) + 2")))
    assert isinstance(outcome, NotProved)
    assert outcome.finding is not None
    assert "is false here" in outcome.finding.detail


def test_a_real_run_that_breaks_ensures_is_shown() -> None:
    outcome = decide(protocol("broken_commit"))
    assert isinstance(outcome, RunBreaks)
    assert outcome.broken.instance is None


# --- random programs ----------------------------------------------------------------------------------------


def runs(interpreter: Interpreter, starts: list[Configuration], limit: int) -> tuple[bool, set[GlobalState]]:
    """Whether some run fails, and the final states of those that end; by enumeration."""
    seen, queue, fails = set(starts), list(starts), False
    final: set[GlobalState] = set()
    while queue:
        state, pending = queue.pop()
        if not pending:
            final.add(state)
        for instance in set(pending):
            execution = interpreter.execute(state, instance)
            fails |= execution.fails
            for outcome in execution.outcomes:
                target = outcome.state, plus(minus(pending, instance), outcome.created)
                if target not in seen:
                    seen.add(target)
                    queue.append(target)
        if len(seen) > limit:
            raise TooLarge
    return fails, final


def attack(seeds: range) -> int:
    """Accepted orders, each of which has to cover all runs; returns how many there were."""
    accepted = 0
    for seed in seeds:
        program = parse_text(random_actions(seed))
        assert program.proof is not None
        interpreter = Interpreter(program, Sizes({"N": 2}))
        (initial,) = interpreter.initial_states()
        try:
            report = check_at(interpreter, program.proof, 250, Deadline(20))
            fails, final = runs(interpreter, [(initial, START)], 600)
            rest = [(each.state, each.pending) for each in report.prefixes if each.next is None]
            fails_in_order, final_in_order = runs(interpreter, rest, 600)
        except TooLarge:
            continue
        if all(each.premise is Premise.END for each in report.findings):  # what is left is executed later
            accepted += 1
            assert fails_in_order or (not fails and final <= final_in_order), seed
    return accepted


@pytest.mark.parametrize("start", range(0, 2000 if IS_DEEP else 120, 40))
def test_accepted_orders_of_random_programs_cover_all_runs(start: int) -> None:
    assert attack(range(start, start + 40)) > 5


def attack_for_all(seeds: range) -> int:
    """Programs that are proved for all sizes: no run at sizes 2 and 3 fails or leaves anything."""
    accepted = 0
    for seed in seeds:
        program = parse_text(random_actions(seed))
        assert program.proof is not None
        measure = tuple(Term(name, True) for name in program.proof.actions)
        proof = replace(program.proof, gates=plain_gates(program.proof) if seed % 3 else (), measure=measure)
        try:
            conditions = Conditions(program, proof).all()
        except InputError:
            continue
        found = discharge_all(conditions, SolverName.Z3, Deadline(20))
        if all(each.status is Status.PROVED for each in found):
            accepted += 1
            for size in (2, 3):
                interpreter = Interpreter(program, Sizes({"N": size}))
                report = check_at(interpreter, proof, 2_000, Deadline(20))
                assert not report.findings, (seed, size)
    return accepted


@pytest.mark.parametrize("start", range(0, 200 if IS_DEEP else 4, 4))
def test_what_is_proved_for_all_sizes_holds_exactly_at_small_ones(start: int) -> None:
    accepted = attack_for_all(range(start, start + 4))  # it asserts what it finds
    assert accepted <= 4


@deep
@slowest_cases("n_buyers")
@pytest.mark.parametrize("name", ALL_SIZES)
def test_protocols_are_proved_for_all_sizes(name: str) -> None:
    assert isinstance(decide(protocol(name)), Proved)


def test_a_certificate_with_a_found_or_given_order_is_about_the_program_as_it_is() -> None:
    """Even if the program has another order, or none."""
    program, sizes = protocol("broken_broadcast"), (Sizes({"N": 2}, 0, 1),)
    for stated in (program, replace(program, proof=None)):
        found = decide(stated, Settings(sizes, find_order=True))
        assert isinstance(found, Proved)
        report = verify_sequential(found.certificate, stated, read_proof, (SolverName.Z3,), Deadline(60))
        assert report.accepted
    given = protocol("broadcast").proof
    outcome = Decision(program, Settings(sizes), read_proof, Deadline(60), given).decide()
    assert isinstance(outcome, Proved)
    report = verify_sequential(outcome.certificate, program, read_proof, (SolverName.Z3,), Deadline(60))
    assert report.accepted


def without_facts(name: str) -> str:
    """The text of an example with its order and abstractions alone."""
    kept: list[str] = []
    inside = False
    for line in protocol_text(name).split("\n"):
        inside = line.startswith(("    always", "    when")) or (inside and line.startswith("        "))
        kept += [] if inside else [line]
    return "\n".join(kept)


@pytest.mark.parametrize(
    "name",
    [
        "no_choice",
        "producer_consumer",
        *(
            pytest.param(each, marks=deep)
            for each in ("chain_replication", "two_phase_commit", "broadcast_values", "ping_pong")
        ),
    ],
)
def test_facts_are_found_where_only_the_order_is_written(name: str) -> None:
    outcome = decide(parse_text(without_facts(name)))
    assert isinstance(outcome, Proved)
    assert outcome.proof.when


HANDSHAKE = """
param N >= 1
ready[1..N]: bool := false
seen: int := 0
action main():
    for i in 1..N:
        async prepare(i)
    async finish()
action prepare(i):
    ready[i] := true
action finish():
    await all i in 1..N: ready[i]
    seen := N
sequential:
    order prepare, finish
    ensures seen == N
"""


def test_a_handshake_needs_no_facts_and_gets_the_few_that_matter() -> None:
    outcome = decide(parse_text(HANDSHAKE))
    assert isinstance(outcome, Proved)
    told = [when_text(each) for each in outcome.proof.when]
    assert told[0] == "when prepare(k) next: seen == 0"
    assert "when finish() next: all j in 1..N: ready[j] == true" in told
    assert "when none next: seen == N" in told
    assert len(told) <= 16


BLOCKED_AT_FOUR = """
param N >= 1
x: int := 0
action main():
    for i in 1..N:
        async a(i)
action a(i):
    if i == 4:
        x := x + i
    else:
        await x == 0
sequential:
    order a
"""


def test_a_premise_that_fails_from_a_larger_size_on_is_shown_there() -> None:
    outcome = decide(parse_text(BLOCKED_AT_FOUR))
    assert isinstance(outcome, NotProved)
    assert outcome.finding is not None
    assert outcome.finding.premise is Premise.NOT_BLOCKED
    assert outcome.sizes is not None
    assert outcome.sizes.parameters == {"N": 4}
    assert outcome.reachability is Reachability.REACHABLE
