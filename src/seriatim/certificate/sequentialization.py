"""Certificates about asynchronous programs: an order that covers all runs, or a run that breaks one."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar, Literal

from seriatim.actions.printer import print_actions
from seriatim.actions.syntax import ActionProgram
from seriatim.certificate.certificate import FORMAT, HEADER, VERSION
from seriatim.strict_json import (
    Record,
    boolean,
    document,
    error,
    is_integer,
    items,
    one_of,
    parse,
    string,
    wrong,
)

QUESTION = "sequential"
PROVED, BROKEN = "sequential", "broken"


@dataclass(frozen=True, slots=True)
class SizesAt:
    """Given sizes, and the integers that free choices range over."""

    parameters: tuple[tuple[str, int], ...]
    low: int
    high: int

    def fields(self) -> dict[str, object]:
        return {"parameters": dict(self.parameters), "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class OrderEvidence:
    """Executing actions in one order covers all runs, for all sizes or at some."""

    kind: ClassVar[Literal["sequentialization"]] = "sequentialization"

    proof: tuple[str, ...]
    """The block `sequential`, with everything that was found, line by line."""
    terminating: bool
    """Whether failing runs are left out of the claim."""
    all_sizes: bool
    sizes: tuple[SizesAt, ...]
    """The sizes at which it holds; in a claim for all sizes, those where every ordered action is executed."""


@dataclass(frozen=True, slots=True)
class ActionRunEvidence:
    """A run after which an assertion fails, or that ends where `ensures` does not hold."""

    kind: ClassVar[Literal["action-run"]] = "action-run"

    sizes: SizesAt
    initial: str
    """The initial state, as `repr` of the interpreter's tuple shows it."""
    steps: tuple[tuple[str, str], ...]
    """Each executed instance, and the state that it leads to."""
    failing: str | None
    """The instance that fails then; None if `ensures` does not hold at the end."""


@dataclass(frozen=True, slots=True)
class SequentialCertificate:
    digest: str
    evidence: OrderEvidence | ActionRunEvidence

    @property
    def verdict(self) -> str:
        return PROVED if isinstance(self.evidence, OrderEvidence) else BROKEN


def digest(program: ActionProgram) -> str:
    """SHA-256 of the program's fixed form, with the proof that the user wrote."""
    return sha256(print_actions(program).encode()).hexdigest()


def write(certificate: SequentialCertificate) -> str:
    evidence = certificate.evidence
    header = (FORMAT, VERSION, certificate.digest, QUESTION, certificate.verdict, evidence.kind)
    body = _fields(evidence)
    whole = dict(zip(HEADER, header, strict=True)) | body | {"evidence_sha256": _digest(body)}
    return json.dumps(whole, indent=2) + "\n"


def _digest(body: dict[str, object]) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _fields(evidence: OrderEvidence | ActionRunEvidence) -> dict[str, object]:
    if isinstance(evidence, OrderEvidence):
        return {
            "proof": list(evidence.proof),
            "terminating": evidence.terminating,
            "all_sizes": evidence.all_sizes,
            "sizes": [each.fields() for each in evidence.sizes],
        }
    return {
        "sizes": evidence.sizes.fields(),
        "initial": evidence.initial,
        "steps": [list(step) for step in evidence.steps],
        "failing": evidence.failing,
    }


def is_about_actions(text: str) -> bool:
    """Whether a text is a certificate about an asynchronous program, well-formed or not."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.get("format") == FORMAT and found.get("question") == QUESTION


def read(text: str) -> SequentialCertificate:
    """Reads a certificate from text. Raises `InputError` if the text departs from the format."""
    found = parse(text)
    if not isinstance(found, dict) or found.get("version") != VERSION:
        raise error("SER403", f"the `version` of this certificate is not {VERSION}")
    kind = one_of(found.get("kind"), "kind", (OrderEvidence.kind, ActionRunEvidence.kind))
    keys = ("proof", "terminating", "all_sizes", "sizes")
    if kind == ActionRunEvidence.kind:
        keys = ("sizes", "initial", "steps", "failing")
    whole = document(found, "the certificate", (*HEADER, *keys, "evidence_sha256"))
    body = {key: found[key] for key in keys}
    if found["evidence_sha256"] != _digest(body):
        raise error("SER405", "`evidence_sha256` does not fit the evidence", "decide the program again")
    evidence = _order(whole) if kind == OrderEvidence.kind else _run(whole)
    certificate = SequentialCertificate(whole.read("input_sha256", string), evidence)
    if found["verdict"] != certificate.verdict:
        raise error("SER405", f"evidence of the kind `{kind}` is for the verdict `{certificate.verdict}`")
    return certificate


def _order(whole: Record) -> OrderEvidence:
    return OrderEvidence(
        whole.items("proof", string),
        whole.read("terminating", boolean),
        whole.read("all_sizes", boolean),
        whole.items("sizes", _sizes),
    )


def _run(whole: Record) -> ActionRunEvidence:
    return ActionRunEvidence(
        whole.read("sizes", _sizes),
        whole.read("initial", string),
        whole.items("steps", _step),
        whole.read("failing", lambda value, where: None if value is None else string(value, where)),
    )


def _step(value: object, where: str) -> tuple[str, str]:
    parts = items(value, where, string)
    if len(parts) != 2:
        raise wrong(where, "an instance and a state")
    return parts[0], parts[1]


def _sizes(value: object, where: str) -> SizesAt:
    found = document(value, where, ("parameters", "low", "high"))
    return SizesAt(
        found.read("parameters", _parameters), found.read("low", _integer), found.read("high", _integer)
    )


def _parameters(value: object, where: str) -> tuple[tuple[str, int], ...]:
    if not isinstance(value, dict):
        raise wrong(where, "an object")
    return tuple((name, _integer(each, f"{where}.{name}")) for name, each in value.items())


def _integer(value: object, where: str) -> int:
    if not is_integer(value):
        raise wrong(where, "an integer")
    return value
