"""What fuzzing has found, and what it begins with: every claim about a parser holds of its corpus."""

from pathlib import Path

import pytest

from parsers import claims
from parsers.claims import CLAIMS, Claim, hold
from seriatim.source import InputError

CORPUS = Path(claims.__file__).parent / "corpus"
CASES = [
    pytest.param(claim, path, id=f"{name}-{path.name}")
    for name, claim in CLAIMS.items()
    for path in sorted((CORPUS / claim.format).iterdir())
]


@pytest.mark.parametrize(("claim", "path"), CASES)
def test_a_claim_holds_of_its_corpus(claim: Claim, path: Path) -> None:
    hold(claim, path.read_bytes())


def test_a_long_line_of_comments_takes_no_time_to_read() -> None:
    """It was once tried as several comments, in exponentially many ways."""
    for sign in "#/":
        hold(CLAIMS["specification"], f"{sign * 10_000}\nrequest a {{ 1 }}\n".encode())


@pytest.mark.parametrize("name", CLAIMS)
def test_a_corpus_reaches_what_lies_behind_the_parser(name: str) -> None:
    """Some of its texts are read, so that the claim says something about them."""
    claim = CLAIMS[name]

    def is_read(path: Path) -> bool:
        try:
            claim.holds(path.read_text("utf-8"))
        except InputError:
            return False
        return True

    assert any(
        is_read(path) for path in (CORPUS / claim.format).iterdir() if not path.stem.startswith("found")
    )
