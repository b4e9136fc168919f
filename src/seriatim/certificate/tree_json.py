"""Evidence of the kind `tree` as JSON: the claims of a linear cover, and a proof by cases."""

from typing import Literal, assert_never

from seriatim.certificate.cover_json import read_waiting, waiting_fields
from seriatim.certificate.format import (
    Absurd,
    ByCover,
    ByCut,
    CoverEvidence,
    Multiples,
    Rounded,
    TreeEvidence,
    TreeNode,
)
from seriatim.strict_json import (
    global_state,
    is_integer,
    items,
    positive,
    record,
    record_of_kind,
    state_fields,
    string,
    wrong,
)

TREE_FIELDS = ("globals", "waiting", "completions", "tree")
COMPLETION = ("handler", "response")
Rule = Literal["cover", "cut", "round", "absurd"]
NODES: dict[Rule, tuple[str, ...]] = {
    "cover": ("rule", "cover"),
    "cut": ("rule", "cut"),
    "round": ("rule", "sum", "divisor"),
    "absurd": ("rule", "sum"),
}
"""The keys of a node, by its rule."""


def tree_fields(evidence: TreeEvidence) -> dict[str, object]:
    globals_ = [state_fields(state) for state in evidence.globals]
    nodes = [_node_fields(node) for node in evidence.tree]
    completions = completion_fields(evidence.completions)
    fields = (globals_, waiting_fields(evidence.waiting), completions, nodes)
    return dict(zip(TREE_FIELDS, fields, strict=True))


def completion_fields(completions: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [dict(zip(COMPLETION, completion, strict=True)) for completion in completions]


def _node_fields(node: TreeNode) -> dict[str, object]:
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


def read_tree(fields: dict[str, object], claim: CoverEvidence) -> TreeEvidence:
    return TreeEvidence(
        claim,
        globals=items(fields["globals"], "globals", global_state),
        waiting=items(fields["waiting"], "waiting", read_waiting),
        completions=items(fields["completions"], "completions", read_completion),
        tree=items(fields["tree"], "tree", _node),
    )


def read_completion(value: object, where: str) -> tuple[str, str]:
    fields = record(value, where, COMPLETION)
    return fields.read("handler", string), fields.read("response", string)


def _node(value: object, where: str) -> TreeNode:
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
