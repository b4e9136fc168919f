"""Evidence of the kind `thread-modular`: what holds of main and any k other threads, whatever else is
there.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from seriatim.certificate.thread_flows import Flow, flow_fields, read_flow
from seriatim.certificate.thread_predicates import Predicate, predicate_fields, read_predicate
from seriatim.strict_json import document, positive

KEYS = ("level", "flows", "predicates")


@dataclass(frozen=True, slots=True)
class ThreadModularEvidence:
    """Safe: the predicates hold at the start and after every step, and exclude that a step fails."""

    kind: ClassVar[Literal["thread-modular"]] = "thread-modular"
    proves: ClassVar[Literal[True]] = True

    level: int
    """How many threads besides main predicates look at, at most."""
    flows: tuple[Flow, ...]
    """Sums that never change."""
    predicates: tuple[Predicate, ...]
    """Where no formula is given, main and the threads never are."""


def fields(evidence: ThreadModularEvidence) -> dict[str, object]:
    flows = [flow_fields(each) for each in evidence.flows]
    predicates = [predicate_fields(each) for each in evidence.predicates]
    return dict(zip(KEYS, (evidence.level, flows, predicates), strict=True))


def read(body: dict[str, object]) -> ThreadModularEvidence:
    found = document(body, "the certificate", KEYS)
    return ThreadModularEvidence(
        found.read("level", positive),
        found.items("flows", read_flow),
        found.items("predicates", read_predicate),
    )
