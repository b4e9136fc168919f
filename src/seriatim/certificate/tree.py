"""Evidence of the kind `tree`: what a linear cover claims, and a proof of it by cases."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Rounded
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import Completions
from seriatim.codec import As, Codec, Inline, Positive, State, Tagged
from seriatim.strict_json import is_integer, wrong

MOST_DIGITS = 9
"""Of the number of a row."""

SUM = {
    "type": "object",
    "patternProperties": {f"^[1-9][0-9]{{0,{MOST_DIGITS - 1}}}(?![\\s\\S])": {"type": "integer"}},
    "additionalProperties": False,
}


def _sum_fields(multiples: Multiples) -> dict[str, int]:
    return {str(row): times for row, times in multiples}


def _sum(value: object, where: str) -> Multiples:
    """Rows are written as JSON writes keys: in quotation marks, and like any integer without zeros before."""
    if isinstance(value, dict) and all(map(is_integer, value.values())) and all(map(_is_number, value)):
        return tuple((int(row), times) for row, times in value.items())
    raise wrong(where, "an object with an integer for each row, by number")


def _is_number(key: str) -> bool:
    return key.isascii() and key.isdigit() and key[0] != "0" and len(key) <= MOST_DIGITS


Sum = Annotated[Multiples, Codec(_sum, _sum_fields, schema=SUM)]
"""How often each row is taken, by the number of the row, from 1 on."""

Node = Annotated[
    CaseNode,
    Tagged(
        "rule",
        (
            ("cover", Annotated[ByCover, As(cover=Positive)]),
            ("cut", Annotated[ByCut, As(cut=Positive)]),
            ("round", Annotated[Rounded, As(sum=Sum, divisor=Positive)]),
            ("absurd", Annotated[Absurd, As(sum=Sum)]),
        ),
    ),
]


@dataclass(frozen=True, slots=True)
class TreeEvidence:
    """Serializable: as `CoverEvidence` says, and this is why nothing is outside of the covers."""

    kind: ClassVar[Literal["tree"]] = "tree"
    proves: ClassVar[Literal[True]] = True

    claim: Annotated[CoverEvidence, Inline()]
    globals: tuple[State, ...]
    waiting: tuple[Waiting, ...]
    """Whose balances are the first rows: situations, if there are any, then these global states, then these
    requests in flight."""
    completions: Completions
    """In the order in which outcomes list them; others come after these."""
    tree: tuple[Node, ...]
    """Each node is followed by the trees of its cases, in their order."""

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        return self.claim.invariants
