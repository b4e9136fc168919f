"""Valid certificates, edited: each edit is refused with a reason, or known to be harmless and why.

Digests are right unless an edit is about them. The inputs are what their certificates say, so an edit is
harmless if it leaves a proof.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from seriatim.budget import Deadline
from seriatim.certificate.certificate import write
from seriatim.certificate.tree import TreeEvidence
from seriatim.checking.allowance import Allowance
from seriatim.checking.context import Context
from seriatim.checking.verify import verify
from seriatim.deciding.pipeline import Options, decide
from seriatim.frontends.all import read_input
from seriatim.frontends.certificates import read_certificate
from seriatim.method import Method
from seriatim.result import Holds, Violated
from seriatim.source import InputError, SourceText
from testkit.inputs.counted_inputs import ALWAYS_ONE_LEFT

Document = dict[str, Any]
Edit = Callable[[Document], object]
"""Changes the document, or gives a text to use instead."""


@dataclass(frozen=True, slots=True)
class Victim:
    text: str
    method: Method


COUNTED = "request t { if (X == 0) { X := 1; 0 } else { X := 3 - X; 7 } }"

VICTIMS = {
    "run": Victim("request flip { x := X; yield; X := 1 - x; x }", Method.SEARCH),
    "atomic": Victim("request flip { x := X; X := 1 - x; x }", Method.ATOMIC),
    "commit": Victim(
        """
        request flip { while (L == 1) { yield }; L := 1; x := X; X := 1 - x; yield; L := 0; x }
        request get { X }
        """,
        Method.COMMIT,
    ),
    "tree": Victim(COUNTED, Method.STATE_EQUATION),
    "linear-cover": Victim(COUNTED, Method.STATE_EQUATION),
    "situations": Victim(ALWAYS_ONE_LEFT, Method.STATE_EQUATION),
    "chains": Victim(ALWAYS_ONE_LEFT, Method.CHAINS),
}


@cache
def certificate_text(victim: str) -> str:
    content = read_input(SourceText("-", VICTIMS[victim].text))
    verdict = decide(content, Options(method=VICTIMS[victim].method)).answer
    assert isinstance(verdict, Holds | Violated)
    certificate = verdict.certificate
    if victim in ("linear-cover", "situations") and isinstance(certificate.evidence, TreeEvidence):
        certificate = replace(certificate, evidence=certificate.evidence.claim)  # Without the proof by cases.
    return write(certificate)


def complaint(victim: str, text: str) -> str:
    """Why a certificate is refused, empty if it is accepted."""
    content = read_input(SourceText("-", VICTIMS[victim].text))
    try:
        certificate = read_certificate(text)
    except InputError as error:
        return " ".join(f"{found.code} {found.message}" for found in error.diagnostics)
    return verify(certificate, content, Context(Allowance(100_000, Deadline(20.0)))).complaint


def edited(victim: str, edit: Edit) -> str:
    document = json.loads(certificate_text(victim))
    result = edit(document)
    return result if isinstance(result, str) else json.dumps(document)


@pytest.mark.parametrize("victim", VICTIMS)
def test_they_are_valid_before_anybody_edits_them(victim: str) -> None:
    assert complaint(victim, certificate_text(victim)) == ""


# --- edits --------------------------------------------------------------------------------------------------


def put(*path: str | int, value: object) -> Edit:
    """Replaces the value at a place."""

    def edit(document: Document) -> None:
        *way, last = path
        place: Any = document
        for key in way:
            place = place[key]
        assert place[last] != value or type(place[last]) is not type(value)
        place[last] = value

    return edit


def drop(*path: str | int) -> Edit:
    def edit(document: Document) -> None:
        *way, last = path
        place: Any = document
        for key in way:
            place = place[key]
        del place[last]

    return edit


def repeat(*path: str | int) -> Edit:
    """An entry of a list once more."""

    def edit(document: Document) -> None:
        *way, last = path
        place: Any = document
        for key in way:
            place = place[key]
        place.insert(last, place[last])

    return edit


def text(change: Callable[[str], str]) -> Edit:
    return lambda document: change(json.dumps(document))


def other_victim(name: str) -> Edit:
    return lambda _: certificate_text(name)


HEADER: dict[str, Edit] = {
    "another format": put("format", value="certificate"),
    "a later version": put("version", value=2),
    "the version as a string": put("version", value="1"),
    "the version as a fraction": text(lambda t: t.replace('"version": 1', '"version": 1.0')),
    "the version with an exponent": text(lambda t: t.replace('"version": 1', '"version": 1e0')),
    "the version as a truth value": put("version", value=True),
    "a negative version": put("version", value=-1),
    "no version": drop("version"),
    "another digest": put("input_sha256", value="0" * 64),
    "a digest in capitals": text(lambda t: t.replace(json.loads(t)["input_sha256"], "A" * 64)),
    "a shorter digest": put("input_sha256", value="0" * 63),
    "no digest": put("input_sha256", value=None),
    "another question": put("question", value="linearizable"),
    "no such verdict": put("verdict", value="probably"),
    "no such kind": put("kind", value="oracle"),
    "the kind as a list": put("kind", value=["run"]),
    "a key more": lambda d: d.update(checked=True),
    "a key less": drop("question"),
    "a key twice": text(lambda t: '{"version": 1, ' + t[1:]),
    "cut in half": text(lambda t: t[: len(t) // 2]),
    "one character less": text(lambda t: t[:-1]),
    "twice in a row": text(lambda t: t + t),
    "nothing": text(lambda _: ""),
    "a list around it": text(lambda t: f"[{t}]"),
    "not a number": text(lambda t: t.replace('"version": 1', '"version": NaN')),
    "infinity": text(lambda t: t.replace('"version": 1', '"version": -Infinity')),
    "more digits than Python reads": text(lambda t: t.replace('"version": 1', '"version": 1' + "0" * 5000)),
    "deep lists": text(lambda t: t.replace('"version": 1', '"version": ' + "[" * 100_000 + "]" * 100_000)),
    "deep objects": text(lambda t: t.replace('"version": 1', '"version": ' + '{"a":' * 100_000)),
    "Python instead of JSON": text(lambda t: t.replace('"', "'")),
    "a comment": text(lambda t: t + "// valid"),
}

FLIPPED = {"run": "serializable"}
"""What the verdict is not; all other victims are serializable."""

CYCLIC = -2
"""A cover with a cycle."""

BODIES: dict[str, dict[str, Edit]] = {
    "run": {
        "without its first turn": drop("turns", 0),
        "without its last turn": drop("turns", -1),
        "without turns": put("turns", value=[]),
        "a turn twice": repeat("turns", 2),
        "turns of one request out of order": lambda d: d["turns"].reverse(),
        "another state after a turn": put("turns", 0, "after", value={"X": 1}),
        "another answer": put("turns", -1, "response", value="1"),
        "an answer as a number": put("turns", -1, "response", value=0),
        "no answer in the end": put("turns", -1, "response", value=None),
        "no such handler": put("turns", 0, "handler", value="flop"),
        "request 0": put("turns", 0, "request", value=0),
        "a negative request": put("turns", 0, "request", value=-1),
        "a request out of order": put("turns", 0, "request", value=2),
        "a request beyond counting": put("turns", 0, "request", value=10**4000),
        "the number of a request as a string": put("turns", 0, "request", value="1"),
        "a state without its variable": put("turns", 0, "after", value={}),
        "a state with another variable": put("turns", 0, "after", value={"X": 0, "Y": 0}),
        "a state by name": put("turns", 0, "after", value="X = 0"),
        "a value beyond counting": put("turns", 0, "after", value={"X": 10**4000}),
        "a value as a string": put("turns", 0, "after", value={"X": "0"}),
        "a turn without a key": drop("turns", 0, "after"),
        "turns as an object": put("turns", value={}),
    },
    "atomic": {
        "a body for a kind without": lambda d: d.update(turns=[]),
        "a run of another input": other_victim("run"),
        "commits of another input": other_victim("commit"),
    },
    "commit": {
        "nobody committed": put("committed", value=[]),
        "committed to another answer": put("committed", 0, "response", value="7"),
        "other code": put("committed", 0, "code", value="L := 1; x"),
        "another handler": put("committed", 0, "handler", value="get"),
        "other values": put("committed", 0, "values", value={"x": 5}),
        "values of unknown variables": put("committed", 0, "values", value={"nobody": 0}),
        "level 0": put("level", value=0),
        "level 3": put("level", value=3),
        "the level as a fraction": text(lambda t: t.replace('"level": ', '"level": 0.')),
        "sign 0": put("invariants", 0, "sign", value=0),
        "a large sign": put("invariants", 0, "sign", value=2),
        "the sign as a string": put("invariants", 0, "sign", value="1"),
        "a response as a number": put("committed", 0, "response", value=0),
        "committed from the start": lambda d: d["committed"].insert(
            0, {**d["committed"][0], "code": "X", "handler": "get", "values": {}}
        ),
        "fewer keys": drop("committed", 0, "values"),
        "as if it were atomic": lambda d: json.dumps(
            {
                k: v
                for k, v in {**d, "kind": "atomic"}.items()
                if k not in ("level", "invariants", "committed")
            }
        ),
    },
    "tree": {
        "without a tree": put("tree", value=[]),
        "without its root": drop("tree", 0),
        "without its last leaf": drop("tree", -1),
        "a node more": lambda d: d["tree"].append(d["tree"][-1]),
        "another multiplier": put("tree", 2, "sum", value={"1": 1}),
        "a negative multiplier": put("tree", 2, "sum", value={"1": -1, "5": -1}),
        "no multipliers": put("tree", 2, "sum", value={}),
        "a multiplier as a fraction": text(lambda t: t.replace('"5": 1}', '"5": 1.5}', 1)),
        "a multiplier as a string": put("tree", 2, "sum", value={"1": "1", "5": 1}),
        "a multiplier beyond use": put("tree", 2, "sum", value={"1": 10**4000, "5": 1}),
        "row 0": put("tree", 2, "sum", value={"0": 1}),
        "a negative row": put("tree", 2, "sum", value={"-1": 1}),
        "a row that does not exist": put("tree", 2, "sum", value={"999": 1}),
        "a cover that does not exist": put("tree", 0, "cover", value=99),
        "cover 0": put("tree", 0, "cover", value=0),
        "another cover": put("tree", 0, "cover", value=2),
        "no such rule": put("tree", 0, "rule", value="trust me"),
        "a fraction of a cover": text(lambda t: t.replace('"cover": 1}', '"cover": 1.0}', 1)),
        "divided by 0": lambda d: [node.update(divisor=0) for node in d["tree"] if node["rule"] == "round"],
        "divided by less than 0": lambda d: [
            node.update(divisor=-2) for node in d["tree"] if node["rule"] == "round"
        ],
        "no such cut": lambda d: [node.update(cut=9) for node in d["tree"] if node["rule"] == "cut"],
        "another cut": lambda d: [
            node.update(cut=3 - node["cut"]) for node in d["tree"] if node["rule"] == "cut"
        ],
        "other balances": lambda d: d["globals"].reverse(),
        "fewer balances": drop("globals", 0),
        "without covers": put("covers", value=[]),
        "a cover twice": repeat("covers", 0),
    },
    "linear-cover": {
        "without covers": put("covers", value=[]),
        "without its cuts": put("cuts", value=[]),
        "an answer that nobody gives": put("covers", -1, "path", 0, "response", value="8"),
        "a path that ends elsewhere": put("covers", -1, "path", -1, "after", value={"X": 0}),
        "a path without its beginning": drop("covers", -1, "path", 0),
        "a cycle somewhere else": put("covers", CYCLIC, "cycles", 0, "at", value={"X": 0}),
        "a cycle nowhere": put("covers", CYCLIC, "cycles", 0, "at", value="nowhere"),
        "a cycle twice": repeat("covers", CYCLIC, "cycles", 0),
        "a cycle without steps": put("covers", CYCLIC, "cycles", 0, "path", value=[]),
        "a cycle that does not close": drop("covers", CYCLIC, "cycles", 0, "path", 0),
        "a siphon where runs start": put(
            "cuts", 0, value={"kind": "siphon", "globals": [{"X": 0}], "situations": [], "waiting": []}
        ),
        "cuts about nothing": lambda d: [cut.update(globals=[], waiting=[]) for cut in d["cuts"]],
        "no such cut": put("cuts", 0, "kind", value="net"),
        "a negative situation": put("cuts", 0, "situations", value=[-1]),
        "situation 0": put("cuts", 0, "situations", value=[0]),
        "situations that there are not": put(
            "situations", value={"direction": "forward", "waiting": [], "cases": []}
        ),
        "covers as numbers": put("covers", value=[1, 2]),
        "a fraction of a step": text(lambda t: t.replace('"X": 1', '"X": 0.5')),
    },
    "chains": {
        "without a proof": put("proof", value=[]),
        "without its first step": drop("proof", 0),
        "without its last step": drop("proof", -1),
        "a step twice": repeat("proof", 0),
        "steps in another order": lambda d: d["proof"].reverse(),
        "no such step": put("proof", 0, "step", value="trust me"),
        "there are no runs": put("proof", value=[{"step": "no-runs"}]),
        "the other direction": put("proof", 0, "direction", value="backward"),
        "a case less": drop("proof", 0, "cases", 0),
        "another node": put("proof", 0, "cases", 0, "node", value=1),
        "a node that does not exist": put("proof", 0, "cases", 0, "node", value=99),
        "a negative node": put("proof", 0, "cases", 0, "node", value=-1),
        "another number": put("proof", 0, "cases", 0, "numbers", value=[0, 1]),
        "a negative number": put("proof", 0, "cases", 0, "numbers", value=[-1, 0]),
        "a number too many": lambda d: d["proof"][0]["cases"][0]["numbers"].append(0),
        "cases in another order": lambda d: d["proof"][0]["cases"].reverse(),
        "a level less": drop("proof", -1, "levels", 0),
        "levels that fall": lambda d: d["proof"][-1]["levels"].reverse(),
        "a chain that is none": put("proof", -1, "chains", value=[[0]]),
        "a row about no place": lambda d: d["proof"][-1]["rows"].append(
            {"level": 0, "place": 9, "side": "exit"}
        ),
        "a siphon about the start": lambda d: d["proof"][-1]["cuts"].append(
            {"level": 0, "kind": "siphon", "nodes": [0], "places": []}
        ),
        "a move less": drop("moves", 0),
        "a move twice": repeat("moves", 0),
        "a move that takes from elsewhere": put("moves", 0, "takes", value=0),
        "a move that takes from nowhere": lambda d: next(
            move for move in d["moves"] if move["takes"] is not None
        ).update(takes=None),
        "a move that gives and answers": put("moves", 0, "gives", value=0),
        "an answer that is not listed": put("moves", 0, "answer", value=9),
        "without global states": put("globals", value=[]),
        "global states in another order": lambda d: d["globals"].reverse(),
        "a global state twice": repeat("globals", 0),
        "a place less": drop("waiting", 0),
        "places in another order": lambda d: d["waiting"].reverse(),
        "a completion less": drop("completions", 0),
        "a completion twice": repeat("completions", 0),
        "without covers": put("covers", value=[]),
        "an answer that nobody gives": put("covers", -1, "path", 0, "response", value="8"),
        "a fraction of a case": text(lambda t: t.replace('"node": 0', '"node": 0.5', 1)),
    },
    "situations": {
        "without situations": put("situations", value=None),
        "a situation less": drop("situations", "cases", 0),
        "the other direction": lambda d: d["situations"].update(
            direction="forward" if d["situations"]["direction"] == "backward" else "backward"
        ),
        "a negative number": put("situations", "cases", 0, "numbers", value=[-1]),
        "a number too many": lambda d: d["situations"]["cases"][0]["numbers"].append(0),
        "a number too few": lambda d: d["situations"]["cases"][0]["numbers"].pop(),
        "numbers that are not known": lambda d: [
            case.update(numbers=[None] * len(case["numbers"])) for case in d["situations"]["cases"]
        ],
        "nobody waits so": put("situations", "waiting", 0, "code", value="0"),
        "a number beyond counting": lambda d: [
            case.update(numbers=[10**4000] * len(case["numbers"])) for case in d["situations"]["cases"]
        ],
    },
}

HARMLESS: dict[str, dict[str, Edit]] = {
    "chains": {
        # Whatever is listed beyond what exists is a burden to the proof only.
        "a completion that nobody gives": lambda d: d["completions"].append(
            {"handler": "x", "response": "0"}
        ),
        "a case that nothing comes to": lambda d: d["proof"][0]["cases"].append(
            {"node": 0, "numbers": [7, 7]}
        ),
        # A larger number of a level is as good, if levels do not fall.
        "a level above all others": lambda d: d["proof"][-1]["levels"].append(
            d["proof"][-1]["levels"].pop() + 5
        ),
        # A row holds for every level, and a trap for every set without the end.
        "a row about no level": lambda d: d["proof"][-1]["rows"].append(
            {"level": 99, "place": 0, "side": "exit"}
        ),
    },
    "commit": {
        # What matches nobody commits nobody; the entries that matter are still there.
        "an entry about nobody": lambda d: d["committed"].append({**d["committed"][0], "handler": "nobody"}),
        # The first entry that describes a request counts.
        "an entry twice": repeat("committed", 0),
        # An invariant that some step breaks is not used, one about no variable is not an invariant.
        "an invariant that does not hold": lambda d: d["invariants"].append({"variable": "X", "sign": 1}),
        "an invariant about nothing": lambda d: d["invariants"].append({"variable": "NOBODY", "sign": 1}),
    },
    "linear-cover": {
        # Any set without the start makes a valid siphon cut, and any set a valid trap cut.
        "a cut twice": repeat("cuts", 0),
        "a trap of nothing": lambda d: d["cuts"].append(
            {"kind": "trap", "globals": [], "situations": [], "waiting": []}
        ),
        "a cut about unknown states": lambda d: d["cuts"].append(
            {"kind": "siphon", "globals": [{"X": 99}], "situations": [7], "waiting": []}
        ),
        # A cover twice covers the same.
        "a cover twice": repeat("covers", 0),
    },
}


def cases(table: dict[str, dict[str, Edit]]) -> list[tuple[str, str]]:
    return [(victim, name) for victim, edits in table.items() for name in edits]


@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("name", HEADER)
def test_an_edited_header_is_refused(victim: str, name: str) -> None:
    assert complaint(victim, edited(victim, HEADER[name]))


@pytest.mark.parametrize("victim", VICTIMS)
def test_the_other_verdict_is_refused(victim: str) -> None:
    flipped = FLIPPED.get(victim, "not_serializable")
    assert "verdict" in complaint(victim, edited(victim, put("verdict", value=flipped)))


@pytest.mark.parametrize("victim", VICTIMS)
def test_a_certificate_of_another_input_is_refused(victim: str) -> None:
    for other, named in VICTIMS.items():
        if named.text == VICTIMS[victim].text:
            continue
        assert "about this input" in complaint(victim, certificate_text(other))


@pytest.mark.parametrize(("victim", "name"), cases(BODIES))
def test_an_edited_body_is_refused(victim: str, name: str) -> None:
    assert complaint(victim, edited(victim, BODIES[victim][name]))


@pytest.mark.parametrize(("victim", "name"), cases(HARMLESS))
def test_a_harmless_edit_leaves_a_proof(victim: str, name: str) -> None:
    assert complaint(victim, edited(victim, HARMLESS[victim][name])) == ""
