"""Builds code: declares locals, assigns values, copies records."""

from collections.abc import Callable

from seriatim.frontends.p4 import terms
from seriatim.frontends.p4.arithmetic import fold
from seriatim.frontends.p4.code import Code, Const, Forget, Get, Put, Step, Value
from seriatim.frontends.p4.environment import Environment, Place
from seriatim.frontends.p4.kinds import (
    Bits,
    Bool,
    Kind,
    Opaque,
    Simple,
    Stack,
    Structure,
    leaves,
    valid,
)
from seriatim.frontends.p4.passes import MULTICAST, Cause
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.terms import Expression
from seriatim.frontends.p4.values import Values
from seriatim.source import Span

MAX_STEPS = 50_000


class Steps:
    """Collects the steps of code."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.out: list[Step] = []
        self.owner = ""
        """The name of the control that is being expanded."""
        self.made: dict[str, int] = {}
        """The number of places with each name."""
        self.size = 0
        self.causes: list[Cause] = []
        """What packets cause besides themselves, such as copies."""

    def emit(self, step: Step) -> None:
        self.size += 1
        if self.size > MAX_STEPS:
            hint = "calls and tables are expanded where they are used; remove some"
            raise refuse(UNSUPPORTED, f"the program has more than {MAX_STEPS:,} steps", step.span, hint)
        self.out.append(step)

    def collect(self, work: Callable[[], None]) -> Code:
        """Collects the steps that some work emits, apart from all others."""
        before, self.out = self.out, []
        work()
        found, self.out = tuple(self.out), before
        return found

    def fresh(self, name: str, kind: Kind) -> Place:
        """A new place for this name, which nothing else uses."""
        path = f"{self.owner}.{name}"
        number = self.made[path] = self.made.get(path, 0) + 1
        return Place(path if number == 1 else f"{path}~{number}", kind)

    def declare(self, place: Place, initial: Expression | None, environment: Environment, span: Span) -> None:
        """Declares a local, with or without a value; a header without one is invalid."""
        if initial is not None:
            self.assign_to(place, initial, environment, span)
            return
        for path, kind in leaves(place.path, place.kind):
            is_validity = isinstance(kind, Bool) and path.endswith(valid(""))
            self.emit(Put(path, kind, Const(0, kind), span=span) if is_validity else Forget(path, span))

    # --- assignments --------------------------------------------------------------------------------------

    def assign(self, target: Expression, value: Expression, environment: Environment, span: Span) -> None:
        if not isinstance(target, terms.Slice):
            place = self.values.place(target, environment)
            if place.constant is not None:
                raise refuse(UNKNOWN, f"{quote_name(place.path)} is a constant", target.span)
            self.assign_to(place, value, environment, span)
            return
        place = self.values.place(target.of, environment)
        high, low = self.values.types.constant(target.high), self.values.types.constant(target.low)
        if not isinstance(place.kind, Bits) or not 0 <= low <= high < place.kind.width:
            raise refuse(UNKNOWN, f"{place.kind} has no bits [{high}:{low}]", target.span)
        found = self.values.value(value, environment, Bits(high - low + 1))
        self.put(place.path, place.kind, found, span, high, low)

    def assign_to(self, place: Place, value: Expression, environment: Environment, span: Span) -> None:
        kind = place.kind
        match kind:
            case Structure():
                self._assign_record(place, kind, value, environment, span)
            case Stack():
                self._copy(place, self.values.place(value, environment), span)
            case Opaque(name=name):
                hint = "remove it, unless a register depends on it"
                raise refuse(UNSUPPORTED, f"a value of type {name} is not supported", span, hint)
            case _:
                self.put(place.path, kind, self.values.value(value, environment, kind), span)

    def _assign_record(
        self, place: Place, kind: Structure, value: Expression, environment: Environment, span: Span
    ) -> None:
        if not isinstance(value, terms.Tuple):
            self._copy(place, self.values.place(value, environment), span)
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
            raise refuse(UNKNOWN, f"expected {target.kind}, but found {source.kind}", span)
        self.note_opaque(target.kind, span)
        for path, kind in leaves("", target.kind):
            value = Get(f"{source.path}{path}", kind, span)
            self.put(f"{target.path}{path}", kind, value, span)

    def note_opaque(self, kind: Kind, span: Span) -> None:
        """Notes a copy of values that the model does not have: refused where packets write registers."""
        match kind:
            case Opaque(name=name):
                self.causes.append(Cause(name, span))
            case Structure(fields=fields):
                for _, inner in fields:
                    self.note_opaque(inner, span)
            case Stack(element=element):
                self.note_opaque(element, span)
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
        value = fold(value)
        if path == MULTICAST and value != Const(0, Bits(16)):
            self.causes.append(Cause("multicast", span))
        self.emit(Put(path, kind, value, high, low, span))
