"""One measurement: the outcome and its figures."""

from dataclasses import replace

import pytest

from seriatim.bench.measure import measure
from seriatim.bench.result import Outcome, Stage
from seriatim.certificate.atomic import AtomicEvidence
from seriatim.certificate.certificate import Certificate
from seriatim.checking.obligation import Obligation, Report
from seriatim.deciding.pipeline import Options, Work, work_out
from seriatim.program.inputs import Input
from seriatim.result import Refused, Result
from seriatim.systems.limits import Limits
from testkit.inputs.bench_results import ATOMIC, RACE, task
from testkit.inputs.undecided_programs import GROWING

UNBOUNDED = GROWING


def test_a_proof_has_a_method_and_two_times() -> None:
    found = measure(task(text=ATOMIC))
    assert (found.outcome, found.method, found.requests) == (Outcome.SERIALIZABLE, "atomic", None)
    assert found.recheck_seconds is not None
    assert found.recheck_seconds >= 0
    assert 0 < found.seconds <= 20


def test_a_measurement_counts_its_work() -> None:
    found = measure(task(text=RACE))
    assert found.searched is not None
    assert found.searched > 0
    assert (found.asked, found.closed) == (0, 0)
    assert found.checked is not None
    assert found.checked > 0


def test_a_counterexample_has_the_number_of_its_requests() -> None:
    found = measure(task(text=RACE))
    assert (found.outcome, found.requests) == (Outcome.NOT_SERIALIZABLE, 2)
    assert found.recheck_seconds is not None


def test_bad_input_is_an_outcome_with_its_place() -> None:
    found = measure(task(text="request { X }"))
    assert found.outcome is Outcome.ERROR
    assert found.reason is not None
    assert found.reason.startswith("1:9: ")


def test_what_cannot_be_decided_is_undecided_with_a_reason() -> None:
    tiny = replace(task(text=UNBOUNDED), limits=Limits(max_states=50, max_value=50), timeout=5.0)
    found = measure(tiny)
    assert found.outcome is Outcome.UNKNOWN
    assert found.reason
    assert found.recheck_seconds is None


def test_evidence_that_is_refused_is_not_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(content: Input, options: Options) -> tuple[Result, Work]:
        honest, work = work_out(content, options)
        certificate = Certificate("0" * 64, "serializable", AtomicEvidence())
        report = Report((Obligation("the certificate is about this input", False, "it is not"),))
        return replace(honest, answer=Refused(certificate, report)), work

    monkeypatch.setattr("seriatim.bench.measure.work_out", refuse)
    found = measure(task(text=ATOMIC))
    assert found.outcome is Outcome.REFUSED
    assert found.reason == "the certificate is about this input: it is not"


def test_compiling_counts_pairs_and_steps() -> None:
    """One request reads, one writes what it read: four local states with X from 0 to 2."""
    text = "request next { x := X; yield; X := (x + 1) % 2; x }\n"
    found = measure(task(text=text, stage=Stage.COMPILE))
    assert found.outcome is Outcome.COMPILED
    assert (found.pairs, found.steps, found.level) == (6, 6, 1)
    assert found.closure_seconds is not None
    assert found.closure_seconds <= found.seconds


def test_what_is_too_large_to_compile_is_undecided() -> None:
    found = measure(replace(task(text=UNBOUNDED, stage=Stage.COMPILE), limits=Limits(max_states=50)))
    assert found.outcome is Outcome.UNKNOWN
    assert found.reason is not None
    assert "more than 50 states" in found.reason


def test_an_input_that_is_too_large_for_the_memory_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(content: Input, options: Options) -> tuple[Result, Work]:
        raise MemoryError(content, options)

    monkeypatch.setattr("seriatim.bench.measure.work_out", explode)
    found = measure(task(text=ATOMIC))
    assert (found.outcome, found.reason) == (Outcome.UNKNOWN, "the memory limit is reached")
