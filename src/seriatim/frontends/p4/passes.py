"""What a packet causes besides the packet that leaves: copies, another pass, a message, a shorter packet.

In a program whose packets write registers, each *pass* through the switch is a packet of its own: a packet
that comes back is another packet, and so is a copy, which begins in egress. A pass may bring along whatever
an earlier one can leave to it: any headers, any values in the metadata that are kept (`@field_list`), and the
`instance_type` of its kind. So every pass of a run is among the packets of the model. That a pass causes
others is a part of its answer: whether it does, with what session, and with what values in the metadata kept.

An answer may say more here than what others see, such as two calls of which the last one counts. A proof then
says more, too, and a violation counts only if the interpreter confirms it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from seriatim.frontends.p4 import syntax
from seriatim.frontends.p4.code import Code, Get, Put, ReadCell, WriteCell, steps
from seriatim.frontends.p4.kinds import Bits, Kind, Simple, leaves
from seriatim.frontends.p4.refusal import UNSUPPORTED, refuse
from seriatim.frontends.p4.terms import NamedType
from seriatim.source import Span

FURTHER = "further"
"""The root of the paths for what a packet causes; they start as 0."""

INSTANCE = "standard_metadata.instance_type"
MULTICAST = "standard_metadata.mcast_grp"

CALLED = Bits(1)

IN_EGRESS = (1, 2)
"""The values of `instance_type` of copies, which begin in egress: made after ingress, or after egress."""

_AGAIN = "write `{name}_preserving_field_list`, with `@field_list(0)` before the metadata that is kept"

OLD = {
    "clone3": _AGAIN.format(name="clone"),
    "recirculate": _AGAIN.format(name="recirculate"),
    "resubmit": _AGAIN.format(name="resubmit"),
}
"""Calls of older versions of v1model.p4, with what to write instead."""

UNSEEN = {
    "varbit": "copy the other fields one by one",
    "tuple": "copy its parts one by one",
}
"""Types of values that the model does not have; a copy reveals what it depends on."""

COUNTS = {
    "clone": 2,
    "clone_preserving_field_list": 3,
    "recirculate_preserving_field_list": 1,
    "resubmit_preserving_field_list": 1,
    "digest": 2,
    "truncate": 1,
}
"""The calls, with how many arguments they have."""

NAMES = frozenset((*OLD, *COUNTS))


NUMBER = r"0x[0-9a-fA-F]+|[0-9]+"

Lists = frozenset[int | None]
"""Numbers of lists of metadata; None for a number that is not written as one: any list."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A call by which a packet causes something else, or an assignment that makes copies of it."""

    name: str
    span: Span
    paths: tuple[tuple[str, Simple], ...] = ()
    """The paths for what is caused; they are parts of the answer."""
    kept: int | None = None
    """The number of the list of metadata that is kept."""
    from_egress: bool = False
    """Whether the metadata is kept as it is at the end of egress, and not of ingress."""

    @property
    def instance_types(self) -> tuple[int, ...]:
        """The values of `instance_type` of the packets that are caused."""
        if self.name.startswith("clone"):
            return IN_EGRESS
        return {"recirculate": (4,), "resubmit": (6,)}.get(self.name.partition("_")[0], ())


@dataclass(frozen=True, slots=True)
class Passes:
    """Everything that packets of a switch cause, and what is known of the packets that are caused."""

    causes: tuple[Cause, ...]
    after_ingress: Code
    """Puts the metadata that is kept then into paths of the answer."""
    after_egress: Code
    brought: frozenset[str]
    """The metadata that packets which are caused may bring along."""

    @property
    def instance_types(self) -> tuple[int, ...]:
        return (0, *sorted({each for cause in self.causes for each in cause.instance_types}))

    @property
    def has_copies(self) -> bool:
        return not {*IN_EGRESS}.isdisjoint(self.instance_types)

    @property
    def revealed(self) -> dict[str, Simple]:
        """The paths of the answer that tell what is caused, with their kinds."""
        found = {path: kind for cause in self.causes for path, kind in cause.paths}
        kept = (step for step in (*self.after_ingress, *self.after_egress) if isinstance(step, Put))
        return {**found, **{step.path: step.kind for step in kept}}

    def refuse_unknown(self, egress: Code) -> None:
        """Raises `InputError` for what is not understood where packets write registers."""
        touches = any(isinstance(step, ReadCell | WriteCell) for step in steps(egress))
        for cause in self.causes:
            end = "is not supported in a program that writes registers"
            if cause.name in OLD:
                raise refuse(UNSUPPORTED, f"`{cause.name}` {end}", cause.span, OLD[cause.name])
            if cause.name in UNSEEN:
                what = f"a copy of a value of type {cause.name} {end}"
                raise refuse(UNSUPPORTED, what, cause.span, UNSEEN[cause.name])
            if touches and cause.name in ("multicast", "resubmit_preserving_field_list"):
                what = f"`{cause.name}` is not supported where egress uses registers"
                raise refuse(UNSUPPORTED, what, cause.span, "move the registers to ingress")


def read_passes(
    program: syntax.Program, causes: tuple[Cause, ...], metadata: tuple[str, Kind], written: str
) -> Passes:
    """Finds what packets keep. `metadata` are the path and kind of the metadata, `written` is its type."""
    records = {each.name: each for each in program.declarations if isinstance(each, syntax.RecordType)}
    lists = dict(field_lists(metadata[0], written, records))
    kinds = dict(leaves(*metadata))
    ingress: dict[str, Simple] = {}
    egress: dict[str, Simple] = {}
    brought: set[str] = set()
    for cause in causes:
        if cause.name == "multicast":
            ingress[MULTICAST] = Bits(16)
        if cause.kept is None:
            continue
        wanted = {cause.kept, None}
        kept = {path: kind for path, kind in kinds.items() if wanted & numbers_above(path, lists)}
        (egress if cause.from_egress else ingress).update(kept)
        brought |= set(kept)
    if any(cause.instance_types for cause in causes):
        brought.add(INSTANCE)
    return Passes(causes, _keep(ingress, "ingress"), _keep(egress, "egress"), frozenset(brought))


def _keep(paths: dict[str, Simple], where: str) -> Code:
    return tuple(Put(f"{FURTHER}.{where}.{path}", kind, Get(path, kind)) for path, kind in paths.items())


def field_lists(
    path: str, written: str, records: dict[str, syntax.RecordType]
) -> Iterator[tuple[str, Lists]]:
    """The paths with an annotation `@field_list(…)`, each with the numbers there."""
    record = records.get(written)
    if record is None:
        return
    yield path, _numbers(record.annotations)
    for field in record.fields:
        inner = f"{path}.{field.name}"
        yield inner, _numbers(field.annotations)
        if isinstance(field.type, NamedType):
            for deeper, numbers in field_lists(inner, field.type.name, records):
                yield deeper, numbers | (_numbers(field.annotations) if deeper == inner else frozenset())


def numbers_above(path: str, lists: dict[str, Lists]) -> Lists:
    """The numbers of the lists that a path belongs to, itself or by what it is a part of."""
    found = [numbers for outer, numbers in lists.items() if path == outer or path.startswith(f"{outer}.")]
    return frozenset().union(*found)


def _numbers(annotations: syntax.Annotations) -> Lists:
    texts = [each.body for each in annotations if each.name == "field_list"]
    words = [word.strip() for text in texts for word in text.split(",")]
    return frozenset(int(word, 0) if re.fullmatch(NUMBER, word) else None for word in words)
