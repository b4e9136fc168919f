"""Mistakes that a careless checker accepts, one program each; all of them are refused."""

from dataclasses import replace

import pytest

from seriatim.actions.interpreter import Interpreter
from seriatim.actions.order import Ordering
from seriatim.actions.values import Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.arithmetic.terms import FALSE, TRUE
from seriatim.budget import Deadline
from seriatim.checking.sequentialization.conditions import Conditions
from seriatim.checking.sequentialization.discharge import Status, discharge_all
from seriatim.sequencing.decide import Settings
from seriatim.sequencing.outcome import NotProved, Proved, RunBreaks
from seriatim.source import InputError
from testkit.inputs.action_programs import decide, open_conditions, parse_text, protocol

HEAD = "param N >= 1\nx: int := 0\ny: int := 0\nz[1..N]: int := 0\n"


def refused(text: str) -> str:
    with pytest.raises(InputError) as raised:
        open_conditions(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "SER559"
    assert diagnostic.span is not None
    return diagnostic.message


def test_what_main_asserts_has_to_hold_in_every_initial_state() -> None:
    text = (
        "x: int\naction main():\n    assert x == 0\n    async a()\naction a():\n"
        "    skip\nsequential:\n    order a\n"
    )
    assert "I1" in open_conditions(text)
    assert isinstance(decide(parse_text(text)), RunBreaks)


def test_what_is_left_at_the_end_is_not_proved() -> None:
    text = (
        HEAD
        + "action main():\n    async a()\n    async b()\naction a():\n    skip\naction b():\n    x := 1\n"
    )
    text += "sequential:\n    order a\n    ensures x == 0\n"
    assert "I2" in open_conditions(text + "    when none next: x == 0\n")
    assert not isinstance(decide(parse_text(text)), Proved)


def test_two_instances_from_two_statements_are_counted() -> None:
    text = "x: int := 0\naction main():\n    async a()\n    async a()\naction a():\n    x := x + 1\n"
    text += "sequential:\n    order a\n    always pending(a()) <= 1\n"
    assert "J" in open_conditions(text)


def test_a_loop_that_starts_the_same_instance_again_counts_how_often() -> None:
    text = HEAD + "action main():\n    for i in 1..N:\n        async a(1)\naction a(k):\n    skip\n"
    text += "sequential:\n    order a\n"
    assert "J" in open_conditions(text + "    always all k in int: pending(a(k)) <= 1\n")
    assert not open_conditions(text + "    always all k in int: pending(a(k)) <= N\n")


def test_a_loop_that_starts_overlapping_instances_is_refused_for_all_sizes() -> None:
    text = HEAD + "action main():\n    for i in 1..N:\n        for j in 1..N:\n            async a(i + j)\n"
    assert "same instance" in refused(text + "action a(k):\n    skip\nsequential:\n    order a\n")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("z[i] := z[1]", "same cells"),
        ("x := i", "same cells"),
        ("z[1] := i", "same cells"),
        ("z[i + 1 if i < N else 1] := z[i]", "same cells"),
        ("n := n + i", "accumulates"),
    ],
)
def test_a_loop_whose_iterations_see_each_other_is_refused_for_all_sizes(body: str, message: str) -> None:
    text = HEAD + f"action main():\n    n := 0\n    for i in 1..N:\n        {body}\n    async a()\n"
    assert message in refused(text + "action a():\n    skip\nsequential:\n    order a\n")


def test_a_loop_that_reads_a_sum_that_it_changes_is_refused() -> None:
    text = (
        HEAD + "action main():\n    for i in 1..N:\n        z[i] := sum(z[j] for j in 1..N)\n    async a()\n"
    )
    assert refused(text + "action a():\n    skip\nsequential:\n    order a\n")


def test_after_a_loop_a_sum_is_unknown() -> None:
    text = (
        HEAD + "action main():\n    for i in 1..N:\n        z[i] := 1\n    async a()\naction a():\n    skip\n"
    )
    text += "sequential:\n    order a\n    when none next: sum(z[i] for i in 1..N) == 0\n"
    assert open_conditions(text)


def test_a_sum_follows_single_writes() -> None:
    text = HEAD + "action main():\n    async a(1)\naction a(k):\n    z[k] := 5\nsequential:\n    order a\n"
    text += "    always all k in int: pending(a(k)) <= (1 if k == 1 else 0)\n"
    text += "    when a(k) next: k == 1 and z[1] == 0 and sum(z[i] for i in 1..N) == 0\n"
    assert not open_conditions(text + "    when none next: sum(z[i] for i in 1..N) == 5\n")
    assert "I3" in open_conditions(text + "    when none next: sum(z[i] for i in 1..N) == 6\n")


def test_the_size_of_a_set_changes_only_when_membership_does() -> None:
    text = "s: set\naction main():\n    send(s, 1)\n    send(s, 1)\n    async a()\naction a():\n    skip\n"
    text += "sequential:\n    order a\n    always pending(a()) <= 1\n"
    assert not open_conditions(text + "    when a() next: size(s) == 1\n")
    assert open_conditions(text + "    when a() next: size(s) == 2\n")


def test_a_branch_is_chosen_before_the_index_at_which_states_are_compared() -> None:
    """The abstraction can set z[1] or z[2], not both: it does not cover setting both."""
    text = (
        "param N >= 2\nz[1..N]: int := 0\naction main():\n    async a()\naction a():\n"
        "    z[1] := 1\n    z[2] := 1\n"
    )
    text += (
        "sequential:\n    order a\n    abstract a():\n        either:\n"
        "            z[1] := 1\n        or:\n            z[2] := 1\n"
    )
    assert "AB" in open_conditions(text)


def test_keys_of_different_lengths_make_no_cycle() -> None:
    """The shorter key comes first, so exactly one of two instances precedes the other."""
    text = (
        HEAD
        + "action main():\n    async a(1)\n    async b(1)\naction a(k):\n    skip\naction b(k):\n    skip\n"
    )
    text += "sequential:\n    order a, b\n    key a(k) := k\n    key b(k) := k, -1\n"
    program = parse_text(text)
    assert program.proof is not None
    interpreter = Interpreter(program, Sizes({"N": 1}))
    ordering = Ordering(program.proof, interpreter.meanings)
    (initial,) = interpreter.initial_states()
    places = [ordering.place((name, (1,)), initial) for name in "ab"]
    assert places[0] < places[1]
    moves = Conditions(program, program.proof).moves
    state = moves.evaluation.signature.state("s")
    one, other = moves.arguments("a"), moves.arguments("b")
    assert moves.precedes("a", one, "b", one, state) == TRUE
    assert moves.precedes("b", other, "a", other, state) == FALSE


def test_contradictory_assumptions_prove_nothing() -> None:
    outcome = decide(
        parse_text(
            "x: int\ninitially x == 0 and x == 1\naction main():\n    async a()\n"
            "action a():\n    assert false\nsequential:\n    order a\n"
        )
    )
    assert isinstance(outcome, NotProved)
    assert "no small run executes a" in outcome.reason


def test_an_action_that_is_never_executed_is_told() -> None:
    outcome = decide(
        parse_text(
            "x: int := 0\naction main():\n    async a()\n    if x == 1:\n        async b()\n"
            "action a():\n    skip\naction b():\n    skip\nsequential:\n    order a, b\n"
        )
    )
    assert isinstance(outcome, NotProved)
    assert "no small run executes b" in outcome.reason


def test_an_action_that_starts_an_earlier_one_destroys_the_gate() -> None:
    text = (
        "x: int := 0\naction main():\n    async b()\n    async c()\naction a():\n"
        "    x := 2\naction b():\n    x := 1\n"
    )
    text += "action c():\n    async a()\nsequential:\n    order a, b, c\n"
    assert "LM1" in open_conditions(text)


def test_equal_instances_are_exchanged_only_if_there_are_two() -> None:
    text = (
        "x: int := 0\naction main():\n    async a()\naction a():\n    x := x + 1\n"
        "    assert x == 1\nsequential:\n    order a\n"
    )
    text += "    when a() next: x == 0 and pending(a()) == 1\n"
    assert not open_conditions(text + "    always pending(a()) <= 1\n") - {"I3"}


def test_a_fact_that_only_the_abstraction_breaks_is_not_kept() -> None:
    text = (
        "x: int := 0\naction main():\n    async a()\naction a():\n    x := 0\n"
        "sequential:\n    order a\n    always x == 0\n"
    )
    assert open_conditions(text) <= {"I3"}
    assert "J" in open_conditions(text + "    abstract a():\n        havoc x in 0..1\n")


def test_a_key_over_a_global_that_changes_is_refused() -> None:
    with pytest.raises(InputError) as raised:
        protocol("leader_election", ("key work(i) := 1, i - top", "key work(i) := size(box[1]), i - top"))
    assert [each.code for each in raised.value.diagnostics] == ["SER558"]


def test_terminating_covers_no_failures_and_says_so() -> None:
    text = (
        "x: int := 0\naction main():\n    async again()\n    async stop()\n"
        "action again():\n    async again()\naction stop():\n    skip\n"
    )
    program = parse_text(text + "sequential:\n    order again\n")
    outcome = decide(program, Settings(sizes=(Sizes({}),), terminating=True))
    assert not isinstance(outcome, RunBreaks)
    assert isinstance(decide(program, Settings(sizes=(Sizes({}),))), NotProved)


def test_a_sum_over_another_range_than_its_array_is_refused_for_all_sizes() -> None:
    """Its cells outside would not exist: the program fails at every size."""
    text = HEAD + "action main():\n    async a()\naction a():\n    x := sum(z[i] for i in 1..N + 1)\n"
    assert "another range" in refused(text + "sequential:\n    order a\n")


def test_a_maximum_needs_its_cells() -> None:
    text = (
        HEAD
        + "w[1..N]: int\naction main():\n    async a()\naction a():\n    x := max(w[i] for i in 1..N + 1)\n"
    )
    text += "sequential:\n    order a\n    always pending(a()) <= 1\n"
    assert "I3" in open_conditions(text)
    assert isinstance(decide(parse_text(text)), RunBreaks)


@pytest.mark.parametrize("line", ["await all k in int: k == k", "havoc x in 0..1 with some k in int: k == x"])
def test_a_program_cannot_quantify_over_all_integers(line: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_text(f"x: int\naction main():\n    {line}\n")
    assert [each.code for each in raised.value.diagnostics] == ["SER554"]


def test_sizes_may_have_any_name() -> None:
    """Names of conditions never clash with names of the program."""
    text = "param k0 >= 1\nparam n0 >= 1\nx: int := 0\n"
    text += "action main():\n    async a(1)\naction a(i):\n    x := i\n"
    text += "sequential:\n    order a\n    when a(j) next: j == 1\n    when none next: k0 == 1 or x == 1\n"
    text += "    always all i in int: pending(a(i)) <= (1 if i == 1 else 0)\n"
    assert not open_conditions(text)
    assert open_conditions(text.replace("k0 == 1 or x == 1", "k0 == 1"))


ONE = (
    "action main():\n    async a()\naction a():\n    {body}\n"
    "sequential:\n    order a\n    always pending(a()) <= 1\n"
)


def test_a_sum_of_old_values_is_not_the_sum_of_the_new_ones() -> None:
    text = HEAD + ONE.format(body="z[1] := z[1] + 1")
    assert "I2" in open_conditions(
        text + "    ensures sum(old(z[i]) for i in 1..N) == sum(z[i] for i in 1..N)\n"
    )
    assert not open_conditions(
        text + "    when a() next: z[1] == 0 and sum(z[i] for i in 1..N) == sum(old(z[i]) for i in 1..N)\n"
        "    when none next: sum(z[i] for i in 1..N) == sum(old(z[i]) for i in 1..N) + 1\n"
        "    ensures sum(z[i] for i in 1..N) == sum(old(z[i]) for i in 1..N) + 1\n"
    )


@pytest.mark.parametrize(
    "summed",
    [
        "sum((1 if z[i] == k else 0) for i in 1..N)",
        "count(z[i] == k for i in 1..N)",
        "count((all i in 1..N: z[i] == k) for i in 1..N)",
        "sum(sum(z[i] for i in 1..N) for i in 1..N)",
        "sum(z[i] + pending(a()) for i in 1..N)",
    ],
)
def test_a_sum_whose_summands_depend_on_more_than_a_cell_is_refused_for_all_sizes(summed: str) -> None:
    """All z are 0, so the number of those that are 5 is 0, not N."""
    text = HEAD + ONE.format(body="skip") + f"    when a() next: all k in int: {summed} == N\n"
    assert "no form for all sizes" in refused(text)


def test_what_a_loop_received_last_is_not_what_the_local_was_before() -> None:
    text = (
        HEAD
        + "box: bag\naction main():\n    for i in 1..N:\n        async f(i)\n    async a()\naction f(i):\n"
        "    send(box, 7)\naction a():\n    v := 0\n    for j in 1..N:\n        v := receive(box)\n"
        "    assert v == 0\nsequential:\n    order f, a\n"
    )
    assert "chooses" in refused(text)


def test_a_sum_after_a_loop_depends_on_what_the_loop_wrote() -> None:
    """The assertion of b always holds, for another sum for each choice: b can open the door to a."""
    text = (
        HEAD + "action main():\n    async a()\n    async b()\naction a():\n    await x == 1\n    y := 1\n"
        "action b():\n    havoc c in 0..1\n    for i in 1..N:\n        z[i] := c\n"
        "    assert sum(z[i] for i in 1..N) == c * N\n    x := 1\nsequential:\n    order a, b\n"
        "    always pending(a()) <= 1 and pending(b()) <= 1\n    when a() next: x == 0\n"
        "    when b() next: false\n    when none next: false\n    ensures y == 0\n"
    )
    assert "LM3" in open_when_terminating(text)


def open_when_terminating(text: str) -> set[str]:
    program = parse_text(text)
    assert program.proof is not None
    conditions = Conditions(program, replace(program.proof, gates=()), terminating=True).all()
    found = discharge_all(conditions, SolverName.Z3, Deadline(30))
    return {str(each.condition.premise) for each in found if each.status is not Status.PROVED}


def test_whether_an_action_fails_is_not_assumed_where_failures_are_not_covered() -> None:
    """The condition that b waits for is true at once, so that b never looks at z[N + 1]; a waits for b."""
    text = (
        HEAD + "action main():\n    async a()\n    async b()\naction a():\n    await x == 1\n    y := 1\n"
        "action b():\n    await some i in 1..N + 1: z[i] == 0\n    x := 1\nsequential:\n    order a, b\n"
        "    always pending(a()) <= 1 and pending(b()) <= 1\n    when a() next: x == 0\n"
        "    when b() next: false\n    when none next: false\n    ensures y == 0\n"
    )
    assert "LM3" in open_when_terminating(text)
    assert "J" in open_when_terminating(text + "    always x == 0\n")


@pytest.mark.parametrize(
    "body",
    [
        "assert all k in 1..z[N + 1]: k >= 1",
        "assert all j in 1..N, k in 1..z[j + 1]: k >= 1",
        "x := max(1 for i in 1..w[N + 1])",
    ],
)
def test_the_ends_of_a_range_have_to_exist(body: str) -> None:
    text = HEAD + "w[1..N]: int\n" + ONE.format(body=body)
    assert "I3" in open_conditions(text)
    assert isinstance(decide(parse_text(text)), RunBreaks)


def test_a_message_whose_parts_become_the_same_local_has_different_parts() -> None:
    text = "b: bag(int, int)\naction main():\n    send(b, (1, 2))\n    async a()\naction a():\n"
    text += (
        "    v, v := receive(b)\n    assert v == 1\nsequential:\n    order a\n    always pending(a()) <= 1\n"
    )
    text += "    when a() next: copies((1, 2), b) == 1\n    gate a: earliest\n"
    assert "I3" in open_conditions(text)


def test_a_maximum_over_what_is_pending_is_refused_for_all_sizes() -> None:
    """After a, two instances c(1) are pending; the maximum is not the one before."""
    text = (
        "param N >= 1\nx: int := 1\naction main():\n    async a()\n    for i in 1..N:\n        async c(i)\n"
    )
    text += "action a():\n    x := 0\n    async c(1)\naction c(i):\n    skip\nsequential:\n    order a, c\n"
    text += "    when a() next: x == 1 and all i in 1..N: pending(c(i)) == 1\n"
    text += "    when c(k) next: x == 0 => max(pending(c(i)) for i in 1..N) <= 1\n"
    assert "maximum" in refused(text)


def test_a_loop_that_drains_another_bag_in_each_iteration_is_refused_for_all_sizes() -> None:
    """Which bag is next depends on how many messages the loop has taken."""
    text = HEAD + "box[0..N]: bag\naction main():\n    send(box[1], 5)\n    send(box[1], 6)\n    async a()\n"
    text += "action a():\n    for j in N..N + 1:\n        v := receive(box[size(box[1]) - 1])\n"
    text += "sequential:\n    order a\n    always pending(a()) <= 1\n    when a() next: size(box[1]) == 2\n"
    assert "chooses" in refused(text)
    assert not open_conditions(text.replace("size(box[1]) - 1", "1"))


BEGINS = (
    "param N >= 1\n%s\naction main():\n    %s\n"
    "    for i in 1..N:\n        async a(i)\naction a(i):\n    skip\n"
)


@pytest.mark.parametrize(
    ("declared", "waits", "missing"),
    [
        (
            "x[1..N]: int\ninitially all i in 1..N, j in 1..N: i != j => x[i] != x[j]\n"
            "initially all i in 1..N: 0 <= x[i] <= 1",
            "skip",
            "N=3",
        ),
        ("x: int\ninitially N <= 2 or x < x", "skip", "N=3"),
        ("x: int := 0", "await N <= 3", "N=4"),
        ("x: int\ninitially x == 100 * N * N and x != 100 * N * N", "skip", "N=1"),
    ],
)
def test_nothing_is_proved_where_no_run_begins(declared: str, waits: str, missing: str) -> None:
    outcome = decide(parse_text(BEGINS % (declared, waits) + "sequential:\n    order a\n"))
    assert isinstance(outcome, NotProved)
    assert missing in outcome.reason or "no small run" in outcome.reason


@pytest.mark.parametrize(
    ("declared", "waits"),
    [
        ("x[1..N]: int\ninitially all i in 1..N, j in 1..N: i != j => x[i] != x[j]", "skip"),
        ("x[1..N]: int\ninitially all i in 1..N: x[i] > 0", "skip"),
        ("x: int\nx2[1..N]: int\ninitially x == max(x2[i] for i in 1..N) and x > 0", "skip"),
        ("x[1..N]: int\ninitially sum(x[i] for i in 1..N) == N", "skip"),
        ("enum C: red, green\nx[1..N]: C\ninitially all i in 1..N: x[i] == green", "await x[1] == green"),
        ("quorums Q of 1..N\nq: Q\ninitially 1 in q", "skip"),
        ("b: bool\ninitially b", "await b"),
    ],
)
def test_a_run_that_begins_at_all_sizes_is_found(declared: str, waits: str) -> None:
    outcome = decide(parse_text(BEGINS % (declared, waits) + "sequential:\n    order a\n"))
    assert isinstance(outcome, Proved)
