"""The values of one packet while it is executed: assigned ones, and those it brings along."""

from functools import cache

from seriatim.frontends.p4.arithmetic import (
    COMPARISONS,
    Undefined,
    apply_binary,
    apply_prefix,
    convert,
    simplify,
    slice_bits,
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
    without_key,
)
from seriatim.frontends.p4.instances import COLOUR
from seriatim.frontends.p4.kinds import Bool
from seriatim.frontends.p4.parameters import Parameters
from seriatim.frontends.p4.passes import FURTHER
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.scopes import Scopes
from seriatim.frontends.p4.switch import METADATA, STANDARD, Switch
from seriatim.frontends.p4.terms import Operator
from seriatim.source import Span

UNSEEN = Get("?", Bool())
"""A placeholder for values that skipped steps would have written."""

NEVER_FIRST = frozenset(
    f"{STANDARD}.{name}"
    for name in ("egress_spec", "egress_port", "mcast_grp", "instance_type", "egress_rid")
)
"""Standard metadata that starts as 0."""

Seen = dict[Span, tuple[Applied, set[int]]]
"""Comparisons, each with the results that it has had."""


class PacketValues:
    """Computes values as far as they are known."""

    def __init__(self, switch: Switch, scopes: Scopes, parameters: Parameters) -> None:
        self.switch = switch
        self.scopes = scopes
        self.parameters = parameters
        self.state: dict[str, Value] = {}
        self.seen: Seen = {}

    def is_settled(self, value: Value) -> bool:
        """Whether everything that a value depends on has a value or a scope."""
        return all(self.parameters.is_known(part) for part in gets(value))

    def get(self, get: Get) -> Value:
        """The value of a path: the assigned one, or the one that the packet brings along."""
        found = self.state.get(get.path)
        assert found is not UNSEEN, f"{get.path} is read, but what writes it was left out"
        if found is not None:
            return found
        kind = get.kind
        root = get.path.partition(".")[0]
        if root == FURTHER:
            return Const(0, kind)
        is_own = root in (METADATA, STANDARD, COLOUR) or get.path in self.switch.kinds
        if not is_own and without_key(get.path) not in self.scopes.data:
            name = get.path.partition("~")[0].rpartition(".")[2]
            hint = "give it a value where it is declared"
            raise refuse(UNKNOWN, f"{quote_name(name)} is read before it has a value", get.span, hint)
        starts_as_zero = get.path in NEVER_FIRST or (root == METADATA and get.path not in self.switch.parsed)
        if starts_as_zero and get.path not in self.switch.passes.brought:
            return Const(0, kind)
        return self.parameters.look_up(get)

    def evaluate(self, value: Value, span: Span) -> Value:
        try:
            found = simplify(value, self.get)
            for part in comparisons(value):
                truth = simplify(part, self.get)
                if isinstance(truth, Const):
                    self.seen.setdefault(part.span, (part, set()))[1].add(truth.value)
            return found
        except Undefined:
            raise refuse(
                UNSUPPORTED, "this divides by 0", span, "P4 does not say what happens then"
            ) from None

    def settle(self, value: Value, limit: int | None = None) -> int:
        """Computes a value as a number; paths that it depends on become parameters."""
        match value:
            case Const(value=number):
                return number
            case Get():
                return self.parameters.demand(value, limit)
            case Prefixed(operator=operator, operand=operand, kind=kind):
                return apply_prefix(operator, self.settle(operand), kind)
            case Converted(operand=operand, kind=kind):
                return convert(self.settle(operand, limit), kind)
            case Sliced(operand=operand, high=high, low=low):
                return slice_bits(self.settle(operand), high, low)
            case Either(condition=condition, then=then, otherwise=otherwise):
                return self.settle(then if self.settle(condition) else otherwise)
            case Applied(operator=operator, left=left, right=right, kind=kind):
                first = self.settle(left)
                if operator in (Operator.AND, Operator.OR) and bool(first) == (operator is Operator.OR):
                    return first
                return apply_binary(operator, first, self.settle(right), kind, right.kind)


def gets(value: Value) -> list[Get]:
    """The paths that a value reads."""
    return [part for part in parts(value) if isinstance(part, Get)]


@cache
def comparisons(value: Value) -> tuple[Applied, ...]:
    """The comparisons in a value."""
    return tuple(part for part in parts(value) if isinstance(part, Applied) and part.operator in COMPARISONS)
