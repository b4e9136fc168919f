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
from seriatim.frontends.actions.expressions import ExpressionParser
from seriatim.frontends.actions.lexer import Kind, Token, wrong
from seriatim.frontends.actions.scope import INT, Scope
from seriatim.source import Diagnostic, InputError, quote

MAX_FINDINGS = 20


def whole_domain(type_: ValueType) -> Domain:
    """All values of a type."""
    match type_:
        case IntType():
            return Integers()
        case BoolType():
            return Booleans()
        case EnumType(name=name, members=members):
            return Members(name, len(members))
        case MajorityType(family=family):
            return Majorities(family)


class StatementParser(ExpressionParser):
    """Blocks are a colon and indented lines, or a colon and one statement on the same line."""

    def __init__(self, tokens: list[Token], scope: Scope) -> None:
        super().__init__(tokens, scope)
        self.findings: list[Diagnostic] = []

    def recover(self, error: InputError) -> None:
        """Keeps what is wrong and skips the rest of the line, with the lines that are indented below it."""
        self.findings += error.diagnostics
        if len(self.findings) >= MAX_FINDINGS:
            raise InputError(self.findings)
        while self.kind() not in (Kind.LINE_END, Kind.END, Kind.DEDENT):
            self.next()
        if self.kind() is Kind.LINE_END:
            self.next()
        if self.kind() is Kind.INDENT:
            depth = 0
            while True:
                depth += (self.kind() is Kind.INDENT) - (self.kind() is Kind.DEDENT)
                self.next()
                if not depth or self.kind() is Kind.END:
                    break

    def end_line(self) -> None:
        if self.kind() is not Kind.LINE_END:
            raise self.unexpected("the end of the line")
        self.next()

    def block(self) -> Block:
        self.expect(":")
        if self.kind() is not Kind.LINE_END:
            return (self.statement(),)
        self.next()
        if self.kind() is not Kind.INDENT:
            raise wrong("SER551", "expected an indented block", self.token.span, "write `skip` to do nothing")
        self.next()
        found: list[Statement] = []
        while self.kind() not in (Kind.DEDENT, Kind.END):
            try:
                found.append(self.statement())
            except InputError as error:
                self.recover(error)
        if self.kind() is Kind.DEDENT:
            self.next()
        return tuple(found)

    def statement(self) -> Statement:
        token = self.token
        match token.text if token.kind is Kind.KEYWORD else "":
            case "if":
                return self._if()
            case "for":
                return self._for()
            case "either":
                return self._either()
        simple = self._simple()
        self.end_line()
        return simple

    def _simple(self) -> Statement:
        start = self.token
        match start.text if start.kind is Kind.KEYWORD else "":
            case "skip":
                self.next()
                return Skip(start.span)
            case "await":
                self.next()
                condition = self.condition()
                return Await(condition, start.span.to(condition.span))
            case "assert":
                self.next()
                condition = self.condition()
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
        raise self.unexpected("a statement")

    def _transfer(self) -> tuple[Target, tuple[Expression, ...], Token]:
        self.next()
        self.expect("(")
        target, type_ = self.target()
        if not self.at(","):
            hint = "write `x := receive(…)`, or name the message to take: `receive(target, message)`"
            raise wrong("SER551", "expected a message", self.token.span, hint)
        self.expect(",")
        message = self.message(type_)
        return target, message, self.expect(")")

    def _async(self) -> Statement:
        start = self.next()
        if self.token.text == MAIN:
            raise wrong("SER555", "`main` runs first, and cannot be started again", self.token.span)
        action, arguments = self.instance()
        return Async(action, arguments, start.span.to(self.tokens[self.position - 1].span))

    def _declare(self, token: Token, type_: ValueType) -> str:
        """A local that is assigned here, perhaps for the first time."""
        if self.scope.is_taken(token.text):
            raise wrong("SER552", f"{quote(token.text)} is not a local", token.span, "choose another name")
        known = self.scope.variables.get(token.text, type_)
        if known != type_:
            raise wrong("SER553", f"{quote(token.text)} has had another type", token.span, "use another name")
        self.scope.variables[token.text] = type_
        return token.text

    def _assignment(self) -> Statement:
        start = self.token
        if start.text in self.scope.globals:
            cell, type_ = self.cell()
            self.expect(":=")
            if self.at("receive"):
                hint = "receive into a local first"
                raise wrong("SER551", "a message is received into locals", self.token.span, hint)
            value = self.of_type(type_)
            return Assign(cell, value, start.span.to(value.span))
        names = [self.name("a variable")]
        while self.accept(","):
            names.append(self.name("a variable"))
        self.expect(":=")
        if self.at("receive"):
            return self._receive(names)
        if len(names) > 1:
            raise self.unexpected("`receive(…)`")
        found = self.expression()
        return Assign(
            self._declare(start, found.type), found.expression, start.span.to(found.expression.span)
        )

    def _receive(self, names: list[Token]) -> Statement:
        self.next()
        self.expect("(")
        target, type_ = self.target()
        end = self.expect(")")
        if len(names) != len(type_.message):
            message = f"messages of {quote(target.name)} have {len(type_.message)} parts"
            raise wrong("SER553", message, names[0].span.to(end.span))
        locals_ = tuple(self._declare(name, part) for name, part in zip(names, type_.message, strict=True))
        return Receive(locals_, target, names[0].span.to(end.span))

    def _havoc(self) -> Statement:
        start = self.next()
        token = self.token
        if token.text in self.scope.globals:
            cell, type_ = self.cell()
            domain = self._havoc_domain(type_)
            condition = self.condition() if self.accept("with") else None
            return Havoc(cell, domain, condition, start.span.to(self.tokens[self.position - 1].span))
        self.name("a variable")
        type_, domain = INT, Integers()
        if self.accept("in"):
            domain, type_ = self.domain()
        name = self._declare(token, type_)
        condition = self.condition() if self.accept("with") else None
        return Havoc(name, domain, condition, start.span.to(self.tokens[self.position - 1].span))

    def _havoc_domain(self, type_: ValueType) -> Domain:
        if not self.accept("in"):
            return whole_domain(type_)
        start = self.token
        domain, found = self.domain()
        if found != type_:
            raise wrong("SER553", "this global has another type", start.span)
        return domain

    def _if(self) -> Statement:
        start = self.next()
        condition = self.condition()
        before = dict(self.scope.variables)
        then = self.block()
        after = self.scope.variables
        self.scope.variables = dict(before)
        otherwise: Block = ()
        if self.at("elif"):
            otherwise = (self._if(),)
        elif self.accept("else"):
            otherwise = self.block()
        self._join([after, self.scope.variables])
        return If(condition, then, otherwise, start.span.to(condition.span))

    def _join(self, scopes: list[dict[str, ValueType]]) -> None:
        """After alternatives, only those locals exist that each of them has assigned."""
        first, *others = scopes
        kept = {n: t for n, t in first.items() if all(other.get(n) == t for other in others)}
        self.scope.variables = kept

    def _either(self) -> Statement:
        start = self.next()
        before = dict(self.scope.variables)
        blocks = [self.block()]
        scopes = [self.scope.variables]
        while self.at("or"):
            self.next()
            self.scope.variables = dict(before)
            blocks.append(self.block())
            scopes.append(self.scope.variables)
        if len(blocks) == 1:
            raise wrong("SER551", "`either` needs at least one `or:`", start.span)
        self._join(scopes)
        return Either(tuple(blocks), start.span)

    def _for(self) -> Statement:
        start = self.next()
        token = self.name("a variable")
        before = dict(self.scope.variables)
        self.expect("in")
        range_ = self.between()
        if token.text in before:
            raise wrong(
                "SER552", f"{quote(token.text)} already means something", token.span, "choose another name"
            )
        name = self._declare(token, INT)
        body = self.block()
        self.scope.variables = before
        return For(name, range_, body, start.span.to(range_.high.span))
