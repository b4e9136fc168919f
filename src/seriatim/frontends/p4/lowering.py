"""Lowers statements to code: expands calls, and copies the fields of records one by one.

Nothing is left out here: a statement becomes code, or is refused with its place and a remedy. Each expansion
of an action, a function or an inner control has parameters and locals of its own.
"""

from typing import assert_never

from seriatim.frontends.p4 import syntax, terms
from seriatim.frontends.p4.calls import Calls
from seriatim.frontends.p4.code import Applied, Apply, Branch, Code, Const, Frame, Get, Leave, Unit, Value
from seriatim.frontends.p4.environment import Environment, Place
from seriatim.frontends.p4.instances import declare_instance
from seriatim.frontends.p4.kinds import Bool, Types, Whole
from seriatim.frontends.p4.refusal import UNKNOWN, UNSUPPORTED, quote_name, refuse
from seriatim.frontends.p4.tables import GivenEntries, Tables
from seriatim.frontends.p4.terms import Operator

NO_ACTION = syntax.Action("NoAction", (), syntax.Block(()))


class Lowering:
    """Lowers the controls of a program."""

    def __init__(self, program: syntax.Program, types: Types, given: GivenEntries) -> None:
        self.types = types
        self.controls = {each.name: each for each in program.declarations if isinstance(each, syntax.Control)}
        self.calls = Calls(types, self.controls, self)
        self.values = self.calls.values
        self.steps = self.calls.steps
        self.tables = Tables(self.calls, given)
        self.top = Environment()
        self.top.declare("NoAction", NO_ACTION)
        for each in program.declarations:
            match each:
                case syntax.Constant():
                    self.constant(each, self.top)
                case syntax.Action() | syntax.Function():
                    refuse_atomic(each.annotations, "an action or a function")
                    self.top.declare(each.name, each)
                case syntax.Instance(name=name) if name != "main":
                    if not _is_part(each, self.controls):
                        declare_instance(each, self.top, types, self.controls, "")
                case _:
                    pass

    def control(self, control: syntax.Control, name: str, places: list[Place], outer: Environment) -> Frame:
        """Lowers the control of this name, with these places for its parameters."""
        refuse_atomic(control.annotations, "a control")
        environment = Environment(outer)
        for parameter, place in zip(control.parameters, places, strict=True):
            environment.declare(parameter.name, place)
        before, self.steps.owner = self.steps.owner, name
        body = self.steps.collect(lambda: self._control_body(control, environment))
        self.steps.owner = before
        return Frame(Unit.CONTROL, control.name, body, control.span)

    def _control_body(self, control: syntax.Control, environment: Environment) -> None:
        for local in control.locals:
            match local:
                case syntax.Action() | syntax.Table():
                    refuse_atomic(local.annotations, "an action or a table")
                    environment.declare(local.name, local)
                case syntax.Instance():
                    declare_instance(local, environment, self.types, self.controls, self.steps.owner)
                case syntax.Variable() | syntax.Constant():
                    self.statement(local, environment)
                case never:
                    assert_never(never)
        self.block(control.apply, environment)

    def table(self, table: syntax.Table, environment: Environment, name: str) -> Apply:
        return self.tables.table(table, environment, name)

    def block(self, block: syntax.Block, environment: Environment) -> None:
        inner = Environment(environment)

        def work() -> None:
            for each in block.statements:
                self.statement(each, inner)

        if block.is_atomic:
            self.steps.emit(Frame(Unit.ATOMIC, "@atomic", self.steps.collect(work), block.span))
        else:
            work()

    def statement(self, statement: syntax.Statement, environment: Environment) -> None:
        match statement:
            case syntax.Assignment(target=target, value=value, span=span):
                self.steps.assign(target, value, environment, span)
            case syntax.CallStatement(call=call):
                self.calls.call_statement(call, environment)
            case syntax.If():
                self._if(statement, environment)
            case syntax.Switch():
                self._switch(statement, environment)
            case syntax.Return(value=returned, span=span):
                self._return(returned, environment, statement)
            case syntax.Exit(span=span):
                self.steps.emit(Leave(True, span))
            case syntax.Block():
                self.block(statement, environment)
            case syntax.Variable(type=written, name=name, initial=initial, span=span):
                refuse_atomic(statement.annotations, "a declaration")
                place = self.steps.fresh(name, self.types.resolve(written))
                self.steps.declare(place, initial, environment, span)
                environment.declare(name, place)
            case syntax.Constant():
                self.constant(statement, environment)
            case never:
                assert_never(never)

    def constant(self, constant: syntax.Constant, environment: Environment) -> None:
        kind = self.types.resolve(constant.type)
        if isinstance(constant.value, terms.Tuple):
            hint = "declare a constant for each of its parts"
            raise refuse(UNSUPPORTED, "a constant that is a list is not supported", constant.span, hint)
        value = self.values.value(constant.value, environment, None if isinstance(kind, Whole) else kind)
        if not isinstance(value, Const):
            raise refuse(UNKNOWN, f"{quote_name(constant.name)} is not a constant", constant.span)
        environment.declare(constant.name, Place(constant.name, kind, value))

    def _return(
        self, value: terms.Expression | None, environment: Environment, statement: syntax.Return
    ) -> None:
        if value is not None:
            if self.calls.returned is None:
                raise refuse(UNKNOWN, "this `return` cannot have a value", statement.span)
            found = self.values.value(value, environment)
            self.steps.put(self.calls.returned, found.kind, found, statement.span)
        self.steps.emit(Leave(False, statement.span))

    def _if(self, statement: syntax.If, environment: Environment) -> None:
        condition = self.values.value(statement.condition, environment, Bool())
        then = self._branch(statement.then, environment)
        otherwise = () if statement.otherwise is None else self._branch(statement.otherwise, environment)
        self.steps.emit(Branch(condition, then, otherwise, statement.condition.span))

    def _branch(self, statement: syntax.Statement, environment: Environment) -> Code:
        return self.steps.collect(lambda: self.statement(statement, Environment(environment)))

    def _switch(self, statement: syntax.Switch, environment: Environment) -> None:
        match statement.subject:
            case terms.Member(of=terms.Call() as call, name="action_run"):
                applied = self.calls.apply(call, environment)
                if applied is None:
                    raise refuse(UNKNOWN, "this is not a table", statement.subject.span)
                numbers = {each.action: each.number for each in applied.table.choices}
                subject: Value = Get(applied.ran, Whole(), statement.span)
                self._cases(statement, subject, environment, numbers)
            case _:
                subject = self.values.value(statement.subject, environment)
                self._cases(statement, subject, environment, None)

    def _cases(
        self,
        statement: syntax.Switch,
        subject: Value,
        environment: Environment,
        actions: dict[str, int] | None,
    ) -> None:
        """Lowers the cases to nested branches, the first case outermost and `default` innermost."""
        chain: Code = ()
        for case in statement.cases:
            if any(isinstance(label, terms.Anything) for label in case.labels):
                chain = self._branch(case.body, environment)
        for case in reversed(statement.cases):
            if any(isinstance(label, terms.Anything) for label in case.labels):
                continue
            body = self._branch(case.body, environment)
            tests = [self._label(label, subject, environment, actions) for label in case.labels]
            condition = tests[0]
            for test in tests[1:]:
                condition = Applied(Operator.OR, condition, test, Bool(), case.span)
            chain = (Branch(condition, body, chain, case.span),)
        for step in chain:
            self.steps.emit(step)

    def _label(
        self,
        label: terms.Expression,
        subject: Value,
        environment: Environment,
        actions: dict[str, int] | None,
    ) -> Value:
        if actions is None:
            wanted = self.values.value(label, environment, subject.kind)
            return Applied(Operator.EQUAL, subject, wanted, Bool(), label.span)
        name = label.name if isinstance(label, terms.Name) else ""
        if name not in actions:
            hint = f"the actions of the table are {', '.join(actions)}"
            raise refuse(UNKNOWN, f"the table has no action {quote_name(name)}", label.span, hint)
        return Applied(Operator.EQUAL, subject, Const(actions[name], Whole()), Bool(), label.span)


def refuse_atomic(annotations: syntax.Annotations, what: str) -> None:
    """Refuses `@atomic` on anything but a block, where it would promise too much."""
    for each in annotations:
        if each.name == "atomic":
            hint = "write `@atomic { … }` around the statements of a block"
            raise refuse(UNSUPPORTED, f"`@atomic` before {what} is not supported", each.span, hint)


def _is_part(instance: syntax.Instance, controls: dict[str, syntax.Control]) -> bool:
    """Whether an instance is a part of the switch, such as `MyIngress() ingress;`."""
    return isinstance(instance.type, terms.NamedType) and (
        instance.type.name in controls or instance.type.name.startswith("V1Switch")
    )
