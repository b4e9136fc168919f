"""Expands calls: externs of v1model, methods of headers, actions, functions, tables."""

from collections.abc import Iterable, Mapping
from typing import Protocol

from seriatim.frontends.p4 import syntax, terms
from seriatim.frontends.p4.building import Steps
from seriatim.frontends.p4.code import (
    Apply,
    Const,
    Frame,
    Get,
    Hash,
    Prefixed,
    Put,
    Random,
    ReadCell,
    Unit,
    Value,
    WriteCell,
)
from seriatim.frontends.p4.environment import (
    Cells,
    Environment,
    Inner,
    Meaning,
    Meter,
    Place,
    Refused,
    Silent,
)
from seriatim.frontends.p4.instances import COLOUR, METERS
from seriatim.frontends.p4.kinds import (
    DROP_PORT,
    PORT,
    Bits,
    Bool,
    Enumerated,
    Simple,
    Stack,
    Structure,
    Types,
    leaves,
    valid,
)
from seriatim.frontends.p4.passes import CALLED, COUNTS, FURTHER, NAMES, OLD, Cause
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.syntax import Direction
from seriatim.frontends.p4.terms import Argument, Expression, Prefix
from seriatim.frontends.p4.values import Values, suggest_names
from seriatim.source import Span

MAX_DEPTH = 40
"""How deeply calls may nest; P4 has no recursion."""

REFUSED = {
    "assume": "write the assumption as `// ser: FIELD in …`",
    "verify": "only parsers call `verify`, and parsers are not executed",
}

WITHOUT_EFFECT = {
    "log_msg": "calls of `log_msg`: no packet sees their effect",
    "verify_checksum": "calls of `verify_checksum`: no packet sees their effect",
    "update_checksum": "calls of `update_checksum`: no packet sees their effect",
    "assert": "calls of `assert`: answers are compared, as if all of them held",
}


class Bodies(Protocol):
    """Lowers what calls expand."""

    top: Environment
    """The environment of the top level."""

    def block(self, block: syntax.Block, environment: Environment) -> None: ...

    def table(self, table: syntax.Table, environment: Environment, name: str) -> Apply: ...

    def control(
        self, control: syntax.Control, name: str, places: list[Place], outer: Environment
    ) -> Frame: ...


class Calls:
    """Expands calls."""

    def __init__(self, types: Types, controls: Mapping[str, syntax.Control], bodies: Bodies) -> None:
        self.types = types
        self.controls = controls
        self.bodies = bodies
        self.values = Values(types, self)
        self.steps = Steps(self.values)
        self.depth = 0
        self.returned: str | None = None
        """The path for the value of the function that is being expanded."""
        self.silent: set[str] = set()
        """Descriptions of objects and calls that are left out, since no packet sees their effect."""

    def call(self, call: terms.Call, environment: Environment) -> Value | None:
        match call.function:
            case terms.Member(of=of, name="isValid"):
                self._check_count(call, 0)
                return self.values.validity(self.values.place(of, environment), call.span)
            case terms.Name(name=name):
                meaning = environment.find(name)
                if isinstance(meaning, syntax.Function):
                    return self._function(meaning, call, environment)
        self._refuse_unknown(call, environment)
        return None

    def outcome(self, member: terms.Member, environment: Environment) -> Value | None:
        call = member.of
        if not isinstance(call, terms.Call) or member.name not in ("hit", "miss"):
            return None
        applied = self.apply(call, environment)
        if applied is None:
            return None
        hit = Get(applied.hit, Bool(), member.span)
        return hit if member.name == "hit" else Prefixed(Prefix.NOT, hit, Bool())

    def apply(self, call: terms.Call, environment: Environment) -> Apply | None:
        """Applies a table; None if the call does not apply one."""
        match call.function:
            case terms.Member(of=terms.Name(name=name), name="apply"):
                meaning = environment.find(name)
                if isinstance(meaning, syntax.Table):
                    self._check_count(call, 0)
                    found = self.bodies.table(meaning, environment.home(name), name)
                    self.steps.emit(found)
                    return found
        return None

    # --- statements ---------------------------------------------------------------------------------------

    def call_statement(self, call: terms.Call, environment: Environment) -> None:
        match call.function:
            case terms.Name(name=name, top_level=False):
                self._call_named(name, call, environment)
            case terms.Member(of=of, name=method):
                meaning = environment.find(of.name) if isinstance(of, terms.Name) else None
                if meaning is None and isinstance(of, terms.Name) and of.name in self.controls:
                    meaning = self._unnamed_instance(self.controls[of.name], call)
                if meaning is None or isinstance(meaning, Place):
                    self._call_header(self.values.place(of, environment), method, call, environment)
                else:
                    self._call_method(meaning, method, call, environment)
            case _:
                raise refuse(UNKNOWN, "this is not a function", call.span)

    def _unnamed_instance(self, control: syntax.Control, call: terms.Call) -> Inner:
        """The instance of `C.apply(…)`, which is another one at each place. One with state needs a name."""
        if self._has_registers(control, ()):
            hint = f"declare an instance, such as `{control.name}() part;`, and apply it"
            raise refuse(
                UNSUPPORTED, "a control with state and without a name is not supported", call.span, hint
            )
        return Inner(control, control.name)

    def _has_registers(self, control: syntax.Control, outer: tuple[str, ...]) -> bool:
        """Whether a control, or one inside it, has registers of its own."""
        for each in syntax.all_of(control, syntax.Instance):
            written = self.types.without_aliases(each.type)
            name = written.name if isinstance(written, terms.NamedType) else ""
            if name == "register":
                return True
            inner = None if name in outer else self.controls.get(name)
            if inner is not None and self._has_registers(inner, (*outer, name)):
                return True
        return False

    def _call_named(self, name: str, call: terms.Call, environment: Environment) -> None:
        meaning = environment.find(name)
        match meaning:
            case syntax.Action():
                self.steps.emit(
                    self.action(meaning, call.arguments, environment, call.span, environment.home(name))
                )
            case syntax.Function():
                self._function(meaning, call, environment)
            case _ if name == "mark_to_drop":
                self.steps.emit(
                    Put("standard_metadata.egress_spec", PORT, Const(DROP_PORT, PORT), span=call.span)
                )
            case _ if name == "hash":
                self._hash(call, environment)
            case _ if name == "random":
                self._random(call, environment)
            case _ if name in NAMES:
                self._cause(name, call, environment)
            case _ if name in WITHOUT_EFFECT:
                self.silent.add(WITHOUT_EFFECT[name])
            case _:
                self._refuse_unknown(call, environment)

    def _refuse_unknown(self, call: terms.Call, environment: Environment) -> None:
        function = call.function
        name = function.name if isinstance(function, terms.Name | terms.Member) else ""
        if name in REFUSED:
            raise refuse(UNSUPPORTED, f"`{name}` is not supported", call.span, REFUSED[name])
        if isinstance(function, terms.Name):
            message = f"nothing declares a function or action {quote_name(name)}"
            raise refuse(UNKNOWN, message, call.span, suggest_names(name, environment))
        raise refuse(UNSUPPORTED, f"a call of `{name}` is not supported", call.span)

    def _call_method(self, meaning: Meaning, method: str, call: terms.Call, environment: Environment) -> None:
        match meaning:
            case Cells(register=register):
                self._register(register.name, meaning, method, call, environment)
            case Silent(what=what):
                self.silent.add(what)
            case Meter(name=name, is_direct=is_direct):
                self._meter(name, is_direct, method, call, environment)
            case Refused(what=what, hint=hint):
                raise refuse(UNSUPPORTED, f"{what} is not supported", call.span, hint)
            case syntax.Table() if method == "apply":
                self.apply(call, environment)
            case Inner(control=control, name=name) if method == "apply":
                self._inline(control, f"{self.steps.owner}.{name}", call, environment)
            case _:
                raise refuse(UNKNOWN, f"there is no method `{method}`", call.span)

    def _register(
        self, name: str, cells: Cells, method: str, call: terms.Call, environment: Environment
    ) -> None:
        register = cells.register
        self._check_count(call, 2)
        first, second = (each.value for each in call.arguments)
        if method == "read":
            place = self.values.place(first, environment)
            if place.kind != register.kind:
                message = f"{quote_name(name)} has cells of {register.kind}, but the target has {place.kind}"
                raise refuse(UNKNOWN, message, call.span)
            index = self.values.value(second, environment)
            self.steps.emit(ReadCell(register, index, place.path, register.kind, call.span))
        elif method == "write":
            index = self.values.value(first, environment)
            value = self.values.value(second, environment, register.kind)
            self.steps.emit(WriteCell(register, index, value, call.span))
        else:
            hint = "registers have `read` and `write`"
            raise refuse(UNKNOWN, f"a register has no method `{method}`", call.span, hint)

    def _meter(
        self, name: str, is_direct: bool, method: str, call: terms.Call, environment: Environment
    ) -> None:
        """The colour that a meter gives is a parameter of the packet, at each place where it is asked for."""
        if method != ("read" if is_direct else "execute_meter"):
            hint = "meters have `execute_meter`, direct meters have `read`"
            raise refuse(UNKNOWN, f"a meter has no method `{method}`", call.span, hint)
        self._check_count(call, 1 if is_direct else 2)
        self.silent.add(METERS)
        path, kind = self._simple(self.values.place(call.arguments[-1].value, environment), call.span)
        if not is_direct:
            self.values.value(call.arguments[0].value, environment)
        colour = self.steps.fresh(f"{name}@{call.span.line}:{call.span.column}", kind)
        self.steps.put(path, kind, Get(f"{COLOUR}.{colour.path}", kind, call.span), call.span)

    def _cause(self, name: str, call: terms.Call, environment: Environment) -> None:
        """Notes what a packet causes here: whether this is reached, and with what values."""
        if name in OLD:
            self.steps.causes.append(Cause(name, call.span))
            return
        self._check_count(call, COUNTS[name])
        arguments = [each.value for each in call.arguments]
        from_egress = name.startswith("recirculate")
        if name.startswith("clone"):
            kind = arguments.pop(0)
            from_egress = isinstance(kind, terms.Member) and kind.name == "E2E"
        has_list = name.endswith("_list")
        kept = self._number(arguments.pop(), environment) if has_list else None
        root = f"{FURTHER}.{name}@{call.span.line}:{call.span.column}"
        shown = [value for each in arguments for value in self._inputs(each, environment)]
        paths: list[tuple[str, Simple]] = [(root, CALLED)]
        self.steps.emit(Put(root, CALLED, Const(1, CALLED), span=call.span))
        for number, value in enumerate(shown):
            paths.append((f"{root}#{number}", value.kind))
            self.steps.emit(Put(f"{root}#{number}", value.kind, value, span=call.span))
        self.steps.causes.append(Cause(name, call.span, tuple(paths), kept, from_egress))

    def _number(self, expression: Expression, environment: Environment) -> int:
        """The value of a constant; raises `InputError` for anything else."""
        value = self.values.value(expression, environment, Bits(8))
        if not isinstance(value, Const):
            raise refuse(UNKNOWN, "the number of the list is not a constant", expression.span)
        return value.value

    def _hash(self, call: terms.Call, environment: Environment) -> None:
        self._check_count(call, 5)
        target, algorithm, base, data, size = (each.value for each in call.arguments)
        place = self._simple(self.values.place(target, environment), target.span)
        chosen = self.values.value(algorithm, environment)
        if not isinstance(chosen, Const) or not isinstance(chosen.kind, Enumerated):
            raise refuse(UNKNOWN, "the algorithm is not a member of HashAlgorithm", algorithm.span)
        self.steps.emit(
            Hash(
                place[0],
                place[1],
                chosen.kind.members[chosen.value],
                self.values.value(base, environment),
                tuple(self._inputs(data, environment)),
                self.values.value(size, environment),
                call.span,
            )
        )

    def _inputs(self, data: Expression, environment: Environment) -> Iterable[Value]:
        if isinstance(data, terms.Tuple):
            for item in data.items:
                yield from self._inputs(item.value, environment)
        elif isinstance(data, terms.Name | terms.Member | terms.Index):
            try_place = (
                None if self._enum_or_call(data, environment) else self.values.place(data, environment)
            )
            if try_place is None or try_place.constant is not None:
                yield self.values.value(data, environment)
            else:
                yield from (
                    Get(path, kind, data.span) for path, kind in leaves(try_place.path, try_place.kind)
                )
        else:
            yield self.values.value(data, environment)

    def _enum_or_call(self, data: Expression, environment: Environment) -> bool:
        return (
            isinstance(data, terms.Member)
            and isinstance(data.of, terms.Name)
            and environment.find(data.of.name) is None
        )

    def _random(self, call: terms.Call, environment: Environment) -> None:
        self._check_count(call, 3)
        target, low, high = (each.value for each in call.arguments)
        path, kind = self._simple(self.values.place(target, environment), target.span)
        least, most = self.values.value(low, environment, kind), self.values.value(high, environment, kind)
        self.steps.emit(Random(path, kind, least, most, call.span))

    def _simple(self, place: Place, span: Span) -> tuple[str, Simple]:
        if isinstance(place.kind, Structure | Stack) or not isinstance(place.kind, Simple):
            raise refuse(UNKNOWN, f"{quote_name(place.path)} is not a number", span)
        return place.path, place.kind

    def _call_header(self, place: Place, method: str, call: terms.Call, environment: Environment) -> None:
        match method:
            case "setValid" | "setInvalid":
                self._check_count(call, 0)
                found = self.values.validity(place, call.span)
                truth = Const(int(method == "setValid"), Bool())
                self.steps.emit(Put(found.path, Bool(), truth, span=call.span))
            case "push_front" | "pop_front" if isinstance(place.kind, Stack):
                self._check_count(call, 1)
                count = self.types.constant(call.arguments[0].value)
                self._shift(place.path, place.kind, count if method == "push_front" else -count, call.span)
            case _:
                self._refuse_unknown(call, environment)

    def _shift(self, path: str, kind: Stack, by: int, span: Span) -> None:
        """Headers of a stack move to other indices; those without a source become invalid."""
        self.steps.note_opaque(kind, span)
        order = range(kind.size - 1, -1, -1) if by > 0 else range(kind.size)
        for index in order:
            source = index - by
            if 0 <= source < kind.size:
                for end, leaf in leaves("", kind.element):
                    value = Get(f"{path}[{source}]{end}", leaf, span)
                    self.steps.emit(Put(f"{path}[{index}]{end}", leaf, value, span=span))
            else:
                self.steps.emit(Put(valid(f"{path}[{index}]"), Bool(), Const(0, Bool()), span=span))

    # --- expansions ---------------------------------------------------------------------------------------

    def action(
        self,
        action: syntax.Action,
        arguments: tuple[Argument, ...],
        environment: Environment,
        span: Span,
        home: Environment,
        data: "dict[str, Place] | None" = None,
    ) -> Frame:
        """Expands an action with its arguments; `data` are places of parameters that table entries fill."""
        body = self.steps.collect(
            lambda: self._expand(
                action.parameters, action.body, arguments, environment, home, span, data or {}
            )
        )
        return Frame(Unit.ACTION, action.name, body, span)

    def _expand(
        self,
        parameters: tuple[syntax.Parameter, ...],
        block: syntax.Block,
        arguments: tuple[Argument, ...],
        environment: Environment,
        home: Environment,
        span: Span,
        data: "dict[str, Place]",
    ) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise refuse(UNSUPPORTED, "calls nest too deeply", span, "P4 has no recursion")
        inner = Environment(home)
        passed = [each for each in parameters if each.name not in data]
        given = self._match_arguments(passed, arguments, span)
        copied: list[tuple[Expression, Place]] = []
        for parameter in parameters:
            place = data.get(parameter.name) or self.steps.fresh(
                parameter.name, self.types.resolve(parameter.type)
            )
            inner.declare(parameter.name, place)
            if parameter.name in data:
                continue
            value = given[parameter.name]
            is_in = parameter.direction is not Direction.OUT
            self.steps.declare(place, value if is_in else None, environment, span)
            if parameter.direction in (Direction.OUT, Direction.INOUT):
                copied.append((value, place))
        self.bodies.block(block, inner) if not copied else self.steps.emit(
            Frame(Unit.FUNCTION, "body", self.steps.collect(lambda: self.bodies.block(block, inner)), span)
        )
        for target, place in copied:
            kind = place.kind
            outer = self.values.place(target, environment)
            for path, leaf in leaves("", kind):
                self.steps.put(f"{outer.path}{path}", leaf, Get(f"{place.path}{path}", leaf, span), span)
        self.depth -= 1

    def _match_arguments(
        self, parameters: list[syntax.Parameter], arguments: tuple[Argument, ...], span: Span
    ) -> dict[str, Expression]:
        names = [each.name for each in parameters]
        found = {item.name or name: item.value for item, name in zip(arguments, names, strict=False)}
        found = {
            **{each.name: each.default for each in parameters if each.default is not None},
            **found,
        }
        if len(arguments) > len(parameters) or set(found) != set(names):
            raise refuse(UNKNOWN, f"expected {len(names)} arguments, but found {len(arguments)}", span)
        return found

    def _function(
        self, function: syntax.Function, call: terms.Call, environment: Environment
    ) -> Value | None:
        is_void = isinstance(function.returns, terms.NamedType) and function.returns.name == "void"
        place = (
            None if is_void else self.steps.fresh(f"{function.name}()", self.types.resolve(function.returns))
        )
        before, self.returned = self.returned, None if place is None else place.path
        home = environment.home(function.name)
        body = self.steps.collect(
            lambda: self._expand(
                function.parameters, function.body, call.arguments, environment, home, call.span, {}
            )
        )
        self.returned = before
        self.steps.emit(Frame(Unit.FUNCTION, function.name, body, call.span))
        if place is None:
            return None
        path, kind = self._simple(place, call.span)
        return Get(path, kind, call.span)

    def _inline(self, control: syntax.Control, name: str, call: terms.Call, environment: Environment) -> None:
        """Expands a control inside another one; its declarations belong to the instance of this name."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise refuse(UNSUPPORTED, "controls nest too deeply", call.span, "P4 has no recursion")
        given = self._match_arguments(list(control.parameters), call.arguments, call.span)
        places: list[Place] = []
        for parameter in control.parameters:
            kind = self.types.resolve(parameter.type)
            value = given[parameter.name]
            if parameter.direction is Direction.IN or parameter.direction is Direction.NONE:
                place = self.steps.fresh(parameter.name, kind)
                self.steps.declare(place, value, environment, call.span)
            else:
                place = self.values.place(value, environment)
            places.append(place)
        self.steps.emit(self.bodies.control(control, name, places, self.bodies.top))
        self.depth -= 1

    def _check_count(self, call: terms.Call, wanted: int) -> None:
        if any(each.name is not None for each in call.arguments):
            hint = "write the arguments in their order, without names"
            raise refuse(UNSUPPORTED, "a named argument is not supported here", call.span, hint)
        if len(call.arguments) != wanted:
            message = f"expected {wanted} arguments, but found {len(call.arguments)}"
            raise refuse(UNKNOWN, message, call.span)
