"""Builds code: places of locals, assignments, copies of records."""

from collections.abc import Callable

from seriatim.frontends.p4 import terms
from seriatim.frontends.p4.arithmetic import folded
from seriatim.frontends.p4.code import Code, Const, Forget, Get, Put, Step, Value
from seriatim.frontends.p4.environment import Environment, Place
from seriatim.frontends.p4.kinds import (
    Bits,
    Bool,
    Kind,
    Simple,
    Stack,
    Strange,
    Structure,
    Types,
    leaves,
    valid,
)
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, named, refuse
from seriatim.frontends.p4.terms import Expression
from seriatim.frontends.p4.values import ValueReader
from seriatim.source import Span

MAX_STEPS = 50_000

MULTICAST = "standard_metadata.mcast_grp"


class StepBuilder(ValueReader):
    """Collects steps."""

    def __init__(self, types: Types) -> None:
        super().__init__(types)
        self.out: list[Step] = []
        self.owner = ""
        """The control that is expanded."""
        self.made: dict[str, int] = {}
        """How often a name was given to a place."""
        self.size = 0

    def emit(self, step: Step) -> None:
        self.size += 1
        if self.size > MAX_STEPS:
            hint = "calls and tables are expanded where they are used; leave some out"
            raise refuse(UNSUPPORTED, f"more than {MAX_STEPS:,} steps", step.span, hint)
        self.out.append(step)

    def collect(self, work: Callable[[], None]) -> Code:
        """The steps that some work emits, which go nowhere else."""
        before, self.out = self.out, []
        work()
        found, self.out = tuple(self.out), before
        return found

    def fresh(self, name: str, kind: Kind) -> Place:
        """A place that nothing else uses."""
        path = f"{self.owner}.{name}"
        number = self.made[path] = self.made.get(path, 0) + 1
        return Place(path if number == 1 else f"{path}~{number}", kind)

    def declare(self, place: Place, initial: Expression | None, environment: Environment, span: Span) -> None:
        """A local gets its first value, or has none yet; a header is invalid."""
        if initial is not None:
            self.assign_to(place, initial, environment, span)
            return
        for path, kind in leaves(place.path, place.kind):
            is_validity = isinstance(kind, Bool) and path.endswith(valid(""))
            self.emit(Put(path, kind, Const(0, kind), span=span) if is_validity else Forget(path, span))

    # --- assignments --------------------------------------------------------------------------------------

    def assign(self, target: Expression, value: Expression, environment: Environment, span: Span) -> None:
        if not isinstance(target, terms.Slice):
            place = self.place(target, environment)
            if place.constant is not None:
                raise refuse(UNKNOWN, f"{named(place.path)} is a constant", target.span)
            self.assign_to(place, value, environment, span)
            return
        place = self.place(target.of, environment)
        high, low = self.types.constant(target.high), self.types.constant(target.low)
        if not isinstance(place.kind, Bits) or not 0 <= low <= high < place.kind.width:
            raise refuse(UNKNOWN, f"{place.kind} has no bits [{high}:{low}]", target.span)
        found = self.value(value, environment, Bits(high - low + 1))
        self.put(place.path, place.kind, found, span, high, low)

    def assign_to(self, place: Place, value: Expression, environment: Environment, span: Span) -> None:
        kind = place.kind
        match kind:
            case Structure():
                self._assign_record(place, kind, value, environment, span)
            case Stack():
                self._copy(place, self.place(value, environment), span)
            case Strange(name=name):
                hint = "take it out, unless a register depends on it"
                raise refuse(UNSUPPORTED, f"a value of type {name} is not supported", span, hint)
            case _:
                self.put(place.path, kind, self.value(value, environment, kind), span)

    def _assign_record(
        self, place: Place, kind: Structure, value: Expression, environment: Environment, span: Span
    ) -> None:
        if not isinstance(value, terms.Tuple):
            self._copy(place, self.place(value, environment), span)
            return
        names = [name for name, _ in kind.fields]
        given = {item.name or name: item.value for item, name in zip(value.items, names, strict=False)}
        if len(value.items) != len(names) or set(given) != set(names):
            raise refuse(UNKNOWN, f"{kind.name} has {len(names)} fields", value.span, ", ".join(names))
        if kind.is_header:
            self.emit(Put(valid(place.path), Bool(), Const(1, Bool()), span=span))
        for name, inner in kind.fields:
            self.assign_to(Place(f"{place.path}.{name}", inner), given[name], environment, span)

    def _copy(self, target: Place, source: Place, span: Span) -> None:
        if target.kind != source.kind:
            raise refuse(UNKNOWN, f"{source.kind} was found, but {target.kind} is expected", span)
        self.refuse_strange(target.kind, span)
        for path, kind in leaves("", target.kind):
            value = Get(f"{source.path}{path}", kind, span)
            self.put(f"{target.path}{path}", kind, value, span)

    def refuse_strange(self, kind: Kind, span: Span) -> None:
        """Raises `InputError` if a copy would omit a part."""
        match kind:
            case Strange(name=name):
                hint = "copy the other fields one by one"
                raise refuse(UNSUPPORTED, f"a copy of a value of type {name} is not supported", span, hint)
            case Structure(fields=fields):
                for _, inner in fields:
                    self.refuse_strange(inner, span)
            case Stack(element=element):
                self.refuse_strange(element, span)
            case _:
                return

    def put(
        self,
        path: str,
        kind: Simple,
        value: Value,
        span: Span,
        high: int | None = None,
        low: int | None = None,
    ) -> None:
        value = folded(value)
        if path == MULTICAST and value != Const(0, Bits(16)):
            hint = "a copy is another packet: send the packet to one port"
            raise refuse(UNSUPPORTED, "multicast is not supported", span, hint)
        self.emit(Put(path, kind, value, high, low, span))
