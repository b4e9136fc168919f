"""Evidence of the kind `tree`: what a linear cover claims, and a proof of it by cases."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, assert_never

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Rounded
from seriatim.certificate.in_flight import Invariant, Waiting
from seriatim.certificate.linear_cover import CoverEvidence
from seriatim.certificate.serial_paths import Completions
from seriatim.codec import Codec, Inline, State
from seriatim.strict_json import (
    is_integer,
    positive,
    record_of_kind,
    wrong,
)

Rule = Literal["cover", "cut", "round", "absurd"]
NODES: dict[Rule, tuple[str, ...]] = {
    "cover": ("rule", "cover"),
    "cut": ("rule", "cut"),
    "round": ("rule", "sum", "divisor"),
    "absurd": ("rule", "sum"),
}
"""The keys of a node, by its rule."""


def _node_fields(node: CaseNode) -> dict[str, object]:
    match node:
        case ByCover(cover=cover):
            return {"rule": "cover", "cover": cover}
        case ByCut(cut=cut):
            return {"rule": "cut", "cut": cut}
        case Rounded(sum=multiples, divisor=divisor):
            return {"rule": "round", "sum": _sum_fields(multiples), "divisor": divisor}
        case Absurd(sum=multiples):
            return {"rule": "absurd", "sum": _sum_fields(multiples)}
        case _:
            assert_never(node)


def _sum_fields(multiples: Multiples) -> dict[str, int]:
    return {str(row): times for row, times in multiples}


def _node(value: object, where: str) -> CaseNode:
    rule, fields = record_of_kind(value, where, "rule", NODES)
    match rule:
        case "cover":
            return ByCover(fields.read("cover", positive))
        case "cut":
            return ByCut(fields.read("cut", positive))
        case "round":
            return Rounded(fields.read("sum", _sum), fields.read("divisor", positive))
        case "absurd":
            return Absurd(fields.read("sum", _sum))
        case _:
            assert_never(rule)


def _sum(value: object, where: str) -> Multiples:
    """Rows are written as JSON writes keys: in quotation marks, and like any integer without zeros before."""
    if isinstance(value, dict) and all(map(is_integer, value.values())) and all(map(_is_number, value)):
        return tuple((int(row), times) for row, times in value.items())
    raise wrong(where, "an object with an integer for each row, by number")


def _is_number(key: str) -> bool:
    return key.isascii() and key.isdigit() and key[0] != "0" and len(key) <= MOST_DIGITS


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
    tree: tuple[Annotated[CaseNode, Codec(_node, _node_fields)], ...]
    """Each node is followed by the trees of its cases, in their order."""

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        return self.claim.invariants


MOST_DIGITS = 9
"""Of the number of a row."""
