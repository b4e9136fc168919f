"""Evidence of the kind `no-cycle`: accepted if brute force finds no cycle of conflicts, and else refused."""

import pytest

from conflict_graphs import violated_with
from seriatim.certificate.format import Certificate, NoCycleEvidence
from seriatim.certificate.question import ConflictSerializability
from seriatim.checking.no_cycle import NO_CYCLE
from seriatim.checking.verify import GaveUp, Report, verify
from seriatim.language.parser import parse
from seriatim.network.inputs import digest


def report(text: str, evidence: NoCycleEvidence, limit: int = 100_000) -> Report:
    content = parse(text)
    question = ConflictSerializability()
    return verify(Certificate(digest(content), "conflict_serializable", evidence, question), content, limit)


PAIRS = NoCycleEvidence(2, ())


def once(name: str, body: str) -> str:
    """A handler of which only the first request does anything."""
    flag = name.upper()
    return f"request {name} {{ if ({flag} == 0) {{ {flag} := 1; {body} }} else {{ 9 }} }} "


CYCLES: dict[str, tuple[int, str]] = {
    "one who reads and writes, and one between": (
        1,
        "request slow { x := X; yield; X := x; 0 } request fast { X := 1; 0 }",
    ),
    "one who writes twice, and one who reads between": (
        1,
        "request slow { X := 1; yield; X := 2; 0 } request fast { X }",
    ),
    "one who reads twice, and one who writes between": (
        1,
        "request slow { X; yield; X } request fast { X := 1; 0 }",
    ),
    "several of the same": (1, "request slow { x := X; yield; X := 1 - x; 0 }"),
    "a chain of two": (
        1,
        "request slow { X; yield; Z; 0 } request b { X := 1; Y := 1; 0 } request c { Y; Z := 1; 0 }",
    ),
    "a chain of two who act twice": (
        1,
        """request slow { X; yield; Z; 0 } request b { X := 1; yield; Y := 1; 0 }
        request c { Y; yield; Z := 1; 0 }""",
    ),
    "a chain whose first has begun before": (
        1,
        "request slow { X; yield; Z; 0 } request b { W := 1; yield; X := 1; yield; W; yield; Z := 1; 0 }",
    ),
    "who closes the cycle does something else before": (
        1,
        "request slow { X; yield; W; yield; X := 1; 0 } request fast { X := 2; W := 1; 0 }",
    ),
    "write skew": (2, once("a", "X; yield; Y := 1; 0") + once("b", "Y; yield; X := 1; 0")),
    "write skew with chains": (
        2,
        once("a", "X; yield; Y := 1; 0")
        + once("b", "V; yield; U := 1; 0")
        + once("c", "V := 1; Y; 0")
        + once("d", "X := 1; U; 0"),
    ),
    "three in a circle": (
        3,
        once("a", "X; yield; Y := 1; 0")
        + once("b", "Y; yield; Z := 1; 0")
        + once("c", "Z; yield; X := 1; 0"),
    ),
}


@pytest.mark.parametrize(("backward", "text"), CYCLES.values(), ids=CYCLES.keys())
def test_where_there_is_a_cycle_nothing_is_accepted(backward: int, text: str) -> None:
    assert any(violated_with(parse(text), requests) for requests in (2, 3, 4))
    assert report(text, NoCycleEvidence(1, ())).complaint.startswith(NO_CYCLE)
    noun = "request" if backward == 1 else "requests"
    assert report(text, PAIRS).complaint == f"{NO_CYCLE}: one with {backward} backward {noun} is not excluded"


NO_CYCLES: dict[str, str] = {
    "nobody writes": "request a { X; yield; Y; yield; X }",
    "nothing is shared": "request a { yield; 1 }",
    "each acts once": "request a { X := 1; yield; 0 } request b { X }",
    "only the first action conflicts": "request a { X; yield; Y; yield; Y } request b { X := 1; 0 }",
    "a chain that does not close": once("slow", "X; yield; Z; 0")
    + once("b", "X := 1; yield; Y := 1; 0")
    + "request c { Y; W := 1; 0 } request d { Z := 1; 0 }",
    "a circle with a gap": once("a", "X; yield; Y := 1; 0")
    + once("b", "Y; yield; Z := 1; 0")
    + once("c", "Z; yield; W := 1; 0"),
    "a spin lock": """
        request a { while (L == 1) { yield }; L := 1; yield; X := 1 - X; yield; X; yield; L := 0; 0 }
        request b { while (L == 1) { yield }; X }""",
    "write skew under a lock": """
        request a { while (L == 1) { yield }; L := 1; yield; X; yield; Y := 1; L := 0; 0 }
        request b { while (L == 1) { yield }; L := 1; yield; Y; yield; X := 1; L := 0; 0 }""",
    "only one of them ever acts twice": """
        request a { if (S == 0) { S := 1; yield; X := 1; yield; X := 2; 0 } else { 1 } }""",
}


@pytest.mark.parametrize("text", NO_CYCLES.values(), ids=NO_CYCLES.keys())
def test_where_there_is_no_cycle_pairs_are_a_proof(text: str) -> None:
    assert not any(violated_with(parse(text), requests) for requests in (2, 3))
    assert report(text, PAIRS).complaint == ""


def test_what_was_explored_is_told() -> None:
    found = report(NO_CYCLES["a spin lock"], PAIRS).obligations[-1]
    assert (found.claim, found.detail) == (NO_CYCLE, "32 situations explored, looked at in pairs (level 2)")
    found = report(NO_CYCLES["each acts once"], NoCycleEvidence(1, ())).obligations[-1]
    assert found.detail == "2 situations explored, looked at one by one (level 1)"
    found = report(NO_CYCLES["nobody writes"], PAIRS).obligations[-1]
    assert found.detail == "0 situations explored, looked at in pairs (level 2)"


def test_one_by_one_locks_are_of_no_help() -> None:
    """That two requests do not hold a lock together is a fact about pairs."""
    complaint = report(NO_CYCLES["a spin lock"], NoCycleEvidence(1, ())).complaint
    assert complaint == f"{NO_CYCLE}: one with 1 backward request is not excluded"


def test_situations_are_not_explored_for_nothing() -> None:
    with pytest.raises(GaveUp):
        report(NO_CYCLES["a circle with a gap"], PAIRS, limit=1_000)
