"""Claims of how runs end, and facts about every state, against all configurations at small sizes."""

from dataclasses import replace

import pytest

from seriatim.actions.configurations import TooLarge
from seriatim.actions.interpreter import Interpreter
from seriatim.actions.printer import digest
from seriatim.actions.values import Sizes
from seriatim.arithmetic.solvers.named import SolverName
from seriatim.budget import Deadline
from seriatim.certificate.sequentialization import OrderEvidence
from seriatim.checking.sequentialization.verify import verify_sequential
from seriatim.frontends.actions.proof_text import read_proof
from seriatim.sequencing.claims import Claim, Holds, Unknown, Violated, decide_claim
from seriatim.sequencing.decide import Decision, Settings
from seriatim.sequencing.endings import Ending, find_endings
from seriatim.sequencing.outcome import Proved, RunBreaks
from testkit.generators.actions import random_actions
from testkit.inputs.action_programs import decide, parse_text, protocol
from testkit.samples import sample

COUNTING = """
param N >= 1
count: int := 0
seen: int := 0
action main():
    for i in 1..N:
        async prepare(i)
    async finish()
action prepare(i):
    count := count + 1
action finish():
    await count >= N
    seen := N
sequential:
    order prepare, finish
    LINE
"""


def claim(text: str, ending: Ending, *sizes: Sizes) -> Claim:
    return decide_claim(Decision(parse_text(text), Settings(sizes), read_proof, Deadline()), ending)


@pytest.mark.parametrize(
    "line", ["invariant 0 <= count", "invariant all i in 1..N: pending(prepare(i)) <= 1"]
)
def test_an_invariant_is_proved_for_all_sizes_and_checked(line: str) -> None:
    program = parse_text(COUNTING.replace("LINE", line))
    outcome = decide(program)
    assert isinstance(outcome, Proved)
    assert outcome.proof.invariants


@pytest.mark.parametrize(("line", "size"), [("invariant count < 3", 3), ("invariant seen == 0", 1)])
def test_a_false_invariant_is_refuted_by_a_run_which_the_checker_replays(line: str, size: int) -> None:
    program = parse_text(COUNTING.replace("LINE", line))
    outcome = decide(program)
    assert isinstance(outcome, RunBreaks)
    assert outcome.broken.reason == "`invariant` does not hold"
    assert outcome.interpreter.layout.sizes.parameters == {"N": size}
    report = verify_sequential(outcome.certificate, program, read_proof, (SolverName.Z3,), Deadline())
    assert report.accepted
    true = parse_text(COUNTING.replace("LINE", "invariant count <= N"))
    forged = replace(outcome.certificate, digest=digest(true))
    assert not verify_sequential(forged, true, read_proof, (SolverName.Z3,), Deadline()).accepted


@pytest.mark.parametrize("sizes", [(), (Sizes({"N": 3}, 0, 1),)])
def test_a_proof_that_leaves_out_an_invariant_is_refused(sizes: tuple[Sizes, ...]) -> None:
    without = parse_text(COUNTING.replace("LINE", "measure #prepare, #finish"))
    outcome = decide(without, Settings(sizes))
    assert isinstance(outcome, Proved)
    claimed = parse_text(COUNTING.replace("LINE", "invariant count < 3"))
    forged = replace(outcome.certificate, digest=digest(claimed))
    assert not verify_sequential(forged, claimed, read_proof, (SolverName.Z3,), Deadline()).accepted
    evidence = forged.evidence
    assert isinstance(evidence, OrderEvidence)
    told = replace(forged, evidence=replace(evidence, proof=(*evidence.proof, "    invariant count < 3")))
    assert not verify_sequential(told, claimed, read_proof, (SolverName.Z3,), Deadline()).accepted


def test_a_proof_at_a_size_says_what_the_invariant_says_there() -> None:
    program = parse_text(COUNTING.replace("LINE", "invariant count < 3"))
    settings = Settings((Sizes({"N": 2}, 0, 1),))
    assert isinstance(Decision(program, settings, read_proof, Deadline()).decide(), Proved)
    settings = Settings((Sizes({"N": 3}, 0, 1),))
    assert isinstance(Decision(program, settings, read_proof, Deadline()).decide(), RunBreaks)


def test_claims_of_protocols() -> None:
    held = Decision(protocol("broadcast"), Settings(), read_proof, Deadline())
    assert isinstance(decide_claim(held, Ending.DEADLOCK_FREE), Holds)
    stuck = Decision(protocol("two_phase_commit"), Settings(), read_proof, Deadline())
    assert isinstance(decide_claim(stuck, Ending.DEADLOCK_FREE), Violated)
    assert isinstance(decide_claim(stuck, Ending.TERMINATING), Holds)


WAITING = """
x: int
action main():
    await x == 0
    async a()
action a():
    skip
sequential:
    order a
"""


def test_main_has_to_begin_everywhere() -> None:
    assert isinstance(claim(WAITING, Ending.DEADLOCK_FREE), Violated)
    far = WAITING.replace("x == 0", "x != 1000")
    assert isinstance(claim(far, Ending.DEADLOCK_FREE), Unknown)
    assert isinstance(claim(far.replace("await x != 1000", "skip"), Ending.DEADLOCK_FREE), Holds)


@pytest.mark.parametrize("seed", sample(60, 6))
def test_claims_about_random_programs_hold_at_small_sizes(seed: int) -> None:
    program = parse_text(random_actions(seed))
    for ending in Ending:
        decision = Decision(program, Settings(), read_proof, Deadline())
        found = decide_claim(decision, ending)
        if not isinstance(found, Holds):
            continue
        for value in (0, 1, 2):
            interpreter = Interpreter(
                program, Sizes({each.name: value + each.least for each in program.sizes}, 0, 1)
            )
            try:
                assert not find_endings(interpreter, 5_000, Deadline()).violates(ending)
            except TooLarge:
                break
