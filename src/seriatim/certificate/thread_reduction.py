"""Evidence of the kind `thread-reduction`: a proof about a smaller program, and what has gone."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from seriatim.certificate import all as kinds
from seriatim.certificate.petrified import PetrifiedEvidence
from seriatim.certificate.thread_cover import ThreadCoverEvidence
from seriatim.certificate.thread_modular import ThreadModularEvidence
from seriatim.certificate.thread_pairs import ThreadPairsEvidence
from seriatim.codec import Codec, Keys, Natural
from seriatim.strict_json import wrong

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence

ThreadProof = ThreadCoverEvidence | ThreadPairsEvidence | ThreadModularEvidence | PetrifiedEvidence
PROOFS: tuple[kinds.Kind, ...] = ("thread-cover", "thread-pairs", "thread-modular", "petrified")


def _read_proof(value: object, where: str) -> "Evidence":
    if isinstance(value, dict):
        kind = value.get("kind")
        for each in PROOFS:
            if kind == each:
                return kinds.read(each, {key: item for key, item in value.items() if key != "kind"})
    raise wrong(where, f"a proof of one of the kinds {', '.join(PROOFS)}")


@dataclass(frozen=True, slots=True)
class ThreadReductionEvidence:
    """Safe: the program without these variables and places is, and they can go."""

    kind: ClassVar[Literal["thread-reduction"]] = "thread-reduction"
    proves: ClassVar[Literal[True]] = True

    dropped: tuple[Annotated[tuple[str, str], Keys(("template", "name"))], ...]
    """Variables: a template and a local of it, or nothing and a global."""
    fused: tuple[Annotated[tuple[str, Natural], Keys(("template", "place"))], ...]
    """Places that a thread passes in one step, in the order in which they go."""
    proof: Annotated[ThreadProof, Codec(_read_proof, kinds.fields_with_kind, schema=kinds.schema(PROOFS))]
    """About what is left."""
