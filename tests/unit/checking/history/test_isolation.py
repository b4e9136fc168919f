"""Certificates about isolation levels: accepted as they are, refused after any change."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.transactions import (
    Anomaly,
    Cycle,
    Cycles,
    Level,
    LevelCertificate,
    LevelEvidence,
    Step,
    TransactionOrder,
    weaker,
)
from seriatim.checking.allowance import Allowance, GaveUp
from seriatim.checking.history.isolation import verify_level
from seriatim.checking.history.transactions import TransactionLog
from seriatim.history.transactions.decide import Decided, decide_levels
from testkit.inputs.transaction_texts import log_of
from testkit.oracles.isolation import random_log
from testkit.samples import sample


def accepts(log: TransactionLog, level: Level, evidence: LevelEvidence) -> bool:
    return verify_level(LevelCertificate("digest", level, evidence), log, Allowance()).accepted


WRITE_SKEW = log_of("ry ax1", "rx ay1", timed=False)
SKEW = (Step(0, 1, "rw", "y"), Step(1, 0, "rw", "x"))
LOST_UPDATE = log_of("ax0", "rx0 ax1", "rx0 ax2", "rx012", timed=False)


@pytest.mark.parametrize("level", Level)
def test_write_skew_rules_out_serializability_alone(level: Level) -> None:
    is_serializable = "serializable" in level and level is not Level.STRICT_SERIALIZABLE
    assert accepts(WRITE_SKEW, level, Cycles((Cycle(SKEW, ()),), ())) is is_serializable


STALE = log_of("p:ax1", "p:rx")
"""The second one came later, in time and in its process, but did not see the first one."""


@pytest.mark.parametrize(
    ("why", "level", "accepted"),
    [
        ("so", Level.CONSISTENT_VIEW, False),
        ("so", Level.PARALLEL_SNAPSHOT, True),
        ("so", Level.SNAPSHOT, False),
        ("so", Level.SESSION_SNAPSHOT, True),
        ("so", Level.SERIALIZABLE, False),
        ("so", Level.SESSION_SERIALIZABLE, True),
        ("rt", Level.SESSION_SERIALIZABLE, False),
        ("rt", Level.STRICT_SERIALIZABLE, True),
        ("rt", Level.SESSION_SNAPSHOT, False),
        ("rt", Level.STRONG_SNAPSHOT, True),
    ],
)
def test_steps_of_other_levels_do_not_count(why: str, level: Level, accepted: bool) -> None:
    cycle = Cycle((Step(1, 0, "rw", "x"), Step(0, 1, why, None)), ())
    assert accepts(STALE, level, Cycles((cycle,), ())) is accepted


@pytest.mark.parametrize(
    "evidence",
    [
        Cycles((), ()),
        Cycles((Cycle((), ()),), ()),
        Cycles((Cycle(SKEW[:1], ()),), ()),
        Cycles((Cycle((Step(0, 7, "rw", "y"), Step(7, 0, "rw", "x")), ()),), ()),
        Cycles((Cycle((Step(0, 1, "ww", "y"), Step(1, 0, "rw", "x")), ()),), ()),
        Cycles((Cycle(SKEW, (("x", 0, 1),)),), ()),
        Cycles((Cycle((), (("x", 0, 0),)),), ()),
        TransactionOrder(Level.SERIALIZABLE, (0, 1)),
        TransactionOrder(Level.SERIALIZABLE, (0,)),
        TransactionOrder(Level.SERIALIZABLE, (0, 1, 1)),
        TransactionOrder(Level.SERIALIZABLE, (0, 5)),
        TransactionOrder(Level.SNAPSHOT, (0, 1, 0, 1)),
        Anomaly("internal", (0,), "x"),
        Anomaly("G1a", (0,), "y"),
        Anomaly("something", (0,), "y"),
        Anomaly("garbage", (), "y"),
        Anomaly("garbage", (9,), "y"),
    ],
)
def test_forged_evidence_is_refused(evidence: LevelEvidence) -> None:
    assert not accepts(WRITE_SKEW, Level.SERIALIZABLE, evidence)


def test_an_order_with_snapshots_shows_snapshot_isolation_and_what_is_weaker() -> None:
    order = TransactionOrder(Level.SNAPSHOT, (0, 1, 0, 1))
    assert accepts(WRITE_SKEW, Level.SNAPSHOT, order)
    assert accepts(WRITE_SKEW, Level.READ_ATOMIC, order)
    assert not accepts(WRITE_SKEW, Level.CAUSAL, order)
    assert not accepts(
        LOST_UPDATE, Level.SNAPSHOT, TransactionOrder(Level.SNAPSHOT, (0, 0, 1, 2, 1, 2, 3, 3))
    )
    assert accepts(LOST_UPDATE, Level.PREFIX, TransactionOrder(Level.PREFIX, (0, 0, 1, 2, 1, 2, 3, 3)))


def test_an_order_that_respects_times_needs_a_log_with_times() -> None:
    """Without times nothing is before anything, so an order would respect them and not the sessions."""
    order = TransactionOrder(Level.STRICT_SERIALIZABLE, (1, 0))
    untimed = log_of("p:ax1", "p:rx", timed=False)
    for level in Level:
        assert not accepts(untimed, level, order)
    assert accepts(untimed, Level.SERIALIZABLE, replace(order, level=Level.SERIALIZABLE))


@pytest.mark.parametrize(
    ("texts", "accepted"),
    [
        (("ax1 rx12 ax2",), False),  # what it wrote later
        (("ax1 rx19",), False),  # what nobody wrote
        (("!ax2", "ax1 rx12"), False),  # what was not committed
        (("ax1 rx121", "ax2"), False),  # an element twice
        (("ax1 rx12", "ax2"), True),  # out of place: a contradiction in itself alone
    ],
)
@pytest.mark.parametrize("level", [Level.READ_COMMITTED, Level.CURSOR_STABILITY, Level.MONOTONIC_ATOMIC_VIEW])
def test_lists_mixed_with_own_appends_were_written_before(
    texts: tuple[str, ...], accepted: bool, level: Level
) -> None:
    log = log_of(*texts, timed=False)
    happened = tuple(n for n, each in enumerate(log.transactions) if each.status == "ok")
    assert accepts(log, level, TransactionOrder(level, happened)) is accepted
    (verdict,) = decide_levels(log, [level], Deadline(60)).values()
    assert isinstance(verdict, Decided)
    assert verdict.holds is accepted


def test_a_certificate_is_about_one_log_and_its_work_is_bounded() -> None:
    cycles = Cycles((Cycle(SKEW, ()),), ())
    certificate = LevelCertificate("other", Level.SERIALIZABLE, cycles)
    assert not verify_level(certificate, WRITE_SKEW, Allowance()).accepted
    with pytest.raises(GaveUp):
        verify_level(replace(certificate, log="digest"), WRITE_SKEW, Allowance(1))


# --- any change ---------------------------------------------------------------------------------------------


def mutants(evidence: LevelEvidence) -> Iterator[LevelEvidence]:
    """Evidence with one change."""
    match evidence:
        case TransactionOrder(order=order):
            yield from (replace(evidence, level=level) for level in Level)
            for at in range(len(order)):
                yield replace(evidence, order=order[:at] + order[at + 1 :])
                yield replace(evidence, order=(*order[:at], order[at] + 1, *order[at + 1 :]))
        case Anomaly():
            yield replace(evidence, key="?")
            yield replace(evidence, transactions=(99,))
        case Cycles(cycles=cycles):
            for at, cycle in enumerate(cycles):
                rest = (*cycles[:at], *cycles[at + 1 :])
                yield Cycles(rest, evidence.clauses)
                for place, step in enumerate(cycle.steps):
                    before, behind = cycle.steps[:place], cycle.steps[place + 1 :]
                    for other in (
                        replace(step, key="?"),
                        replace(step, source=step.source + 1),
                        replace(step, target=99),
                        replace(step, why="nothing"),
                    ):
                        yield Cycles(
                            (*rest, Cycle((*before, other, *behind), cycle.choices)), evidence.clauses
                        )
                    yield Cycles((*rest, Cycle((*before, *behind), cycle.choices)), evidence.clauses)


def is_right(log: TransactionLog, level: Level, evidence: LevelEvidence) -> bool:
    """Whether accepted evidence has the verdict that was decided."""
    (verdict,) = decide_levels(log, [level], Deadline(60)).values()
    return isinstance(verdict, Decided) and verdict.holds == isinstance(evidence, TransactionOrder)


@pytest.mark.parametrize("seed", sample(60, 12))
def test_changed_evidence_never_proves_what_is_false(seed: int) -> None:
    """Evidence for one level is offered, as it is and changed, for every level."""
    log = random_log(Random(seed), (2, 5))
    for verdict in decide_levels(log, list(Level), Deadline(60)).values():
        if isinstance(verdict, Decided):
            evidence = verdict.certificate.evidence
            for offered in (evidence, *mutants(evidence)):
                for level in Level:
                    assert not accepts(log, level, offered) or is_right(log, level, offered), (level, log)


def neighbour(random: Random, log: TransactionLog) -> TransactionLog:
    """The log, in which one transaction read something else that was read from the key."""
    reads = [
        (number, place)
        for number, each in enumerate(log.transactions)
        for place, (kind, _, _) in enumerate(each.operations)
        if kind == "r" and each.status == "ok"
    ]
    if not reads:
        return log
    number, place = random.choice(reads)
    changed = log.transactions[number]
    key = changed.operations[place][1]
    others = [v for n, p in reads for f, k, v in [log.transactions[n].operations[p]] if k == key]
    operation = ("r", key, random.choice(others))
    operations = (*changed.operations[:place], operation, *changed.operations[place + 1 :])
    behind = log.transactions[number + 1 :]
    return replace(
        log, transactions=(*log.transactions[:number], replace(changed, operations=operations), *behind)
    )


@pytest.mark.parametrize("seed", sample(200, 12))
def test_evidence_about_another_log_proves_nothing_false(seed: int) -> None:
    random = Random(5_000 + seed)
    log = random_log(random, (2, 5))
    other = neighbour(random, log)
    for verdict in decide_levels(log, list(Level), Deadline(60)).values():
        if isinstance(verdict, Decided):
            for level in Level:
                evidence = verdict.certificate.evidence
                assert not accepts(other, level, evidence) or is_right(other, level, evidence), (level, other)


def find_cycles(seed: int) -> tuple[TransactionLog, dict[Level, Cycles]]:
    """A log, and the levels that it does not show because of cycles."""
    random = Random(1_000 + seed)
    while True:
        log = random_log(random, (3, 5))
        decided = decide_levels(log, list(Level), Deadline(60)).items()
        evidence = {level: each.certificate.evidence for level, each in decided if isinstance(each, Decided)}
        cycles = {level: each for level, each in evidence.items() if isinstance(each, Cycles)}
        if cycles:
            return log, cycles


@pytest.mark.parametrize("seed", sample(40, 8))
def test_changed_cycles_are_refused(seed: int) -> None:
    log, cycles = find_cycles(seed)
    for level, evidence in cycles.items():
        assert accepts(log, level, evidence)
        for changed in mutants(evidence):  # A shorter proof, or another reason, is still one.
            assert not accepts(log, level, changed) or is_right(log, level, changed)


def test_no_level_is_weaker_than_itself() -> None:
    assert all(level not in weaker(level) for level in Level)
