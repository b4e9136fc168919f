"""Evidence about hangs of threads: what is true is accepted, and what was changed is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from seriatim.certificate.certificate import Certificate
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_run import ThreadRunEvidence
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options
from seriatim.deciding.threads import decide_threads
from seriatim.frontends.c.frontend import read_c_threads
from seriatim.program.threads.syntax import ThreadProgram
from seriatim.properties.deadlock_free import DEADLOCK_FREEDOM
from seriatim.result import Holds, Undecided, Violated
from seriatim.source import SourceText

EXAMPLES = Path(__file__).parents[3] / "examples" / "threads"


def asked(text: str) -> tuple[ThreadProgram, object]:
    program = read_c_threads(SourceText("t.c", text))
    return program, decide_threads(program, Options(timeout=30.0, question=DEADLOCK_FREEDOM)).answer


def example(name: str) -> tuple[ThreadProgram, Certificate]:
    program, answer = asked((EXAMPLES / name).read_text("utf-8"))
    assert isinstance(answer, Holds | Violated)
    assert verify(answer.certificate, program).accepted
    return program, answer.certificate


def test_a_run_has_to_end_in_a_hang() -> None:
    program, certificate = example("crossed_locks.c")
    evidence = certificate.evidence
    assert isinstance(evidence, ThreadRunEvidence)
    for steps in (
        evidence.run.steps[:-1],
        evidence.run.steps[1:],
        (*evidence.run.steps, evidence.run.steps[-1]),
    ):
        shorter = ThreadRunEvidence(replace(evidence.run, steps=steps))
        assert not verify(replace(certificate, evidence=shorter), program).accepted


def test_every_configuration_has_to_be_listed_exactly() -> None:
    program, certificate = example("ordered_locks.c")
    evidence = certificate.evidence
    assert isinstance(evidence, ThreadCoverEvidence)
    for number, state in enumerate(evidence.states):
        others = evidence.states[:number] + evidence.states[number + 1 :]
        without = replace(evidence, states=others)
        assert not verify(replace(certificate, evidence=without), program).accepted
        vague = replace(state, crowds=tuple(tuple((n, None) for n, _ in each) for each in state.crowds))
        changed = replace(evidence, states=(*others, vague))
        assert not verify(replace(certificate, evidence=changed), program).accepted


def test_evidence_of_one_program_is_none_of_another() -> None:
    safe, proof = example("ordered_locks.c")
    hanging, run = example("crossed_locks.c")
    assert not verify(replace(run, digest=proof.digest), safe).accepted
    assert not verify(replace(proof, digest=run.digest), hanging).accepted


WAITS = """pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *u) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, w, 0); END }"""


@pytest.mark.parametrize(
    ("end", "kind"),
    [
        ("while (1) { }", Undecided),
        ("return 0;", Holds),
        ("pthread_join(t, 0); return 0;", Violated),
        ("pthread_exit(0);", Violated),
    ],
)
def test_what_main_does_while_a_thread_waits(end: str, kind: type) -> None:
    assert isinstance(asked(WAITS.replace("END", end))[1], kind)


def test_a_failure_ends_the_program() -> None:
    text = WAITS.replace("END", "assert(0); pthread_join(t, 0);")
    assert isinstance(asked(text)[1], Holds)
    assert isinstance(asked(text.replace("assert(0)", "assert(1)"))[1], Violated)
