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
    number_or_nothing,
    path_fields,
    read_path,
    read_waiting,
    waiting_fields,
)
from seriatim.certificate.format import ChainEvidence, Invariant
from seriatim.certificate.strict_json import (
    global_state,
    integer_from,
    items,
    members,
    one_of,
    require,
    state_fields,
    wrong,
)
from seriatim.certificate.tree_json import completion_fields, read_completion

CHAIN_FIELDS = ("globals", "waiting", "completions", "moves", "covers", "proof")
MOVE = ("before", "takes", "after", "gives", "answer")
COUNTS = ("levels", "rows", "cuts")
ROW = ("level", "place", "side")
CUT = ("level", "kind", "nodes", "places")
CASE = ("node", "numbers")
SIDES: tuple[Literal["entry", "exit"], ...] = ("entry", "exit")
Rule = Literal["no-runs", "counted", "situated", "layered", "fixed", "outside-cover"]
RULES: tuple[Rule, ...] = ("no-runs", "counted", "situated", "layered", "fixed", "outside-cover")
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
    fields = members(value, f"`{where}`", MOVE)
    return ListedMove(
        before=_number(fields["before"], f"{where}.before"),
        takes=number_or_nothing(fields["takes"], f"{where}.takes"),
        after=_number(fields["after"], f"{where}.after"),
        gives=number_or_nothing(fields["gives"], f"{where}.gives"),
        answer=number_or_nothing(fields["answer"], f"{where}.answer"),
    )


def _number(value: object, where: str) -> int:
    return integer_from(0, value, where)


def _numbers(value: object, where: str) -> tuple[int, ...]:
    return items(value, where, _number)


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
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    require(value, f"`{where}`", ("step",))
    rule = one_of(value["step"], f"{where}.step", RULES)
    fields = members(value, f"`{where}`", STEPS[rule])
    match rule:
        case "no-runs":
            return 0, lambda _: NoRuns()
        case "counted":
            counts = _counts(fields, where)
            chains = items(fields["chains"], f"{where}.chains", _numbers)
            return len(chains), lambda needed: Counted(counts, tuple(map(Chain, chains, needed)))
        case "situated":
            direction = one_of(fields["direction"], f"{where}.direction", DIRECTIONS)
            cases = items(fields["cases"], f"{where}.cases", _case)
            return 1, lambda needed: Situated(direction, cases, needed[0])
        case "layered":
            counts = _counts(fields, where)
            level = _number(fields["level"], f"{where}.level")
            edges = _numbers(fields["edges"], f"{where}.edges")
            times = number_or_nothing(fields["times"], f"{where}.times")
            return 1, lambda needed: Layered(counts, level, edges, times, needed[0])
        case "fixed":
            counts = _counts(fields, where)
            edge = _number(fields["edge"], f"{where}.edge")
            places = _numbers(fields["places"], f"{where}.places")
            values = items(fields["values"], f"{where}.values", _numbers)
            return 1, lambda needed: Fixed(counts, edge, places, values, needed[0])
        case "outside-cover":
            cover = _number(fields["cover"], f"{where}.cover")
            return _number(fields["parts"], f"{where}.parts"), lambda needed: OutsideCover(cover, needed)
        case _:
            assert_never(rule)


def _counts(fields: Fields, where: str) -> Counts:
    return Counts(
        levels=_numbers(fields["levels"], f"{where}.levels"),
        rows=items(fields["rows"], f"{where}.rows", _row),
        cuts=items(fields["cuts"], f"{where}.cuts", _cut),
    )


def _row(value: object, where: str) -> PrefixRow:
    fields = members(value, f"`{where}`", ROW)
    return PrefixRow(
        level=_number(fields["level"], f"{where}.level"),
        place=_number(fields["place"], f"{where}.place"),
        side=one_of(fields["side"], f"{where}.side", SIDES),
    )


def _cut(value: object, where: str) -> LevelCut:
    fields = members(value, f"`{where}`", CUT)
    return LevelCut(
        level=_number(fields["level"], f"{where}.level"),
        kind=one_of(fields["kind"], f"{where}.kind", CUT_KINDS),
        nodes=_numbers(fields["nodes"], f"{where}.nodes"),
        places=_numbers(fields["places"], f"{where}.places"),
    )


def _case(value: object, where: str) -> NodeCase:
    fields = members(value, f"`{where}`", CASE)
    return NodeCase(
        node=_number(fields["node"], f"{where}.node"),
        numbers=items(fields["numbers"], f"{where}.numbers", number_or_nothing),
    )
