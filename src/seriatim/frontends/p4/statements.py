"""Reads statements, actions and tables."""

from seriatim.frontends.p4.expressions import ExpressionReader, refuse_token
from seriatim.frontends.p4.refusal import SYNTAX, refuse
from seriatim.frontends.p4.syntax import (
    Action,
    ActionRef,
    Annotations,
    Assignment,
    Block,
    CallStatement,
    Constant,
    Direction,
    Entry,
    Exit,
    If,
    Key,
    Parameter,
    Return,
    Statement,
    Switch,
    SwitchCase,
    Table,
    TableProperty,
    Variable,
)
from seriatim.frontends.p4.terms import Anything, Binary, Call, Expression, Operator, Type
from seriatim.frontends.p4.tokens import Kind
from seriatim.source import InputError, Span

_COMPOUND = {"+=": "+", "-=": "-", "*=": "*", "|=": "|", "&=": "&", "^=": "^"}

_LOOPS = ("for", "while", "do", "break", "continue")


class StatementReader(ExpressionReader):
    """Reads statements, and the actions and tables of controls."""

    def block(self, annotations: Annotations = ()) -> Block:
        self.enter()
        start = annotations[0].span if annotations else self.token.span
        self.expect("{")
        found: list[Statement] = []
        while not self.at("}"):
            if self.token.kind is Kind.END:
                raise self.unexpected("`}`", "a block is still open")
            if not self.accept(";"):
                found.append(self.statement())
        self.next()
        self.leave()
        return Block(tuple(found), annotations, self.since(start))

    def statement(self) -> Statement:
        annotations = self.annotations()
        start = annotations[0].span if annotations else self.token.span
        if self.at("{"):
            return self.block(annotations)
        if self.at("const"):
            return self.constant(annotations)
        if self._is_declaration():
            return self.variable(annotations, start)
        if annotations:
            message = "expected a block or a declaration after an annotation"
            raise refuse(SYNTAX, message, start, "write `@atomic { … }`")
        match self.token.text:
            case "if":
                return self._if()
            case "switch":
                return self._switch()
            case "return":
                self.next()
                value = None if self.at(";") else self.expression()
                self.expect(";")
                return Return(value, self.since(start))
            case "exit":
                self.next()
                self.expect(";")
                return Exit(self.since(start))
            case word if word in _LOOPS and self.ahead().text != "=":
                raise refuse_token(f"`{word}`", self.token, "write out what the loop does")
            case _:
                return self._simple()

    def _if(self) -> If:
        start = self.next().span
        self.expect("(")
        condition = self.expression()
        self.expect(")")
        then = self._branch()
        otherwise = self._branch() if self.accept("else") else None
        return If(condition, then, otherwise, self.since(start))

    def _branch(self) -> Statement:
        if self.at(";"):
            return Block((), (), self.next().span)
        self.enter()
        found = self.statement()
        self.leave()
        return found

    def _switch(self) -> Switch:
        start = self.next().span
        self.expect("(")
        subject = self.expression()
        self.expect(")")
        self.expect("{")
        cases: list[SwitchCase] = []
        labels: list[Expression] = []
        first = self.token.span
        while not self.at("}"):
            if not labels:
                first = self.token.span
            labels.append(Anything(self.next().span) if self.at("default") else self.expression())
            self.expect(":")
            if self.at("{"):
                cases.append(SwitchCase(tuple(labels), self.block(), self.since(first)))
                labels = []
        if labels:
            raise self.unexpected("`{`", "the last label of a switch needs a block")
        self.next()
        return Switch(subject, tuple(cases), self.since(start))

    def _simple(self) -> Statement:
        start = self.token.span
        target = self.expression()
        if self.token.text in _COMPOUND:
            operator = Operator(_COMPOUND[self.next().text])
            value: Expression = Binary(operator, target, self.expression(), self.since(start))
        elif self.accept("="):
            value = self.expression()
        elif isinstance(target, Call):
            self.expect(";")
            return CallStatement(target, self.since(start))
        else:
            hint = "a statement is an assignment, a call, a declaration, `if`, `switch`, `return` or `exit`"
            raise self.unexpected("`=` or `(`", hint)
        self.expect(";")
        return Assignment(target, value, self.since(start))

    def _is_declaration(self) -> bool:
        """Whether a type and a name come next."""
        if self.at("bit", "bool", "varbit", "tuple", "error", "string") or (
            self.at("int") and self.ahead().text != "("
        ):
            return not (self.at("error") and self.ahead().text == ".")
        before = self.position
        try:
            self.type()
            return self.token.kind is Kind.NAME and self.ahead().text in ("=", ";")
        except InputError:
            return False
        finally:
            self.position = before

    def variable(self, annotations: Annotations, start: Span) -> Variable:
        kind = self.type()
        name = self.name("the name of a variable").text
        initial = self.expression() if self.accept("=") else None
        self.expect(";")
        return Variable(kind, name, initial, annotations, self.since(start))

    def constant(self, annotations: Annotations) -> Constant:
        start = self.expect("const").span
        kind = self.type()
        name = self.name("the name of a constant").text
        self.expect("=")
        value = self.expression()
        self.expect(";")
        return Constant(kind, name, value, annotations, self.since(start))

    # --- actions and tables -------------------------------------------------------------------------------

    def parameters(self) -> tuple[Parameter, ...]:
        self.expect("(")
        found: list[Parameter] = []
        while not self.accept(")"):
            annotations = self.annotations()
            start = self.token.span
            is_directed = self.at("in", "out", "inout")
            direction = Direction(self.next().text) if is_directed else Direction.NONE
            kind: Type = self.type()
            name = self.name("the name of a parameter").text
            default = self.expression() if self.accept("=") else None
            found.append(Parameter(kind, name, direction, default, annotations, self.since(start)))
            if not self.at(")"):
                self.expect(",")
        return tuple(found)

    def action(self, annotations: Annotations) -> Action:
        start = self.expect("action").span
        name = self.name("the name of an action").text
        parameters = self.parameters()
        return Action(name, parameters, self.block(), annotations, self.since(start))

    def table(self, annotations: Annotations) -> Table:
        start = self.expect("table").span
        name = self.name("the name of a table").text
        parts = _TableParts()
        self.expect("{")
        while not self.accept("}"):
            self._property(parts)
        if parts.actions is None:
            raise refuse(SYNTAX, f"table `{name}` has no actions", start, "write `actions = { … }`")
        return Table(
            name,
            parts.keys,
            parts.actions,
            parts.default,
            parts.default_is_constant,
            parts.entries,
            parts.entries_are_constant,
            tuple(parts.properties),
            annotations,
            self.since(start),
        )

    def _property(self, parts: "_TableParts") -> None:
        annotations = self.annotations()
        start = self.token.span
        is_constant = self.accept("const")
        name = self.name("a property of the table").text
        self.expect("=")
        match name:
            case "key":
                parts.keys = self._keys()
            case "actions":
                parts.actions = self._actions()
            case "default_action":
                parts.default, parts.default_is_constant = self._action_ref(), is_constant
                self.expect(";")
            case "entries":
                parts.entries, parts.entries_are_constant = self._entries(), is_constant
            case _:
                value = self.expression()
                self.expect(";")
                found = TableProperty(name, value, is_constant, annotations, self.since(start))
                parts.properties.append(found)
        if name in ("key", "actions", "entries"):
            self.accept(";")

    def _keys(self) -> tuple[Key, ...]:
        self.expect("{")
        found: list[Key] = []
        while not self.accept("}"):
            start = self.token.span
            expression = self.expression()
            self.expect(":")
            match = self.name("a kind of match").text
            found.append(Key(expression, match, self.annotations(), self.since(start)))
            self.expect(";")
        return tuple(found)

    def _actions(self) -> tuple[ActionRef, ...]:
        self.expect("{")
        found: list[ActionRef] = []
        while not self.accept("}"):
            annotations = self.annotations()
            found.append(self._action_ref(annotations))
            if not self.accept(";"):
                self.expect(",", "actions end with `;`") if not self.at("}") else None
        return tuple(found)

    def _action_ref(self, annotations: Annotations = ()) -> ActionRef:
        start = self.token.span
        self.accept(".")
        name = self.name("the name of an action").text
        arguments = self.arguments(")") if self.accept("(") else None
        return ActionRef(name, arguments, annotations, self.since(start))

    def _entries(self) -> tuple[Entry, ...]:
        self.expect("{")
        found: list[Entry] = []
        while not self.accept("}"):
            start = self.token.span
            self.accept("const")
            priority = None
            if self.at("priority") and self.ahead().text == "=":
                self.next()
                self.next()
                priority = self.expression()
                self.expect(":")
            keys = self.keys()
            self.expect(":")
            action = self._action_ref()
            annotations = self.annotations()
            self.expect(";")
            found.append(Entry(keys, action, priority, annotations, self.since(start)))
        return tuple(found)


class _TableParts:
    """The parts of a table that have been read."""

    def __init__(self) -> None:
        self.keys: tuple[Key, ...] = ()
        self.actions: tuple[ActionRef, ...] | None = None
        self.default: ActionRef | None = None
        self.default_is_constant = False
        self.entries: tuple[Entry, ...] | None = None
        self.entries_are_constant = False
        self.properties: list[TableProperty] = []
