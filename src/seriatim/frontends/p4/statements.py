"""Reads statements, actions and tables."""

from seriatim.frontends.p4.cursor import Cursor
from seriatim.frontends.p4.expressions import Expressions, refuse_token
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


class Statements:
    """Reads statements, and the actions and tables of controls."""

    def __init__(self, cursor: Cursor, expressions: Expressions) -> None:
        self.cursor = cursor
        self.expressions = expressions

    def block(self, annotations: Annotations = ()) -> Block:
        self.cursor.enter()
        start = annotations[0].span if annotations else self.cursor.token.span
        self.cursor.expect("{")
        found: list[Statement] = []
        while not self.cursor.at("}"):
            if self.cursor.token.kind is Kind.END:
                raise self.cursor.unexpected("`}`", "a block is still open")
            if not self.cursor.accept(";"):
                found.append(self.statement())
        self.cursor.next()
        self.cursor.leave()
        return Block(tuple(found), annotations, self.cursor.since(start))

    def statement(self) -> Statement:
        annotations = self.expressions.annotations()
        start = annotations[0].span if annotations else self.cursor.token.span
        if self.cursor.at("{"):
            return self.block(annotations)
        if self.cursor.at("const"):
            return self.constant(annotations)
        if self._is_declaration():
            return self.variable(annotations, start)
        if annotations:
            message = "expected a block or a declaration after an annotation"
            raise refuse(SYNTAX, message, start, "write `@atomic { … }`")
        match self.cursor.token.text:
            case "if":
                return self._if()
            case "switch":
                return self._switch()
            case "return":
                self.cursor.next()
                value = None if self.cursor.at(";") else self.expressions.expression()
                self.cursor.expect(";")
                return Return(value, self.cursor.since(start))
            case "exit":
                self.cursor.next()
                self.cursor.expect(";")
                return Exit(self.cursor.since(start))
            case word if word in _LOOPS and self.cursor.ahead().text != "=":
                raise refuse_token(f"`{word}`", self.cursor.token, "write out what the loop does")
            case _:
                return self._simple()

    def _if(self) -> If:
        start = self.cursor.next().span
        self.cursor.expect("(")
        condition = self.expressions.expression()
        self.cursor.expect(")")
        then = self._branch()
        otherwise = self._branch() if self.cursor.accept("else") else None
        return If(condition, then, otherwise, self.cursor.since(start))

    def _branch(self) -> Statement:
        if self.cursor.at(";"):
            return Block((), (), self.cursor.next().span)
        self.cursor.enter()
        found = self.statement()
        self.cursor.leave()
        return found

    def _switch(self) -> Switch:
        start = self.cursor.next().span
        self.cursor.expect("(")
        subject = self.expressions.expression()
        self.cursor.expect(")")
        self.cursor.expect("{")
        cases: list[SwitchCase] = []
        labels: list[Expression] = []
        first = self.cursor.token.span
        while not self.cursor.at("}"):
            if not labels:
                first = self.cursor.token.span
            labels.append(
                Anything(self.cursor.next().span)
                if self.cursor.at("default")
                else self.expressions.expression()
            )
            self.cursor.expect(":")
            if self.cursor.at("{"):
                cases.append(SwitchCase(tuple(labels), self.block(), self.cursor.since(first)))
                labels = []
        if labels:
            raise self.cursor.unexpected("`{`", "the last label of a switch needs a block")
        self.cursor.next()
        return Switch(subject, tuple(cases), self.cursor.since(start))

    def _simple(self) -> Statement:
        start = self.cursor.token.span
        target = self.expressions.expression()
        if self.cursor.token.text in _COMPOUND:
            operator = Operator(_COMPOUND[self.cursor.next().text])
            value: Expression = Binary(
                operator, target, self.expressions.expression(), self.cursor.since(start)
            )
        elif self.cursor.accept("="):
            value = self.expressions.expression()
        elif isinstance(target, Call):
            self.cursor.expect(";")
            return CallStatement(target, self.cursor.since(start))
        else:
            hint = "a statement is an assignment, a call, a declaration, `if`, `switch`, `return` or `exit`"
            raise self.cursor.unexpected("`=` or `(`", hint)
        self.cursor.expect(";")
        return Assignment(target, value, self.cursor.since(start))

    def _is_declaration(self) -> bool:
        """Whether a type and a name come next."""
        if self.cursor.at("bit", "bool", "varbit", "tuple", "error", "string") or (
            self.cursor.at("int") and self.cursor.ahead().text != "("
        ):
            return not (self.cursor.at("error") and self.cursor.ahead().text == ".")
        before = self.cursor.position
        try:
            self.expressions.type()
            return self.cursor.token.kind is Kind.NAME and self.cursor.ahead().text in ("=", ";")
        except InputError:
            return False
        finally:
            self.cursor.position = before

    def variable(self, annotations: Annotations, start: Span) -> Variable:
        kind = self.expressions.type()
        name = self.cursor.name("the name of a variable").text
        initial = self.expressions.expression() if self.cursor.accept("=") else None
        self.cursor.expect(";")
        return Variable(kind, name, initial, annotations, self.cursor.since(start))

    def constant(self, annotations: Annotations) -> Constant:
        start = self.cursor.expect("const").span
        kind = self.expressions.type()
        name = self.cursor.name("the name of a constant").text
        self.cursor.expect("=")
        value = self.expressions.expression()
        self.cursor.expect(";")
        return Constant(kind, name, value, annotations, self.cursor.since(start))

    # --- actions and tables -------------------------------------------------------------------------------

    def parameters(self) -> tuple[Parameter, ...]:
        self.cursor.expect("(")
        found: list[Parameter] = []
        while not self.cursor.accept(")"):
            annotations = self.expressions.annotations()
            start = self.cursor.token.span
            is_directed = self.cursor.at("in", "out", "inout")
            direction = Direction(self.cursor.next().text) if is_directed else Direction.NONE
            kind: Type = self.expressions.type()
            name = self.cursor.name("the name of a parameter").text
            default = self.expressions.expression() if self.cursor.accept("=") else None
            found.append(Parameter(kind, name, direction, default, annotations, self.cursor.since(start)))
            if not self.cursor.at(")"):
                self.cursor.expect(",")
        return tuple(found)

    def action(self, annotations: Annotations) -> Action:
        start = self.cursor.expect("action").span
        name = self.cursor.name("the name of an action").text
        parameters = self.parameters()
        return Action(name, parameters, self.block(), annotations, self.cursor.since(start))

    def table(self, annotations: Annotations) -> Table:
        start = self.cursor.expect("table").span
        name = self.cursor.name("the name of a table").text
        parts = _TableParts()
        self.cursor.expect("{")
        while not self.cursor.accept("}"):
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
            self.cursor.since(start),
        )

    def _property(self, parts: "_TableParts") -> None:
        annotations = self.expressions.annotations()
        start = self.cursor.token.span
        is_constant = self.cursor.accept("const")
        name = self.cursor.name("a property of the table").text
        self.cursor.expect("=")
        match name:
            case "key":
                parts.keys = self._keys()
            case "actions":
                parts.actions = self._actions()
            case "default_action":
                parts.default, parts.default_is_constant = self._action_ref(), is_constant
                self.cursor.expect(";")
            case "entries":
                parts.entries, parts.entries_are_constant = self._entries(), is_constant
            case _:
                value = self.expressions.expression()
                self.cursor.expect(";")
                found = TableProperty(name, value, is_constant, annotations, self.cursor.since(start))
                parts.properties.append(found)
        if name in ("key", "actions", "entries"):
            self.cursor.accept(";")

    def _keys(self) -> tuple[Key, ...]:
        self.cursor.expect("{")
        found: list[Key] = []
        while not self.cursor.accept("}"):
            start = self.cursor.token.span
            expression = self.expressions.expression()
            self.cursor.expect(":")
            match = self.cursor.name("a kind of match").text
            found.append(Key(expression, match, self.expressions.annotations(), self.cursor.since(start)))
            self.cursor.expect(";")
        return tuple(found)

    def _actions(self) -> tuple[ActionRef, ...]:
        self.cursor.expect("{")
        found: list[ActionRef] = []
        while not self.cursor.accept("}"):
            annotations = self.expressions.annotations()
            found.append(self._action_ref(annotations))
            if not self.cursor.accept(";"):
                self.cursor.expect(",", "actions end with `;`") if not self.cursor.at("}") else None
        return tuple(found)

    def _action_ref(self, annotations: Annotations = ()) -> ActionRef:
        start = self.cursor.token.span
        self.cursor.accept(".")
        name = self.cursor.name("the name of an action").text
        arguments = self.expressions.arguments(")") if self.cursor.accept("(") else None
        return ActionRef(name, arguments, annotations, self.cursor.since(start))

    def _entries(self) -> tuple[Entry, ...]:
        self.cursor.expect("{")
        found: list[Entry] = []
        while not self.cursor.accept("}"):
            start = self.cursor.token.span
            self.cursor.accept("const")
            priority = None
            if self.cursor.at("priority") and self.cursor.ahead().text == "=":
                self.cursor.next()
                self.cursor.next()
                priority = self.expressions.expression()
                self.cursor.expect(":")
            keys = self.expressions.keys()
            self.cursor.expect(":")
            action = self._action_ref()
            annotations = self.expressions.annotations()
            self.cursor.expect(";")
            found.append(Entry(keys, action, priority, annotations, self.cursor.since(start)))
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
