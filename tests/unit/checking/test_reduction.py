"""Reductions as evidence: who has taken effect is not fresh, and has taken effect for good."""

import pytest

from seriatim.certificate.format import Certificate, ReductionEvidence, Waiting
from seriatim.checking.reduction import NOT_LATE
from seriatim.checking.verify import verify
from seriatim.language.parser import parse
from seriatim.network.inputs import digest

PROGRAM = parse("request a { yield; yield; yield; 0 }")


def complaint(*codes: str) -> str:
    """What the checker says if requests with this much left to do are said to have taken effect."""
    evidence = ReductionEvidence((), tuple(Waiting("a", code, ()) for code in codes))
    return verify(Certificate(digest(PROGRAM), "serializable", evidence), PROGRAM).complaint


@pytest.mark.parametrize("codes", [(), ("yield; 0",), ("yield; yield; 0", "yield; 0")])
def test_any_pause_may_be_the_one_behind_the_effect(codes: tuple[str, ...]) -> None:
    assert complaint(*codes) == ""


@pytest.mark.parametrize(
    "codes", [("yield; yield; 0",), ("yield; yield; yield; 0", "yield; yield; 0", "yield; 0")]
)
def test_an_effect_is_neither_undone_nor_there_from_the_start(codes: tuple[str, ...]) -> None:
    assert complaint(*codes) == f"{NOT_LATE}: not so in `a`"
