"""Evidence of the kind `tree`: what a linear cover claims, and a proof of it by cases."""

from dataclasses import dataclass
from typing import ClassVar, Literal, assert_never

from seriatim.arithmetic.case_proofs import Absurd, ByCover, ByCut, CaseNode, Multiples, Rounded
from seriatim.certificate import linear_cover
from seriatim.certificate.in_flight import Invariant, Waiting, read_waiting, waiting_fields
from seriatim.certificate.linear_cover import CoverEvidence, read_claim
from seriatim.certificate.serial_paths import Completions, completions_fields, read_completion
from seriatim.program.state import GlobalState
from seriatim.strict_json import (
    document,
    global_state,
    is_integer,
    positive,
    record_of_kind,
    state_fields,
    wrong,
)

PROOF_KEYS = ("globals", "waiting", "completions", "tree")
"""The keys that follow those of a linear cover."""
Rule = Literal["cover", "cut", "round", "absurd"]
NODES: dict[Rule, tuple[str, ...]] = {
    "cover": ("rule", "cover"),
    "cut": ("rule", "cut"),
    "round": ("rule", "sum", "divisor"),
    "absurd": ("rule", "sum"),
}
"""The keys of a node, by its rule."""


@dataclass(frozen=True, slots=True)
class TreeEvidence:
    """Serializable: as `CoverEvidence` says, and this is why nothing is outside of the covers."""

    kind: ClassVar[Literal["tree"]] = "tree"
    proves: ClassVar[Literal[True]] = True

    claim: CoverEvidence
    globals: tuple[GlobalState, ...]
    waiting: tuple[Waiting, ...]
    """Whose balances are the first rows: situations, if there are any, then these global states, then these
    requests in flight."""
    completions: Completions
    """In the order in which outcomes list them; others come after these."""
    tree: tuple[CaseNode, ...]
    """Each node is followed by the trees of its cases, in their order."""

    @property
    def invariants(self) -> tuple[Invariant, ...]:
        return self.claim.invariants


def fields(evidence: TreeEvidence) -> dict[str, object]:
    globals_ = [state_fields(state) for state in evidence.globals]
    completions = completions_fields(evidence.completions)
    nodes = [_node_fields(node) for node in evidence.tree]
    proof = (globals_, waiting_fields(evidence.waiting), completions, nodes)
    return {**linear_cover.fields(evidence.claim), **dict(zip(PROOF_KEYS, proof, strict=True))}


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


def read(body: dict[str, object]) -> TreeEvidence:
    found = document(body, "the certificate", (*linear_cover.KEYS, *PROOF_KEYS))
    return TreeEvidence(
        claim=read_claim(found),
        globals=found.items("globals", global_state),
        waiting=found.items("waiting", read_waiting),
        completions=found.items("completions", read_completion),
        tree=found.items("tree", _node),
    )


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


MOST_DIGITS = 9
"""Of the number of a row."""
