"""Parses the bodies of actions, statement by statement; after a mistake it goes on with the next line."""

from seriatim.actions.expressions import Booleans, Domain, Expression, Integers, Majorities, Members, Target
from seriatim.actions.syntax import (
    MAIN,
    Assert,
    Assign,
    Async,
    Await,
    Block,
    BoolType,
    Collection,
    CollectionKind,
    Either,
    EnumType,
    For,
    Havoc,
    If,
    IntType,
    MajorityType,
    Receive,
    Send,
    Skip,
    Statement,
    Take,
    ValueType,
)
from seriatim.frontends.actions.cursor import Cursor
from seriatim.frontends.actions.expressions import Expressions
from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.frontends.actions.scope import INT, Scope
from seriatim.source import quote


def whole_domain(type_: ValueType) -> Domain:
    """Returns the domain that has all values of a type."""
    match type_:
        case IntType():
            return Integers()
        case BoolType():
            return Booleans()
        case EnumType(name=name, members=members):
            return Members(name, len(members))
        case MajorityType(family=family):
            return Majorities(family)


class Statements:
    """Blocks are a colon and indented lines, or a colon and one statement on the same line."""

    def __init__(self, cursor: Cursor, scope: Scope) -> None:
        self.cursor = cursor
        self.scope = scope
        self.expressions = Expressions(cursor, scope)

    def block(self) -> Block:
        self.cursor.expect(":")
        if self.cursor.kind() is not Kind.LINE_END:
            return (self.statement(),)
        return tuple(self.cursor.indented(self.statement, "write `skip` to do nothing"))

    def statement(self) -> Statement:
        token = self.cursor.token
        match token.text if token.kind is Kind.KEYWORD else "":
            case "if":
                return self._if()
            case "for":
                return self._for()
            case "either":
                return self._either()
        simple = self._simple()
        self.cursor.end_line()
        return simple

    def _simple(self) -> Statement:
        start = self.cursor.token
        match start.text if start.kind is Kind.KEYWORD else "":
            case "skip":
                self.cursor.next()
                return Skip(start.span)
            case "await":
                self.cursor.next()
                condition = self.expressions.condition()
                return Await(condition, start.span.to(condition.span))
            case "assert":
                self.cursor.next()
                condition = self.expressions.condition()
                return Assert(condition, start.span.to(condition.span))
            case "async":
                return self._async()
            case "send":
                target, message, end = self._transfer()
                return Send(target, message, start.span.to(end.span))
            case "receive":
                target, message, end = self._transfer()
                if self.scope.globals[target.name].type == Collection(CollectionKind.QUEUE, (INT,)):
                    raise wrong(
                        "SER553",
                        "a queue gives its oldest message only",
                        target.span,
                        "write `x := receive(…)`",
                    )
                return Take(target, message, start.span.to(end.span))
            case "havoc":
                return self._havoc()
        if start.kind is Kind.NAME:
            return self._assignment()
        raise self.cursor.unexpected("a statement")

    def _transfer(self) -> tuple[Target, tuple[Expression, ...], Token]:
        self.cursor.next()
        self.cursor.expect("(")
        target, type_ = self.expressions.target()
        if not self.cursor.at(","):
            hint = "write `x := receive(…)`, or name the message to take: `receive(target, message)`"
            raise wrong("SER551", "expected a message", self.cursor.token.span, hint)
        self.cursor.expect(",")
        message = self.expressions.message(type_)
        return target, message, self.cursor.expect(")")

    def _async(self) -> Statement:
        start = self.cursor.next()
        if self.cursor.token.text == MAIN:
            raise wrong("SER555", "`main` runs first, and cannot be started again", self.cursor.token.span)
        action, arguments = self.expressions.instance()
        return Async(action, arguments, start.span.to(self.cursor.previous.span))

    def _assignment(self) -> Statement:
        start = self.cursor.token
        if start.text in self.scope.globals:
            cell, type_ = self.expressions.cell()
            self.cursor.expect(":=")
            if self.cursor.at("receive"):
                hint = "receive into a local first"
                raise wrong("SER551", "a message is received into locals", self.cursor.token.span, hint)
            value = self.expressions.of_type(type_)
            return Assign(cell, value, start.span.to(value.span))
        names = [self.cursor.name("a variable")]
        while self.cursor.accept(","):
            names.append(self.cursor.name("a variable"))
        self.cursor.expect(":=")
        if self.cursor.at("receive"):
            return self._receive(names)
        if len(names) > 1:
            raise self.cursor.unexpected("`receive(…)`")
        found = self.expressions.expression()
        return Assign(
            self.scope.assign(start, found.type), found.expression, start.span.to(found.expression.span)
        )

    def _receive(self, names: list[Token]) -> Statement:
        self.cursor.next()
        self.cursor.expect("(")
        target, type_ = self.expressions.target()
        end = self.cursor.expect(")")
        if len(names) != len(type_.message):
            message = f"messages of {quote(target.name)} have {len(type_.message)} parts"
            raise wrong("SER553", message, names[0].span.to(end.span))
        locals_ = tuple(
            self.scope.assign(name, part) for name, part in zip(names, type_.message, strict=True)
        )
        return Receive(locals_, target, names[0].span.to(end.span))

    def _havoc(self) -> Statement:
        start = self.cursor.next()
        token = self.cursor.token
        if token.text in self.scope.globals:
            cell, type_ = self.expressions.cell()
            domain = self._havoc_domain(type_)
            condition = self.expressions.condition() if self.cursor.accept("with") else None
            return Havoc(cell, domain, condition, start.span.to(self.cursor.previous.span))
        self.cursor.name("a variable")
        type_, domain = INT, Integers()
        if self.cursor.accept("in"):
            domain, type_ = self.expressions.domain()
        name = self.scope.assign(token, type_)
        condition = self.expressions.condition() if self.cursor.accept("with") else None
        return Havoc(name, domain, condition, start.span.to(self.cursor.previous.span))

    def _havoc_domain(self, type_: ValueType) -> Domain:
        if not self.cursor.accept("in"):
            return whole_domain(type_)
        start = self.cursor.token
        domain, found = self.expressions.domain()
        if found != type_:
            raise wrong("SER553", "this global has another type", start.span)
        return domain

    def _if(self) -> Statement:
        start = self.cursor.next()
        condition = self.expressions.condition()
        before = dict(self.scope.variables)
        then = self.block()
        after = self.scope.variables
        self.scope.variables = dict(before)
        otherwise: Block = ()
        if self.cursor.at("elif"):
            otherwise = (self._if(),)
        elif self.cursor.accept("else"):
            otherwise = self.block()
        self._join([after, self.scope.variables])
        return If(condition, then, otherwise, start.span.to(condition.span))

    def _join(self, scopes: list[dict[str, ValueType]]) -> None:
        """After alternatives, only those locals exist that each of them has assigned."""
        first, *others = scopes
        kept = {n: t for n, t in first.items() if all(other.get(n) == t for other in others)}
        self.scope.variables = kept

    def _either(self) -> Statement:
        start = self.cursor.next()
        before = dict(self.scope.variables)
        blocks = [self.block()]
        scopes = [self.scope.variables]
        while self.cursor.at("or"):
            self.cursor.next()
            self.scope.variables = dict(before)
            blocks.append(self.block())
            scopes.append(self.scope.variables)
        if len(blocks) == 1:
            raise wrong("SER551", "`either` needs at least one `or:`", start.span)
        self._join(scopes)
        return Either(tuple(blocks), start.span)

    def _for(self) -> Statement:
        start = self.cursor.next()
        token = self.cursor.name("a variable")
        before = dict(self.scope.variables)
        self.cursor.expect("in")
        range_ = self.expressions.between()
        if token.text in before:
            raise wrong(
                "SER552", f"{quote(token.text)} already means something", token.span, "choose another name"
            )
        name = self.scope.assign(token, INT)
        body = self.block()
        self.scope.variables = before
        return For(name, range_, body, start.span.to(range_.high.span))
