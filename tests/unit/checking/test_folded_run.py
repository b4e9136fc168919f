"""Folded runs as evidence: what a run proves, it proves folded, and nothing else does."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import Certificate
from seriatim.certificate.folded_run import AnyTurn, FoldedRunEvidence, Stop
from seriatim.certificate.run import RunEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.folded_run import Replay
from seriatim.checking.reference import ProgramReference
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.engines.search.engine import Search
from seriatim.engines.shared.folded_evidence import fold_evidence
from seriatim.engines.shared.run_evidence import run_evidence
from seriatim.folding import Folded, Repeated, fold, unfold
from seriatim.frontends.ser.parser import parse
from seriatim.program.execution import big_steps
from seriatim.program.inputs import Input, digest
from seriatim.program.network_system import NetworkSystem
from seriatim.program.state import GlobalState
from seriatim.properties.property import Property
from seriatim.properties.serializable import SERIALIZABILITY, Serializability
from seriatim.properties.statement import Outcomes
from seriatim.properties.strict import StrictSerializability
from seriatim.systems.from_system import SystemUnfolding
from seriatim.systems.limits import Limits
from seriatim.systems.posing import pose
from seriatim.systems.replay import ImpossibleTurn, name_turns
from testkit.generators.systems import SETTINGS, random_system
from testkit.inputs.long_runs import packing_run
from testkit.samples import deep

Turns = tuple[Folded[AnyTurn], ...]

LOST_UPDATE = "request inc { x := X; yield; X := x + 1; x }"
READ = AnyTurn("inc", None, (("X", 0),), Stop("X := x + 1; x", (("x", 0),)))
WRITTEN = AnyTurn("inc", Stop("X := x + 1; x", (("x", 0),)), (("X", 1),), "0")


def report(
    content: Input, turns: Turns, limit: int = 100_000, question: Property = SERIALIZABILITY
) -> Report:
    certificate = Certificate(digest(content), question.verdicts[1], FoldedRunEvidence(turns), question)
    return verify(certificate, content, Context(Allowance(limit)))


def test_a_long_run_is_accepted() -> None:
    unfolding, run = packing_run(4, 3)
    found = report(unfolding.system, fold_evidence(run, unfolding).turns)
    assert found.accepted, found.complaint
    assert found.obligations[3].detail == "427 turns of 216 requests, replayed"


def test_its_certificate_does_not_grow_with_the_run() -> None:
    short, long = (fold_evidence(run, u).turns for u, run in (packing_run(2, 3), packing_run(2, 5)))
    assert [isinstance(turn, Repeated) for turn in short] == [isinstance(turn, Repeated) for turn in long]


REFUSED: dict[str, tuple[Turns, str]] = {
    "one read too many": (
        (Repeated((READ,), 3), Repeated((WRITTEN,), 2)),
        "every request is answered: 1 request in flight at the end",
    ),
    "one write too many": (
        (Repeated((READ,), 2), Repeated((WRITTEN,), 3)),
        "turn 5: a `inc` before `X := x + 1; x` with x = 0 answers 0 and leaves X = 1, but no request waits",
    ),
    "serial": ((READ, WRITTEN), "no serial order has the outcome {inc/0}: this one has: inc/0"),
    "nobody": ((), "this one has: the empty order"),
    "a global state that is not left": (
        (Repeated((replace(READ, after=(("X", 1),)),), 2),),
        "turn 1: a new `inc` pauses before `X := x + 1; x` with x = 0 and leaves X = 1, but that is not",
    ),
    "another answer": (
        (Repeated((READ,), 2), WRITTEN, replace(WRITTEN, end="1")),
        "turn 4: a `inc` before `X := x + 1; x` with x = 0 answers 1",
    ),
    "another pause": (
        (replace(READ, end=Stop("x", ())),),
        "turn 1: a new `inc` pauses before `x` and leaves X",
    ),
    "other values": ((replace(READ, end=Stop("X := x + 1; x", (("x", 1),))),), "turn 1"),
    "another handler": ((replace(READ, handler="dec"),), "turn 1: a new `dec` pauses"),
    "the same pause by somebody else": ((READ, replace(WRITTEN, handler="dec")), "turn 2: a `dec` before"),
    "a name for a state of a program": ((replace(READ, after="zero"),), "turn 1"),
    "a step possible the first time only": (
        (READ, READ, Repeated((WRITTEN, READ), 2)),
        "turn 4: a new `inc`",
    ),
}


@pytest.mark.parametrize(("turns", "complaint"), REFUSED.values(), ids=REFUSED.keys())
def test_what_proves_nothing_is_refused(turns: Turns, complaint: str) -> None:
    found = report(parse(LOST_UPDATE), turns)
    assert not found.accepted
    assert complaint in found.complaint


def test_the_genuine_one_beside_them_is_accepted() -> None:
    assert report(parse(LOST_UPDATE), (Repeated((READ,), 2), Repeated((WRITTEN,), 2))).accepted


def test_who_took_which_turn_matters_in_time() -> None:
    found = report(parse(LOST_UPDATE), (READ, READ, WRITTEN, WRITTEN), question=StrictSerializability(1))
    assert "outcomes tell when requests began" in found.complaint


def test_final_values_can_be_observed() -> None:
    """Two answers 0 and 1 are serial, but not if X is 1 in the end."""
    late = Stop("X := x + 1; x", (("x", 1),))
    turns = (READ, WRITTEN, replace(READ, after=(("X", 1),), end=late))
    ended = (*turns, AnyTurn("inc", late, (("X", 2),), "1"))
    assert "this one has" in report(parse(LOST_UPDATE), ended).complaint
    lost = parse("request inc { yield; x := X; yield; X := x + 1; 0 }")
    begun = AnyTurn("inc", None, (("X", 0),), Stop("x := X; yield; X := x + 1; 0", ()))
    read = AnyTurn(
        "inc", Stop("x := X; yield; X := x + 1; 0", ()), (("X", 0),), Stop("X := x + 1; 0", (("x", 0),))
    )
    written = AnyTurn("inc", Stop("X := x + 1; 0", (("x", 0),)), (("X", 1),), "0")
    twice = tuple(Repeated((turn,), 2) for turn in (begun, read, written))
    observed = Certificate(digest(lost), "not_serializable", FoldedRunEvidence(twice), Serializability("all"))
    assert verify(observed, lost).accepted
    assert not report(lost, twice).accepted


ALIKE = """request f {
    if (X == 0) { x := (0 - 1) + (yield; X) } else { yield; x := -1 + X };
    yield;
    X := 1;
    x
}"""


def test_local_states_described_alike_are_all_kept() -> None:
    """A value that has been calculated is described as an expression that is yet to be."""
    before, late = Stop("x := -1 + X; yield; X := 1; x", ()), Stop("X := 1; x", (("x", -1),))
    calculated = AnyTurn("f", None, (("X", 0),), before)
    read = AnyTurn("f", before, (("X", 0),), late)
    lost = (calculated, calculated, read, read, AnyTurn("f", late, (("X", 1),), "-1"))
    yet_to_be = AnyTurn("f", None, (("X", 1),), before)
    last = Stop("X := 1; x", (("x", 0),))
    rest = (AnyTurn("f", before, (("X", 1),), last), AnyTurn("f", last, (("X", 1),), "0"))
    turns = (*lost, yet_to_be, replace(lost[-1], after=(("X", 1),)), *rest)
    assert report(parse(ALIKE), turns).accepted
    again = (*lost[:2], Repeated((read,), 2), lost[-1], yet_to_be, yet_to_be, lost[-1], *rest, *rest)
    assert report(parse(ALIKE), again).accepted
    assert "no request waits there" in report(parse(ALIKE), (*turns, rest[-1])).complaint


class TwoAlike:
    """Two local states with one description, and different answers: p goes to the first one when the global
    state is 0, to the second one when it is 1; everything leaves the other global state."""

    requests = ("p",)
    initial: GlobalState = "0"

    def fresh(self, request: str) -> frozenset[str]:
        return frozenset({"fresh"} if request == "p" else ())

    def answers(self, state: str) -> frozenset[str]:
        return frozenset({state[-1]} if state.startswith("end") else ())

    def is_final(self, state: str) -> bool:
        return state.startswith("end")

    def steps(self, state: str, global_: GlobalState) -> frozenset[tuple[str, GlobalState]]:
        after = "1" if global_ == "0" else "0"
        targets = {"fresh": {f"at{global_}"}, "at0": {"end0", "end2"}, "at1": {"end1", "end2"}}
        return frozenset((target, after) for target in targets.get(state, ()))

    def description(self, state: str) -> tuple[str, tuple[tuple[str, int], ...]]:
        return state[:2], ()


def test_a_turn_has_to_be_possible_from_all_that_are_alike() -> None:
    def begin(after: str) -> AnyTurn:
        return AnyTurn("p", None, after, Stop("at", ()))

    def end(after: str, answer: str) -> AnyTurn:
        return AnyTurn("p", Stop("at", ()), after, answer)

    def impossible(*turns: Folded[AnyTurn]) -> str | None:
        replay = Replay(TwoAlike(), FoldedRunEvidence(turns), Allowance(1_000, Deadline()))
        return replay.impossible_turn()

    assert impossible(begin("1"), end("0", "0")) is None
    assert impossible(begin("1"), begin("0"), end("1", "2"), end("0", "2")) is None
    assert impossible(begin("1"), begin("0"), end("1", "0")) is not None
    assert impossible(begin("1"), begin("0"), end("1", "1")) is not None
    # What was possible before there were two of them is looked at again.
    once = (begin("1"), end("0", "0"))
    assert impossible(Repeated(once, 2), begin("1"), begin("0"), *once) is not None


def test_nothing_is_not_repeated() -> None:
    with pytest.raises(ValueError, match="nothing is repeated"):
        Repeated((), 10**18)


def test_more_turns_than_there_is_time_for_are_given_up_on() -> None:
    for_ever: Folded[AnyTurn] = Repeated((Repeated((READ,), 10**12),), 10**12)
    with pytest.raises(GaveUp, match="more than 1,000 states"):
        report(parse(LOST_UPDATE), (for_ever,), limit=1_000)


def test_twenty_turns_cost_as_much_as_looking_at_a_step_once() -> None:
    """A read after the start, and one after another one, are all that has to be looked at."""
    reference = ProgramReference(parse(LOST_UPDATE), big_steps)
    allowance = Allowance(1_000, Deadline())
    replay = Replay(reference, FoldedRunEvidence((Repeated((READ,), 39),)), allowance)
    assert replay.impossible_turn() is None
    assert allowance.spent == 2 + 1


def violations() -> Iterator[tuple[NetworkSystem, RunEvidence, FoldedRunEvidence]]:
    """Of random systems, in which requests share local states and go on where they could answer."""
    for seed in range(60):
        system = random_system(Random(seed), SETTINGS[seed % len(SETTINGS)], mixed=0.3)
        unfolding = SystemUnfolding(system)
        found = Search(pose(Outcomes(), unfolding, Limits(10_000), Deadline())).advance(500, Deadline())
        if found is not None:
            yield system, run_evidence(found.run, unfolding), fold_evidence(found.run, unfolding)


@deep
def test_both_kinds_of_evidence_say_the_same() -> None:
    """Of a folded run, and of each of its changes in one place, the checker says what it says of the run in
    which everybody has a name."""
    accepted = compared = 0
    for system, listed, folded_run in violations():
        assert [t.after for t in name_turns(folded_run)] == [t.after for t in listed.turns]
        for turns in (folded_run.turns, *tampered(tuple(unfold(folded_run.turns)))):
            is_accepted = report(system, turns).accepted
            accepted += is_accepted
            compared += 1
            assert is_accepted == named_is_accepted(system, turns)
    assert compared > 200
    assert 10 < accepted < compared // 2


def named_is_accepted(content: NetworkSystem, turns: Turns) -> bool:
    """Whether the same run is a violation in which everybody has a name. That does not record where requests
    pause, which is looked at apart."""
    try:
        named = RunEvidence(name_turns(FoldedRunEvidence(turns)))
    except ImpossibleTurn:
        return False
    if not verify(Certificate(digest(content), "not_serializable", named), content).accepted:
        return False
    before = content.globals[content.initial]
    for turn in unfold(turns):
        if isinstance(turn.end, Stop) and not can_pause(content, turn, before):
            return False
        before = str(turn.after)
    return True


def can_pause(content: NetworkSystem, turn: AnyTurn, before: str) -> bool:
    """Whether a step leads from where a turn starts to where it ends."""
    fresh = {n for request, n in content.req if content.requests[request] == turn.handler}
    return any(
        (content.globals[g], content.locals[target].name, content.globals[after])
        == (before, turn.end.code if isinstance(turn.end, Stop) else None, turn.after)
        and (n in fresh if turn.start is None else content.locals[n].name == turn.start.code)
        for n, g, target, after in content.delta
    )


def tampered(turns: tuple[AnyTurn, ...]) -> Iterator[Turns]:
    """The run with one thing changed, folded again."""
    stops = list(
        dict.fromkeys(stop for turn in turns for stop in (turn.start, turn.end) if isinstance(stop, Stop))
    )
    states = list(dict.fromkeys(turn.after for turn in turns))
    responses = list(dict.fromkeys(turn.end for turn in turns if isinstance(turn.end, str)))
    for index, turn in enumerate(turns):
        others = [replace(turn, after=state) for state in states]
        others += [replace(turn, end=stop) for stop in stops]
        others += [replace(turn, end=response) for response in responses]
        others += [replace(turn, start=start) for start in (None, *stops)]
        yield fold((*turns[:index], *turns[index + 1 :]))
        yield fold((*turns[:index], turn, *turns[index:]))
        yield from (fold((*turns[:index], o, *turns[index + 1 :])) for o in others if o != turn)
