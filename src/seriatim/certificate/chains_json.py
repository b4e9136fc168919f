"""Evidence of the kind `chains` as JSON: what is listed, and the proof as a flat list of its steps.

Each step is followed by the proofs that it needs, in their order, so that nothing nests however long a proof
is.
"""

from collections.abc import Callable
from typing import Literal, assert_never

from seriatim.certificate.chains import (
    Chain,
    ChainNode,
    Counted,
    Counts,
    Fixed,
    Layered,
    LevelCut,
    ListedMove,
    NodeCase,
    NoRuns,
    OutsideCover,
    PrefixRow,
    Situated,
)
from seriatim.certificate.cover_json import (
    CUT_KINDS,
    DIRECTIONS,
    path_fields,
    read_path,
    read_waiting,
    waiting_fields,
)
from seriatim.certificate.format import ChainEvidence, Invariant
from seriatim.certificate.tree_json import completion_fields, read_completion
from seriatim.strict_json import (
    Record,
    global_state,
    items,
    natural,
    natural_or_nothing,
    record,
    record_of_kind,
    state_fields,
    wrong,
)

CHAIN_FIELDS = ("globals", "waiting", "completions", "moves", "covers", "proof")
MOVE = ("before", "takes", "after", "gives", "answer")
COUNTS = ("levels", "rows", "cuts")
ROW = ("level", "place", "side")
CUT = ("level", "kind", "nodes", "places")
CASE = ("node", "numbers")
SIDES: tuple[Literal["entry", "exit"], ...] = ("entry", "exit")
Rule = Literal["no-runs", "counted", "situated", "layered", "fixed", "outside-cover"]
STEPS: dict[Rule, tuple[str, ...]] = {
    "no-runs": ("step",),
    "counted": ("step", *COUNTS, "chains"),
    "situated": ("step", "direction", "cases"),
    "layered": ("step", *COUNTS, "level", "edges", "times"),
    "fixed": ("step", *COUNTS, "edge", "places", "values"),
    "outside-cover": ("step", "cover", "parts"),
}
"""The keys of a step, by its rule."""

Fields = dict[str, object]


def chain_fields(evidence: ChainEvidence) -> Fields:
    """All but the level and the invariants."""
    fields = (
        [state_fields(state) for state in evidence.globals],
        waiting_fields(evidence.waiting),
        completion_fields(evidence.completions),
        [
            dict(zip(MOVE, (m.before, m.takes, m.after, m.gives, m.answer), strict=True))
            for m in evidence.moves
        ],
        [path_fields(cover) for cover in evidence.covers],
        _proof_fields(evidence.proof),
    )
    return dict(zip(CHAIN_FIELDS, fields, strict=True))


def _proof_fields(proof: ChainNode) -> list[Fields]:
    written: list[Fields] = []
    pending = [proof]
    while pending:
        rule, fields, needed = _step_fields(pending.pop())
        written.append(dict(zip(STEPS[rule], (rule, *fields), strict=True)))
        pending.extend(reversed(needed))
    return written


def _step_fields(step: ChainNode) -> tuple[Rule, tuple[object, ...], tuple[ChainNode, ...]]:
    """The rule, the values of its keys, and the proofs that it needs."""
    match step:
        case NoRuns():
            return "no-runs", (), ()
        case Counted(counts=counts, chains=chains):
            bridges = [chain.bridges for chain in chains]
            return "counted", (*_counts_fields(counts), bridges), tuple(chain.proof for chain in chains)
        case Situated(direction=direction, cases=cases, proof=proof):
            numbered = [dict(zip(CASE, (case.node, case.numbers), strict=True)) for case in cases]
            return "situated", (direction, numbered), (proof,)
        case Layered(counts=counts, level=level, edges=edges, times=times, proof=proof):
            return "layered", (*_counts_fields(counts), level, edges, times), (proof,)
        case Fixed(counts=counts, edge=edge, places=places, values=values, proof=proof):
            return "fixed", (*_counts_fields(counts), edge, places, values), (proof,)
        case OutsideCover(cover=cover, parts=parts):
            return "outside-cover", (cover, len(parts)), parts
        case _:
            assert_never(step)


def _counts_fields(counts: Counts) -> tuple[object, ...]:
    rows = [dict(zip(ROW, (row.level, row.place, row.side), strict=True)) for row in counts.rows]
    cuts = [dict(zip(CUT, (cut.level, cut.kind, cut.nodes, cut.places), strict=True)) for cut in counts.cuts]
    return counts.levels, rows, cuts


def read_chains(fields: Fields, level: Literal[1, 2], invariants: tuple[Invariant, ...]) -> ChainEvidence:
    return ChainEvidence(
        level=level,
        invariants=invariants,
        globals=items(fields["globals"], "globals", global_state),
        waiting=items(fields["waiting"], "waiting", read_waiting),
        completions=items(fields["completions"], "completions", read_completion),
        moves=items(fields["moves"], "moves", _move),
        covers=items(fields["covers"], "covers", read_path),
        proof=_proof(fields["proof"], "proof"),
    )


def _move(value: object, where: str) -> ListedMove:
    fields = record(value, where, MOVE)
    return ListedMove(
        before=fields.read("before", natural),
        takes=fields.read("takes", natural_or_nothing),
        after=fields.read("after", natural),
        gives=fields.read("gives", natural_or_nothing),
        answer=fields.read("answer", natural_or_nothing),
    )


def _numbers(value: object, where: str) -> tuple[int, ...]:
    return items(value, where, natural)


ONE_PROOF = "a list of the steps of one proof, each followed by the proofs that it needs"

Needed = tuple[ChainNode, ...]
"""The proofs that a step needs."""


def _proof(value: object, where: str) -> ChainNode:
    proofs: list[ChainNode] = []
    """Of what has been read from the end on; the last one comes first."""
    for count, build in reversed(items(value, where, _step)):
        if count > len(proofs):
            raise wrong(where, ONE_PROOF)
        proofs.append(build(tuple(proofs.pop() for _ in range(count))))
    if len(proofs) != 1:
        raise wrong(where, ONE_PROOF)
    return proofs[0]


def _step(value: object, where: str) -> tuple[int, Callable[[Needed], ChainNode]]:
    """How many proofs a step needs, and what it is with these."""
    rule, fields = record_of_kind(value, where, "step", STEPS)
    match rule:
        case "no-runs":
            return 0, lambda _: NoRuns()
        case "counted":
            counts = _counts(fields)
            chains = fields.items("chains", _numbers)
            return len(chains), lambda needed: Counted(counts, tuple(map(Chain, chains, needed)))
        case "situated":
            direction = fields.one_of("direction", DIRECTIONS)
            cases = fields.items("cases", _case)
            return 1, lambda needed: Situated(direction, cases, needed[0])
        case "layered":
            counts = _counts(fields)
            level = fields.read("level", natural)
            edges = fields.read("edges", _numbers)
            times = fields.read("times", natural_or_nothing)
            return 1, lambda needed: Layered(counts, level, edges, times, needed[0])
        case "fixed":
            counts = _counts(fields)
            edge = fields.read("edge", natural)
            places = fields.read("places", _numbers)
            values = fields.items("values", _numbers)
            return 1, lambda needed: Fixed(counts, edge, places, values, needed[0])
        case "outside-cover":
            cover = fields.read("cover", natural)
            return fields.read("parts", natural), lambda needed: OutsideCover(cover, needed)
        case _:
            assert_never(rule)


def _counts(fields: Record) -> Counts:
    return Counts(
        levels=fields.read("levels", _numbers),
        rows=fields.items("rows", _row),
        cuts=fields.items("cuts", _cut),
    )


def _row(value: object, where: str) -> PrefixRow:
    fields = record(value, where, ROW)
    return PrefixRow(
        level=fields.read("level", natural),
        place=fields.read("place", natural),
        side=fields.one_of("side", SIDES),
    )


def _cut(value: object, where: str) -> LevelCut:
    fields = record(value, where, CUT)
    return LevelCut(
        level=fields.read("level", natural),
        kind=fields.one_of("kind", CUT_KINDS),
        nodes=fields.read("nodes", _numbers),
        places=fields.read("places", _numbers),
    )


def _case(value: object, where: str) -> NodeCase:
    fields = record(value, where, CASE)
    return NodeCase(
        node=fields.read("node", natural),
        numbers=fields.items("numbers", natural_or_nothing),
    )
