"""Certificates as JSON: `certificate.schema.json` describes the text, `docs/certificates.md` its meaning."""

import json
from typing import Literal, assert_never, get_args

from seriatim.certificate.chains_json import CHAIN_FIELDS, chain_fields, read_chains
from seriatim.certificate.cover_json import (
    COVER_FIELDS,
    cover_fields,
    read_cover,
    read_waiting,
    waiting_fields,
)
from seriatim.certificate.cycle_json import conflict_fields, read_conflict
from seriatim.certificate.folded_run_json import folded_run_fields, read_folded_run
from seriatim.certificate.format import (
    AtomicEvidence,
    Certificate,
    ChainEvidence,
    CommitEvidence,
    CommittedState,
    CoverEvidence,
    CycleEvidence,
    Evidence,
    FoldedRunEvidence,
    Invariant,
    NoCycleEvidence,
    PointsEvidence,
    ReductionEvidence,
    RunEvidence,
    TreeEvidence,
    Turn,
)
from seriatim.certificate.tree_json import TREE_FIELDS, read_tree, tree_fields
from seriatim.program.specification import SpecificationReader
from seriatim.properties.json import question_fields, read_question
from seriatim.properties.question import verdict_names
from seriatim.strict_json import (
    error,
    global_state,
    is_integer,
    items,
    members,
    one_of,
    parse,
    positive,
    record,
    require,
    state_fields,
    string,
    string_or_nothing,
    values,
    wrong,
)

FORMAT = "seriatim-certificate"
VERSION = 1

HEADER = ("format", "version", "input_sha256", "question", "verdict", "kind")
Kind = Literal[
    "run",
    "folded-run",
    "atomic",
    "commit",
    "reduction",
    "linear-cover",
    "tree",
    "chains",
    "cycle",
    "no-cycle",
    "points",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIELDS: dict[Kind, tuple[str, ...]] = {
    "run": ("turns",),
    "folded-run": ("turns",),
    "atomic": (),
    "commit": ("level", "invariants", "committed"),
    "reduction": ("invariants", "late"),
    "linear-cover": ("level", "invariants", *COVER_FIELDS),
    "tree": ("level", "invariants", *COVER_FIELDS, *TREE_FIELDS),
    "chains": ("level", "invariants", *CHAIN_FIELDS),
    "cycle": ("turns", "conflicts"),
    "no-cycle": ("level", "invariants"),
    "points": ("turns", "points"),
}
"""The keys that follow the header, by kind."""
OPTIONAL: dict[Kind, tuple[str, ...]] = {"run": ("barriers",)}
"""Keys that may be left out, and are where they would be empty."""
TURN = ("request", "handler", "after", "response")
INVARIANT = ("variable", "sign")
COMMITTED = ("handler", "code", "values", "response")
LEVELS: tuple[Literal[1, 2], ...] = (1, 2)
SIGNS: tuple[Literal[1, -1], ...] = (1, -1)

_HEXADECIMAL = frozenset("0123456789abcdef")
_SHA256_DIGITS = 64


def write(certificate: Certificate) -> str:
    """The certificate as text: always the same for the same certificate, in ASCII."""
    kind, fields = _evidence_fields(certificate.evidence)
    question = question_fields(certificate.question)
    header = (FORMAT, VERSION, certificate.digest, question, certificate.verdict, kind)
    return json.dumps({**dict(zip(HEADER, header, strict=True)), **fields}, indent=2) + "\n"


def _evidence_fields(evidence: Evidence) -> tuple[Kind, dict[str, object]]:
    match evidence:
        case RunEvidence(turns=turns, barriers=barriers):
            fields: dict[str, object] = {"turns": [_turn_fields(turn) for turn in turns]}
            return "run", (fields | {"barriers": list(barriers)} if barriers else fields)
        case FoldedRunEvidence():
            return "folded-run", folded_run_fields(evidence)
        case AtomicEvidence():
            return "atomic", {}
        case CommitEvidence(level=level, invariants=invariants, committed=committed):
            return "commit", {
                "level": level,
                "invariants": _invariant_fields(invariants),
                "committed": [_committed_fields(state) for state in committed],
            }
        case ReductionEvidence(invariants=invariants, late=late):
            return "reduction", {
                "invariants": _invariant_fields(invariants),
                "late": waiting_fields(late),
            }
        case CoverEvidence():
            return "linear-cover", {**_looking_fields(evidence), **cover_fields(evidence)}
        case TreeEvidence(claim=claim):
            return "tree", {**_looking_fields(claim), **cover_fields(claim), **tree_fields(evidence)}
        case ChainEvidence():
            return "chains", {**_looking_fields(evidence), **chain_fields(evidence)}
        case CycleEvidence(turns=turns, conflicts=conflicts):
            return "cycle", {
                "turns": [_turn_fields(turn) for turn in turns],
                "conflicts": conflict_fields(conflicts),
            }
        case NoCycleEvidence():
            return "no-cycle", _looking_fields(evidence)
        case PointsEvidence(turns=turns, points=points):
            return "points", {"turns": [_turn_fields(turn) for turn in turns], "points": list(points)}
        case _:
            assert_never(evidence)


def _looking_fields(evidence: CoverEvidence | ChainEvidence | NoCycleEvidence) -> dict[str, object]:
    """How closely to look at what can be in flight together."""
    return {"level": evidence.level, "invariants": _invariant_fields(evidence.invariants)}


def _turn_fields(turn: Turn) -> dict[str, object]:
    fields = (turn.request, turn.handler, state_fields(turn.after), turn.response)
    return dict(zip(TURN, fields, strict=True))


def _invariant_fields(invariants: tuple[Invariant, ...]) -> list[dict[str, object]]:
    return [dict(zip(INVARIANT, (i.variable, i.sign), strict=True)) for i in invariants]


def _committed_fields(state: CommittedState) -> dict[str, object]:
    fields = (state.handler, state.code, dict(state.values), state.response)
    return dict(zip(COMMITTED, fields, strict=True))


def read(text: str, read_specification: SpecificationReader) -> Certificate:
    """The certificate that a text describes; raises `InputError` where it departs from the format at all."""
    document = parse(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        hint = f'a certificate is a JSON object that contains `"format": "{FORMAT}"`'
        raise error("SER403", "this is no certificate", hint)
    # Before anything else, since another version may have other keys.
    version = document.get("version")
    if not is_integer(version) or version != VERSION:
        hint = "use the release of seriatim that wrote it, or have the input decided again"
        raise error("SER403", f"the `version` of this certificate is not {VERSION}", hint)
    require(document, "the certificate", HEADER)
    kind = one_of(document["kind"], "kind", KINDS)
    optional = tuple(key for key in OPTIONAL[kind] if key in document) if kind in OPTIONAL else ()
    fields = members(document, "the certificate", (*HEADER, *FIELDS[kind], *optional))
    question = read_question(fields["question"], read_specification)
    return Certificate(
        digest=_digest(fields["input_sha256"], "input_sha256"),
        verdict=one_of(fields["verdict"], "verdict", verdict_names(question)),
        evidence=_evidence(kind, fields),
        question=question,
    )


def _evidence(kind: Kind, fields: dict[str, object]) -> Evidence:
    match kind:
        case "run":
            return RunEvidence(
                turns=items(fields["turns"], "turns", _turn),
                barriers=items(fields.get("barriers", []), "barriers", positive),
            )
        case "folded-run":
            return read_folded_run(fields)
        case "atomic":
            return AtomicEvidence()
        case "commit":
            committed = items(fields["committed"], "committed", _committed_state)
            return CommitEvidence(*_looking(fields), committed)
        case "reduction":
            return ReductionEvidence(
                invariants=items(fields["invariants"], "invariants", _invariant),
                late=items(fields["late"], "late", read_waiting),
            )
        case "linear-cover":
            return read_cover(fields, *_looking(fields))
        case "tree":
            return read_tree(fields, read_cover(fields, *_looking(fields)))
        case "chains":
            return read_chains(fields, *_looking(fields))
        case "cycle":
            return CycleEvidence(
                turns=items(fields["turns"], "turns", _turn),
                conflicts=items(fields["conflicts"], "conflicts", read_conflict),
            )
        case "no-cycle":
            return NoCycleEvidence(*_looking(fields))
        case "points":
            return PointsEvidence(
                turns=items(fields["turns"], "turns", _turn),
                points=items(fields["points"], "points", positive),
            )
        case _:
            assert_never(kind)


def _looking(fields: dict[str, object]) -> tuple[Literal[1, 2], tuple[Invariant, ...]]:
    level = one_of(fields["level"], "level", LEVELS)
    return level, items(fields["invariants"], "invariants", _invariant)


def _turn(value: object, where: str) -> Turn:
    fields = record(value, where, TURN)
    return Turn(
        request=fields.read("request", positive),
        handler=fields.read("handler", string),
        after=fields.read("after", global_state),
        response=fields.read("response", string_or_nothing),
    )


def _invariant(value: object, where: str) -> Invariant:
    fields = record(value, where, INVARIANT)
    return Invariant(
        variable=fields.read("variable", string),
        sign=fields.one_of("sign", SIGNS),
    )


def _committed_state(value: object, where: str) -> CommittedState:
    fields = record(value, where, COMMITTED)
    return CommittedState(
        handler=fields.read("handler", string),
        code=fields.read("code", string),
        values=fields.read("values", values),
        response=fields.read("response", string),
    )


def _digest(value: object, where: str) -> str:
    text = string(value, where)
    if len(text) != _SHA256_DIGITS or not _HEXADECIMAL.issuperset(text):
        raise wrong(where, f"{_SHA256_DIGITS} digits from 0 to 9 and a to f")
    return text
