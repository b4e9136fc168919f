"""Evidence of the kind `chains`: accepted if all is right, refused with a reason if anything is amiss."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from seriatim.arithmetic.solvers.named import SolverName
from seriatim.certificate.certificate import Certificate, write
from seriatim.certificate.chain_counts import Counts, LevelCut, PrefixRow
from seriatim.certificate.chain_proofs import (
    Chain,
    ChainNode,
    Counted,
    Fixed,
    Layered,
    NodeCase,
    NoRuns,
    OutsideCover,
    Situated,
)
from seriatim.certificate.chains import ChainEvidence, ListedMove
from seriatim.certificate.in_flight import Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import SerialCycle, SerialPath, SerialStep
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking import chains
from seriatim.checking.allowance import Allowance
from seriatim.checking.chains_structure import ProofStep
from seriatim.checking.context import Context
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.engines.counting.evidence import counting_evidence
from seriatim.engines.counting.state_equation import state_equation
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.program.inputs import Input, digest
from seriatim.source import InputError, SourceText
from testkit.inputs.chain_inputs import chain_evidence
from testkit.inputs.counted_inputs import PROVED, proof
from testkit.samples import deep

LISTED = "every move that complete runs can make is listed"
COVERED = "however a complete run goes, its outcome is in a cover"

ONCE = "request a { if (S == 0) { S := 1; yield; S := 1; 0 } else { 1 } }"
"""The first request answers 0, all others 1."""

FIRST = SerialStep("a", "0", (("S", 1),))
LATER = SerialStep("a", "1", (("S", 1),))
COVERS = (SerialPath((), ()), SerialPath((FIRST,), (SerialCycle((("S", 1),), (LATER,)),)))

ENTER, ANSWER, LATE = (
    ListedMove(0, None, 1, 0, None),
    ListedMove(1, 0, 1, None, 0),
    ListedMove(1, None, 1, None, 1),
)
"""Edges 0 to 2 of the root. Edge 3 leads from the first global state to the end, edge 4 from the second."""

LEVELS = (0, 1, 2)


def content_of(text: str) -> Input:
    return read_input(SourceText("-", text))


def report(
    evidence: ChainEvidence,
    text: str = ONCE,
    limit: int = 100_000,
    solvers: tuple[SolverName, ...] = (SolverName.Z3,),
) -> Report:
    content = content_of(text)
    return verify(
        Certificate(digest(content), "serializable", evidence),
        content,
        Context(Allowance(limit), chosen=solvers),
    )


def by(proof: ChainNode) -> ChainEvidence:
    """Evidence about `ONCE`."""
    return replace(
        chain_evidence(content_of(ONCE), CoverEvidence(1, (), None, (), COVERS), proof),
        moves=(ENTER, ANSWER, LATE),
    )


def complaint(proof: ChainNode) -> str:
    """Why a proof is refused; empty if it is accepted."""
    found = report(by(proof)).complaint
    assert found == "" or found.startswith(f"{COVERED}: step ")
    return found.removeprefix(f"{COVERED}: ")


def plain(*levels: int) -> Counts:
    return Counts(levels, (), ())


def entered(*levels: int) -> Counts:
    """Whatever runs do at a node, they enter it first; the start is the first node."""
    cuts = tuple(LevelCut(level, "siphon", (node,), ()) for node, level in enumerate(levels) if node > 0)
    return Counts(levels, (), cuts)


ALL = Counted(entered(*LEVELS), ())
"""Counting alone proves the whole claim."""


# --- what is accepted ---------------------------------------------------------------------------------------


def test_counting_is_a_proof_in_one_step() -> None:
    found = report(by(ALL))
    assert found.accepted, found.complaint
    assert [obligation.claim for obligation in found.obligations[-2:]] == [LISTED, COVERED]
    assert found.obligations[-2].detail == "3 moves, 3 listed"
    assert found.obligations[-1].detail == (
        "a proof in steps: 1 counted; 1 of 1 question settled without a solver"
    )
    assert found.obligations[-1].data == (ProofStep(0, "counted", 3, 5, by(ALL).proof),)
    assert found.obligations[-1].confirmed_by == ()


CASES = (
    NodeCase(0, (0,)),
    NodeCase(1, (1,)),
    NodeCase(1, (0,)),
    NodeCase(2, (0,)),
    NodeCase(2, (1,)),
)
"""All that can be the case: nodes 1 to 5 of what comes of them, but for the last, from which nothing leads
on."""

BACKWARDS = (
    NodeCase(2, (0,)),
    NodeCase(1, (0,)),
    NodeCase(0, (0,)),
    NodeCase(1, (None,)),
    NodeCase(0, (None,)),
)

BY_CHAINS = Counted(
    plain(*LEVELS), (Chain((3,), Counted(plain(0, 1), ())), Chain((0, 4), Counted(plain(*LEVELS), ())))
)

PROOFS: dict[str, ChainNode] = {
    "counted": ALL,
    "a chain for each way": BY_CHAINS,
    "a chain without bridges": Counted(plain(0, 0, 0), (Chain((), ALL),)),
    "a chain that is not needed": Counted(entered(*LEVELS), (Chain((0, 4), ALL),)),
    "rows and cuts": Counted(
        Counts(
            LEVELS,
            (PrefixRow(1, 0, "entry"), PrefixRow(1, 0, "exit"), PrefixRow(7, 0, "exit")),
            (
                LevelCut(1, "siphon", (1,), (0,)),
                LevelCut(1, "trap", (1, 1), (0,)),
                LevelCut(5, "trap", (), (0,)),
                *entered(*LEVELS).cuts,
            ),
        ),
        (),
    ),
    "cases forwards": Situated("forward", CASES, Counted(entered(0, 1, 2, 3, 4, 5), ())),
    "cases backwards": Situated("backward", BACKWARDS, Counted(entered(0, 4, 3, 1, 2, 1, 5), ())),
    "at most one answer of 0": Layered(plain(*LEVELS), 1, (1,), 1, Counted(entered(0, 1, 2, 3), ())),
    "whether there was one": Layered(plain(*LEVELS), 1, (1,), None, Counted(entered(0, 1, 2, 3), ())),
    "one level for all": Layered(plain(0, 0, 0), 0, (0, 3), 1, Counted(entered(0, 1, 2, 3), ())),
    "one waits after entering": Fixed(plain(*LEVELS), 0, (0,), ((1,),), ALL),
    "nobody waits at the end": Fixed(plain(*LEVELS), 4, (0,), ((0,),), ALL),
    "any number of them": Fixed(plain(*LEVELS), 0, (0,), ((0,), (1,), (2,)), ALL),
    "no places": Fixed(plain(*LEVELS), 0, (), ((),), ALL),
    "outside of a cover": OutsideCover(0, (ALL,) * 4),
    "in no part": OutsideCover(1, (ALL,) * 3),
    # There are not less than no answers of 1: in this part, there is nothing to show.
    "by a part alone": OutsideCover(1, (ALL, ALL, Counted(plain(*LEVELS), ()))),
    "by parts of parts": OutsideCover(1, (ALL, ALL, OutsideCover(0, (Counted(plain(*LEVELS), ()),) * 4))),
    "no runs in a part": OutsideCover(
        1, (ALL, ALL, Fixed(plain(*LEVELS), 3, (), (), Fixed(plain(*LEVELS), 3, (), (), NoRuns())))
    ),
}


@pytest.mark.parametrize("proof", PROOFS.values(), ids=PROOFS.keys())
def test_proofs_of_all_kinds_are_accepted(proof: ChainNode) -> None:
    assert complaint(proof) == ""


def test_cuts_are_needed() -> None:
    """Without them, requests could be answered where no run ever comes."""
    assert complaint(Counted(plain(*LEVELS), ())) == (
        "step 0 of the proof (`counted`) is wrong: there is {a/1}, in no chain and in no cover"
    )


@pytest.mark.parametrize("text", [PROVED["a lock"], PROVED["half steps"], PROVED["a shared local state"]])
def test_what_counting_proves_is_accepted(text: str) -> None:
    found = counting_evidence(*proof(text, state_equation))
    assert isinstance(found, TreeEvidence)
    assert report(chain_evidence(content_of(text), found.claim), text).accepted


# --- lists --------------------------------------------------------------------------------------------------

BASE = by(ALL)
WAY = BASE.waiting[0]

LISTS: dict[str, tuple[ChainEvidence, str]] = {
    "no global states": (replace(BASE, globals=()), "the first global state is not the initial one"),
    "another one first": (replace(BASE, globals=BASE.globals[::-1]), "first global state is not the initial"),
    "a global state twice": (
        replace(BASE, globals=(*BASE.globals, BASE.globals[1])),
        "a global state is listed twice",
    ),
    "a completion twice": (
        replace(BASE, completions=(*BASE.completions, BASE.completions[0])),
        "a completion is listed twice",
    ),
    "a move twice": (replace(BASE, moves=(*BASE.moves, ENTER)), "a move is listed twice"),
    "a completion of a cover less": (replace(BASE, completions=BASE.completions[:1]), "move 2 refers to"),
    "a completion of covers alone less": (
        replace(BASE, completions=BASE.completions[:1], moves=(ENTER, ANSWER)),
        "a/1 occurs in a cover, and is not listed",
    ),
    "a way of waiting less": (replace(BASE, waiting=()), "move 0 refers to something that is not listed"),
    "another way of waiting": (
        replace(BASE, waiting=(Waiting("a", "0", ()),)),
        f"there is no place for `a` before `{WAY.code}`",
    ),
    "a global state that is not there": (
        replace(BASE, moves=(*BASE.moves, replace(ENTER, before=2))),
        "move 3 refers to something that is not listed",
    ),
    "a place that is not there": (
        replace(BASE, moves=(*BASE.moves, replace(ANSWER, takes=1))),
        "move 3 refers to something that is not listed",
    ),
    "a completion that is not there": (
        replace(BASE, moves=(*BASE.moves, replace(ANSWER, answer=2))),
        "move 3 refers to something that is not listed",
    ),
    "no entering": (
        replace(BASE, moves=BASE.moves[1:]),
        "not listed: a move of a fresh request, from S = 0 to S = 1",
    ),
    "no answer": (
        replace(BASE, moves=(ENTER, LATE)),
        f"not listed: a move of `a` before `{WAY.code}`, from S = 1 to S = 1",
    ),
    "another answer": (
        replace(BASE, moves=(ENTER, replace(ANSWER, answer=1), LATE)),
        "not listed: a move of `a`",
    ),
    "answered and waiting": (
        replace(BASE, moves=(ENTER, replace(ANSWER, gives=0), LATE)),
        "not listed: a move of `a`",
    ),
    "neither answered nor waiting": (
        replace(BASE, moves=(ENTER, replace(ANSWER, answer=None), LATE)),
        "not listed: a move of `a`",
    ),
    "no answer of others": (
        replace(BASE, moves=(ENTER, ANSWER)),
        "not listed: a move of a fresh request, from S = 1 to S = 1",
    ),
}


@pytest.mark.parametrize(("evidence", "message"), LISTS.values(), ids=LISTS.keys())
def test_lists_that_are_wrong_are_refused(evidence: ChainEvidence, message: str) -> None:
    found = report(evidence).complaint
    assert found.startswith(LISTED)
    assert message in found


def test_covers_are_replayed() -> None:
    wrong = (SerialPath((FIRST, FIRST), ()),)
    assert "the path of cover 1 is not a serial run" in report(replace(BASE, covers=wrong)).complaint


def test_more_may_be_listed_if_the_proof_is_about_that_too() -> None:
    """A place and a completion that do not occur do no harm; a move that does not exist has to be covered."""
    more = replace(BASE, waiting=(*BASE.waiting, WAY), completions=(*BASE.completions, ("b", "0")))
    assert report(more).accepted
    again = replace(BASE, moves=(*BASE.moves, replace(ANSWER, takes=None)))
    levels = Counted(entered(*LEVELS), ())
    assert "there is {a/0 ×" in report(replace(again, proof=levels)).complaint


def test_places_may_describe_several_requests() -> None:
    """The first that does counts: here, without the values of locals, there are fewer places."""
    text = PROVED["a lock"]
    found = counting_evidence(*proof(text, state_equation))
    assert isinstance(found, TreeEvidence)
    evidence = chain_evidence(content_of(text), found.claim)
    merged = replace(
        evidence,
        waiting=(replace(evidence.waiting[0], values=()),),
        moves=tuple(
            replace(m, takes=None if m.takes is None else 0, gives=None if m.gives is None else 0)
            for m in evidence.moves
        ),
    )
    assert report(merged, text).accepted


# --- steps --------------------------------------------------------------------------------------------------


def cut(kind: str, nodes: tuple[int, ...], places: tuple[int, ...] = (), level: int = 1) -> ChainNode:
    return Counted(
        Counts(LEVELS, (), (LevelCut(level, "siphon" if kind == "siphon" else "trap", nodes, places),)), ()
    )


def fixed(edge: int, places: tuple[int, ...], *values: tuple[int, ...]) -> ChainNode:
    return Fixed(plain(*LEVELS), edge, places, values, ALL)


def layered(level: int, edges: tuple[int, ...], times: int | None, *levels: int) -> ChainNode:
    return Layered(plain(*(levels or LEVELS)), level, edges, times, ALL)


def chained(*chains: tuple[int, ...]) -> ChainNode:
    return Counted(entered(*LEVELS), tuple(Chain(bridges, ALL) for bridges in chains))


WRONG: dict[str, tuple[ChainNode, str]] = {
    "no runs": (NoRuns(), "step 0 of the proof (`no-runs`) is about a structure that has runs"),
    "runs of nothing": (
        Fixed(plain(*LEVELS), 3, (), ((),), Layered(plain(*LEVELS), 0, (), 0, NoRuns())),
        "step 2 of the proof (`no-runs`) is about a structure that has runs",
    ),
    "a level less": (Counted(plain(0, 1), ()), "has 2 levels for 3 nodes"),
    "levels that fall": (Counted(plain(0, 2, 1), ()), "has levels that fall along an edge"),
    "a row about no place": (
        Counted(Counts(LEVELS, (PrefixRow(1, 1, "entry"),), ()), ()),
        "refers to place 1, but there are 1",
    ),
    "a siphon about the start": (cut("siphon", (0,), level=0), "has a siphon about the start"),
    "a trap about the end": (cut("trap", (2,), level=2), "has a trap about the end"),
    "a cut about another level": (cut("trap", (0,)), "has a trap about nodes that are not at level 1"),
    "a cut about no node": (cut("trap", (3,)), "refers to node 3, but there are 3"),
    "a cut about no place": (cut("siphon", (1,), (1,)), "refers to place 1, but there are 1"),
    "a chain of no edge": (chained((9,)), "refers to edge 9, but there are 5"),
    "a chain that ends early": (chained((0,)), "a chain that does not lead to the level of the end"),
    "a chain that begins late": (chained((4,)), "in which edge 4 does not lead from its level to another"),
    "a chain with an inner edge": (chained((0, 1, 4)), "in which edge 1 does not lead from its level"),
    "a chain that goes back": (chained((0, 4, 0)), "in which edge 0 does not lead from its level"),
    "no chain": (chained(()), "a chain that does not lead to the level of the end"),
    "a chain less": (
        Counted(plain(*LEVELS), (Chain((0, 4), Counted(plain(*LEVELS), ())),)),
        "step 0 of the proof (`counted`) is wrong: there is {a/1}, in no chain and in no cover",
    ),
    "a wrong proof of a chain": (
        Counted(plain(*LEVELS), (Chain((3,), NoRuns()), Chain((0, 4), ALL))),
        "step 1 of the proof (`no-runs`) is about a structure that has runs",
    ),
    "a wrong proof of the next one": (
        Counted(plain(*LEVELS), (Chain((3,), Counted(plain(0, 1), ())), Chain((0, 4), NoRuns()))),
        "step 2 of the proof (`no-runs`) is about a structure that has runs",
    ),
    "a case of no node": (
        Situated("forward", (NodeCase(3, (0,)),), ALL),
        "refers to node 3, but there are 3",
    ),
    "a number too many": (Situated("forward", (NodeCase(0, (0, 0)),), ALL), "a number too many, or too few"),
    "no case for the start": (
        Situated("forward", CASES[1:], ALL),
        "no case for something that can happen",
    ),
    "no case for the end": (Situated("backward", BACKWARDS[1:], ALL), "something that can happen"),
    "a case less": (Situated("forward", CASES[:-1], ALL), "no case for something that can happen"),
    "a case less backwards": (Situated("backward", BACKWARDS[:-1], ALL), "that can happen"),
    "another number": (
        Situated("forward", (*CASES[:2], NodeCase(1, (2,)), *CASES[3:]), ALL),
        "no case for something that can happen",
    ),
    "the other direction": (
        Situated("backward", CASES, ALL),
        "no case for something that can happen",
    ),
    "bridges that are counted": (layered(1, (0,), 1), "counts edges that are not inner at level 1"),
    "edges of another level": (layered(0, (1,), 1), "counts edges that are not inner at level 0"),
    "edges that are not there": (layered(1, (5,), 1), "refers to edge 5, but there are 5"),
    "too few times": (
        layered(1, (1,), 0),
        "step 0 of the proof (`layered`) is wrong: there is {a/0}, with more than 0 of these edges",
    ),
    "edges without bound": (layered(1, (1, 2), 5), "with more than 5 of these edges"),
    "less than no time": (layered(1, (1,), -1), "counts up to -1"),
    "a level less for layers": (layered(1, (1,), 1, 0, 1), "has 2 levels for 3 nodes"),
    "an inner edge that is fixed": (
        fixed(1, (0,), (0,)),
        "takes edge 1 for a bridge, but it stays at level 1",
    ),
    "an edge that is not there": (fixed(5, (0,), (0,)), "refers to edge 5, but there are 5"),
    "a place that is not there": (fixed(0, (1,), (0,)), "refers to place 1, but there are 1"),
    "a place twice": (fixed(0, (0, 0), (1, 1)), "names a place twice"),
    "a guard twice": (
        Fixed(plain(*LEVELS), 0, (0,), ((1,),), fixed(0, (0,), (2,))),
        "step 1 of the proof (`fixed`) names a place that has a number already",
    ),
    "a tuple too long": (fixed(0, (0,), (1, 1)), "has a tuple with a number too many, or too few"),
    "another value": (
        fixed(0, (0,), (0,), (2,)),
        "step 0 of the proof (`fixed`) is wrong: there is {a/0}, with other numbers after this edge",
    ),
    "no value": (fixed(0, (0,)), "with other numbers after this edge"),
    "no value of no place": (fixed(0, ()), "with other numbers after this edge"),
    "a cover that is not there": (OutsideCover(2, ()), "refers to cover 2, but there are 2"),
    "a part less": (OutsideCover(1, (ALL, ALL)), "has 2 parts, not 3"),
    "no parts": (OutsideCover(0, ()), "has 0 parts, not 4"),
    "a part without a proof": (
        OutsideCover(1, (ALL, Counted(plain(*LEVELS), ()), ALL)),
        "step 2 of the proof (`counted`) is wrong: there is {a/1}, in no chain and in no cover",
    ),
}


@pytest.mark.parametrize(("proof", "message"), WRONG.values(), ids=WRONG.keys())
def test_steps_that_are_wrong_are_refused(proof: ChainNode, message: str) -> None:
    assert message in complaint(proof)


def changed(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Where something can be changed in a document, and what could stand there instead."""
    if isinstance(value, int):
        yield from ((path, other) for other in (value - 1, value + 1, 7))
    elif value is None:
        yield path, 0
    elif isinstance(value, str):
        yield from ((path, other) for other in ("siphon", "trap", "entry", "exit", "forward", "backward"))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield path, value[:index] + value[index + 1 :]
            yield path, [*value[: index + 1], *value[index:]]
            yield path, [*value[:index], *reversed(value[index : index + 2]), *value[index + 2 :]]
            yield from changed(entry, (*path, index))
    else:
        for key, entry in value.items():
            yield from changed(entry, (*path, key))


def with_change(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    copied: Any = dict(document) if isinstance(document, dict) else list(document)
    copied[path[0]] = with_change(document[path[0]], path[1:], value)
    return copied


@deep
@pytest.mark.parametrize("name", ["a chain for each way", "cases forwards", "at most one answer of 0"])
def test_of_all_small_changes_to_a_certificate_few_are_harmless(name: str) -> None:
    """They are refused by the reader or by the checker. Not all: a cut may be about more, a level may be
    another number, an edge may be listed twice."""
    content = content_of(ONCE)
    document = json.loads(write(Certificate(digest(content), "serializable", by(PROOFS[name]))))
    tried = accepted = 0
    for key in ("globals", "waiting", "completions", "moves", "covers", "proof"):
        for path, value in changed(document[key], (key,)):
            text = json.dumps(with_change(document, path, value))
            tried += 1
            try:
                accepted += verify(read_certificate(text), content, Context(Allowance(1_000))).accepted
            except (InputError, GaveUp):
                continue
    assert tried > 200
    assert accepted < tried / 5


# --- bounds and solvers -------------------------------------------------------------------------------------


def test_questions_that_are_hard_go_to_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here all are, because the checker may not even try."""
    monkeypatch.setattr(chains, "OWN_WORK", 0)
    found = report(BASE)
    assert found.obligations[-1].detail.endswith("0 of 1 question settled without a solver; z3 confirms 1")
    assert found.obligations[-1].confirmed_by == ("z3",)
    wrong = by(Counted(plain(*LEVELS), ()))
    assert "is wrong: z3 finds {a/1}, in no chain and in no cover" in report(wrong).complaint
    without = report(BASE, solvers=())
    assert "has a question: this needs a solver, and none may be used" in without.complaint


def test_questions_that_are_easy_need_no_solver() -> None:
    assert report(BASE, solvers=()).accepted


def nested(depth: int) -> ChainNode:
    """The same cover again and again."""
    proof: ChainNode = NoRuns()
    for _ in range(depth):
        proof = OutsideCover(1, (proof, ALL, ALL))
    return proof


HUGE: dict[str, ChainNode] = {
    "steps": nested(1_500),
    "copies": layered(1, (1,), 10**12),
    "copies of copies": Layered(
        plain(*LEVELS), 1, (1,), 900, Layered(plain(*range(902), 903), 1, (), 900, ALL)
    ),
    "cases": Situated("forward", tuple(NodeCase(node, (n,)) for n in range(300) for node in range(3)), ALL),
    "values to tell apart": fixed(0, (0,), *((number,) for number in range(2, 600))),
    "values": fixed(0, (0,), *((number,) for number in range(20_000))),
    "rows": Counted(Counts(LEVELS, (PrefixRow(1, 0, "exit"),) * 20_000, ()), ()),
    "cuts": Counted(Counts(LEVELS, (), (LevelCut(1, "trap", (1,), (0,)),) * 20_000), ()),
    "chains": Counted(plain(*LEVELS), (Chain((0, 4), ALL),) * 1_100),
}


@pytest.mark.parametrize("proof", HUGE.values(), ids=HUGE.keys())
def test_what_is_huge_is_too_much(proof: ChainNode) -> None:
    """Whatever is to be built is counted before, so that no copy too many is made."""
    with pytest.raises(GaveUp, match="more than 1,000 states"):
        report(by(proof), limit=1_000)


LONG: dict[str, ChainEvidence] = {
    "ways of waiting": replace(BASE, waiting=(*BASE.waiting, *(WAY,) * 10_000)),
    "global states": replace(BASE, globals=(*BASE.globals, *((("S", n),) for n in range(2, 2_000)))),
}


@pytest.mark.parametrize("evidence", LONG.values(), ids=LONG.keys())
def test_long_lists_are_too_much(evidence: ChainEvidence) -> None:
    with pytest.raises(GaveUp, match="more than 1,000 states"):
        report(evidence, limit=1_000)
    assert report(evidence).accepted
