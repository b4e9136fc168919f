"""Executes the statements, calls, tables and externs of a packet."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from seriatim.frontends.p4.kinds import DROP_PORT, Bits, Types
from seriatim.frontends.p4.machine.evaluation import Evaluator, cast
from seriatim.frontends.p4.machine.places import Scope, Target
from seriatim.frontends.p4.machine.tables import Chosen, Matching, matching_entry
from seriatim.frontends.p4.machine.turns import Turn
from seriatim.frontends.p4.machine.values import (
    Fields,
    Headers,
    Number,
    Symbol,
    Value,
    copy,
    fit,
    initial,
    number,
    refuse,
)
from seriatim.frontends.p4.models import Model
from seriatim.frontends.p4.passes import COUNTS
from seriatim.frontends.p4.refusal import unsupported
from seriatim.frontends.p4.syntax import (
    Action,
    ActionRef,
    Assignment,
    Block,
    CallStatement,
    Constant,
    Control,
    Direction,
    Exit,
    Function,
    If,
    Instance,
    Parameter,
    Return,
    Statement,
    Switch,
    Table,
    Variable,
)
from seriatim.frontends.p4.terms import (
    NOWHERE,
    Anything,
    Argument,
    Call,
    Expression,
    Literal,
    Member,
    Name,
    NamedType,
)
from seriatim.source import Span

Choose = Callable[[str, tuple[int, ...]], Chosen | None]
"""Chooses the outcome of a table for given keys; None leaves it to the entries and default in the program."""

Compute = Callable[[Call, tuple[int, ...]], int]
"""The result of a call of `hash` or `random`, for given values of its arguments."""

ACTION_RUN = "action_run"

_SILENT = frozenset({"count", "log_msg"})
"""Calls without a visible effect."""


class Returned(Exception):
    def __init__(self, value: Value | None) -> None:
        self.value = value


class Exited(Exception):
    """Raised by `exit`, which ends the control of the pipeline."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The surroundings of a packet: choices of tables, results of hashes, and the model of atomicity."""

    choose: Choose
    compute: Compute
    model: Model


@dataclass(frozen=True, slots=True)
class Caused:
    """A call by which a packet causes something else, with the values of its arguments."""

    name: str
    values: tuple[int, ...]
    kept: int | None = None
    """The number of the list of metadata that is kept."""
    from_egress: bool = False


class Execution:
    """Executes one packet in one step."""

    def __init__(self, types: Types, globals_: Scope, surroundings: Surroundings, turn: Turn) -> None:
        self._globals = globals_
        self._surroundings = surroundings
        self._turn = turn
        self._evaluator = Evaluator(types, self)
        self.emitted: list[tuple[str, int]] = []
        self.caused: list[Caused] = []
        """What the packet causes besides itself: copies, another pass, a message, a shorter packet."""

    # --- controls and statements ----------------------------------------------------------------------------

    def apply(self, control: Control, values: Sequence[Value | None]) -> None:
        """Applies a control of the pipeline to values that it changes in place; None is its `packet_out`."""
        scope = Scope(self._globals, f"{control.name}.")
        for parameter, value in zip(control.parameters, values, strict=True):
            if value is None:
                scope.declared[parameter.name] = Instance(parameter.type, (), parameter.name)
            else:
                scope.values[parameter.name] = value
        try:
            self._control(control, scope)
        except Exited:
            return

    def _control(self, control: Control, scope: Scope) -> None:
        for local in control.locals:
            if isinstance(local, Variable):
                self._declare(local, scope)
            else:
                scope.declared[local.name] = local
        try:
            self._execute(control.apply, scope)
        except Returned:
            return

    def _declare(self, variable: Variable, scope: Scope) -> None:
        kind = self._evaluator.types.resolve(variable.type)
        value = initial(kind, variable.span)
        if variable.initial is not None:
            value = fit(self._evaluator.value(variable.initial, scope), value, variable.span)
        scope.values[variable.name] = value

    def _execute(self, statement: Statement, scope: Scope) -> None:
        match statement:
            case Block(statements=statements):
                inner = Scope(scope, scope.path)
                with self._turn.together(statement.is_atomic and self._surroundings.model is not Model.BMV2):
                    for each in statements:
                        self._execute(each, inner)
            case Assignment(target=target, value=value, span=span):
                place = self._evaluator.target(target, scope)
                place.put(self._evaluator.value(value, scope), span)
            case CallStatement(call=call):
                self.call(call, scope)
            case If(condition=condition, then=then, otherwise=otherwise):
                chosen = then if self._evaluator.truth(condition, scope) else otherwise
                if chosen is not None:
                    self._execute(chosen, scope)
            case Switch():
                self._switch(statement, scope)
            case Return(value=value):
                raise Returned(None if value is None else self._evaluator.value(value, scope))
            case Exit():
                raise Exited
            case Variable():
                self._declare(statement, scope)
            case Constant(name=name):
                scope.declared[name] = statement

    def _switch(self, switch: Switch, scope: Scope) -> None:
        subject = self._evaluator.value(switch.subject, scope)
        default = None
        for case in switch.cases:
            if any(self._is_label(label, subject, scope) for label in case.labels):
                self._execute(case.body, scope)
                return
            if not case.labels or any(isinstance(label, Anything) for label in case.labels):
                default = case
        if default is not None:
            self._execute(default.body, scope)

    def _is_label(self, label: Expression, subject: Value, scope: Scope) -> bool:
        match label, subject:
            case Anything(), _:
                return False
            case Name(name=name), Symbol(enum="action_run", name=ran):
                return name == ran
            case _:
                return fit(self._evaluator.value(label, scope), subject, label.span) == subject

    # --- calls ----------------------------------------------------------------------------------------------

    def call(self, call: Call, scope: Scope) -> Value:
        match call.function:
            case Name(name=name):
                return self._call_named(name, call, scope)
            case Member(of=of, name=method):
                declared, holder = self._find_declaration(of, scope)
                match declared:
                    case Table():
                        return self._apply_table(declared, holder)
                    case Control():
                        self._apply_inner(declared, declared.name, call, scope)
                    case Instance():
                        self._call_instance(declared, method, call, scope, holder)
                    case _:
                        return self._call_value(of, method, call, scope)
                return True
            case _:
                raise refuse("this cannot be called", call.span)

    def _find_declaration(self, expression: Expression, scope: Scope) -> tuple[object, Scope]:
        """The declaration of a name other than a variable, and the scope of the declaration."""
        if isinstance(expression, Name):
            holder = scope.holder(expression.name)
            if holder is not None:
                return holder.declared.get(expression.name), holder
        return None, scope

    def _call_named(self, name: str, call: Call, scope: Scope) -> Value:
        declared, holder = self._find_declaration(Name(name), scope)
        match declared:
            case Action():
                self._run_action(declared, call.arguments, scope, holder)
                return True
            case Function(parameters=parameters, body=body, span=span):
                with self._bind(parameters, call.arguments, scope, Scope(holder, holder.path)) as inner:
                    try:
                        self._execute(body, inner)
                    except Returned as returned:
                        kind = self._evaluator.types.resolve(declared.returns)
                        return True if returned.value is None else cast(returned.value, kind, span)
                return True
            case _:
                self._call_extern(name, call, scope)
                return True

    def _run_action(
        self, action: Action, arguments: Sequence[Argument], caller: Scope, holder: Scope
    ) -> None:
        with (
            self._turn.together(self._surroundings.model is not Model.SPEC),
            self._bind(action.parameters, arguments, caller, Scope(holder, holder.path)) as inner,
        ):
            try:
                self._execute(action.body, inner)
            except Returned:
                return

    @contextmanager
    def _bind(
        self, parameters: Sequence[Parameter], arguments: Sequence[Argument], caller: Scope, inner: Scope
    ) -> Iterator[Scope]:
        """Binds arguments to variables of the inner scope; copies results out at its end, even on `exit`."""
        results: list[tuple[Target, str, Span]] = []
        given = {each.name: each for each in arguments if each.name is not None}
        for position, parameter in enumerate(parameters):
            argument = given.get(parameter.name)
            if argument is None and position < len(arguments):
                argument = arguments[position]
            written = parameter.default if argument is None else argument.value
            if written is None:
                raise refuse(f"`{parameter.name}` has no value", parameter.span)
            if parameter.direction in (Direction.OUT, Direction.INOUT):
                target = self._evaluator.target(written, caller)
                results.append((target, parameter.name, written.span))
            empty = initial(self._evaluator.types.resolve(parameter.type), parameter.span)
            if parameter.direction is not Direction.OUT:
                empty = copy(fit(self._evaluator.value(written, caller), empty, written.span))
            inner.values[parameter.name] = empty
        try:
            yield inner
        finally:
            for target, name, span in results:
                target.put(inner.values[name], span)

    def _apply_inner(self, control: Control, name: str, call: Call, scope: Scope) -> None:
        """Applies a control inside another one; its declarations belong to the instance of this name."""
        inner = Scope(self._globals, f"{scope.path}{name}.")
        with self._bind(control.parameters, call.arguments, scope, inner):
            self._control(control, inner)

    # --- tables ---------------------------------------------------------------------------------------------

    def _apply_table(self, table: Table, holder: Scope) -> Value:
        keys = tuple(self._evaluator.number(key.expression, holder) for key in table.keys)
        chosen = self._surroundings.choose(f"{holder.path}{table.name}", keys)
        if chosen is None:
            hit, reference = self._match(table, keys, holder)
        else:
            data = tuple(Argument(Literal(value)) for value in chosen.data)
            hit, reference = chosen.hit, ActionRef(chosen.action, data)
        if reference.name != "NoAction" or holder.holder("NoAction") is not None:
            action, owner = self._find_declaration(Name(reference.name), holder)
            if not isinstance(action, Action):
                raise refuse(f"nothing declares the action `{reference.name}`", table.span)
            self._run_action(action, self._arguments(table, action, reference), holder, owner)
        ran = Symbol(ACTION_RUN, reference.name)
        return Fields({"hit": hit, "miss": not hit, ACTION_RUN: ran}, None)

    def _match(self, table: Table, keys: tuple[int, ...], holder: Scope) -> tuple[bool, ActionRef]:
        matching = Matching(lambda written: self._evaluator.number(written, holder))
        entry = matching_entry(table, keys, matching)
        if entry is not None:
            return True, entry.action
        return False, table.default or ActionRef("NoAction")

    def _arguments(self, table: Table, action: Action, chosen: ActionRef) -> tuple[Argument, ...]:
        """The arguments from the table's list of actions, then those of the entry, unless it has them all."""
        data = chosen.arguments or ()
        listed = next((each for each in table.actions if each.name == chosen.name), None)
        fixed = () if listed is None else listed.arguments or ()
        return data if len(data) == len(action.parameters) else fixed + data

    # --- externs --------------------------------------------------------------------------------------------

    def _call_instance(
        self, instance: Instance, method: str, call: Call, scope: Scope, holder: Scope
    ) -> None:
        assert isinstance(instance.type, NamedType)
        name = instance.type.name
        control, _ = self._find_declaration(Name(name), self._globals)
        if isinstance(control, Control):
            self._apply_inner(control, instance.name, call, scope)
        elif name == "register" and method in ("read", "write"):
            self._operate(instance, method, call, scope, holder)
        elif name == "packet_out" and method == "emit":
            (argument,) = call.arguments
            self._emit(header_name(argument.value), self._evaluator.value(argument.value, scope))
        elif name in ("meter", "direct_meter") and method in ("execute_meter", "read"):
            colour = self._surroundings.compute(call, ())
            self._evaluator.target(call.arguments[-1].value, scope).put(Number(colour), call.span)
        elif method not in _SILENT:
            raise unsupported(f"`{name}.{method}`", call.span, "leave it out")

    def _operate(self, register: Instance, method: str, call: Call, scope: Scope, holder: Scope) -> None:
        assert isinstance(register.type, NamedType)
        bits = self._evaluator.types.resolve(register.type.arguments[0])
        size = self._evaluator.number(register.arguments[0].value, holder)
        values = [each.value for each in call.arguments]
        index = self._evaluator.number(values[1 if method == "read" else 0], scope)
        if not 0 <= index < size or not isinstance(bits, Bits):
            raise refuse(f"`{register.name}` has no cell {index}", call.span)
        cell = (f"{holder.path}{register.name}", index)
        if method == "read":
            place = self._evaluator.target(values[0], scope)
            place.put(Number(self._turn.read(cell), bits), call.span)
        else:
            written = fit(self._evaluator.value(values[1], scope), Number(0, bits), call.span)
            self._turn.write(cell, number(written, call.span))

    def _call_extern(self, name: str, call: Call, scope: Scope) -> None:
        arguments = [each.value for each in call.arguments]
        if name == "mark_to_drop" and len(arguments) == 1:
            target = self._evaluator.target(Member(arguments[0], "egress_spec"), scope)
            target.put(Number(DROP_PORT), call.span)
        elif name in ("hash", "random"):
            given = [self._evaluator.value(each, scope) for each in arguments[2 if name == "hash" else 1 :]]
            result = self._surroundings.compute(call, tuple(numbers(given, call.span)))
            self._evaluator.target(arguments[0], scope).put(Number(result), call.span)
        elif name in COUNTS and len(arguments) == COUNTS[name]:
            self._cause(name, arguments, scope)
        elif name not in _SILENT and name != "NoAction":
            raise unsupported(f"`{name}`", call.span, "leave it out")

    def _cause(self, name: str, arguments: list[Expression], scope: Scope) -> None:
        from_egress = name.startswith("recirculate")
        if name.startswith("clone"):
            from_egress = self._evaluator.value(arguments.pop(0), scope) == Symbol("CloneType", "E2E")
        kept = self._evaluator.number(arguments.pop(), scope) if name.endswith("_list") else None
        values = [self._evaluator.value(each, scope) for each in arguments]
        span = arguments[0].span if arguments else NOWHERE
        self.caused.append(Caused(name, tuple(numbers(values, span)), kept, from_egress))

    def _call_value(self, of: Expression, method: str, call: Call, scope: Scope) -> Value:
        """Calls a method of a header or of a stack of headers."""
        match self._evaluator.value(of, scope), method:
            case Fields(valid=bool(valid)), "isValid":
                return valid
            case Fields(valid=bool()) as header, "setValid" | "setInvalid":
                header.valid = method == "setValid"
            case Headers() as stack, "push_front":
                stack.push(self._evaluator.number(call.arguments[0].value, scope))
            case Headers() as stack, "pop_front":
                stack.pop(self._evaluator.number(call.arguments[0].value, scope))
            case _:
                raise unsupported(f"`{method}`", call.span, "leave it out")
        return True

    def _emit(self, name: str, value: Value) -> None:
        """Adds the fields of a valid header, or of all valid headers in a struct or stack, to the packet."""
        match value:
            case Headers(items=items):
                for index, item in enumerate(items):
                    self._emit(f"{name}[{index}]", item)
            case Fields(parts=parts, valid=valid) if valid is not False:
                for field, part in parts.items():
                    if isinstance(part, Number):
                        self.emitted.append((f"{name}.{field}", part.value))
                    else:
                        self._emit(f"{name}.{field}", part)
            case _:
                return


def numbers(values: Sequence[Value], span: Span) -> Iterator[int]:
    """The numbers in values, one after the other, including those in tuples and structs."""
    for value in values:
        match value:
            case tuple():
                yield from numbers(value, span)
            case Fields(parts=parts):
                yield from numbers(tuple(parts.values()), span)
            case _:
                yield number(value, span)


def header_name(expression: Expression) -> str:
    """The name of a header, without the name of the struct of all headers."""
    match expression:
        case Member(of=of, name=name):
            outer = header_name(of)
            return f"{outer}.{name}" if outer else name
        case _:
            return ""
