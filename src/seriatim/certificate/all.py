"""Evidence to and from JSON: the names of all kinds; the module of a kind is loaded on first use."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Literal, cast, get_args

from seriatim.codec import codec_of

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


def module_of(kind: Kind) -> ModuleType:
    """The module of a kind, which has the name of the kind."""
    return import_module(f"seriatim.certificate.{kind.replace('-', '_')}")


def class_of(kind: Kind) -> "type[Evidence]":
    """The class of evidence of a kind."""
    found: type[Evidence] = next(
        each for each in vars(module_of(kind)).values() if getattr(each, "kind", None) == kind
    )
    return found


def fields(evidence: "Evidence") -> dict[str, object]:
    """The fields of a certificate after its header: those of the class, unless its module says more."""
    write = getattr(module_of(evidence.kind), "fields", None) or codec_of(type(evidence)).write
    return cast("dict[str, object]", write(evidence))


def fields_with_kind(evidence: "Evidence") -> dict[str, object]:
    """Evidence within other evidence."""
    return {"kind": evidence.kind, **fields(evidence)}


def schema(allowed: tuple[Kind, ...]) -> object:
    """The JSON Schema of evidence within other evidence; the fields of its kind come after the kind."""
    return {"type": "object", "properties": {"kind": {"enum": list(allowed)}}, "required": ["kind"]}


def read(kind: Kind, body: dict[str, object]) -> "Evidence":
    """Reads the evidence after a header. Raises `InputError` if it departs from the format."""
    own = getattr(module_of(kind), "read", None)
    return cast("Evidence", codec_of(class_of(kind)).read(body, "") if own is None else own(body))
