"""Isolation levels, and certificates about logs of transactions: an order that shows that a level holds, or
what contradicts it.

Transactions are numbered from 0, in the order in which they ended. Keys are texts, as in EDN: `5`, `:x`,
`"x"`.
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import ClassVar, Literal

from seriatim.certificate.certificate import FORMAT, VERSION
from seriatim.strict_json import boolean, document, error, items, natural, one_of, parse, string, wrong

QUESTION = "isolation"


class Level(StrEnum):
    """The isolation levels, from weak to strong; `docs/theory/isolation.md` defines them."""

    READ_UNCOMMITTED = "read-uncommitted"
    READ_COMMITTED = "read-committed"
    CURSOR_STABILITY = "cursor-stability"
    MONOTONIC_ATOMIC_VIEW = "monotonic-atomic-view"
    READ_ATOMIC = "read-atomic"
    CAUSAL = "causal"
    CONSISTENT_VIEW = "consistent-view"
    PARALLEL_SNAPSHOT = "parallel-snapshot-isolation"
    PREFIX = "prefix"
    SNAPSHOT = "snapshot-isolation"
    SESSION_SNAPSHOT = "session-snapshot-isolation"
    STRONG_SNAPSHOT = "strong-snapshot-isolation"
    SERIALIZABLE = "serializable"
    SESSION_SERIALIZABLE = "session-serializable"
    STRICT_SERIALIZABLE = "strict-serializable"

    @property
    def words(self) -> str:
        return self.value.replace("-", " ")


_NEXT_WEAKER = {
    Level.STRICT_SERIALIZABLE: (Level.SESSION_SERIALIZABLE, Level.STRONG_SNAPSHOT),
    Level.SESSION_SERIALIZABLE: (Level.SERIALIZABLE, Level.SESSION_SNAPSHOT),
    Level.SERIALIZABLE: (Level.SNAPSHOT,),
    Level.STRONG_SNAPSHOT: (Level.SESSION_SNAPSHOT,),
    Level.SESSION_SNAPSHOT: (Level.SNAPSHOT, Level.PARALLEL_SNAPSHOT, Level.PREFIX),
    Level.SNAPSHOT: (Level.CONSISTENT_VIEW,),
    Level.PARALLEL_SNAPSHOT: (Level.CONSISTENT_VIEW, Level.CAUSAL),
    Level.PREFIX: (Level.CAUSAL,),
    Level.CAUSAL: (Level.READ_ATOMIC,),
    Level.CONSISTENT_VIEW: (Level.READ_ATOMIC, Level.CURSOR_STABILITY),
    Level.READ_ATOMIC: (Level.MONOTONIC_ATOMIC_VIEW,),
    Level.MONOTONIC_ATOMIC_VIEW: (Level.READ_COMMITTED,),
    Level.CURSOR_STABILITY: (Level.READ_COMMITTED,),
    Level.READ_COMMITTED: (Level.READ_UNCOMMITTED,),
    Level.READ_UNCOMMITTED: (),
}


def weaker(level: Level) -> frozenset[Level]:
    """The levels that hold wherever this one does, without itself."""
    found: set[Level] = set()
    for each in _NEXT_WEAKER[level]:
        found |= {each} | weaker(each)
    return frozenset(found)


REAL_TIME = frozenset({Level.STRICT_SERIALIZABLE, Level.STRONG_SNAPSHOT})
"""Levels that respect the times of transactions."""


@dataclass(frozen=True, slots=True)
class TransactionOrder:
    """Transactions in an order; with snapshots, each of them occurs twice: its snapshot, then its commit."""

    kind: ClassVar[Literal["transaction-order"]] = "transaction-order"
    level: Level
    """The level that the order shows: the one in question, or a stronger one."""
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Anomaly:
    """What one transaction read, or two, that the level rules out."""

    kind: ClassVar[Literal["transaction-anomaly"]] = "transaction-anomaly"
    name: str
    transactions: tuple[int, ...]
    key: str


@dataclass(frozen=True, slots=True)
class Step:
    """Transaction `source` came before `target`, and why."""

    source: int
    target: int
    why: str
    """wr, ww, rw: by reads and writes of a key; so: in the same process; rt: in time; seen: the reader at the
    end of the path depends on `source`, but found the key as `target` left it."""
    key: str | None
    path: tuple["Step", ...] = ()
    """For `seen`: how the reader came to depend on `source`."""


Choice = tuple[str, int, int]
"""A key and two of its writers: the first one writes before the second."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Steps that go round if the choices are made; without steps, the choices go round themselves."""

    steps: tuple[Step, ...]
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Cycles:
    """Cycles whose choices leave no way out, and clauses that show it, each by unit propagation from what
    comes before it: at least one choice of a clause is made the other way round."""

    kind: ClassVar[Literal["transaction-cycles"]] = "transaction-cycles"
    cycles: tuple[Cycle, ...]
    clauses: tuple[tuple[Choice, ...], ...]


LevelEvidence = TransactionOrder | Anomaly | Cycles

KINDS = (TransactionOrder.kind, Anomaly.kind, Cycles.kind)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a log of transactions is read."""

    log_format: str
    any_initial: bool = False
    """Whether a register may have begun with a value that nobody wrote, instead of nil."""


@dataclass(frozen=True, slots=True)
class LevelCertificate:
    log: str
    """SHA-256 of the transactions."""
    level: Level
    evidence: LevelEvidence

    @property
    def verdict(self) -> str:
        return "holds" if isinstance(self.evidence, TransactionOrder) else "violated"


# --- the format on disk -------------------------------------------------------------------------------------


def write(certificate: LevelCertificate, reading: Reading) -> str:
    body = _body(certificate.evidence)
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "question": QUESTION,
        "log_format": reading.log_format,
        "any_initial": reading.any_initial,
        "log_sha256": certificate.log,
        "level": certificate.level.value,
        "verdict": certificate.verdict,
        "kind": certificate.evidence.kind,
        "evidence": body,
        "evidence_sha256": _digest(body),
    }
    return json.dumps(whole) + "\n"


def _digest(body: object) -> str:
    return sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _body(evidence: LevelEvidence) -> dict[str, object]:
    match evidence:
        case TransactionOrder(level=level, order=order):
            return {"level": level.value, "order": list(order)}
        case Anomaly(name=name, transactions=transactions, key=key):
            return {"name": name, "transactions": list(transactions), "key": key}
        case Cycles(cycles=cycles, clauses=clauses):
            return {
                "cycles": [
                    {
                        "steps": [_write_step(s) for s in each.steps],
                        "choices": [list(c) for c in each.choices],
                    }
                    for each in cycles
                ],
                "clauses": [[list(choice) for choice in clause] for clause in clauses],
            }


def _write_step(step: Step) -> list[object]:
    found: list[object] = [step.source, step.target, step.why, step.key]
    return [*found, [_write_step(each) for each in step.path]] if step.path else found


HEADER = (
    *("format", "version", "question", "log_format", "any_initial", "log_sha256"),
    *("level", "verdict", "kind", "evidence"),
)


def read(text: str) -> tuple[Reading, LevelCertificate]:
    """How the log is read, and a certificate about its transactions.

    Raises `InputError` if the text departs from the format.
    """
    found = parse(text)
    if not isinstance(found, dict) or found.get("question") != QUESTION:
        raise error("SER405", "this is not a certificate about transactions", "decide the log again")
    whole = document(found, "the certificate", (*HEADER, "evidence_sha256"))
    kind = one_of(found.get("kind"), "kind", KINDS)
    if found["format"] != FORMAT or found["version"] != VERSION:
        raise error("SER403", f"the `version` of this certificate is not {VERSION}")
    if found["evidence_sha256"] != _digest(found["evidence"]):
        raise error("SER405", "`evidence_sha256` does not fit the evidence", "decide the log again")
    level = Level(one_of(found["level"], "level", tuple(each.value for each in Level)))
    evidence = _evidence(kind, found["evidence"])
    certificate = LevelCertificate(whole.read("log_sha256", string), level, evidence)
    if found["verdict"] != certificate.verdict:
        raise error("SER405", f"evidence of the kind `{kind}` is for the verdict `{certificate.verdict}`")
    reading = Reading(whole.read("log_format", string), whole.read("any_initial", boolean))
    return reading, certificate


def _evidence(kind: str, value: object) -> LevelEvidence:
    if kind == TransactionOrder.kind:
        body = document(value, "evidence", ("level", "order"))
        shown = body.read(
            "level", lambda each, where: one_of(each, where, tuple(level.value for level in Level))
        )
        return TransactionOrder(Level(shown), body.read("order", _numbers))
    if kind == Anomaly.kind:
        body = document(value, "evidence", ("name", "transactions", "key"))
        return Anomaly(
            body.read("name", string), body.read("transactions", _numbers), body.read("key", string)
        )
    body = document(value, "evidence", ("cycles", "clauses"))
    return Cycles(
        body.read("cycles", lambda each, where: items(each, where, _cycle)),
        body.read("clauses", lambda each, where: items(each, where, _choices)),
    )


def _numbers(value: object, where: str) -> tuple[int, ...]:
    return items(value, where, natural)


def _cycle(value: object, where: str) -> Cycle:
    body = document(value, where, ("steps", "choices"))
    return Cycle(
        body.read("steps", lambda each, place: items(each, place, _step)), body.read("choices", _choices)
    )


def _choices(value: object, where: str) -> tuple[Choice, ...]:
    return items(value, where, _choice)


def _choice(value: object, where: str) -> Choice:
    match value:
        case [str() as key, first, second]:
            return key, natural(first, where), natural(second, where)
        case _:
            raise wrong(where, "a key and two transactions")


def _step(value: object, where: str) -> Step:
    match value:
        case [source, target, str() as why, str() | None as key]:
            return Step(natural(source, where), natural(target, where), why, key)
        case [source, target, str() as why, str() as key, list(path)]:
            inner = tuple(_step(each, where) for each in path)
            return Step(natural(source, where), natural(target, where), why, key, inner)
        case _:
            raise wrong(where, "two transactions, why, and a key")
