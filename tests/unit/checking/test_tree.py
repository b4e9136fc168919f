"""Proofs by cases as evidence: accepted without a solver, refused with a reason if anything is amiss."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import cache

import pytest

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Rounded
from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.allowed import SerialRuns
from seriatim.checking.context import Context
from seriatim.checking.cover_claim import CoverClaim, cover_claim
from seriatim.checking.obligation import DoesNotFollow, Obligation
from seriatim.checking.reference import ProgramReference, SystemReference
from seriatim.checking.tree import balances, prove
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.engines.counting.evidence import counting_evidence
from seriatim.engines.counting.root_product import root_product
from seriatim.engines.counting.state_equation import state_equation
from seriatim.frontends.all import read_input
from seriatim.program.inputs import Input, digest
from seriatim.program.semantics import big_steps
from seriatim.program.syntax import Program
from seriatim.source import SourceText
from testkit.inputs.counted_inputs import ALWAYS_ONE_LEFT, PROVED, proof
from testkit.oracles.brute_force import Interpreted, interleaved, rules_of_system, serial
from testkit.samples import deep

COVERED = "whatever outcome counting allows is in a cover"
SITUATED = "situations"
TEXTS = {**PROVED, SITUATED: ALWAYS_ONE_LEFT}
HALF_STEPS = PROVED["half steps"]
"""Its tree has nodes of all kinds."""

proved = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())


@cache
def evidence_for(text: str) -> TreeEvidence:
    evidence = counting_evidence(*proof(text, root_product if text == ALWAYS_ONE_LEFT else state_equation))
    assert isinstance(evidence, TreeEvidence)
    return evidence


def report(content: Input | str, evidence: TreeEvidence, limit: int = 100_000) -> Report:
    """What the checker says without any solver."""
    known = read_input(SourceText("-", content)) if isinstance(content, str) else content
    return verify(
        Certificate(digest(known), "serializable", evidence), known, Context(Allowance(limit), chosen=())
    )


def with_nodes(text: str, *nodes: CaseNode) -> TreeEvidence:
    return replace(evidence_for(text), tree=nodes)


@cache
def claim_of(text: str) -> CoverClaim:
    """What the tree has to prove; changes of the tree alone do not change it."""
    content = read_input(SourceText("-", text))
    allowance = Allowance(100_000, Deadline())
    claim = evidence_for(text).claim
    if isinstance(content, Program):
        program = ProgramReference(content, big_steps)
        return last(cover_claim(program, claim, SerialRuns(program, allowance), allowance))
    system = SystemReference(content)
    return last(cover_claim(system, claim, SerialRuns(system, allowance), allowance))


def last(obligations: Generator[Obligation, None, CoverClaim | None]) -> CoverClaim:
    def returned() -> Generator[Obligation, None, None]:
        found.append((yield from obligations))

    found: list[CoverClaim | None] = []
    assert all(obligation.holds for obligation in returned())
    assert found[0] is not None
    return found[0]


def is_proof(text: str, evidence: TreeEvidence) -> bool:
    """Whether the tree proves the claim."""
    allowance = Allowance(100_000, Deadline())
    try:
        prove(claim_of(text), evidence, allowance)
    except DoesNotFollow:
        return False
    return True


@proved
def test_what_is_found_is_accepted_without_a_solver(text: str) -> None:
    found = report(text, evidence_for(text))
    assert found.accepted, found.complaint
    assert found.obligations[-1].claim == COVERED
    assert found.obligations[-1].detail.startswith("a proof by cases: ")
    assert not any(obligation.confirmed_by for obligation in found.obligations)


def test_there_are_nodes_of_all_kinds() -> None:
    assert {type(node) for node in evidence_for(HALF_STEPS).tree} == {ByCover, ByCut, Rounded, Absurd}


@proved
def test_no_node_can_be_spared(text: str) -> None:
    tree = evidence_for(text).tree
    for index in range(len(tree)):
        assert not is_proof(text, with_nodes(text, *tree[:index], *tree[index + 1 :]))


@proved
def test_a_tree_must_end_where_the_last_case_is_closed(text: str) -> None:
    tree = evidence_for(text).tree
    assert "leaves 1 case open" in report(text, with_nodes(text, *tree[:-1])).complaint
    assert "about no case" in report(text, with_nodes(text, *tree, tree[-1])).complaint
    assert "leaves 1 case open" in report(text, with_nodes(text)).complaint


def altered(text: str, change: Callable[[CaseNode], Iterator[CaseNode]]) -> Iterator[TreeEvidence]:
    """The evidence with one node changed, in every way."""
    tree = evidence_for(text).tree
    for index, node in enumerate(tree):
        for other in change(node):
            yield with_nodes(text, *tree[:index], other, *tree[index + 1 :])


def fewer(multiples: Multiples) -> Iterator[Multiples]:
    for index in range(len(multiples)):
        yield multiples[:index] + multiples[index + 1 :]


@proved
def test_hardly_a_row_of_a_sum_can_be_spared(text: str) -> None:
    """Some can, where less is known and yet enough."""

    def change(node: CaseNode) -> Iterator[CaseNode]:
        if isinstance(node, Absurd | Rounded):
            yield from (replace(node, sum=smaller) for smaller in fewer(node.sum))

    found = [is_proof(text, evidence) for evidence in altered(text, change)]
    assert found.count(True) <= len(found) / 10


@deep
@proved
def test_hardly_a_multiple_can_be_another(text: str) -> None:
    def change(node: CaseNode) -> Iterator[CaseNode]:
        if isinstance(node, Absurd | Rounded) and len(node.sum) > 1:
            for index, (row, times) in enumerate(node.sum):
                for other in ((row, times - 1), (row, -times), (row + 1, times)):
                    yield replace(node, sum=(*node.sum[:index], other, *node.sum[index + 1 :]))

    found = [is_proof(text, evidence) for evidence in altered(text, change)]
    assert found.count(True) <= len(found) / 5


@proved
def test_another_cover_or_cut_is_of_no_use(text: str) -> None:
    known = evidence_for(text).claim

    def change(node: CaseNode) -> Iterator[CaseNode]:
        if isinstance(node, ByCover):
            yield from (ByCover(n) for n in range(1, len(known.covers) + 1) if n != node.cover)
            yield from (ByCut(n) for n in range(1, len(known.cuts) + 1))
        if isinstance(node, ByCut):
            yield from (ByCover(n) for n in range(1, len(known.covers) + 1))

    for evidence in altered(text, change):
        assert not is_proof(text, evidence)


REASONS: dict[str, tuple[CaseNode, str]] = {
    "row 0": (Absurd(((0, 1),)), "refers to row 0"),
    "a row too far": (Absurd(((99, 1),)), "refers to row 99"),
    "row -1": (Absurd(((-1, 1),)), "refers to row -1"),
    "nothing": (Absurd(()), "can be at least 0"),
    "a row that is no contradiction": (Absurd(((1, 1),)), "can be at least 0"),
    "a negative multiple": (
        Absurd(((1, -1),)),
        "takes row 1, which may exceed 0, a negative number of times",
    ),
    "a rounded negative multiple": (Rounded(((1, -1),), 2), "a negative number of times"),
    "division by 0": (Rounded(((1, 1),), 0), "divides by 0"),
    "division by -1": (Rounded(((1, 1),), -1), "divides by -1"),
    "long numbers": (Rounded(((1, 2**5_000),), 1), "more than 4,096 bits"),
    "cover 0": (ByCover(0), "refers to cover 0"),
    "a cover too far": (ByCover(99), "refers to cover 99"),
    "cut 0": (ByCut(0), "refers to cut 0"),
    "a cut too far": (ByCut(99), "refers to cut 99"),
}


@pytest.mark.parametrize(("node", "reason"), REASONS.values(), ids=REASONS.keys())
def test_the_reason_names_the_node(node: CaseNode, reason: str) -> None:
    found = report(HALF_STEPS, with_nodes(HALF_STEPS, node, *evidence_for(HALF_STEPS).tree))
    assert not found.accepted
    assert found.complaint.startswith(f"{COVERED}: node 1 of the tree ")
    assert reason in found.complaint


@proved
def test_the_rest_of_the_evidence_matters(text: str) -> None:
    """Covers, cuts, places and the order of completions are those that the tree is about."""
    evidence = evidence_for(text)
    claim = evidence.claim
    used = {node.cover for node in evidence.tree if isinstance(node, ByCover)}
    damaged = [
        replace(evidence, claim=replace(claim, covers=claim.covers[:index] + claim.covers[index + 1 :]))
        for index in range(max(used))
    ]
    if evidence.waiting:
        damaged.append(replace(evidence, waiting=evidence.waiting[1:]))
    if evidence.globals:
        damaged.append(replace(evidence, globals=evidence.globals[1:]))
    if any(isinstance(node, ByCut) for node in evidence.tree):
        damaged.append(replace(evidence, claim=replace(claim, cuts=())))
    if claim.situations is not None:
        damaged.append(replace(evidence, claim=replace(claim, situations=None)))
    for other in damaged:
        assert not report(text, other).accepted


def test_paths_are_replayed() -> None:
    evidence = evidence_for(HALF_STEPS)
    path = next(cover for cover in evidence.claim.covers if cover.steps)
    wrong = replace(path, steps=(replace(path.steps[0], response="no such"), *path.steps[1:]))
    covers = tuple(wrong if cover == path else cover for cover in evidence.claim.covers)
    found = report(HALF_STEPS, replace(evidence, claim=replace(evidence.claim, covers=covers)))
    assert "is not a serial run" in found.complaint


ENDLESS = {
    "covers": ByCover(1),
    "roundings": Rounded(((1, 1),), 1),
    "growing roundings": Rounded(((1, 2**64),), 1),
}


@pytest.mark.parametrize("node", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_tree_that_is_too_large_exhausts_the_allowance_and_nothing_else(node: CaseNode) -> None:
    with pytest.raises(GaveUp):
        report(HALF_STEPS, with_nodes(HALF_STEPS, *[node] * 50_000), limit=20_000)


def test_places_are_paid_for() -> None:
    text = PROVED["a shared local state"]
    claim, evidence, allowance = claim_of(text), evidence_for(text), Allowance(1_000, Deadline())
    rows = list(balances(claim, evidence, allowance))
    assert len(rows) == len(evidence.globals) + len(evidence.waiting)
    assert allowance.spent == len(rows) * (1 + len(claim.counting.steps) // 10)


def test_numbers_cannot_grow_without_bound() -> None:
    """Each row is a multiple of the one before."""
    first = len(evidence_for(HALF_STEPS).globals) + len(evidence_for(HALF_STEPS).waiting)
    nodes = [Rounded(((1, 2),), 1), *(Rounded(((first + n, 2**64),), 1) for n in range(1, 1_000))]
    assert "more than 4,096 bits" in report(HALF_STEPS, with_nodes(HALF_STEPS, *nodes)).complaint


def changed(text: str) -> Iterator[Input]:
    """Without one of the yields, with another number, or with another target of a transition."""
    for before, after in (("yield", "0"), ("1", "2"), ("0", "1"), ("3", "4"), ('"in", "on"', '"in", "out"')):
        for place in range(text.count(before)):
            pieces = text.split(before)
            other = before.join(pieces[: place + 1]) + after + before.join(pieces[place + 1 :])
            yield read_input(SourceText("-", other))


@proved
def test_evidence_for_another_input_is_refused_or_proves_it(text: str) -> None:
    for content in changed(text):
        try:
            accepted = report(content, evidence_for(text)).accepted
        except GaveUp:
            continue
        if accepted:
            rules = Interpreted(content).rules if isinstance(content, Program) else rules_of_system(content)
            assert interleaved(rules, 3) <= serial(rules, 3)
