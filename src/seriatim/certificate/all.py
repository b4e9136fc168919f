"""Evidence to and from JSON: the names of all kinds; the module of a kind is loaded on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast, get_args

if TYPE_CHECKING:
    from seriatim.certificate.evidence import Evidence

Kind = Literal[
    "run",
    "folded-run",
    "atomic",
    "commit",
    "symmetric-commit",
    "reduction",
    "timeless",
    "linear-cover",
    "tree",
    "chains",
    "cycle",
    "no-cycle",
    "points",
    "fault-run",
    "no-fault",
    "thread-run",
    "thread-cover",
    "thread-modular",
    "petrified",
    "thread-pairs",
    "thread-reduction",
    "stuck-run",
    "never-stuck",
    "simulation",
    "symbolic-reduction",
    "sequentialization",
    "action-run",
]
KINDS: tuple[Kind, ...] = get_args(Kind)


class KindModule(Protocol):
    """The interface of a kind's module, which has the name of the kind."""

    def fields(self, evidence: "Evidence") -> dict[str, object]:
        """The fields of a certificate after its header."""

    def read(self, body: dict[str, object]) -> "Evidence":
        """Reads the evidence after a header. Raises `InputError` if it departs from the format."""


def module_of(kind: Kind) -> KindModule:
    return cast("KindModule", import_module(f"seriatim.certificate.{kind.replace('-', '_')}"))


def fields(evidence: "Evidence") -> dict[str, object]:
    """The fields of a certificate after its header."""
    return module_of(evidence.kind).fields(evidence)


def read(kind: Kind, body: dict[str, object]) -> "Evidence":
    """Reads the evidence after a header. Raises `InputError` if it departs from the format."""
    return module_of(kind).read(body)
