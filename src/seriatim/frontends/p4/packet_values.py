"""Values of one packet while it is executed: what was assigned, and what it comes with."""

from functools import cache

from seriatim.frontends.p4.arithmetic import (
    COMPARISONS,
    Undefined,
    applied,
    converted,
    prefixed,
    simplified,
    sliced,
)
from seriatim.frontends.p4.code import (
    Applied,
    Const,
    Converted,
    Either,
    Get,
    Prefixed,
    Sliced,
    Value,
    parts,
)
from seriatim.frontends.p4.kinds import Bool
from seriatim.frontends.p4.parameters import Parameters
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, named, refuse
from seriatim.frontends.p4.scopes import Scopes
from seriatim.frontends.p4.switch import METADATA, STANDARD, Switch
from seriatim.frontends.p4.terms import Operator
from seriatim.source import Span

UNSEEN = Get("?", Bool())
"""Stands in the place of what skipped steps would have written."""

NEVER_FIRST = frozenset(
    f"{STANDARD}.{name}"
    for name in ("egress_spec", "egress_port", "mcast_grp", "instance_type", "egress_rid")
)
"""Standard metadata that start as 0."""

Seen = dict[Span, tuple[Applied, set[int]]]
"""Comparisons, and what they have come to."""


class PacketValues:
    """Computes values as far as they are known."""

    def __init__(self, switch: Switch, scopes: Scopes, parameters: Parameters) -> None:
        self.switch = switch
        self.scopes = scopes
        self.parameters = parameters
        self.state: dict[str, Value] = {}
        self.seen: Seen = {}

    def is_settled(self, value: Value) -> bool:
        """Whether a value depends on nothing that has no scope."""
        return all(self.parameters.is_known(part) for part in gets(value))

    def get(self, get: Get) -> Value:
        """The value of a path: what was assigned, or what the packet comes with."""
        found = self.state.get(get.path)
        assert found is not UNSEEN, f"{get.path} is read, but what writes it was left out"
        if found is not None:
            return found
        kind = get.kind
        root = get.path.partition(".")[0]
        is_own = root in (METADATA, STANDARD) or get.path in self.switch.kinds
        if not is_own and get.path not in self.scopes.data:
            name = get.path.partition("~")[0].rpartition(".")[2]
            hint = "give it a value where it is declared"
            raise refuse(UNKNOWN, f"{named(name)} is read before it has a value", get.span, hint)
        starts_as_zero = get.path in NEVER_FIRST or (root == METADATA and get.path not in self.switch.parsed)
        if starts_as_zero:
            return Const(0, kind)
        return self.parameters.known(get)

    def evaluated(self, value: Value, span: Span) -> Value:
        try:
            found = simplified(value, self.get)
            for part in comparisons(value):
                truth = simplified(part, self.get)
                if isinstance(truth, Const):
                    self.seen.setdefault(part.span, (part, set()))[1].add(truth.value)
            return found
        except Undefined:
            raise refuse(
                UNSUPPORTED, "this divides by 0", span, "P4 does not say what happens then"
            ) from None

    def settled(self, value: Value, limit: int | None = None) -> int:
        """The number that a value is; what it depends on becomes a parameter."""
        match value:
            case Const(value=number):
                return number
            case Get():
                return self.parameters.demand(value, limit)
            case Prefixed(operator=operator, operand=operand, kind=kind):
                return prefixed(operator, self.settled(operand), kind)
            case Converted(operand=operand, kind=kind):
                return converted(self.settled(operand, limit), kind)
            case Sliced(operand=operand, high=high, low=low):
                return sliced(self.settled(operand), high, low)
            case Either(condition=condition, then=then, otherwise=otherwise):
                return self.settled(then if self.settled(condition) else otherwise)
            case Applied(operator=operator, left=left, right=right, kind=kind):
                first = self.settled(left)
                if operator in (Operator.AND, Operator.OR) and bool(first) == (operator is Operator.OR):
                    return first
                return applied(operator, first, self.settled(right), kind, right.kind)


def gets(value: Value) -> list[Get]:
    """What a value depends on."""
    return [part for part in parts(value) if isinstance(part, Get)]


@cache
def comparisons(value: Value) -> tuple[Applied, ...]:
    """The comparisons in a value."""
    return tuple(part for part in parts(value) if isinstance(part, Applied) and part.operator in COMPARISONS)
